"""get_stats: what the library holds, from counts that triggers keep."""

from datetime import datetime

from pydantic import Field

from highlights import queries
from highlights.model import Counted
from highlights.queries import Facet
from quarry.tool.contract import Args, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

SHOWN = 100

TOOL = retrieval_tool(
    "get_stats",
    title="Count the highlights",
    toolset="highlights",
    description="""
        How many chunks, documents, sources, authors and tags the library holds, with the most frequent of each.
        Use it to learn which names the filters know.
    """,
)


class GetStatsArgs(Args):
    """None."""


class GetStatsResult(Result):
    total_chunks: int = Field(description="Chunks in the library.")
    total_documents: int = Field(description="Books and articles they come from.")
    unique_sources: int = Field(description="Number of different sources.")
    unique_authors: int = Field(description="Number of different authors.")
    unique_tags: int = Field(description="Number of different tags.")
    average_chunks_per_document: float = Field(description="Mean, 0 for an empty library.")
    average_characters_per_chunk: float = Field(description="Mean length, 0 for an empty library.")
    oldest: datetime | None = Field(description="When the oldest chunk was marked; null for an empty library.")
    newest: datetime | None = Field(description="When the newest chunk was marked; null for an empty library.")
    sources: list[Counted] = Field(description=f"The {SHOWN} most frequent, most frequent first.")
    authors: list[Counted] = Field(description=f"The {SHOWN} most frequent, most frequent first.")
    tags: list[Counted] = Field(description=f"The {SHOWN} most frequent, most frequent first.")


def run(args: GetStatsArgs, caller: Caller) -> GetStatsResult:  # noqa: ARG001
    found = queries.statistics(caller.tenant)
    characters = found.pop("characters")
    return GetStatsResult(
        **found,
        average_chunks_per_document=_mean(found["total_chunks"], found["total_documents"]),
        average_characters_per_chunk=_mean(characters, found["total_chunks"]),
        sources=_counted(caller.tenant, "source"),
        authors=_counted(caller.tenant, "author"),
        tags=_counted(caller.tenant, "tag"),
    )


def _mean(total: int, count: int) -> float:
    return round(total / count, 2) if count else 0.0


def _counted(tenant: str, facet: Facet) -> list[Counted]:
    return [Counted(**row) for row in queries.largest(tenant, facet=facet, limit=SHOWN)]


handler = serve(TOOL, GetStatsArgs, run)
