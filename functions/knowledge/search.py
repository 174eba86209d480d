"""search: the documents that a query is about."""

from typing import Annotated

from pydantic import Field

from knowledge import queries
from knowledge.model import Document
from quarry import retrieval
from quarry.contract import Args, Result, retrieval_tool
from quarry.explanation import EXPLAIN, Explanation, explanation_of
from quarry.identity import Caller
from quarry.retrieval import Confidence
from quarry.runtime import serve
from quarry.vocabulary import CONFIDENCE, DEGRADED, LEGS, NOTICE, SCORE, Leg, Query, TopK

TOOL = retrieval_tool(
    "search",
    title="Search documents",
    toolset="knowledge",
    description="""
        The documents nearest to a query, whole and verbatim, best first, each with its number to cite. Ask for one
        fact at a time, e.g. 'who developed GridMind'. It always returns the nearest: read them, and where all are
        probable_miss expect that no document is about it.
    """,
)


class SearchArgs(Args):
    query: Annotated[Query, Field(description="What to look for, in words.")]
    top_k: Annotated[TopK, Field(description="Most documents to return.")] = 3
    explain: bool = Field(default=False, description=EXPLAIN)


class DocumentHit(Document):
    score: float | None = Field(description=SCORE)
    confidence: Confidence | None = Field(description=CONFIDENCE)
    legs: list[Leg] = Field(description=LEGS)
    explanation: Explanation | None = Field(description="Only with explain, else null.")


class SearchResult(Result):
    results: list[DocumentHit] = Field(description="Best first; empty only where there are no documents.")
    degraded: bool = Field(description=DEGRADED)
    notice: str | None = Field(description=NOTICE)


def run(args: SearchArgs, caller: Caller) -> SearchResult:
    outcome = retrieval.search(
        queries.DOCUMENTS,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
        filters={},
        explain=args.explain,
    )
    return SearchResult(
        results=[
            DocumentHit(
                **hit.row,
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


handler = serve(TOOL, SearchArgs, run)
