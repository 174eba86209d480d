"""get_related_chunks: the chunks nearest in meaning to a given one."""

from typing import Annotated

from pydantic import Field

from highlights import queries
from highlights.model import Limit, RankedChunk
from quarry.paging.pages import Paged, PagedArgs, Pages
from quarry.tool.contract import retrieval_tool
from quarry.tool.errors import NotFound, Unavailable
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "get_related_chunks",
    title="Find related highlights",
    toolset="highlights",
    description="""
        Chunks nearest in meaning to a given one, from any book or article, without the chunk itself. Good for
        connecting ideas across sources. A chunk that is not embedded yet is UNAVAILABLE: ask again in a minute.
    """,
)

PAGES = Pages(tool=TOOL)


class GetRelatedChunksArgs(PagedArgs):
    chunk_id: str = Field(min_length=1, max_length=300, description="chunk_id from a search result.")
    limit: Annotated[Limit, Field(description="Most chunks to return.")] = 5


class RelatedChunk(RankedChunk):
    score: float = Field(description="Cosine similarity to the source chunk; 1 is the same meaning.")


class GetRelatedChunksResult(Paged):
    """The chunks nearest in meaning to one chunk."""

    source_chunk_id: str = Field(description="The chunk that was asked about.")
    source_title: str = Field(description="Its title.")
    source_author: str | None = Field(description="Its author, or null.")
    result_count: int = Field(description="Results there are, on all pages.")
    results: list[RelatedChunk] = Field(description="Nearest first, without the source chunk.")


def run(args: GetRelatedChunksArgs, caller: Caller) -> GetRelatedChunksResult:
    source = queries.chunk(caller.tenant, chunk_id=args.chunk_id)
    if source is None:
        raise NotFound(f"No chunk '{args.chunk_id}'. Take chunk_id from search_semantic or search_by_metadata.")
    if source["embedding"] is None:
        raise Unavailable(
            f"Chunk '{args.chunk_id}' is not embedded yet, so nothing can be compared with it. New chunks are "
            "embedded within a minute or so: ask again, or use search_semantic with its words meanwhile.",
            retryable=True,
        )
    rows = queries.related(caller.tenant, doc=source["id"], vector=source["embedding"], limit=args.limit)
    chunks = [
        RelatedChunk(**{**row, "rank": rank, "score": round(row["score"], 4)})
        for rank, row in enumerate(rows, start=1)
    ]
    page = GetRelatedChunksResult(
        source_chunk_id=source["chunk_id"],
        source_title=source["title"],
        source_author=source["author"],
        result_count=len(chunks),
        results=[],
    )
    return PAGES.of_ranking(page, chunks, keys=[(chunk.chunk_id,) for chunk in chunks], args=args, caller=caller)


handler = serve(TOOL, GetRelatedChunksArgs, run)
