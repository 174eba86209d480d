"""search_by_metadata: the newest chunks with given tags, author or source."""

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
from quarry.contract import Args, Result, retrieval_tool
from quarry.identity import Caller
from quarry.runtime import serve
from quarry.vocabulary import APPLIED_FILTERS, NOTICE

TOOL = retrieval_tool(
    "search_by_metadata",
    title="List highlights by metadata",
    toolset="highlights",
    description="""
        Chunks with any of some tags, by one author or from one source, newest first; without filters simply the
        newest. For what a passage says use search_semantic.
    """,
)


class SearchByMetadataArgs(Args):
    tags: list[Tag] | None = Field(default=None, min_length=1, max_length=50, description=TAGS_FILTER)
    author: str | None = Field(default=None, min_length=1, max_length=500, description=AUTHOR_FILTER)
    source: str | None = Field(default=None, min_length=1, max_length=500, description=SOURCE_FILTER)
    limit: Annotated[Limit, Field(description="Most chunks to return.")] = 20


class SearchByMetadataResult(Result):
    result_count: int = Field(description="Number of results.")
    more: bool = Field(description="True when limit cut the list off.")
    results: list[RankedChunk] = Field(description="Newest first; empty when nothing satisfies the filters.")
    notice: str | None = Field(description=NOTICE)
    applied_filters: AppliedFilters = Field(description=APPLIED_FILTERS)


def run(args: SearchByMetadataArgs, caller: Caller) -> SearchByMetadataResult:
    filters = args.model_dump(exclude={"limit"})
    rows = queries.newest(caller.tenant, limit=args.limit + 1, **filters)
    shown = [RankedChunk(rank=rank, **row) for rank, row in enumerate(rows[: args.limit], start=1)]
    return SearchByMetadataResult(
        result_count=len(shown),
        more=len(rows) > args.limit,
        results=shown,
        notice=None if shown else unknown.notice(caller.tenant, **filters),
        applied_filters=AppliedFilters(**filters),
    )


handler = serve(TOOL, SearchByMetadataArgs, run)
