"""search_semantic: chunks by meaning and words, under hard metadata filters."""

from typing import Annotated

from pydantic import Field

from highlights import queries
from highlights.model import AppliedFilters, FilteredArgs, Limit, RankedChunk
from quarry.paging.pages import Pages
from quarry.retrieval.hits import Query
from quarry.retrieval.search import search
from quarry.retrieval.search_results import SearchHit, SearchResult
from quarry.text import passage
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "search_semantic",
    title="Search highlights by meaning",
    toolset="highlights",
    description="""
        Passages from books and articles that somebody read and marked, by question or topic, best first.
        Filters are hard. Cite title and author; analog is the best that a chunk is called, probable_miss means
        that the library has nothing on it.
    """,
)

PAGES = Pages(tool=TOOL)

LONGEST_SNIPPET = 240


class SearchSemanticArgs(FilteredArgs):
    query: Annotated[Query, Field(description="The question or topic in words.")]
    limit: Annotated[Limit, Field(description="Most chunks to return.")] = 10


class SemanticHit(SearchHit, RankedChunk):
    """A chunk that was found, with its score."""


class Asked(Part):
    """What comes before the hits."""

    query: str = Field(description="As asked.")
    result_count: int = Field(description="Results there are, on all pages.")


class SearchSemanticResult(SearchResult[SemanticHit], Asked):
    """Hits on chunks."""

    applied_filters: AppliedFilters = Field(description="The hard filters that every result satisfies.")


def run(args: SearchSemanticArgs, caller: Caller) -> SearchSemanticResult:
    outcome = search(
        queries.CHUNKS,
        tenant=caller.tenant,
        query=args.query,
        limit=args.limit,
        condition=queries.condition_of(args.filters),
    )
    notices = [outcome.notice] if outcome.notice else []
    if not outcome.hits and (hint := queries.unknown_filters(caller.tenant, **args.filters)):
        notices.append(hint)
    page = SearchSemanticResult(
        query=args.query,
        result_count=len(outcome.hits),
        results=[],
        degraded=outcome.degraded,
        notice=" ".join(notices) or None,
        applied_filters=AppliedFilters(**args.filters),
    )
    hits = [
        SemanticHit.of(
            hit,
            rank=rank,
            snippet=passage(hit.row["full_content"], query=args.query, most=LONGEST_SNIPPET),
            **hit.row,
        )
        for rank, hit in enumerate(outcome.hits, start=1)
    ]
    return PAGES.of_ranking(page, hits, keys=[(hit.chunk_id,) for hit in hits], args=args, caller=caller)


handler = serve(TOOL, SearchSemanticArgs, run)
