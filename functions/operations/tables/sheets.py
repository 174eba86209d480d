"""Sheets of a workbook and the beginning of a delimited file as rows of cells, and where their header stands."""

import csv
import io
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from string import ascii_uppercase
from zipfile import BadZipFile

from python_calamine import (
    CalamineError,
    CalamineSheet,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
    load_workbook,
)

from operations import confined
from operations.bounds import check_workbook
from operations.tables.attributes import unit_named
from operations.tables.cells import Cell, Percent, currency_of, figure_in, is_day, text_of
from operations.tables.workbook_parts import Place, beside_values
from quarry.attributes.units import Units, shipped
from quarry.ingestion import Rejected
from quarry.tool.errors import ValidationFailed

SEPARATORS = (",", ";", "\t", "|")
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
LOOKED_THROUGH = 60
"""A header is looked for in this many rows at the beginning."""

MOST_COMMENTS = 10

PLACE = re.compile(r"\([A-Z]{1,3}[1-9]\d{0,6}\)")
"""In place of a column this means a cell above the table's header, as (B2)."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of cells; ``first`` plus a row's number is its place in the whole file. A CSV has the name "".

    ``unread`` has lines on what of the file stands in no cell; a ``whole`` sheet is a request, to be read row by row.
    """

    name: str
    rows: Sequence[Sequence[Cell]]
    first: int = 0
    hidden: bool = False
    whole: bool = False
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """Unique names of the columns; ``skip`` rows stand above the header, which takes ``height`` rows."""

    names: tuple[str, ...]
    skip: int
    height: int = 1


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row under its header: ``row`` of its sheet, ``line`` of its file. ``section`` is the heading that it stands
    under, ``raw`` its text in a delimited file, ``repair`` what had to be mended to read it.
    """

    cells: dict[str, Cell]
    sheet: str
    row: int
    line: int
    letters: dict[str, str] = field(default_factory=dict)
    section: str = ""
    raw: str = ""
    repair: str | None = None

    @property
    def where(self) -> str:
        return f"{self.sheet}, row {self.row}" if self.sheet else f"line {self.row}"

    def place(self, column: str) -> str:
        if PLACE.fullmatch(column):
            return f"{self.sheet}!{column[1:-1]}"
        if self.sheet:
            return f"{self.sheet}!{self.letters.get(column, '')}{self.row}, column {column!r}"
        return f"line {self.row}, column {column!r}"


def read_workbook(content: bytes, *, file_name: str) -> list[Sheet]:
    """Raises ValidationFailed if the content is no workbook, or is locked with a password."""
    if not check_workbook(content):
        confined.check(content, reader="workbook", file_name=file_name)
    try:
        workbook = load_workbook(io.BytesIO(content))
        found: list[Sheet] = []
        beside = beside_values(content)
        for metadata in workbook.sheets_metadata:
            if metadata.typ != SheetTypeEnum.WorkSheet:
                continue
            sheet = workbook.get_sheet_by_name(metadata.name)
            percent, comments = beside.get(metadata.name, (set[Place](), []))
            rows, hidden = _filled(sheet, percent), metadata.visible != SheetVisibleEnum.Visible
            found.append(Sheet(metadata.name, rows, hidden=hidden, unread=_told(comments, of=metadata.name)))
    except PasswordError:
        raise ValidationFailed(f"'{file_name}' is locked with a password; save it without one.") from None
    except (CalamineError, BadZipFile, zlib.error, EOFError) as error:
        reason = str(error)[:200]
        raise ValidationFailed(f"'{file_name}' cannot be read as a workbook: {reason}. Save it as .xlsx.") from error
    return found


def _told(comments: Sequence[str], *, of: str) -> tuple[str, ...]:
    more = f" and {len(comments) - MOST_COMMENTS} more" if len(comments) > MOST_COMMENTS else ""
    told = f"comments on cells of sheet {of!r}, which no field reads: {'; '.join(comments[:MOST_COMMENTS])}{more}"
    return (told,) if comments else ()


def _filled(sheet: CalamineSheet, percent: Collection[Place]) -> list[list[Cell]]:
    """Returns the rows from A1; each part of a merged cell gets its value, unless it spans over half the sheet."""
    rows: list[list[Cell]] = [
        [None if cell == "" else cell.strip() if isinstance(cell, str) else cell for cell in row]
        for row in sheet.to_python(skip_empty_area=False)
    ]
    for at, column in percent:
        cell = rows[at][column] if 0 <= at < len(rows) and column < len(rows[at]) else None
        if isinstance(cell, int | float) and not isinstance(cell, bool):
            rows[at][column] = Percent(f"{100 * cell:.12g}")
    width = max((len(row) for row in rows), default=0)
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or []:
        if 2 * (right - left + 1) > width and right > left:
            continue
        value = rows[top][left] if top < len(rows) and left < len(rows[top]) else None
        for row in rows[top : bottom + 1]:
            row[left : right + 1] = [value] * len(row[left : right + 1])
    return rows


def separator_of(lines: Sequence[str], *, names: Collection[str] = ()) -> str:
    """The separator by which the first line has the most of ``names``; where it has none of them, the one that gives
    most lines the same number of cells, under a line that looks like their header."""

    def named(separator: str) -> int:
        header = next(iter(beginning(lines[:1], separator=separator).rows), [])
        return len({text_of(cell) for cell in header} & set(names))

    def cells(separator: str) -> int:
        rows = [row for row in beginning(lines, separator=separator).rows if any(row)]
        counts = Counter(len(row) for row in rows if len(row) > 1)
        if not counts:
            return 0
        usual, times = max(counts.items(), key=lambda item: item[0] * item[1])
        header = next(row for row in rows if len(row) == usual)
        return 0 if _says_values(header) else usual * times

    known = max(SEPARATORS, key=named)
    return known if named(known) else max(SEPARATORS, key=cells)


def beginning(lines: Sequence[str], *, separator: str) -> Sheet:
    """The first lines of a delimited file, where a record that is not valid CSV has no cells. A quoted cell over
    several lines shifts what stands below it only.
    """
    rows: list[list[Cell]] = []
    broken: list[str] = []
    reader = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        try:
            rows.append([cell.strip() or None for cell in next(reader)])
        except csv.Error as error:
            rows.append([])
            broken.append(f"line {reader.line_num} is not valid CSV: {error}")
        except StopIteration:
            more = (f"and {len(broken) - 1} more",) if len(broken) > 1 else ()
            return Sheet("", rows, unread=(*broken[:1], *more))


def _says_values(row: Sequence[Cell]) -> bool:
    """Whether a row holds values; a header may have a few too, such as quantities from which prices hold."""
    filled = [cell for cell in row if cell is not None and cell != ""]
    return 3 * sum(1 for cell in filled if _says_a_value(cell)) > len(filled)


def _says_a_value(cell: Cell) -> bool:
    if not isinstance(cell, str):
        return cell is not None
    text = cell.strip()
    return not text[-1:].isalpha() and (figure_in(text) is not None or is_day(text))


def header_rows(sheet: Sheet, *, known: Callable[[str], object]) -> list[int]:
    """Which rows may be the header: first that with the most ``known`` names, then the most texts."""
    scores: dict[int, int] = {}
    for at, row in enumerate(sheet.rows[:LOOKED_THROUGH]):
        texts = [text_of(cell) for cell in row if cell is not None]
        if len(texts) < 2 or _says_values(row) or len(set(texts)) < 2:
            continue
        scores[at] = 100 * sum(1 for text in texts if known(text)) + len(texts)
    return sorted(scores, key=lambda at: (-scores[at], at))


def header_at(sheet: Sheet, *, skip: int, height: int | None = None, units: Units | None = None) -> Header | None:
    """Returns the header behind ``skip`` rows; without ``height`` it has two rows if the second has units, of the
    tenant's ``units`` too, or names below merged headings.
    """
    if skip >= len(sheet.rows):
        return None
    top = list(sheet.rows[skip])
    second = list(sheet.rows[skip + 1]) if skip + 1 < len(sheet.rows) else []
    if height is None:
        filled = [cell for cell in second if cell is not None]
        are_units = all(isinstance(cell, str) for cell in filled) and _has_units(list(map(text_of, filled)), units)
        height = 2 if are_units or _has_names_below(top, second, units) else 1
    names = [text_of(cell) for cell in top]
    if not any(names):
        return None
    if height == 2:
        below = [text_of(cell) for cell in second]
        names += [""] * (len(below) - len(names))
        below += [""] * (len(names) - len(below))
        are_units = _has_units(below)
        below = [f"[{part.strip(' []')}]" if are_units and part and not _is_unit(part) else part for part in below]
        names = [" ".join(dict.fromkeys(filter(None, both))) for both in zip(names, below, strict=True)]
    while names and not names[-1]:
        names.pop()
    return Header(tuple(_unique(names)), skip, height) if names else None


def above_names(sheet: Sheet, at: int, *, units: Units | None = None) -> int:
    """Returns where a header begins whose names may stand in row ``at`` below merged headings."""
    return at - 1 if at and _has_names_below(sheet.rows[at - 1], sheet.rows[at], units) else at


def _has_names_below(top: Sequence[Cell], second: Sequence[Cell], units: Units | None) -> bool:
    """Whether headings over several columns have names of their own below each, and other columns mostly nothing, a
    unit or their heading again.
    """
    both = list(zip_longest(top, second))
    texts, said = [text_of(cell) for cell, _ in both], [text_of(cell) for _, cell in both]
    beside = zip(["", *texts], texts, [*texts[1:], ""], strict=False)
    merged = [at for at, (left, text, right) in enumerate(beside) if text and text in (left, right)]
    own = {(texts[at], said[at]) for at in merged if said[at] and not _says_a_value(both[at][1])}
    others = [at for at in range(len(both)) if at not in merged]
    strange = [at for at in others if said[at] not in ("", texts[at]) and not _is_unit(said[at], units)]
    are_texts = all(cell is None or isinstance(cell, str) for _, cell in both)
    is_data = any(texts[at] for at in strange)
    return bool(merged) and are_texts and not is_data and len(own) == len(merged) and 2 * len(strange) < len(others)


def _has_units(texts: Sequence[str], units: Units | None = None) -> bool:
    """Whether most of a row's texts are units and none is a value; the others may be unknown units."""
    said = [text for text in texts if text]
    return 2 * sum(_is_unit(text, units) for text in said) > len(said) and not any(map(_says_a_value, said))


