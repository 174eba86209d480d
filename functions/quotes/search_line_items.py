"""search_line_items: proven language, line item by line item."""

from typing import Annotated, Self

from pydantic import Field, model_validator

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
    Leg,
    Lubrication,
    Query,
    TopK,
    refuse_empty_ranges,
)
from quotes import queries
from quotes.budget import fit
from quotes.model import LineItem, QuoteSource, SameWords

CATEGORIES_SHOWN = 200

TOOL = retrieval_tool(
    "search_line_items",
    title="Search the description library",
    toolset="quotes",
    description="""
        The main retrieval tool: how the company described and priced a thing before, one line item per hit,
        verbatim, with customer, quote number and date to cite. Describe what the line should say, e.g.
        '100HP oilless food grade compressor' or 'installation with stainless piping'. Copy descriptions to the
        letter; treat prices as precedents.
    """,
)


class SearchLineItemsArgs(Args):
    query: Annotated[Query, Field(description="What the line item should say.")]
    category: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Hard filter: a printed heading such as ROTARY SCREW AIR COMPRESSOR or INSTALLATION, or a "
        "family: compressor, vacuum_pump, dryer, blower, receiver, filtration, accessory, service.",
    )
    hp_min: Bound | None = Field(default=None, description="Lowest HP; lines that do not say are left out.")
    hp_max: Bound | None = Field(default=None, description="Highest HP.")
    cfm_min: Bound | None = Field(default=None, description="Lowest CFM.")
    cfm_max: Bound | None = Field(default=None, description="Highest CFM.")
    psi_min: Bound | None = Field(default=None, description="Lowest PSIG.")
    psi_max: Bound | None = Field(default=None, description="Highest PSIG.")
    lubrication: Lubrication | None = Field(default=None, description=LUBRICATION_FILTER)
    top_k: Annotated[TopK, Field(description="Most line items to return.")] = 10
    max_tokens: int | None = Field(
        default=None,
        ge=100,
        le=1_000_000,
        description="Budget for all descriptions together. Unset: nothing is cut, and an installation block can "
        "exceed 2,000 tokens.",
    )

    explain: bool = Field(default=False, description=EXPLAIN)

    @model_validator(mode="after")
    def ranges_hold_something(self) -> Self:
        refuse_empty_ranges(self, "hp", "cfm", "psi")
        return self


class LineItemHit(Part):
    line_item: LineItem = Field(description="The line, verbatim.")
    score: float | None = Field(description=SCORE)
    confidence: Confidence | None = Field(description=CONFIDENCE)
    legs: list[Leg] = Field(description=LEGS)
    source_quote: QuoteSource = Field(description="Cite customer, quote number and date above the text.")
    same_words_count: int = Field(description="Other lines of the same words; this one is the newest of them.")
    same_words: list[SameWords] = Field(
        description="The newest 20 of them: where else it was sold, and at what price."
    )
    explanation: Explanation | None = Field(description="Only with explain, else null.")


class SearchLineItemsResult(Result):
    results: list[LineItemHit] = Field(description="Best first; empty when nothing matches.")
    degraded: bool = Field(description=DEGRADED)
    notice: str | None = Field(description=NOTICE)
    applied_filters: dict[str, float | str] = Field(description=APPLIED_FILTERS)
    omitted: int = Field(description="Hits left out because max_tokens was used up.")


def run(args: SearchLineItemsArgs, caller: Caller) -> SearchLineItemsResult:
    filters = args.model_dump(exclude={"query", "top_k", "max_tokens", "explain"})
    outcome = retrieval.search(
        queries.LINE_ITEMS,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
        filters=filters,
        explain=args.explain,
    )
    hits = [_shape(hit) for hit in outcome.hits]
    notices = [outcome.notice] if outcome.notice else []
    if not hits and args.category is not None:
        notices.append(_categories_notice(args.category, tenant=caller.tenant))
    shown = hits if args.max_tokens is None else _within_budget(hits, max_tokens=args.max_tokens)
    return SearchLineItemsResult(
        results=shown,
        degraded=outcome.degraded,
        notice=" ".join(notices) or None,
        applied_filters={name: value for name, value in filters.items() if value is not None},
        omitted=len(hits) - len(shown),
    )


def _shape(hit: retrieval.Hit) -> LineItemHit:
    return LineItemHit(
        line_item=LineItem.model_validate({name: hit.row[name] for name in LineItem.model_fields}),
        score=hit.score,
        confidence=hit.confidence,
        legs=list(hit.legs),
        explanation=explanation_of(hit),
        same_words_count=hit.copies,
        same_words=[SameWords.model_validate(copy) for copy in hit.copied],
        source_quote=QuoteSource.model_validate({name: hit.row[name] for name in QuoteSource.model_fields}),
    )


def _within_budget(hits: list[LineItemHit], *, max_tokens: int) -> list[LineItemHit]:
    fitted = fit([hit.line_item.description for hit in hits], max_tokens=max_tokens)
    shown = hits[: len(fitted.texts)]
    if fitted.cut:
        cut_line = shown[-1].line_item.model_copy(update={"description": fitted.texts[-1], "truncated": True})
        shown[-1] = shown[-1].model_copy(update={"line_item": cut_line})
    return shown


def _categories_notice(category: str, *, tenant: str) -> str:
    headings, families = queries.categories(tenant)
    as_family = category.lower().replace("-", "_").replace(" ", "_")
    if category.lower() in {heading.lower() for heading in headings} or as_family in families:
        return "The category exists, but no line of it satisfies the other filters."
    in_use = "; ".join([*sorted(families), *sorted(headings)[:CATEGORIES_SHOWN]])
    return f"No line item has the category '{category}'. Families and categories in use: {in_use}."


handler = serve(TOOL, SearchLineItemsArgs, run)
