"""search_semantic: chunks by meaning and words, under hard metadata filters."""

from typing import Annotated

from pydantic import Field

from highlights import queries, unknown
from highlights.model import (
    AUTHOR_FILTER,
    SOURCE_FILTER,
    TAGS_FILTER,
    AppliedFilters,
    Limit,
    RankedChunk,
    Tag,
)
from quarry import retrieval
from quarry.contract import Args, Result, retrieval_tool
from quarry.identity import Caller
from quarry.retrieval import Confidence
from quarry.runtime import serve
from quarry.vocabulary import APPLIED_FILTERS, CONFIDENCE, DEGRADED, LEGS, NOTICE, SCORE, Leg, Query

TOOL = retrieval_tool(
    "search_semantic",
    title="Search highlights by meaning",
    toolset="highlights",
    description="""
        Passages from the reader's books and articles that answer a question or touch a topic, best first. Filters
        for tags, author and source are hard: every chunk that satisfies them can be found. Cite title and author;
        probable_miss means that the library has nothing on it.
    """,
)


class SearchSemanticArgs(Args):
    query: Annotated[Query, Field(description="The question or topic in words.")]
    limit: Annotated[Limit, Field(description="Most chunks to return.")] = 10
    tags: list[Tag] | None = Field(default=None, min_length=1, max_length=50, description=TAGS_FILTER)
    author: str | None = Field(default=None, min_length=1, max_length=500, description=AUTHOR_FILTER)
    source: str | None = Field(default=None, min_length=1, max_length=500, description=SOURCE_FILTER)


class SemanticHit(RankedChunk):
    score: float | None = Field(description=SCORE)
    confidence: Confidence | None = Field(description=CONFIDENCE)
    legs: list[Leg] = Field(description=LEGS)


class SearchSemanticResult(Result):
    query: str = Field(description="As asked.")
    result_count: int = Field(description="Number of results.")
    results: list[SemanticHit] = Field(description="Best first; empty when nothing matches.")
    degraded: bool = Field(description=DEGRADED)
    notice: str | None = Field(description=NOTICE)
    applied_filters: AppliedFilters = Field(description=APPLIED_FILTERS)


def run(args: SearchSemanticArgs, caller: Caller) -> SearchSemanticResult:
    filters = args.model_dump(include={"tags", "author", "source"})
    outcome = retrieval.search(
        queries.CHUNKS, tenant=caller.tenant, query=args.query, limit=args.limit, filters=filters
    )
    notices = [outcome.notice] if outcome.notice else []
    if not outcome.hits and (hint := unknown.notice(caller.tenant, **filters)):
        notices.append(hint)
    return SearchSemanticResult(
        query=args.query,
        result_count=len(outcome.hits),
        results=[_shape(hit, rank=rank) for rank, hit in enumerate(outcome.hits, start=1)],
        degraded=outcome.degraded,
        notice=" ".join(notices) or None,
        applied_filters=AppliedFilters(**filters),
    )


def _shape(hit: retrieval.Hit, *, rank: int) -> SemanticHit:
    return SemanticHit.model_validate(
        {**hit.row, "rank": rank, "score": hit.score, "confidence": hit.confidence, "legs": list(hit.legs)}
    )


handler = serve(TOOL, SearchSemanticArgs, run)
