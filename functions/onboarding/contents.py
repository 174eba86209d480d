"""Describes a file so that it fits an agent's context: a line for each column of its tables, or a letter's lines."""

import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from operations.bounds import LARGEST_WHOLE, MB, bounded_lines, check_size, check_unpacked
from operations.documents import FORMS, PACKED, opened_in_word, pages_of
from operations.exchange.files import EXCHANGED, WHOLE, read_sheets
from operations.reading import SAMPLE, TABLES, decoded, form_of
from operations.tables.cells import Cell, Habits, Unreadable, habits, is_day, number, text_of
from operations.tables.leftover import few
from operations.tables.names import bare, concepts_of
from operations.tables.sheets import (
    LOOKED_THROUGH,
    Header,
    Sheet,
    above_names,
    beginning,
    cells_above,
    header_at,
    header_rows,
    letters,
    once_each,
    separator_of,
)
from quarry.money import plainly
from quarry.tool.errors import NotFound, ValidationFailed

LEAST_TEXT = 40
"""Letters and digits; a PDF with fewer on every page is taken for a scan."""

LONGEST_LETTER = 20_000
"""The limit in lines."""

MOST_OF_A_LETTER = 1_000_000
"""The limit in characters."""

BETWEEN = " | "

Cells = tuple[str, ...]
"""The texts of one line that wide gaps or the cells of a table keep apart."""


def lines_of(content: bytes, *, file_name: str) -> list[Cells]:
    """Raises ValidationFailed if it is neither .docx nor .pdf, damaged, locked, too large, or a scan without text."""
    read = {"word": _word, "pdf": _pdf}.get(form_of(file_name, b""))
    if read is None:
        raise ValidationFailed(f"'{file_name}' is neither .docx nor .pdf; save it as one of these.")
    check_size(len(content), whole=True)
    lines = list(islice((line for line in read(content, file_name) if any(line)), LONGEST_LETTER + 1))
    if len(lines) > LONGEST_LETTER or sum(len(cell) for line in lines for cell in line) > MOST_OF_A_LETTER:
        raise ValidationFailed(
            f"'{file_name}' has more than {LONGEST_LETTER:,} lines or {MOST_OF_A_LETTER:,} characters: split it."
        )
    return lines


def _word(content: bytes, file_name: str) -> Iterator[Cells]:
    from docx.text.paragraph import Paragraph  # only a Word file needs it

    document = opened_in_word(content, file_name=file_name)
    heads = [part for section in document.sections for part in (section.header, section.footer)]
    own = [part for part in heads if not part.is_linked_to_previous]
    for block in chain(document.iter_inner_content(), *(part.iter_inner_content() for part in own)):
        if isinstance(block, Paragraph):
            yield from (tuple(re.split(r"\t+|\s{3,}", text.strip())) for text in block.text.splitlines())
        else:
            yield from (tuple(" ".join(cell.text.split()) for cell in row.cells) for row in block.rows)


def _pdf(content: bytes, file_name: str) -> Iterator[Cells]:
    pages = pages_of(content, file_name=file_name, mode="layout")
    if not pages or all(sum(1 for sign in page if sign.isalnum()) < LEAST_TEXT for page in pages):
        raise ValidationFailed(
            f"'{file_name}' is a picture of a letter: it has no text. Recognise its text first, for instance with "
            f"ocrmypdf -l eng+deu+spa+fra '{file_name}' with-text.pdf, or scan it again as a searchable PDF."
        )
    for page in pages:
        yield from (tuple(re.split(r"\s{2,}", text.strip())) for text in page.splitlines())


MOST_CHARACTERS = 6_000
MOST_LINES = 50_000
"""At most this many lines of a delimited file are looked at."""

MOST_NAMED = 8
LONGEST_SAMPLE = 40
DAMAGED = re.compile(r"^#|[\ufffd\udc80-\udcff]")


class Page(NamedTuple):
    """A piece of a description; the next one begins at ``column`` of ``sheet``, in a letter at line ``column``; both
    are None after the last.
    """

    text: str
    sheet: str | None = None
    column: int | None = None


