"""search_past_quotes: quotes for similar projects."""

from datetime import date
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from quarry import retrieval
from quarry.paging.budget import LongText
from quarry.paging.pages import PagedArgs, PagedTexts, Pages
from quarry.retrieval.explanation import EXPLAIN
from quarry.retrieval.search_results import SearchHit, UnderstoodSearchResult, shown_text
from quarry.retrieval.vocabulary import FULL, NamePart, Query, TopK
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quotes import queries
from quotes.model import QuoteCard, Status, refuse_empty_period

NAMES_SHOWN = 30

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


class FoundQuote(Part):
    quote: QuoteCard = Field(description="The quote; get_quote has its line items.")


class PastQuoteHit(SearchHit, FoundQuote):
    summary: str = Field(description="What the project was about.")


class SearchPastQuotesResult(PagedTexts, UnderstoodSearchResult[PastQuoteHit, dict[str, str]]):
    """Hits on past quotes."""

    lean: ClassVar[bool] = True


def run(args: SearchPastQuotesArgs, caller: Caller) -> SearchPastQuotesResult:
    filters = args.model_dump(exclude={"query", "top_k", "full", "explain", "max_tokens", "cursor"})
    outcome = retrieval.search(
        queries.PAST_QUOTES,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
        filters=filters,
        explain=args.explain,
    )
    hits = [_shape(hit, args) for hit in outcome.hits]
    page = SearchPastQuotesResult(
        results=[],
        degraded=outcome.degraded,
        notice=outcome.notice,
        applied_filters={name: str(value) for name, value in filters.items() if value is not None},
        **SearchPastQuotesResult.read_as(outcome),
    )
    keys = [(hit.quote.quote_number,) for hit in hits]
    return PAGES.of_ranking(page, hits, keys=keys, args=args, caller=caller)


def _shape(hit: retrieval.Hit, args: SearchPastQuotesArgs) -> PastQuoteHit:
    quote = QuoteCard.model_validate({name: hit.row[name] for name in QuoteCard.model_fields})
    whole: str = hit.row["summary"]
    text = shown_text(whole, hit, query=args.query, full=args.full)
    more = f"get_quote quote_id={quote.quote_number}" if len(text) < len(whole) else None
    return PastQuoteHit.of(hit, summary=text, quote=quote).model_copy(update={"more": more})


handler = serve(TOOL, SearchPastQuotesArgs, run)
