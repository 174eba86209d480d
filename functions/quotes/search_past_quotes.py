"""search_past_quotes: quotes for similar projects."""

from functools import partial

from pydantic import Field

from quarry.paging.pages import Pages
from quarry.retrieval.hits import Hit
from quarry.retrieval.search_results import PASSAGE, SearchHit, TableArgs, TableResult, answer, passage_of
from quarry.tool.contract import OpaquePart, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quotes import queries
from quotes.model import PeriodArgs, QuoteCard, Status, with_digits

TOOL = retrieval_tool(
    "search_past_quotes",
    title="Search past quotes",
    toolset="quotes",
    description="""
        Past quotes whose project resembles a description (customer's situation, scope, industry), with what
        was charged and why. For wording of one piece of equipment use search_line_items instead.
    """,
)

PAGES = Pages(tool=TOOL, into="rows")


class SearchPastQuotesArgs(PeriodArgs, TableArgs):
    status: Status | None = Field(default=None, description="Only quotes that ended so.")
    industry: str | None = Field(default=None, description="Or a part of it.")
    customer: str | None = Field(default=None, description="Or a part of the name.")
    salesperson: str | None = Field(default=None, description="Or a part of the name.")


class FoundCard(OpaquePart, QuoteCard):
    """A quote's card, whose fields the manifest does not list."""


class PastQuoteHit(SearchHit):
    """A past quote that was found, with its score."""

    quote: FoundCard = Field(description="The quote; get_quote has its line items.")
    summary: str = Field(description=PASSAGE)


class SearchPastQuotesResult(TableResult[PastQuoteHit]):
    """Past quotes as a table."""


def run(args: SearchPastQuotesArgs, caller: Caller) -> SearchPastQuotesResult:
    short = [
        ("status", args.status),
        ("industry", args.industry),
        ("customer", args.customer),
        ("salesperson", args.salesperson),
        *args.period,
    ]
    found = answer(queries.PAST_QUOTES, args, tenant=caller.tenant, short=short)
    return found.page(SearchPastQuotesResult, partial(_shape, args=args), pages=PAGES, args=args, caller=caller)


def _shape(hit: Hit, among: int, *, args: SearchPastQuotesArgs) -> PastQuoteHit:
    row = with_digits(hit.row)
    summary, more = passage_of(row["summary"], args, among=among, whole_in="get_quote")
    card = FoundCard.model_validate(row, extra="ignore")
    return PastQuoteHit.of(hit, full=args.full, quote=card, summary=summary, more=more)


handler = serve(TOOL, SearchPastQuotesArgs, run)
