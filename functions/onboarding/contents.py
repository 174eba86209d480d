"""What is in a file, in words that fit an agent's context: a line for each column of each of its tables."""

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from operations.bounds import LARGEST_WHOLE, MB, bounded_lines, check_unpacked
from operations.documents import FORMS, passages
from operations.reading import decoded
from operations.tables.cells import Cell, Habits, Unreadable, day, habits, number, text_of
from operations.tables.names import bare, is_known
from operations.tables.sheets import (
    WORKBOOKS,
    Header,
    Sheet,
    beginning,
    header_at,
    header_rows,
    letters,
    read_workbook,
    separator_of,
)
from quarry.ingestion import Rejected, UnreadRecord
from quarry.tool.errors import NotFound, ValidationFailed

MOST_CHARACTERS = 6_000
MOST_LINES = 50_000
"""Of a file of text that are looked at; those behind are counted with its bytes alone."""

LONGEST_SAMPLE = 40
TABLES = (".csv", ".tsv", ".txt")
RECORDS = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Opened:
    """The tables of a file; ``said`` tells how it was read, and what of it was not."""

    sheets: list[Sheet]
    said: list[str]


@dataclass(frozen=True, slots=True)
class Page:
    """A piece of the text; the next one begins at ``column`` of ``sheet``, None after the last."""

    text: str
    sheet: str | None = None
    column: int | None = None


def opened(content: bytes, name: str) -> Opened:
    """Raises ValidationFailed for what cannot be read."""
    ending, said = Path(name).suffix.lower(), []
    if len(content) > LARGEST_WHOLE:
        said.append(f"only its first {LARGEST_WHOLE // MB} MB were looked at")
        content = content[:LARGEST_WHOLE]
        if ending not in (*TABLES, *RECORDS):
            raise ValidationFailed(f"'{name}' has more than {LARGEST_WHOLE // MB} MB, which is the most. Split it.")
    if ending in WORKBOOKS:
        return Opened(read_workbook(content, file_name=name), [f"workbook {ending[1:]}"])
    if ending not in (*TABLES, *RECORDS):
        raise ValidationFailed(f"'{name}' is no table: tables end in {', '.join((*WORKBOOKS, *TABLES, *RECORDS))}.")
    check_unpacked(content[:16])
    text, encoding = decoded(io.BytesIO(content), legacy=ending in TABLES)
    lines = list(islice(bounded_lines(text), MOST_LINES))
    said.insert(0, encoding)
    if len(lines) == MOST_LINES:
        said.append(f"only its first {MOST_LINES:,} lines were looked at")
    if ending in RECORDS:
        return Opened([_of_records(lines)], said)
    separator = separator_of(lines[:60])
    return Opened([beginning(lines, separator=separator)], [*said, f"separated by {separator!r}"])


def _of_records(lines: Sequence[str]) -> Sheet:
    """A table of a JSON Lines file's objects, their keys its header."""
    found = []
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    names = list(dict.fromkeys(name for value in found for name in value))
    rows = [[_as_cell(value.get(name)) for name in names] for value in found]
    return Sheet("", [list(names), *rows])


def _as_cell(value: object) -> Cell:
    return value if isinstance(value, str | int | float | None) else json.dumps(value, ensure_ascii=False)


def told(content: bytes, name: str, *, sheet: str | None, column: int, samples: int) -> Page:
    """The text from ``column`` of ``sheet`` on, or of the whole file. Raises NotFound, ValidationFailed."""
    if form := FORMS.get(Path(name).suffix.lower()):
        if form != "text" or not _is_table(content, name):
            return Page(_prose(content, name, form=form))
    found = opened(content, name)
    how = habits(cell for each in found.sheets for row in each.rows for cell in row)
    head = [f"{name}: {', '.join((*found.said, *_written(how)))}"]
    head += [f"Sheets: {'; '.join(_size(each) for each in found.sheets)}."] if len(found.sheets) > 1 else []
    names = [each.name for each in found.sheets]
    if sheet is not None and sheet not in names:
        raise NotFound(f"'{name}' has no sheet '{sheet}': {', '.join(map(repr, names))}.")
    first = names.index(sheet) if sheet is not None else 0
    lines = _lines(found.sheets[first:], how, column=column, samples=samples)
    return _page("\n".join(head), lines)


def _is_table(content: bytes, name: str) -> bool:
    rows = opened(content, name).sheets[0].rows
    return bool(rows) and sum(1 for row in rows[:60] if len(row) > 1) > len(rows[:60]) // 2


def _prose(content: bytes, name: str, *, form: str) -> str:
    """Where no table is to be read from: its passages' titles, and what can be done with it."""
    body = content if form == "pdf" else decoded(io.BytesIO(content), legacy=True)[0].read()
    items = list(passages(body, form=form, file_name=name))
    titles = [
        str(item.value.get("title"))
        for item in items
        if isinstance(item, UnreadRecord) and isinstance(item.value, dict)
    ]
    refused = [item.reason for item in items if isinstance(item, Rejected)]
    shown = [f"- {_short(title, 100)}" for title in titles[:30]]
    said = f"{name}: a document ({form}) of {len(titles)} passages. Its kind is documents, which takes no mapping."
    return "\n".join([said, *shown, *(f"Not read: {reason}" for reason in refused[:5])])


