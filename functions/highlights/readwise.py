"""Highlights and notes as Readwise exports them, as CSV."""

from functools import cached_property

from pydantic import ConfigDict, Field

from highlights.entries import (
    Author,
    Entry,
    EntryRow,
    Moment,
    Name,
    Tags,
    Text,
    derived_id,
    distinct_tags,
    first_number,
    pieces_of_highlight,
)


class ReadwiseRow(EntryRow):
    """Columns under Readwise's own headings; others, which it may add any day, are not read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    highlight: Text = Field(alias="Highlight")
    title: Name = Field(alias="Book Title")
    author: Author | None = Field(default=None, alias="Book Author")
    amazon_id: Name | None = Field(default=None, alias="Amazon Book ID")
    note: Text | None = Field(default=None, alias="Note")
    tags: Tags = Field(default=[], alias="Tags")
    location_type: Name | None = Field(default=None, alias="Location Type")
    location: Name | None = Field(default=None, alias="Location")
    highlighted_at: Moment | None = Field(default=None, alias="Highlighted at")
    document_tags: Tags = Field(default=[], alias="Document tags")

    @cached_property
    def entry(self) -> Entry:
        # The export has no ids: place and text together tell two highlights of one book apart.
        entry_id = derived_id("rw", self.title, self.author, self.location, self.highlight)
        text = f"{self.highlight.strip()}\n\nNote: {self.note.strip()}" if self.note else self.highlight
        return Entry(
            entry_id=entry_id,
            parent_doc_id=derived_id("rw", self.title, self.author),
            place=first_number(self.location or ""),
            title=self.title,
            author=self.author,
            source="kindle" if self.amazon_id else "readwise",
            category="books" if self.amazon_id else None,
            tags=distinct_tags([*self.tags, *self.document_tags]),
            created_at=self.highlighted_at,
            chunks=pieces_of_highlight(entry_id, text),
        )
