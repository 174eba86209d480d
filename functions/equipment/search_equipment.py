"""search_equipment: catalogue products by meaning and words, under hard filters."""

from typing import Annotated, ClassVar

from pydantic import Field

from equipment.model import ProductName, Specifications
from quarry.paging.budget import LongText
from quarry.paging.pages import PagedArgs, PagedTexts, Pages
from quarry.products import PRODUCTS, ProductFilters
from quarry.retrieval.explanation import EXPLAIN
from quarry.retrieval.hits import Hit
from quarry.retrieval.search import search
from quarry.retrieval.search_results import Brief, SearchHit, UnderstoodSearchResult
from quarry.retrieval.vocabulary import (
    FULL,
    PASSAGE,
    Family,
    Query,
    TopK,
)
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quarry.units import BOUNDS, Units, as_applied, units_of

TOOL = retrieval_tool(
    "search_equipment",
    title="Search the equipment catalogue",
    toolset="equipment",
    description="""
        Catalogue products for a need. Put every hard constraint into the filters (100 HP: hp_min=100,
        hp_max=100): unknown values never match. Read get_specs before you write specifications.
    """,
)

PAGES = Pages(tool=TOOL, text=LongText("product.description"))

BRIEF = Brief(
    text="description",
    whole_in="get_specs",
    only_in_full=frozenset({"series", "family", "motor", "length_in", "width_in", "height_in", "weight_lb"}),
    of_misses=frozenset({"model", "manufacturer", "lubrication"}),
)


class SearchEquipmentArgs(ProductFilters, PagedArgs):
    query: Annotated[Query, Field(description="The need in words.")]
    units: Units | None = Field(default=None, description=BOUNDS)
    top_k: Annotated[TopK, Field(description="Most products.")] = 10
    full: bool = Field(default=False, description=FULL)
    explain: bool = Field(default=False, description=EXPLAIN)


class FoundProduct(Specifications, ProductName):
    """The catalogue row; without full only what tells products apart."""

    category: str | None = Field(description="Heading that quotes print.")
    family: Family | None = Field(description="Only with full.")
    description: str | None = Field(description=PASSAGE)


class FoundInCatalogue(Part):
    product: FoundProduct = Field(description="From the catalogue.")


class EquipmentHit(SearchHit, FoundInCatalogue):
    """A product and what it is worth."""


class SearchEquipmentResult(PagedTexts, UnderstoodSearchResult[EquipmentHit, dict[str, float | str]]):
    """Hits on products."""

    lean: ClassVar[bool] = True


def run(args: SearchEquipmentArgs, caller: Caller) -> SearchEquipmentResult:
    filters = args.model_dump(include=set(ProductFilters.model_fields))
    system = units_of(args.units, tenant=caller.tenant)
    outcome = search(
        PRODUCTS,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
        filters=filters,
        units=system,
        explain=args.explain,
    )
    hits = [_shape(hit, args) for hit in outcome.hits]
    if system == "metric":
        hits = [hit.model_copy(update={"product": hit.product.with_metric()}) for hit in hits]
    page = SearchEquipmentResult(
        results=[],
        degraded=outcome.degraded,
        notice=outcome.notice,
        applied_filters=as_applied(filters, units=system),
        **SearchEquipmentResult.read_as(outcome),
    )
    keys = [(hit.product.manufacturer, hit.product.model) for hit in hits]
    return PAGES.of_ranking(page, hits, keys=keys, args=args, caller=caller)


def _shape(hit: Hit, args: SearchEquipmentArgs) -> EquipmentHit:
    row = {name: hit.row[name] for name in FoundProduct.model_fields}
    said, more = BRIEF.of(hit, row, query=args.query, full=args.full)
    return EquipmentHit.of(hit, full=args.full, product=said, more=more)


handler = serve(TOOL, SearchEquipmentArgs, run)