def opened(
    content: bytes,
    name: str,
    *,
    encoding: str | None = None,
    language: str | None = None,
    names: Collection[str] = (),
) -> tuple[list[Sheet], list[str]]:
    """Returns the file's tables and remarks on how it was read; ``names`` tell its separator if its header has any of
    them, the house's ``language`` its encoding where several fit. Raises ValidationFailed if it cannot be read.
    """
    ending, form = Path(name).suffix.lower(), form_of(name, content[:SAMPLE])
    if form not in TABLES:
        raise ValidationFailed(f"'{name}' is no table: tables end in {', '.join((*WHOLE, '.csv', '.tsv'))}.")
    if form == "workbook":
        check_size(len(content), whole=True)
        sheets = read_sheets(content, file_name=name)
        unread = [line for sheet in sheets for line in sheet.unread]
        return sheets, [ending[1:] if ending in EXCHANGED else f"workbook {ending[1:]}", *unread]
    check_unpacked(content[:16])
    text, found = decoded(io.BytesIO(content[:LARGEST_WHOLE]), legacy=True, encoding=encoding, language=language)
    lines, said = list(islice(bounded_lines(text), MOST_LINES)), [found]
    if len(lines) == MOST_LINES or len(content) > LARGEST_WHOLE:
        said.append(f"only its first {len(lines):,} lines (at most {LARGEST_WHOLE // MB} MB) were looked at")
    separator = separator_of(lines[:LOOKED_THROUGH], names=names)
    sheet = beginning(lines, separator=separator)
    return [sheet], [*said, f"separated by {separator!r}", *sheet.unread]


def told(
    content: bytes,
    name: str,
    *,
    sheet: str | None,
    column: int,
    samples: int,
    encoding: str | None = None,
    language: str | None = None,
) -> Page:
    """Describes a file from ``column`` of ``sheet`` on. Raises ValidationFailed, NotFound for an unknown sheet."""
    form = form_of(name, content[:SAMPLE])
    if form in PACKED:
        return _letter(content, name, first=column)
    if form in FORMS.values():
        named = " A table in it is read once the file is named .csv." if form == "text" else ""
        return Page(f"{name}: text without a table, of which the kind documents is made, by no mapping.{named}")
    if form == "jsonl":
        return Page(f"{name}: JSON Lines, each with a kind's own fields; load_check takes no tables for it.")
    sheets, said = opened(content, name, encoding=encoding, language=language)
    if any(each.whole for each in sheets):
        rows = [[BETWEEN.join(map(text_of, row)).rstrip(" |")] for each in sheets for row in each.rows]
        return _numbered(f"{name}: {', '.join([*said, f'{len(rows)} rows'])}", rows, first=column)
    how = habits(cell for each in sheets for row in each.rows for cell in row)
    said += [f"numbers as {'1.234,56' if how.decimal == ',' else '1,234.56'}"] if how.decimal else []
    text = f"{name}: {', '.join([*said, f'dates {how.dates}'] if how.dates else said)}"
    names = [each.name for each in sheets]
    text += f"\nSheets: {', '.join(map(repr, names))}" if len(names) > 1 else ""
    if sheet is not None and sheet not in names:
        raise NotFound(f"'{name}' has no sheet '{sheet}': {', '.join(map(repr, names))}.")
    for at, (place, where, line) in enumerate(
        _lines(sheets[names.index(sheet) if sheet is not None else 0 :], how, column=column, samples=samples)
    ):
        if at and len(text) + len(line) >= MOST_CHARACTERS:
            return Page(text, place, where)
        text += f"\n{line}"
    return Page(text)


def _letter(content: bytes, name: str, *, first: int) -> Page:
    lines = [list(filter(None, line)) for line in lines_of(content, file_name=name)]
    title = f"{name}: {len(lines)} lines; their rows are yours to write: load_check with text and source"
    return _numbered(title, lines, first=first)


def _numbered(text: str, lines: Sequence[Sequence[str]], *, first: int) -> Page:
    for at, line in enumerate(lines[max(first - 1, 0) :], start=max(first, 1)):
        said = f"\n{at} {BETWEEN.join(line)}"
        if len(text) + len(said) >= MOST_CHARACTERS and at > max(first, 1):
            return Page(text, column=at)
        text += said[: MOST_CHARACTERS - len(text)]
    return Page(text)


