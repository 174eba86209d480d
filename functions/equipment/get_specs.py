"""get_specs: several products side by side, judged by what is asked for."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

from pydantic import Field

from equipment import queries
from equipment.model import Product, shown_attributes
from quarry import characteristics
from quarry.attributes.model import Attributes, texts_of, values_of
from quarry.attributes.units import BESIDE, System
from quarry.corpora import PRODUCTS
from quarry.needs.arguments import FIT, READ, UNREAD, NeedRow, needs_of, sent_again
from quarry.needs.judge import find
from quarry.needs.model import Need, choices_of
from quarry.paging.pages import Paged, PagedArgs, Pages
from quarry.precedents import sales
from quarry.retrieval.here import attributes_of, beside
from quarry.retrieval.judging import Judge
from quarry.text import part_key
from quarry.tool.contract import LeanResult, OpaquePart, Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "get_specs",
    title="Compare products",
    toolset="equipment",
    description="""
        Catalogue rows of several models side by side; with needs each says how it meets
        them. Unknown models are in not_found; what a row leaves out the catalogue does not say.
    """,
)

PAGES = Pages(tool=TOOL, into="products")

Model = Annotated[str, Field(min_length=1, max_length=200)]


class GetSpecsArgs(PagedArgs):
    models: list[Model] = Field(min_length=1, max_length=20, description="Models, e.g. ['QMB30', 'QSI-500'].")
    needs: list[NeedRow] = Field(default=[], max_length=20, description="What is asked for, by attribute.")
    units: System | None = Field(default=None, description=BESIDE)
    language: str = Field(default="en", pattern=r"^[a-z]{2}$", description="Of the blocks.")
    blocks: bool = Field(default=False, description="Filled characteristics blocks in place of attributes.")


class MissingModel(Part):
    model: str = Field(description="The model as asked.")
    nearest: list[str] = Field(description="Models spelt most alike.")
    known: str | None = Field(default=None, description="Another maker's, or what catalog_search has.")


class ComparedProduct(OpaquePart, Product):
    """A row of the catalogue, and how it meets the needs."""

    fit: list[str] | None = Field(default=None, description=FIT)
    characteristics: str | None = Field(default=None, description="Filled block, with blocks.")
    product_id: str | None = Field(default=None, description="For quote_create.")
    configurable: dict[str, str] = Field(default={}, description="What attributes of a quote's line may set.")
    conflict: str | None = Field(
        default=None, description="Where a past quote says otherwise: settle it before either is written."
    )


class GetSpecsResult(LeanResult, Paged):
    """Products side by side."""

    products: list[ComparedProduct] = Field(
        description="In the order asked; more than one for a model that several manufacturers use."
    )
    omitted: int = Field(default=0, description="Products left to the next pages.")
    not_found: list[MissingModel] = Field(description="Models that are not in the catalogue; on the first page.")
    needs: list[NeedRow] = Field(default=[], description=READ)
    unread: list[str] = Field(default=[], description=UNREAD)


def run(args: GetSpecsArgs, caller: Caller) -> GetSpecsResult:
    attributes = attributes_of(caller.tenant, named=(need.attribute for need in args.needs))
    rows: list[Mapping[str, Any]] = []
    missing: list[MissingModel] = []
    seen: set[sales.Name] = set()
    for model in dict.fromkeys(args.models):
        found = queries.find(caller.tenant, model=model)
        rows.extend(row for row in found if _name(row) not in seen)
        seen.update(map(_name, found))
        if not found:
            missing.append(_missing(model, attributes, caller))
    needs, unread = needs_of(args.needs, attributes=attributes)
    units = beside(args.units, tenant=caller.tenant)
    conflicts = _conflicts(rows, attributes, caller)
    judge = Judge(PRODUCTS, needs, attributes)
    sold = sales.facts(caller.tenant, [_name(row) for row in rows]) if caller.may("cpq:read") else {}
    choices = queries.configurable(caller.tenant, [one.product_id for one in sold.values() if one.product_id])
    products = []
    for row, conflict in zip(rows, conflicts, strict=True):
        product = {**row, "attributes": shown_attributes(row["attributes"], attributes, beside=units)}
        block = characteristics.block(row, attributes=attributes, language=args.language, beside=units)
        if args.blocks and block:
            product |= {"attributes": {}, "description": "", "characteristics": block}
        # What goods of this family cannot have was asked of others beside them.
        findings = judge.of(row).findings
        fit = [str(one) for one in findings if one.has or one.need.attribute.is_of(str(row["family"]))] or None
        product_id = sold[_name(row)].product_id if _name(row) in sold else None
        configurable = {name: _choice(spec) for name, spec in choices.get(product_id or "", {}).items()}
        told = {"fit": fit, "conflict": conflict, "product_id": product_id, "configurable": configurable}
        products.append(ComparedProduct.model_validate({**product, **told}, extra="ignore"))
    page = GetSpecsResult(
        products=[],
        not_found=[] if args.cursor else missing,
        needs=sent_again(needs),
        unread=[str(each) for each in unread],
    )
    keys = [(product.manufacturer, product.model) for product in products]
    return PAGES.of_ranking(page, products, keys=keys, args=args, caller=caller)


def _missing(model: str, attributes: Attributes, caller: Caller) -> MissingModel:
    known, row = None, queries.equivalent(caller.tenant, model=model)
    if row is not None:
        values = texts_of(row["attributes"], attributes)
        told = [row["family"], *map(" ".join, values.items()), row["note"]]
        known = f"{row['maker']} {row['model']}: {', '.join(filter(None, told))}"
    elif caller.may("cpq:read") and (name := queries.for_sale(caller.tenant, sku=model)):
        known = f"{name}: a product for sale without a row of characteristics; catalog_search has it."
    return MissingModel(model=model, nearest=queries.nearest(caller.tenant, model=model), known=known)


def _choice(spec: Mapping[str, Any]) -> str:
    """Renders what may be set: its values or bounds, and what the catalogue says of it."""
    bounds = f"{spec.get('min', '')}..{spec.get('max', '')}" if {"min", "max"} & spec.keys() else ""
    values = spec.get("values") or (["yes", "no"] if spec["type"] == "boolean" else [bounds or spec["type"]])
    needed = "needed" if spec.get("required") else ""
    return "; ".join(filter(None, [" | ".join(values), needed, spec.get("description")]))


def _name(row: Mapping[str, Any]) -> sales.Name:
    return str(row["manufacturer"]), str(row["model"])


def _conflicts(rows: Sequence[Mapping[str, Any]], attributes: Attributes, caller: Caller) -> list[str | None]:
    """Returns for each row the newest past line that contradicts it, if the caller may read past quotes."""
    lines = queries.quoted(caller.tenant, [row["model"] for row in rows]) if caller.may("quotes:read") else []
    found = []
    for row in rows:
        name = part_key(row["model"]), part_key(row["manufacturer"])
        own = [line for line in lines if (line["model_key"], line["maker"]) == name]
        said = (f"{line['source']}: {apart}" for line in own if (apart := disagreement(line, row, attributes)))
        found.append("; ".join(islice(said, 1)) or None)
    return found


def disagreement(line: Mapping[str, Any], row: Mapping[str, Any], attributes: Attributes) -> str:
    """Returns the attributes for which a past line and its catalogue row disagree, with both values."""
    ours, theirs = values_of(line["attributes"]), values_of(row["attributes"])
    apart = []
    for name in sorted(ours.keys() & theirs.keys() & attributes.by_name.keys()):
        attribute = attributes.by_name[name]
        asked = Need(attribute, choices_of(theirs[name], "~"), theirs[name].shown(attribute.unit))
        if find(asked, ours[name], attributes=attributes).verdict == "contradicted":
            apart.append(f"{name} {ours[name].shown(attribute.unit)}, here {asked.asked}")
    return ", ".join(apart)


handler = serve(TOOL, GetSpecsArgs, run)