def _written(how: Habits) -> list[str]:
    numbers = {",": ["numbers as 1.234,56"], ".": ["numbers as 1,234.56"]}.get(how.decimal or "", [])
    return [*numbers, *([f"dates {how.dates}"] if how.dates else [])]


def _size(sheet: Sheet) -> str:
    width = max((len(row) for row in sheet.rows), default=0)
    hidden = ", hidden" if sheet.hidden else ""
    return f"{sheet.name!r} {len(sheet.rows)} x {width}{hidden}"


def _page(head: str, lines: Iterable[tuple[str, int, str]]) -> Page:
    text, titled = head, ""
    for sheet, column, line in lines:
        if len(text) + len(line) + 1 > MOST_CHARACTERS and titled:
            return Page(text, sheet, column)
        text += f"\n{line}"
        titled = "yes"
    return Page(text)


def _lines(sheets: Sequence[Sheet], how: Habits, *, column: int, samples: int) -> Iterator[tuple[str, int, str]]:
    """(sheet, column, line); a sheet's title comes with its first column."""
    for sheet in sheets:
        rows = header_rows(sheet, known=is_known)
        header = header_at(sheet, skip=rows[0]) if rows else None
        if header is None:
            yield sheet.name, 0, f"\n{_title(sheet)}: no header; its first rows: {_first_rows(sheet)}"
            continue
        below = sheet.rows[header.skip + header.height :]
        near = sorted(at + 1 for at in rows[1:] if at < header.skip + 3)[:3]
        others = f" (or row {', '.join(map(str, near))})" if near else ""
        title = (
            f"\n{_title(sheet)}: {sum(1 for row in below if any(_says(cell) for cell in row))} rows, header in row "
        )
        title += f"{header.skip + 1}{f' and {header.skip + 2}' if header.height == 2 else ''}{others}"
        title += _headings(below)
        for at in range(column, len(header.names)):
            line = _column(header, at, [row[at] for row in below if at < len(row)], how, samples=samples)
            yield sheet.name, at, f"{title}\n{line}" if at == column else line
        column = 0


def _title(sheet: Sheet) -> str:
    return f"Sheet {sheet.name!r}{' (hidden)' if sheet.hidden else ''}" if sheet.name else "Table"


def _first_rows(sheet: Sheet) -> str:
    rows = [" | ".join(_short(text_of(cell)) for cell in row if _says(cell)) for row in sheet.rows[:5]]
    return " / ".join(filter(None, rows)) or "it is empty"


def _headings(rows: Sequence[Sequence[Cell]]) -> str:
    alone = [text_of(filled[0]) for row in rows if len(filled := [cell for cell in row if _says(cell)]) == 1]
    said = ", ".join(repr(_short(text)) for text in list(dict.fromkeys(alone))[:5])
    return f"; {len(alone)} rows of one cell (headings?): {said}" if alone else ""


def _says(cell: Cell) -> bool:
    return cell is not None and text_of(cell) != ""


def _column(header: Header, at: int, cells: Sequence[Cell], how: Habits, *, samples: int) -> str:
    filled = [cell for cell in cells if _says(cell)]
    line = f"{letters(at)} {header.names[at]!r}: "
    if not filled:
        return line + "empty"
    different = list(dict.fromkeys(text_of(cell) for cell in filled))
    facts = [f"{len(filled)} filled, {len(different)} different", *_forms(header.names[at], filled, how)]
    shown = " | ".join(_short(text) for text in different[:samples])
    return f"{line}{'; '.join(facts)}: {shown}{' …' if len(different) > samples else ''}"


def _forms(name: str, filled: Sequence[Cell], how: Habits) -> Iterator[str]:
    """What the cells are: numbers with the units beside them, dates, and what may mean two things or nothing."""
    figures, units, dates, doubtful, broken = [], Counter[str](), 0, [], 0
    for cell in filled:
        text = text_of(cell)
        if text.startswith("#") or "\ufffd" in text or any("\udc80" <= sign <= "\udcff" for sign in text):
            broken += 1
        try:
            value, beside = number(cell, decimal=how.decimal)
        except Unreadable as trouble:
            doubtful += [text] if "may mean" in str(trouble) else []
            dates += _is_day(cell, how)
            continue
        figures.append(value)
        units.update([beside] if beside else [])
    if 2 * len(figures) > len(filled):
        yield f"numbers {min(figures):f}..{max(figures):f}" + (
            f" ({len(figures)} cells)" if len(figures) < len(filled) else ""
        )
        said = [f"{unit} ({count})" for unit, count in units.most_common(6)]
        said += [f"{unit} in its name"] if (unit := bare(name)[1]) else []
        yield f"units: {', '.join(said)}" if said else "no unit said"
    elif 2 * dates > len(filled):
        yield f"dates ({dates} cells)"
    if doubtful:
        yield f"{len(doubtful)} may be thousands or decimals, such as {doubtful[0]}"
    if broken:
        yield f"{broken} cells are errors or damaged text"


def _is_day(cell: Cell, how: Habits) -> bool:
    try:
        day(cell, order=how.dates or "day first")
    except Unreadable:
        return False
    return True


def _short(text: str, most: int = LONGEST_SAMPLE) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"
