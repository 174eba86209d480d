"""search_equipment: catalogue products by meaning and words, under hard filters."""

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from equipment import queries
from equipment.model import Arrangement, Product
from quarry import retrieval
from quarry.paging.budget import LongText
from quarry.paging.pages import PagedArgs, PagedTexts, Pages
from quarry.retrieval.explanation import EXPLAIN
from quarry.retrieval.search_results import SearchHit, UnderstoodSearchResult, shown_text
from quarry.retrieval.vocabulary import (
    FULL,
    LUBRICATION_FILTER,
    Bound,
    Degrees,
    Family,
    Lubrication,
    NamePart,
    Query,
    TopK,
    refuse_empty_ranges,
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
        hp_max=100): unknown values never match. Read get_product or get_specs before you write specifications.
    """,
)

PAGES = Pages(tool=TOOL, text=LongText("product.description"))

LEFT_OUT_OF_MISSES = (
    "series", "cooling", "voltage", "drive", "motor", "length_in", "width_in", "height_in", "weight_lb",
    "air_quality", "source",
)  # fmt: skip


class SearchEquipmentArgs(PagedArgs):
    query: Annotated[Query, Field(description="The need in words.")]
    cfm_min: Bound | None = Field(default=None, description="acfm.")
    cfm_max: Bound | None = Field(default=None, description="acfm.")
    psi_min: Bound | None = Field(default=None, description="PSIG.")
    psi_max: Bound | None = Field(default=None, description="PSIG.")
    hp_min: Bound | None = Field(default=None, description="In HP.")
    hp_max: Bound | None = Field(default=None, description="In HP.")
    vacuum_min: Bound | None = Field(default=None, description="inHg.")
    dewpoint_max: Degrees | None = Field(default=None, description="In °F.")
    noise_max: Bound | None = Field(default=None, description="dB(A).")
    gallons_min: Bound | None = Field(default=None, description="Tank.")
    gallons_max: Bound | None = Field(default=None, description="Tank.")
    lubrication: Lubrication | None = Field(default=None, description=LUBRICATION_FILTER)
    family: Family | None = Field(default=None, description="Only this kind.")
    manufacturer: NamePart | None = Field(default=None, description="A part.")
    model: NamePart | None = Field(default=None, description="A part.")
    cooling: NamePart | None = Field(default=None, description="air or water.")
    drive: NamePart | None = Field(default=None, description="belt, vfd, …")
    voltage: NamePart | None = Field(default=None, description="460/3/60")
    air_quality: NamePart | None = Field(default=None, description="Class 0, …")
    arrangement: Arrangement | None = Field(default=None, description="Machines in one.")
    units: Units | None = Field(default=None, description=BOUNDS)
    top_k: Annotated[TopK, Field(description="Most products.")] = 10
    full: bool = Field(default=False, description=FULL)
    explain: bool = Field(default=False, description=EXPLAIN)

    @model_validator(mode="after")
    def ranges_hold_something(self) -> Self:
        refuse_empty_ranges(self, "cfm", "psi", "hp", "gallons")
        return self


class FoundProduct(Part):
    product: Product = Field(description="The catalogue row, with the best passage of its description.")


class EquipmentHit(SearchHit, FoundProduct):
    """A product and what it is worth."""


class SearchEquipmentResult(PagedTexts, UnderstoodSearchResult[EquipmentHit, dict[str, float | str]]):
    """Hits on products."""

    lean: ClassVar[bool] = True


def run(args: SearchEquipmentArgs, caller: Caller) -> SearchEquipmentResult:
    filters = args.model_dump(exclude={"query", "units", "top_k", "full", "explain", "max_tokens", "cursor"})
    system = units_of(args.units, tenant=caller.tenant)
    outcome = retrieval.search(
        queries.PRODUCTS,
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


def _shape(hit: retrieval.Hit, args: SearchEquipmentArgs) -> EquipmentHit:
    product = Product.model_validate({name: hit.row[name] for name in Product.model_fields})
    text = shown_text(product.description, hit, query=args.query, full=args.full)
    shown = product.model_copy(update={"description": text, "truncated": len(text) < len(product.description)})
    if hit.confidence == "probable_miss" and not args.full:
        shown = shown.model_copy(update=dict.fromkeys(LEFT_OUT_OF_MISSES))
    more = f"get_product model={product.model} manufacturer={product.manufacturer}" if shown.truncated else None
    return EquipmentHit.of(hit, product=shown).model_copy(update={"more": more})


handler = serve(TOOL, SearchEquipmentArgs, run)
