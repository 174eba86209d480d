"""Highlights and notes as readers export them: from Readwise as CSV, from a Kindle as `My Clippings.txt`."""

import re
from collections.abc import Iterable, Iterator, Sequence
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
from quarry.ingestion import Record, Rejected, Row

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


SEPARATOR = "=========="
CLIPPING_LIMIT = re.compile(r"^\s*<.*(limit|límite|limiet|Höchstgrenze|上限|限制|лимит|предел).*>\s*$", re.IGNORECASE)
HEAD = re.compile(r"^(?P<title>.*\S)\s*\((?P<author>[^()]*(?:\([^()]*\)[^()]*)*)\)$")
KINDS = {
    "highlight": "Highlight Markierung surlignement subrayado evidenziazione destaque markering "
    "ハイライト 标注 выделенн",
    "note": "Note Notiz nota notitie メモ 笔记 заметка",
    "bookmark": "Bookmark Lesezeichen signet marcador segnalibro bladwijzer ブックマーク 书签 закладка",
}
"""How a Kindle names them in ten languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Japanese,
Chinese, Russian.
"""
LOCATION = re.compile(
    r"(?:\bLocation|\bLoc\.|\bPosition|\bemplacement|\bposición|\bposizione|\bposição|\blocatie|\bместо|位置)"
    r"\s*+(?:No\.|№|#)?\s*+(\d[\d–-]*)",
    re.IGNORECASE,
)
PAGE = re.compile(
    r"(?:\b(?:page|Seite|página|pagina|страниц[аеуы])|第)\s*([\w-]{1,20}?)(?=\s|\||$|页)|(?<!\d)(\d++)ページ",
    re.IGNORECASE,
)
DATE = re.compile(
    r"(?:(?P<d1>\d{1,2})\.? (?:de )?(?P<m1>[^\W\d]++)\.? (?:de )?"
    r"|(?<![^\W\d])(?P<m2>[^\W\d]++) (?P<d2>\d{1,2}), )(?P<year>\d{4})"
)
EASTERN_DATE = re.compile(r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日")
TIME = re.compile(
    r"(?:(?P<before>上午|下午|午前|午後)\s*+)?(?<!\d)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?\s*(?P<half>[AP]M)?",
    re.IGNORECASE,
)
AFTERNOON = ("pm", "下午", "午後")
MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "januari februari maart april mei juni juli augustus september oktober november december",
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    )
    for number, name in enumerate(names.split(), start=1)
}


class ClippingRow(EntryRow):
    """One highlight or note; ``place`` is Kindle's location, or the page where a book has no locations."""

    title: Name
    author: Author | None = None
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
    kind = _kind(about)
    if kind is None:
        yield Rejected(
            line, f"the second line names no highlight, note or bookmark in a Kindle's languages: {about[:80]}", raw
        )
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


def _kind(about: str) -> str | None:
    """What the second line says the clipping is; words are looked for before the date, which names a month."""
    said = about.rpartition("|")[0] or about
    if not about.startswith("-"):
        return None
    for kind, names in KINDS.items():
        if any(
            re.search(rf"(?<![^\W\d_]){name}" if name.isascii() else name, said, re.IGNORECASE)
            for name in names.split()
        ):
            return kind
    return None


def _place(about: str) -> str:
    if found := LOCATION.search(about):
        return found[1].replace("–", "-")
    found = PAGE.search(about)
    return (found[1] or found[2]) if found else ""


def _moment(added: str) -> datetime | None:
    """None where the date is in a form that nobody expected: the text is worth more than its date."""
    day, time = _day(added), TIME.search(added)
    if day is None or time is None:
        return None
    hour = int(time["hour"])
    if half := (time["half"] or time["before"] or "").lower():
        hour = hour % 12 + (12 if half in AFTERNOON else 0)
    try:
        return datetime(*day, hour, int(time["minute"]), int(time["second"] or 0))
    except ValueError:
        return None


def _day(added: str) -> tuple[int, int, int] | None:
    """(year, month, day)."""
    if found := EASTERN_DATE.search(added):
        return int(found["year"]), int(found["month"]), int(found["day"])
    found = DATE.search(added)
    month = MONTHS.get((found["m1"] or found["m2"]).lower()) if found else None
    return (int(found["year"]), month, int(found["d1"] or found["d2"])) if found and month else None


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


def merged_clippings(rows: Sequence[Row]) -> Sequence[Row]:
    """A highlight that was extended on the device, which keeps both, becomes its longest self."""
    clips = [row for row in rows if isinstance(row, ClippingRow)]
    books: dict[str, list[ClippingRow]] = {}
    for clip in sorted(clips, key=lambda clip: -len(clip.text)):
        books.setdefault(clip.entry.parent_doc_id, []).append(clip)
    return [_longest(row, books[row.entry.parent_doc_id]) if isinstance(row, ClippingRow) else row for row in rows]


def _longest(clip: ClippingRow, longest_first: Sequence[ClippingRow]) -> ClippingRow:
    text, (start, end) = " ".join(clip.text.split()), _span(clip)
    for other in longest_first:
        if len(other.text) <= len(clip.text):
            break
        first, last = _span(other)
        if (
            other.kind == clip.kind == "highlight"
            and first <= end
            and start <= last
            and text in " ".join(other.text.split())
        ):
            return other
    return clip


def _span(clip: ClippingRow) -> tuple[int, int]:
    """First and last location; a Kindle shortens 170-171 to 170-71."""
    first, _, last = clip.place.partition("-")
    if not (first.isdigit() and last.isdigit()):
        return first_number(clip.place), first_number(clip.place)
    return int(first), int(first[: max(len(first) - len(last), 0)] + last)
