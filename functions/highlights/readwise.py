"""Highlights and notes as Readwise exports them, as CSV."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

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
from quarry.ingestion import Row

MOMENTS = ("%B %d, %Y %I:%M:%S %p", "%B %d, %Y %I:%M %p", "%B %d, %Y")
"""Besides ISO 8601: older exports write `March 3, 2024 9:14 AM`."""


def _readwise_moment(value: object) -> object:
    for form in MOMENTS:
        try:
            return datetime.strptime(str(value), form)
        except ValueError:
            continue
    return value


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
    highlighted_at: Annotated[Moment, BeforeValidator(_readwise_moment)] | None = Field(
        default=None, alias="Highlighted at"
    )
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


def merged_readwise(rows: Sequence[Row]) -> Sequence[Row]:
    """Rows of one book, place and text as one: every note and tag, under the earliest date."""
    alike: dict[str, list[ReadwiseRow]] = {}
    for row in rows:
        if isinstance(row, ReadwiseRow):
            alike.setdefault(row.entry_id, []).append(row)
    whole = {entry_id: _together(same) for entry_id, same in alike.items()}
    return [whole[row.entry_id] if isinstance(row, ReadwiseRow) else row for row in rows]


def _together(rows: Sequence[ReadwiseRow]) -> ReadwiseRow:
    if len(rows) == 1:
        return rows[0]
    notes = dict.fromkeys(row.note.strip() for row in rows if row.note)
    # Not model_copy, which would keep the entry that is cached already.
    return ReadwiseRow.model_construct(
        **{
            **dict(rows[0]),
            "note": "\n\n".join(notes) or None,
            "tags": distinct_tags(tag for row in rows for tag in row.tags),
            "document_tags": distinct_tags(tag for row in rows for tag in row.document_tags),
            "highlighted_at": min((row.highlighted_at for row in rows if row.highlighted_at), default=None),
        }
    )
