"""Entries: what a row of an ingested file is stored as, with its text cut into chunks."""

import hashlib
import re
from abc import abstractmethod
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_serializer,
)

from quarry.ingestion import Row, cut

MOST_CHARACTERS = 1000
"""About 250 tokens, because small embedding models read no more and a reader takes in so much at a glance."""

PIECE = "~"
"""Separates an entry's id from a piece's number. Ids in files may not contain it, so no two chunks share an id."""


class Chunk(BaseModel):
    """A piece of an entry. ``chunk_index`` is None where it depends on the document's other highlights."""

    model_config = ConfigDict(frozen=True)

    chunk_id: str
    piece: int
    content: str
    chunk_index: int | None = None
    total_chunks: int | None = None


class Entry(BaseModel):
    """A highlight or document. ``place`` orders a document's entries; ``created_at`` defaults to the first ingest."""

    model_config = ConfigDict(frozen=True)

    entry_id: str
    parent_doc_id: str
    place: int = 0
    title: str
    author: str | None
    source: str
    category: str | None
    tags: list[str]
    created_at: datetime | None
    updated_at: datetime | None = None
    chunks: list[Chunk]


class EntryRow(Row):
    """A row of any kind of file. It is serialized as its entry."""

    @property
    @abstractmethod
    def entry(self) -> Entry: ...

    @property
    def entry_id(self) -> str:
        return self.entry.entry_id

    @model_serializer
    def _as_entry(self) -> dict[str, Any]:
        return self.entry.model_dump(mode="json")


def pieces_of_document(entry_id: str, text: str) -> list[Chunk]:
    contents = cut(text, most=MOST_CHARACTERS)
    return [
        Chunk(
            chunk_id=f"{entry_id}{PIECE}{piece}",
            piece=piece,
            content=content,
            chunk_index=piece,
            total_chunks=len(contents),
        )
        for piece, content in enumerate(contents)
    ]


def pieces_of_highlight(entry_id: str, text: str) -> list[Chunk]:
    """Returns the chunks of a highlight: nearly always one, which has the entry's own id."""
    return [
        Chunk(chunk_id=f"{entry_id}{PIECE}{piece}" if piece else entry_id, piece=piece, content=content)
        for piece, content in enumerate(cut(text, most=MOST_CHARACTERS))
    ]


def distinct_tags(tags: Iterable[str]) -> list[str]:
    """Trims tags and drops blank and repeated ones; case does not distinguish them, and the first spelling stays."""
    found: dict[str, str] = {}
    for tag in tags:
        if name := " ".join(tag.split()):
            found.setdefault(name.lower(), name)
    return list(found.values())


def derived_id(prefix: str, *parts: str | None) -> str:
    """Makes an id for something whose file has none; the same parts always give the same id."""
    text = "\x1f".join(part or "" for part in parts)
    return f"{prefix}-{hashlib.sha256(text.encode()).hexdigest()[:20]}"


def first_number(text: str) -> int:
    """Returns 170 for `170-171`, and 0 without a number. It only orders, so it is cut to what a bigint holds."""
    found = re.search(r"[0-9]+", text)
    return int(found[0][:15]) if found else 0


def _forename_first(author: str) -> str:
    """Turns Weiß, Jürgen into Jürgen Weiß; several people, and a title or company form after a comma, stay as is."""
    last, comma, first = (part.strip() for part in author.partition(","))
    several = re.search(r"[,;&/()]|\b(?:and|und|et|y|e|with)\b", first) or re.search(r"[;&/]", last)
    names = len(last.split()) <= 3 and 1 <= len(first.split()) <= 3
    title = re.fullmatch(r"(?:jr|sr|ph\.?d|m\.?d|mba|inc|ltd|llc|gmbh)\.?", first, re.IGNORECASE)
    return author if not comma or several or not names or title else f"{first} {last}"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("has no text")
    return text


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Author = Annotated[Name, AfterValidator(_forename_first)]
Id = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\s~\x00-\x1f]+$")]
Tags = Annotated[
    list[Annotated[str, Field(max_length=200)]],
    BeforeValidator(lambda value: value.split(",") if isinstance(value, str) else value),
    Field(max_length=100),
    AfterValidator(distinct_tags),
]
"""A list of tags, or a cell with commas between them."""
Text = Annotated[str, Field(min_length=1, max_length=2_000_000), AfterValidator(_not_blank)]
Moment = Annotated[datetime, AfterValidator(lambda moment: moment if moment.tzinfo else moment.replace(tzinfo=UTC))]
"""A time; without a zone, as reading devices write it, it counts as UTC, so that a file means the same everywhere."""
