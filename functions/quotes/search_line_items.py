"""search_line_items: proven language, line item by line item."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator
from quarry.precedents.line_parts import line_text
from quarry.precedents.mentions import Mentioning

from quarry.paging.budget import LongText
from quarry.paging.pages import PagedArgs, PagedTexts, Pages
from quarry.precedents.past_lines import LINE_ITEMS, disagreement
from quarry.precedents.price_history import Quantity
from quarry.retrieval import requests
from quarry.retrieval.explanation import EXPLAIN
from quarry.retrieval.hits import Hit
from quarry.retrieval.search import search
from quarry.retrieval.search_results import Brief, SearchHit, UnderstoodSearchResult
from quarry.retrieval.vocabulary import (
    FULL,
    LUBRICATION_FILTER,
    PASSAGE,
    Attributes,
    Bound,
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
from quotes.model import (
    CURRENCY,
    LineFacts,
    LineNumber,
    QuoteSource,
    SameWords,
    Status,
    currency_of,
    parted,
    refuse_empty_period,
    with_digits,
)

TOOL = retrieval_tool(
    "search_line_items",
    title="Search the description library",
    toolset="quotes",
    description="""
        The main retrieval tool: how the company described and priced a thing before, one line item per hit,
        verbatim, with customer, quote number and date to cite. Describe what the line should say, e.g.
        '100HP oilless food grade compressor'. Copy descriptions to the letter; treat prices as precedents.
    """,
)

PAGES = Pages(tool=TOOL, text=LongText("line_item.description"))

BRIEF = Brief(
    text="description",
    whole_in="get_quote",
    only_in_full=frozenset({"family", "extended_price"}),
    of_misses=frozenset({"quote_number", "position", "category", "model"}),
)

TERMS = ("warranty", "payment")
"""What is read of a line only where its words may be copied; get_quote has them of every line."""

SAID_BY_THE_CATALOGUE = ("hp", "cfm", "psi", "vacuum_inhg", "lubrication")


class SearchLineItemsArgs(PagedArgs):
    query: Annotated[Query, Field(description="What the line item should say.")]
    category: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="A printed heading such as INSTALLATION, or a "
        "family: compressor, vacuum_pump, dryer, blower, receiver, filtration, accessory, service.",
    )
    hp_min: Bound | None = Field(default=None, description="In HP.")
    hp_max: Bound | None = Field(default=None, description="In HP.")
    cfm_min: Bound | None = Field(default=None, description="acfm.")
    cfm_max: Bound | None = Field(default=None, description="acfm.")
    psi_min: Bound | None = Field(default=None, description="PSIG.")
    psi_max: Bound | None = Field(default=None, description="PSIG.")
    vacuum_min: Bound | None = Field(default=None, description="inHg.")
    lubrication: Lubrication | None = Field(default=None, description=LUBRICATION_FILTER)
    manufacturer: NamePart | None = Field(default=None, description="A part.")
    model: NamePart | None = Field(default=None, description="A part.")
    attributes: Attributes | None = Field(default=None, description="House's own: head>=40")
    customer: NamePart | None = Field(default=None, description="A part.")
    status: Status | None = Field(default=None, description="Outcome.")
    date_from: date | None = Field(default=None, description="Earliest.")
    date_to: date | None = Field(default=None, description="Latest.")
    optional: bool | None = Field(default=None, description="Only options, or none.")
    units: Units | None = Field(default=None, description=BOUNDS)
    top_k: Annotated[TopK, Field(description="Most lines.")] = 10
    full: bool = Field(default=False, description=FULL)
    explain: bool = Field(default=False, description=EXPLAIN)

    @model_validator(mode="after")
    def ranges_hold_something(self) -> Self:
        refuse_empty_ranges(self, "hp", "cfm", "psi")
        refuse_empty_period(self.date_from, self.date_to)
        return self


class FoundLine(LineFacts, LineNumber):
    category: str | None = Field(description="Printed heading; with a model only in full.")
    family: Family | None = Field(description="Only with full.")
    description: str | None = Field(description=PASSAGE)
    quantity: Quantity | None = Field(description="Left out: 1.")
    currency: str | None = Field(description="Left out: that of the answer.")
    optional: bool | None = Field(description="An option, not in the total. Left out: no.")


class FoundInQuote(Part):
    line_item: FoundLine = Field(description="The line; without full only what tells lines apart.")


class LineItemHit(SearchHit, FoundInQuote):
    source_quote: QuoteSource | None = Field(
        default=None, description="Cite customer, quote number and date above the text."
    )
    same_words_count: int | None = Field(
        default=None, description="Other lines of the same words; this one is the newest of them."
    )
    same_words: list[SameWords] | None = Field(
        default=None, description="The newest 20 of them: where else it was sold, and at what price."
    )


class FoundLines(UnderstoodSearchResult[LineItemHit, dict[str, float | str]]):
    currency: str | None = Field(description=CURRENCY)


class SearchLineItemsResult(PagedTexts, FoundLines):
    """Hits on line items."""

    lean: ClassVar[bool] = True


def run(args: SearchLineItemsArgs, caller: Caller) -> SearchLineItemsResult:
    filters = args.model_dump(exclude={"query", "units", "top_k", "full", "explain", "max_tokens", "cursor"})
    system = units_of(args.units, tenant=caller.tenant)
    outcome = search(
        LINE_ITEMS,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
        filters=filters,
        units=system,
        explain=args.explain,
    )
    currency = currency_of([hit.row for hit in outcome.hits])
    mentioning = Mentioning(*requests.known_names(LINE_ITEMS, tenant=caller.tenant))
    hits = [_shape(hit, args, currency=currency, mentioning=mentioning) for hit in outcome.hits]
    if system == "metric":
        hits = [hit.model_copy(update={"line_item": hit.line_item.with_metric()}) for hit in hits]
    page = SearchLineItemsResult(
        results=[],
        currency=currency,
        degraded=outcome.degraded,
        notice=outcome.notice,
        applied_filters=as_applied(filters, units=system),
        **SearchLineItemsResult.read_as(outcome),
    )
    keys = [(hit.line_item.quote_number, hit.line_item.position) for hit in hits]
    return PAGES.of_ranking(page, hits, keys=keys, args=args, caller=caller)


def _line(hit: Hit) -> dict[str, object]:
    """The line, with what only its catalogue row says marked as such."""
    catalogue: Mapping[str, object] = hit.row["_catalogue"] or {}
    silent = [name for name in SAID_BY_THE_CATALOGUE if hit.row[name] is None and catalogue.get(name) is not None]
    row = with_digits(hit.row)
    own = {name: row[name] for name in FoundLine.model_fields if name in row}
    added = {name: catalogue[name] for name in silent}
    disagrees = disagreement(hit.row, hit.row["_catalogue"])
    return {**own, **added, "from_catalogue": silent or None, "disagrees": disagrees}


def _shape(hit: Hit, args: SearchLineItemsArgs, *, currency: str | None, mentioning: Mentioning) -> LineItemHit:
    line = _line(hit)
    if not args.full:
        line["description"] = line_text(hit.row["description"]).selling
    said, more = BRIEF.of(hit, line, query=args.query, full=args.full)
    if said["description"] is not None:
        shown = None if args.full else str(said["description"])
        said |= parted(hit.row, shown=shown, quote=hit.row, mentioning=mentioning)
        if hit.confidence != "likely_good" and not args.full:
            said |= dict.fromkeys(TERMS)
    found: dict[str, object] = {
        "line_item": said if args.full else _without_the_usual(said, currency=currency),
        "more": more,
    }
    if args.full or hit.confidence != "probable_miss":
        source = {name: hit.row[name] for name in QuoteSource.model_fields}
        found["source_quote"] = source if args.full else {**source, "project": None}
        copied = [with_digits(row) for row in hit.copied]
        found |= {"same_words_count": hit.copies or None, "same_words": copied or None}
    return LineItemHit.of(hit, full=args.full, **found)


def _without_the_usual(line: Mapping[str, object], *, currency: str | None) -> dict[str, object]:
    usual = {"quantity": 1, "optional": False, "currency": currency, "catalogue_model": line["model"]}
    unsaid = [name for name, value in usual.items() if line[name] == value]
    return {**line, **dict.fromkeys([*unsaid, *(["category"] if line["model"] else [])])}


handler = serve(TOOL, SearchLineItemsArgs, run)