def _lines(sheets: Sequence[Sheet], how: Habits, *, column: int, samples: int) -> Iterator[tuple[str, int, str]]:
    """Yields (sheet, column, text), one per column; the first of a sheet begins with the sheet's title."""
    for sheet in sheets:
        title = f"\n{f'Sheet {sheet.name!r}' if sheet.name else 'Table'}{' (hidden)' if sheet.hidden else ''}"
        rows = header_rows(sheet, known=concepts_of)
        header = header_at(sheet, skip=above_names(sheet, rows[0])) if rows else None
        if header is None:
            shown = [" | ".join(_short(cell) for cell in row if text_of(cell)) for row in sheet.rows[:5]]
            begins = " / ".join(filter(None, shown)) or "it is empty"
            yield sheet.name, 0, f"{title}: no header; of {len(sheet.rows)} rows: {begins}"
            continue
        below = [row for row in sheet.rows[header.skip + header.height :] if any(map(text_of, row))]
        near = [str(at + 1) for at in sorted(rows[1:]) if at <= header.skip + 1]
        title += (
            f": {len(below)} rows, header in row {header.skip + 1}{' and the next' if header.height == 2 else ''}"
        )
        title += f" (or {', '.join(near[:3])})" if near else ""
        alone = dict.fromkeys(_short(cells[0]) for row in below if len(cells := list(filter(text_of, row))) == 1)
        title += f"; rows of one cell, headings? {few(list(alone), most=MOST_NAMED)}" if alone else ""
        above = [f"{place} {_short(cell)!r}" for place, cell in once_each(cells_above(sheet, header)).items()]
        title += f"; above it {few(above, most=MOST_NAMED)}" if above else ""
        for at in range(column, len(header.names)):
            line = _column(header, at, [row[at] for row in below if at < len(row)], how, samples=samples)
            yield sheet.name, at, f"{title}\n{line}" if at == column else line
        column = 0


def _column(header: Header, at: int, cells: Sequence[Cell], how: Habits, *, samples: int) -> str:
    filled = list(filter(text_of, cells))
    line = f"{letters(at)} {header.names[at]!r}: "
    if not filled:
        return line + "empty"
    different = list(dict.fromkeys(map(text_of, filled)))
    facts = [f"{len(filled)} filled, {len(different)} different", *_forms(header.names[at], filled, how)]
    return f"{line}{'; '.join(facts)}: {' | '.join(map(_short, different[:samples]))}" + (
        " …" if len(different) > samples else ""
    )


def _forms(name: str, filled: Sequence[Cell], how: Habits) -> Iterator[str]:
    """Yields what the cells hold: the range and units of numbers, dates, and how many are ambiguous or damaged."""
    figures, units, days = [], Counter[str](), 0
    for cell in filled:
        try:
            value, beside = number(cell, decimal=how.decimal)
        except Unreadable as trouble:
            units.update(["may be thousands or decimals"] if "may mean" in str(trouble) else [])
            days += is_day(cell)
            continue
        figures.append(value)
        units.update([beside] if beside else [])
    if len(figures) > len(filled) // 2:
        some = f" in {len(figures)} cells" if len(figures) < len(filled) else ""
        yield f"numbers {plainly(min(figures))}..{plainly(max(figures))}{some}"
        inside = [f"{unit} ({count})" for unit, count in units.most_common(6)]
        yield ", ".join([*inside, *([f"{unit} in its name"] if (unit := bare(name)[1]) else [])]) or "no unit said"
    elif days:
        yield f"dates in {days} cells"
    if broken := sum(1 for cell in filled if DAMAGED.search(text_of(cell))):
        yield f"{broken} cells are errors or damaged"


def _short(cell: Cell) -> str:
    plain = " ".join(text_of(cell).split())
    return plain if len(plain) <= LONGEST_SAMPLE else f"{plain[: LONGEST_SAMPLE - 1]}…"