def _is_unit(text: str, units: Units | None = None) -> bool:
    bare = text.strip("[]() ")
    currency = len(bare) < 4 and currency_of(bare.upper()) is not None
    return bare == "-" or currency or unit_named(text, units or shipped()) is not None


def _unique(names: Sequence[str]) -> Iterator[str]:
    seen = Counter[str]()
    for at, name in enumerate(names):
        name = " ".join(name.split()) or f"(column {letters(at)})"
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


def letters(at: int) -> str:
    """The letters that a workbook gives a column: A, B, … Z, AA."""
    return (letters(at // 26 - 1) if at >= 26 else "") + chr(ord("A") + at % 26)


def cells_above(sheet: Sheet, header: Header) -> dict[str, Cell]:
    """Returns the filled cells above the header by place: titles, dates, whose prices they are."""
    return {
        f"({letters(column)}{at})": cell
        for at, row in enumerate(sheet.rows[: header.skip], start=1)
        for column, cell in enumerate(row)
        if text_of(cell)
    }


def once_each(above: Mapping[str, Cell]) -> dict[str, Cell]:
    """Leaves out the cells above a header that repeat the one beside them, as those of a merged title do."""
    found: dict[str, Cell] = {}
    row, last = "", ""
    for place, cell in above.items():
        if (of := place.strip("(" + ascii_uppercase)) != row or text_of(cell) != last:
            found[place] = cell
        row, last = of, text_of(cell)
    return found


def rows_below(sheet: Sheet, header: Header) -> Iterator[TableRow]:
    """Yields filled rows, without repetitions of the header; cells beyond the header are named as (column D)."""
    width = max(map(len, sheet.rows), default=0)
    names = [*header.names, *(f"(column {letters(at)})" for at in range(len(header.names), width))]
    places = {name: letters(at) for at, name in enumerate(names)}
    above = [text_of(cell) for cell in sheet.rows[header.skip]]
    for at, row in enumerate(islice(sheet.rows, header.skip + header.height, None), header.skip + header.height + 1):
        if any(cell is not None for cell in row) and [text_of(cell) for cell in row] != above:
            yield TableRow(dict(zip(names, row, strict=False)), sheet.name, at, sheet.first + at, places)


def under_headings(
    rows: Iterable[TableRow | Rejected], *, idle: Callable[[TableRow], None] | None = None
) -> Iterator[TableRow | Rejected]:
    """Yields rows with the heading above them; a row of one text is a heading, and ``idle`` gets one without rows."""
    section, last = "", None
    for row in rows:
        if isinstance(row, Rejected):
            yield row
            continue
        filled = [cell for cell in row.cells.values() if cell is not None and cell != ""]
        if len(filled) == 1 and isinstance(filled[0], str):
            if last is not None and idle:
                idle(last)
            section, last = filled[0].strip(), row
        else:
            last = None
            yield replace(row, section=section)
    if last is not None and idle:
        idle(last)
