"""search_equipment: catalogue products by meaning and words, under hard filters."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from equipment import queries
from equipment.model import Product
from quarry import retrieval
from quarry.contract import Args, Part, Result, retrieval_tool
from quarry.explanation import EXPLAIN, Explanation, explanation_of
from quarry.identity import Caller
from quarry.retrieval import Confidence
from quarry.runtime import serve
from quarry.vocabulary import (
    APPLIED_FILTERS,
    CONFIDENCE,
    DEGRADED,
    LEGS,
    LUBRICATION_FILTER,
    NOTICE,
    SCORE,
    Bound,
    Family,
    Leg,
    Lubrication,
    Query,
    TopK,
    refuse_empty_ranges,
)

TOOL = retrieval_tool(
    "search_equipment",
    title="Search the equipment catalogue",
    toolset="equipment",
    description="""
        Find catalogue products for a need. Put every hard constraint into the filters (exactly 100 HP is
        hp_min=100, hp_max=100; oil-free air is lubrication=...): filters are never traded for similarity, and
        unknown values never match. Then read get_product or get_specs before you write specifications.
    """,
)


class SearchEquipmentArgs(Args):
    query: Annotated[Query, Field(description="The need in words, e.g. 'oilless compressor for a food plant'.")]
    cfm_min: Bound | None = Field(default=None, description="Lowest capacity in CFM.")
    cfm_max: Bound | None = Field(default=None, description="Highest capacity in CFM.")
    psi_min: Bound | None = Field(default=None, description="Lowest rated pressure in PSIG.")
    psi_max: Bound | None = Field(default=None, description="Highest rated pressure in PSIG.")
    hp_min: Bound | None = Field(default=None, description="Lowest motor power in HP.")
    hp_max: Bound | None = Field(default=None, description="Highest motor power in HP.")
    lubrication: Lubrication | None = Field(default=None, description=LUBRICATION_FILTER)
    family: Family | None = Field(default=None, description="Only this kind of equipment.")
    manufacturer: str | None = Field(
        default=None, min_length=1, max_length=200, description="Only this manufacturer."
    )
    top_k: Annotated[TopK, Field(description="Most products to return.")] = 10
    explain: bool = Field(default=False, description=EXPLAIN)

    @model_validator(mode="after")
    def ranges_hold_something(self) -> Self:
        refuse_empty_ranges(self, "cfm", "psi", "hp")
        return self


class EquipmentSource(Part):
    manufacturer: str = Field(description="Manufacturer.")
    model: str = Field(description="Model.")
    document: str | None = Field(description="Document the values were taken from.")


class EquipmentHit(Part):
    product: Product = Field(description="The whole catalogue row.")
    score: float | None = Field(description=SCORE)
    confidence: Confidence | None = Field(description=CONFIDENCE)
    snippet: str = Field(description="The part of the catalogue text that matched.")
    legs: list[Leg] = Field(description=LEGS)
    source: EquipmentSource = Field(description="Where the facts come from: cite it.")
    explanation: Explanation | None = Field(description="Only with explain, else null.")


class SearchEquipmentResult(Result):
    results: list[EquipmentHit] = Field(description="Best first; empty when nothing matches.")
    degraded: bool = Field(description=DEGRADED)
    notice: str | None = Field(description=NOTICE)
    applied_filters: dict[str, float | str] = Field(description=APPLIED_FILTERS)


def run(args: SearchEquipmentArgs, caller: Caller) -> SearchEquipmentResult:
    filters = args.model_dump(exclude={"query", "top_k", "explain"})
    outcome = retrieval.search(
        queries.PRODUCTS,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
        filters=filters,
        explain=args.explain,
    )
    return SearchEquipmentResult(
        results=[_shape(hit) for hit in outcome.hits],
        degraded=outcome.degraded,
        notice=outcome.notice,
        applied_filters={name: value for name, value in filters.items() if value is not None},
    )


def _shape(hit: retrieval.Hit) -> EquipmentHit:
    snippet = hit.row.pop("snippet")
    product = Product.model_validate(hit.row)
    return EquipmentHit(
        product=product,
        score=hit.score,
        confidence=hit.confidence,
        snippet=snippet,
        legs=list(hit.legs),
        explanation=explanation_of(hit),
        source=EquipmentSource(manufacturer=product.manufacturer, model=product.model, document=product.source),
    )


handler = serve(TOOL, SearchEquipmentArgs, run)
