"""search_past_quotes: quotes for similar projects."""

from datetime import date
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from quarry.paging.budget import LongText
from quarry.paging.pages import PagedArgs, PagedTexts, Pages
from quarry.retrieval.explanation import EXPLAIN
from quarry.retrieval.hits import Hit
from quarry.retrieval.search import search
from quarry.retrieval.search_results import Brief, SearchHit, UnderstoodSearchResult
from quarry.retrieval.vocabulary import FULL, PASSAGE, NamePart, Query, TopK
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quotes import queries
from quotes.model import CURRENCY, QuoteCard, Status, currency_of, refuse_empty_period, with_digits

TOOL = retrieval_tool(
    "search_past_quotes",
    title="Search past quotes",
    toolset="quotes",
    description="""
        Past quotes whose project resembles a description (customer's situation, scope, industry), with what
        was charged and why. For wording of one piece of equipment use search_line_items instead.
    """,
)

PAGES = Pages(tool=TOOL, text=LongText("summary"))

BRIEF = Brief(
    text="summary",
    whole_in="get_quote",
    only_in_full=frozenset(),
    of_misses=frozenset({"quote_number", "customer", "quote_date", "status"}),
)


class SearchPastQuotesArgs(PagedArgs):
    query: Annotated[Query, Field(description="The project in words.")]
    status: Status | None = Field(default=None, description="Only quotes that ended so.")
    industry: NamePart | None = Field(default=None, description="Or a part of it.")
    customer: NamePart | None = Field(default=None, description="Or a part of the name.")
    salesperson: NamePart | None = Field(default=None, description="Or a part of the name.")
    date_from: date | None = Field(default=None, description="Earliest quote date.")
    date_to: date | None = Field(default=None, description="Latest quote date.")
    top_k: Annotated[TopK, Field(description="Most quotes to return.")] = 5
    full: bool = Field(default=False, description=FULL)
    explain: bool = Field(default=False, description=EXPLAIN)

    @model_validator(mode="after")
    def dates_hold_a_day(self) -> Self:
        refuse_empty_period(self.date_from, self.date_to)
        return self


class FoundCard(QuoteCard):
    project: str | None = Field(description="Project title.")
    currency: str | None = Field(description="Left out: that of the answer.")


class FoundQuote(Part):
    quote: FoundCard = Field(description="The quote; get_quote has its line items.")


class PastQuoteHit(SearchHit, FoundQuote):
    summary: str | None = Field(description=PASSAGE)


class FoundQuotes(UnderstoodSearchResult[PastQuoteHit, dict[str, str]]):
    currency: str | None = Field(description=CURRENCY)


class SearchPastQuotesResult(PagedTexts, FoundQuotes):
    """Hits on past quotes."""

    lean: ClassVar[bool] = True


def run(args: SearchPastQuotesArgs, caller: Caller) -> SearchPastQuotesResult:
    filters = args.model_dump(exclude={"query", "top_k", "full", "explain", "max_tokens", "cursor"})
    outcome = search(
        queries.PAST_QUOTES,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
        filters=filters,
        explain=args.explain,
    )
    currency = currency_of([hit.row for hit in outcome.hits])
    hits = [_shape(hit, args, currency=currency) for hit in outcome.hits]
    page = SearchPastQuotesResult(
        results=[],
        currency=currency,
        degraded=outcome.degraded,
        notice=outcome.notice,
        applied_filters={name: str(value) for name, value in filters.items() if value is not None},
        **SearchPastQuotesResult.read_as(outcome),
    )
    keys = [(hit.quote.quote_number,) for hit in hits]
    return PAGES.of_ranking(page, hits, keys=keys, args=args, caller=caller)


def _shape(hit: Hit, args: SearchPastQuotesArgs, *, currency: str | None) -> PastQuoteHit:
    held = with_digits(hit.row)
    row = {name: held[name] for name in (*FoundCard.model_fields, "summary")}
    said, more = BRIEF.of(hit, row, query=args.query, full=args.full)
    summary = said.pop("summary")
    if said["currency"] == currency and not args.full:
        said["currency"] = None
    return PastQuoteHit.of(hit, full=args.full, summary=summary, quote=said, more=more)


handler = serve(TOOL, SearchPastQuotesArgs, run)
