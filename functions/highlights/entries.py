"""An entry: one row of an ingested file as it is stored, cut into its chunks; pure."""

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

from quarry.ingestion import Row

MOST_CHARACTERS = 1000
"""About 250 tokens: small embedding models read no more, and a reader takes it in at a glance."""

BOUNDARIES = (
    re.compile(r"\n(?:[^\S\n]*+\n)++\s*+"),
    re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|\n\s*"),
    re.compile(r"\s+"),
)
"""Paragraph, sentence or line, word: the first kind that occurs in the second half of the room is taken."""


def chunk(text: str, *, most: int = MOST_CHARACTERS) -> list[str]:
    """Chunks of at most ``most`` characters, in order; only white space at the cuts is lost."""
    chunks = []
    rest = text.strip()
    while len(rest) > most:
        cut = _cut(rest, most=most)
        chunks.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*chunks, rest] if rest else chunks


def _cut(text: str, *, most: int) -> int:
    """Where the first chunk ends: 1 to ``most``; in the middle of a word only if it fills half the room."""
    # The boundary itself may lie beyond the room: the white space after a chunk that fits exactly.
    window = text[: most + 1]
    for boundary in BOUNDARIES:
        ends = [found.start() + len(found.group().rstrip()) for found in boundary.finditer(window)]
        if in_reach := [end for end in ends if max(most // 2, 1) <= end <= most]:
            return in_reach[-1]
    return most


PIECE = "~"
"""Between an entry's id and a piece's number; ids in files may not have it, so no two chunks share an id."""


class Chunk(BaseModel):
    """``chunk_index`` is None where the other highlights of the document decide which number this one has."""

    model_config = ConfigDict(frozen=True)

    chunk_id: str
    piece: int
    content: str
    chunk_index: int | None = None
    total_chunks: int | None = None


class Entry(BaseModel):
    """``place`` orders the entries of a document; without ``created_at`` it is the time of the first ingest."""

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
    """A row of any kind of file; what is written of it is its entry."""

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
    contents = chunk(text)
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
    """Nearly always one, with the entry's own id."""
    return [
        Chunk(chunk_id=f"{entry_id}{PIECE}{piece}" if piece else entry_id, piece=piece, content=content)
        for piece, content in enumerate(chunk(text))
    ]


def distinct_tags(tags: Iterable[str]) -> list[str]:
    """Trimmed, without blanks and repetitions; the first spelling wins, case does not distinguish."""
    found: dict[str, str] = {}
    for tag in tags:
        if name := " ".join(tag.split()):
            found.setdefault(name.lower(), name)
    return list(found.values())


def derived_id(prefix: str, *parts: str | None) -> str:
    """An id for something whose file gives it none: the same parts, the same id."""
    text = "\x1f".join(part or "" for part in parts)
    return f"{prefix}-{hashlib.sha256(text.encode()).hexdigest()[:20]}"


def first_number(text: str) -> int:
    """170 of `170-171`; 0 where there is none. Cut to what a bigint holds, because it only orders."""
    found = re.search(r"[0-9]+", text)
    return int(found[0][:15]) if found else 0


def _forename_first(author: str) -> str:
    """Weiß, Jürgen as Jürgen Weiß; several people, and what may be a title behind a name, stay as they are."""
    last, comma, first = (part.strip() for part in author.partition(","))
    several = re.search(r"[,;&/()]|\b(?:and|und|et|y|e|with)\b", first) or re.search(r"[;&/]", last)
    names = len(last.split()) <= 3 and 1 <= len(first.split()) <= 3
    if (
        not comma
        or several
        or not names
        or re.fullmatch(r"(?:jr|sr|ph\.?d|m\.?d|mba|inc|ltd|llc|gmbh)\.?", first, re.IGNORECASE)
    ):
        return author
    return f"{first} {last}"


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
"""A list, or a cell with commas between."""
Text = Annotated[str, Field(min_length=1, max_length=2_000_000), AfterValidator(_not_blank)]
Moment = Annotated[datetime, AfterValidator(lambda moment: moment if moment.tzinfo else moment.replace(tzinfo=UTC))]
"""Reading devices write local time without a zone; taken as UTC, so that a file means the same everywhere."""
