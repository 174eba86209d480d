"""search_past_quotes: quotes for similar projects."""

from typing import Annotated

from pydantic import Field

from quarry import retrieval
from quarry.budget import LongText
from quarry.contract import Part, retrieval_tool
from quarry.explanation import EXPLAIN
from quarry.identity import Caller
from quarry.paging import PagedArgs, PagedTexts, Pages
from quarry.runtime import serve
from quarry.search_results import SearchHit, SearchResult
from quarry.vocabulary import Query, TopK
from quotes import queries
from quotes.model import QuoteCard

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
    top_k: Annotated[TopK, Field(description="Most quotes to return.")] = 5
    explain: bool = Field(default=False, description=EXPLAIN)


class FoundQuote(Part):
    quote: QuoteCard = Field(description="The quote; get_quote has its line items.")


class PastQuoteHit(SearchHit, FoundQuote):
    summary: str = Field(description="What the project was about.")


class SearchPastQuotesResult(PagedTexts, SearchResult[PastQuoteHit]):
    """Hits on past quotes."""


def run(args: SearchPastQuotesArgs, caller: Caller) -> SearchPastQuotesResult:
    outcome = retrieval.search(
        queries.PAST_QUOTES,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
        filters={},
        explain=args.explain,
    )
    hits = [PastQuoteHit.of(hit, summary=hit.row.pop("summary"), quote=hit.row) for hit in outcome.hits]
    page = SearchPastQuotesResult(results=[], degraded=outcome.degraded, notice=outcome.notice)
    keys = [(hit.quote.quote_number,) for hit in hits]
    return PAGES.of_ranking(page, hits, keys=keys, args=args, caller=caller)


handler = serve(TOOL, SearchPastQuotesArgs, run)
