"""search_past_quotes: quotes for similar projects."""

from typing import Annotated

from pydantic import Field

from quarry import retrieval
from quarry.contract import Args, Part, Result, retrieval_tool
from quarry.explanation import EXPLAIN, Explanation, explanation_of
from quarry.identity import Caller
from quarry.retrieval import Confidence
from quarry.runtime import serve
from quarry.vocabulary import CONFIDENCE, DEGRADED, LEGS, NOTICE, SCORE, Leg, Query, TopK
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


class SearchPastQuotesArgs(Args):
    query: Annotated[Query, Field(description="The project in words.")]
    top_k: Annotated[TopK, Field(description="Most quotes to return.")] = 5
    explain: bool = Field(default=False, description=EXPLAIN)


class PastQuoteHit(Part):
    quote: QuoteCard = Field(description="The quote; get_quote has its line items.")
    summary: str = Field(description="What the project was about.")
    score: float | None = Field(description=SCORE)
    confidence: Confidence | None = Field(description=CONFIDENCE)
    legs: list[Leg] = Field(description=LEGS)
    explanation: Explanation | None = Field(description="Only with explain, else null.")


class SearchPastQuotesResult(Result):
    results: list[PastQuoteHit] = Field(description="Best first; empty when nothing matches.")
    degraded: bool = Field(description=DEGRADED)
    notice: str | None = Field(description=NOTICE)


def run(args: SearchPastQuotesArgs, caller: Caller) -> SearchPastQuotesResult:
    outcome = retrieval.search(
        queries.PAST_QUOTES,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
        filters={},
        explain=args.explain,
    )
    return SearchPastQuotesResult(
        results=[
            PastQuoteHit(
                summary=hit.row.pop("summary"),
                quote=QuoteCard.model_validate(hit.row),
                score=hit.score,
                confidence=hit.confidence,
                legs=list(hit.legs),
                explanation=explanation_of(hit),
            )
            for hit in outcome.hits
        ],
        degraded=outcome.degraded,
        notice=outcome.notice,
    )


handler = serve(TOOL, SearchPastQuotesArgs, run)
