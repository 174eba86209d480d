"""Highlights and notes as readers export them: from Readwise as CSV, from a Kindle as `My Clippings.txt`."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cached_property
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from highlights.entries import (
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
from quarry.ingestion import Record, Rejected

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
    author: Name | None = Field(default=None, alias="Book Author")
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


SEPARATOR = "=========="
CLIPPING_LIMIT = re.compile(r"^\s*<.*(clipping limit|Höchstgrenze|Limit).*>\s*$", re.IGNORECASE)
HEAD = re.compile(r"^(?P<title>.*\S)\s*\((?P<author>[^()]*(?:\([^()]*\)[^()]*)*)\)$")
KINDS = {
    "highlight": re.compile(r"^-\s.*\b(Highlight|Markierung)\b"),
    "note": re.compile(r"^-\s.*\b(Note|Notiz)\b"),
    "bookmark": re.compile(r"^-\s.*\b(Bookmark|Lesezeichen)\b"),
}
LOCATION = re.compile(r"\b(?:Location|Loc\.|Position)\s+([\d-]+)", re.IGNORECASE)
PAGE = re.compile(r"\b(?:page|Seite)\s+([\w-]+)", re.IGNORECASE)
DATE = re.compile(r"(?:(?P<d1>\d{1,2})\.? (?P<m1>\w+) |(?P<m2>\w+) (?P<d2>\d{1,2}), )(?P<year>\d{4})")
TIME = re.compile(r"\b(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?\s*(?P<half>[AP]M)?", re.IGNORECASE)
MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
    )
    for number, name in enumerate(names.split(), start=1)
}


class ClippingRow(EntryRow):
    """One highlight or note; ``place`` is Kindle's location, or the page where a book has no locations."""

    title: Name
    author: Name | None = None
    kind: str = Field(pattern="^(highlight|note)$")
    place: str = Field(default="", max_length=200)
    added_at: Moment | None = None
    text: Text

    @cached_property
    def entry(self) -> Entry:
        entry_id = derived_id("kc", self.title, self.author, self.kind, self.place, self.text)
        return Entry(
            entry_id=entry_id,
            parent_doc_id=derived_id("kc", self.title, self.author),
            place=first_number(self.place),
            title=self.title,
            author=self.author,
            source="kindle",
            category="books",
            tags=["note"] if self.kind == "note" else [],
            created_at=self.added_at,
            chunks=pieces_of_highlight(entry_id, self.text),
        )


def clippings(lines: Iterable[str]) -> Iterator[Record | Rejected]:
    """One item per clipping, under the line on which it starts."""
    block: list[str] = []
    start = 1
    number = 0
    for number, line in enumerate(lines, start=1):
        if line.strip() != SEPARATOR:
            block.append(line.rstrip("\r\n"))
            continue
        yield from _record(block, line=start)
        block, start = [], number + 1
    yield from _record(block, line=start)


def _record(block: list[str], *, line: int) -> Iterator[Record | Rejected]:
    if not any(text.strip("\ufeff \t") for text in block):
        return
    raw = "\n".join(block)
    head, about, text = _parts(block)
    kind = next((name for name, pattern in KINDS.items() if pattern.search(about)), None)
    if kind is None:
        yield Rejected(line, "the second line does not say Highlight or Note (English and German are known)", raw)
    elif kind == "bookmark":
        yield Rejected(line, "a bookmark has no text to keep", raw)
    elif not text or CLIPPING_LIMIT.match(text):
        yield Rejected(line, "the clipping has no text: the device left it out (the book's clipping limit)", raw)
    else:
        title, author = _title_and_author(head)
        cells = {"title": title, "author": author, "kind": kind, "place": _place(about), "text": text}
        moment = _moment(about.rpartition("|")[2])
        yield Record(line, raw, {**cells, "added_at": moment.isoformat() if moment else None})


def _parts(block: list[str]) -> tuple[str, str, str]:
    """(title line, line about the clipping, text); a device puts a byte order mark before every title."""
    lines = list(block)
    while lines and not lines[0].strip("\ufeff \t"):
        lines.pop(0)
    head, about, *text = [*lines, "", ""][: max(len(lines), 2)]
    return head.strip("\ufeff \t"), about.strip(), "\n".join(text).strip()


def _title_and_author(head: str) -> tuple[str, str | None]:
    found = HEAD.match(head)
    return (found["title"], found["author"].strip() or None) if found else (head, None)


def _place(about: str) -> str:
    found = LOCATION.search(about) or PAGE.search(about)
    return found[1] if found else ""


def _moment(added: str) -> datetime | None:
    """None where the date is in a form that nobody expected: the text is worth more than its date."""
    date, time = DATE.search(added), TIME.search(added)
    month = MONTHS.get((date["m1"] or date["m2"]).lower()) if date else None
    if date is None or time is None or month is None:
        return None
    hour = int(time["hour"])
    if time["half"]:
        hour = hour % 12 + (12 if time["half"].lower() == "pm" else 0)
    try:
        return datetime(
            int(date["year"]),
            month,
            int(date["d1"] or date["d2"]),
            hour,
            int(time["minute"]),
            int(time["second"] or 0),
        )
    except ValueError:
        return None
