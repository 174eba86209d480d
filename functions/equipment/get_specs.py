"""get_specs: several products side by side."""

from typing import Annotated

from pydantic import Field

from equipment import lookup
from equipment.model import Product
from quarry.paging.budget import LongText
from quarry.paging.pages import PagedArgs, PagedTexts, Pages
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quarry.units import BESIDE, Units, units_of

TOOL = retrieval_tool(
    "get_specs",
    title="Compare products",
    toolset="equipment",
    description="""
        Catalogue rows of several models side by side, in the order asked, for a multi-option quote. Models
        that do not exist are listed in not_found with the nearest ones; null means the catalogue does not say.
    """,
)

PAGES = Pages(tool=TOOL, into="products", text=LongText("description"))

Model = Annotated[str, Field(min_length=1, max_length=200)]


class GetSpecsArgs(PagedArgs):
    models: list[Model] = Field(min_length=1, max_length=20, description="Models, e.g. ['QMB30', 'QSI-500'].")
    units: Units | None = Field(default=None, description=BESIDE)


class MissingModel(Part):
    model: str = Field(description="The model as asked.")
    nearest: list[str] = Field(description="Models spelt most alike.")


class Compared(Part):
    products: list[Product] = Field(
        description="In the order asked; more than one for a model that several manufacturers use."
    )
    omitted: int = Field(default=0, description="Products left to the next pages.")
    not_found: list[MissingModel] = Field(description="Models that are not in the catalogue; on the first page.")


class GetSpecsResult(PagedTexts, Compared):
    """Products side by side."""


def run(args: GetSpecsArgs, caller: Caller) -> GetSpecsResult:
    products: list[Product] = []
    missing: list[MissingModel] = []
    for model in dict.fromkeys(args.models):
        found = lookup.find(caller.tenant, model=model)
        products.extend(product for product in found if product not in products)
        if not found:
            missing.append(MissingModel(model=model, nearest=lookup.nearest(caller.tenant, model=model)))
    if units_of(args.units, tenant=caller.tenant) == "metric":
        products = [product.with_metric() for product in products]
    page = GetSpecsResult(products=[], not_found=[] if args.cursor else missing)
    keys = [(product.manufacturer, product.model) for product in products]
    return PAGES.of_ranking(page, products, keys=keys, args=args, caller=caller)


handler = serve(TOOL, GetSpecsArgs, run)
