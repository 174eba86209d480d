"""A chunk as the highlights tools return it."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from quarry.paging.pages import PagedArgs
from quarry.tool.contract import Part

Limit = Annotated[int, Field(ge=1, le=100)]
Tags = Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(min_length=1, max_length=50)]
Name = Annotated[str, Field(min_length=1, max_length=500)]


class FilteredArgs(PagedArgs):
    tags: Tags | None = Field(default=None, description="Hard filter: chunks with any of these tags, in any case.")
    author: Name | None = Field(default=None, description="Hard filter: this author, the whole name, in any case.")
    source: Name | None = Field(default=None, description="Hard filter: this source, e.g. kindle or readwise.")

    @property
    def filters(self) -> dict[str, Any]:
        return self.model_dump(include={"tags", "author", "source"})


class RankedChunk(Part):
    """A chunk as every list of chunks shows it."""

    rank: int = Field(description="Place in the whole answer, from 1.")
    chunk_id: str = Field(description="Pass it to get_related_chunks; the resource is kxhub://chunk/{chunk_id}.")
    parent_doc_id: str = Field(description="Book or article it comes from.")
    chunk_index: int = Field(description="Position in the document, from 0.")
    total_chunks: int = Field(description="Chunks the document has.")
    title: str = Field(description="Title of the book or article: cite it.")
    author: str | None = Field(description="Author: cite; null when the source does not say.")
    source: str = Field(description="Where it was collected, e.g. kindle.")
    category: str | None = Field(description="Kind of publication, e.g. books.")
    tags: list[str] = Field(description="The reader's tags.")
    created_at: datetime = Field(description="When it was marked, ISO 8601.")
    snippet: str = Field(description="The part that answers the query, or the beginning.")
    full_content: str = Field(description="The whole passage, verbatim.")


class AppliedFilters(Part):
    """The hard filters that were applied; every result satisfies all of them."""

    tags: list[str] | None = Field(description="Any of these tags, or null.")
    author: str | None = Field(description="Author, or null.")
    source: str | None = Field(description="Source, or null.")


class Counted(Part):
    name: str = Field(description="As first spelt.")
    chunks: int = Field(description="Chunks that have it.")
