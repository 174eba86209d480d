"""search_by_metadata: the newest chunks with given tags, author or source."""

from typing import Annotated

from pydantic import Field

from highlights import queries
from highlights.model import AppliedFilters, FilteredArgs, Limit, RankedChunk
from quarry.paging.pages import Paged, Pages
from quarry.tool.contract import retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "search_by_metadata",
    title="List highlights by metadata",
    toolset="highlights",
    description="""
        Chunks with any of some tags, by one author or from one source, newest first; without filters simply the
        newest. For what a passage says use search_semantic.
    """,
)

PAGES = Pages(tool=TOOL, limit="limit", key=queries.NEWEST_KEY)


class SearchByMetadataArgs(FilteredArgs):
    limit: Annotated[Limit, Field(description="Most chunks in this page.")] = 20


class SearchByMetadataResult(Paged):
    """One page of chunks."""

    result_count: int = Field(description="Results in this page.")
    more: bool = Field(description="True when next_cursor leads to more.")
    results: list[RankedChunk] = Field(description="Newest first; empty when nothing satisfies the filters.")
    notice: str | None = Field(description="What to know about this answer, or null.")
    applied_filters: AppliedFilters = Field(description="The hard filters that every result satisfies.")


def run(args: SearchByMetadataArgs, caller: Caller) -> SearchByMetadataResult:
    filters = args.filters
    seen, *after = PAGES.place(args, caller).after or (0,)
    rows = queries.newest(caller.tenant, filters=filters, limit=args.limit + 1, after=after)
    shown = list(enumerate(rows[: args.limit], start=int(seen) + 1))
    page = PAGES.of_listing(
        SearchByMetadataResult(
            result_count=0,
            more=False,
            results=[],
            notice=None if rows or args.cursor else queries.unknown_filters(caller.tenant, **filters),
            applied_filters=AppliedFilters(**filters),
        ),
        [RankedChunk.model_validate({**row, "rank": rank}, extra="ignore") for rank, row in shown],
        keys=[(rank, row["_moment"], row["chunk_id"]) for rank, row in shown],
        more=len(rows) > args.limit,
        args=args,
        caller=caller,
    )
    return page.model_copy(update={"result_count": len(page.results), "more": page.next_cursor is not None})


handler = serve(TOOL, SearchByMetadataArgs, run)
