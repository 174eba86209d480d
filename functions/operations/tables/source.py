"""Opens a table file, finds the mapping that fits it, and yields its records as a kind's fields."""

import csv
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice

from operations.bounds import LONGEST_LINE
from operations.delimited import DelimitedTable, column_names, separator_naming
from operations.exchange.files import read_sheets
from operations.tables.attributes import attribute_of
from operations.tables.cells import Cell, Habits, habits, text_of
from operations.tables.conversion import RowConversion
from operations.tables.field_types import field_types
from operations.tables.leftover import Leftover, of_sheet
from operations.tables.mapping import FieldRule, Mapping, TableMapping
from operations.tables.sheets import (
    LOOKED_THROUGH,
    Header,
    Sheet,
    TableRow,
    beginning,
    cells_above,
    header_at,
    rows_below,
    separator_of,
    under_headings,
)
from operations.tables.tiers import FROM_QUANTITY, of_each_segment, tiers_joined
from quarry.attributes.model import Attributes
from quarry.ingestion import CellFault, Kind, Rejected, UnreadRecord, storable
from quarry.tool.errors import ValidationFailed

LEARNT_FROM = 1_000
"""How a delimited file writes numbers and dates is learnt from this many lines."""

OF_A_LINE = 5_000
"""At most this many characters of each of these lines are looked at."""


@dataclass(frozen=True, slots=True)
class TableSource:
    """An opened table. ``said`` tells how the file was read, beyond its encoding; ``shape`` is that of the mapping it
    was given; ``leftover`` tells, once the records have ended, what of them no row stores.
    """

    records: Iterator[UnreadRecord | Rejected]
    said: tuple[str, ...] = ()
    separator: str | None = None
    shape: str | None = None
    leftover: tuple[Leftover, ...] = ()


def workbook(
    content: bytes, kind: Kind, *, mappings: Iterable[Mapping], file_name: str, attributes: Attributes
) -> TableSource:
    """Raises ValidationFailed where no mapping fits and no sheet has the kind's own column names."""
    sheets = read_sheets(content, file_name=file_name)
    given = fitting(mappings, sheets, kind)
    mapping = given or _exact(sheets, kind, attributes=attributes)
    if mapping is None:
        raise _unmapped(sheets, kind, file_name=file_name)
    tables = mapping.tables_in(sheets)
    others = [sheet for sheet in sheets if sheet.rows and sheet not in [table[0] for table in tables]]
    said = ["sheets " + ", ".join(repr(sheet.name) for sheet, _, _ in tables)]
    said += ["not read: " + ", ".join(repr(sheet.name) for sheet in others)] if others else []
    how = habits_by(mapping, (cell for sheet, _, _ in tables for row in sheet.rows for cell in row))
    read = list(conversions(tables, kind, habits=how, attributes=attributes))
    records = chain.from_iterable(_converted(rows, conversion) for conversion, rows in read)
    leftover = tuple(conversion.leftover for conversion, _ in read)
    aside = {name for table in mapping.tables for name in table.aside}
    leftover += tuple(map(of_sheet, (sheet for sheet in others if sheet.name not in aside)))
    leftover += tuple(Leftover(elements=sheet.unread) for sheet, *_ in tables)
    return TableSource(
        records,
        (*said, *_remarks(how)),
        shape=given.shape if given else None,
        leftover=leftover,
    )


def conversions(
    tables: Iterable[tuple[Sheet, Header, TableMapping]], kind: Kind, *, habits: Habits, attributes: Attributes
) -> Iterator[tuple[RowConversion, Iterator[tuple[int, TableRow]]]]:
    """Each table's conversion and its rows, with their places in the whole file."""
    for sheet, header, table in tables:
        named, above = table.model_copy(update={"sheet": sheet.name}), cells_above(sheet, header)
        rows = rows_below(sheet, header)
        conversion = RowConversion(kind, named, habits=habits, attributes=attributes, above=above, rows=rows)
        yield conversion, _placed(sheet, header)


def _placed(sheet: Sheet, header: Header) -> Iterator[tuple[int, TableRow]]:
    for row in rows_below(sheet, header):
        yield sheet.first + row.row, row


def under_its_headings(
    rows: Iterable[tuple[int, TableRow] | Rejected], conversion: RowConversion
) -> Iterable[tuple[int, TableRow] | Rejected]:
    return under_headings(rows, idle=conversion.leftover.idle) if conversion.table.has_headings else rows


@contextmanager
def _learning() -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        raise ValidationFailed(f"The beginning of the file is not valid CSV: {error}.") from error


def _head(text: Iterator[str]) -> Iterator[str]:
    """Yields lines to learn from, fewer where they are long."""
    characters = 0
    for line in islice(text, LEARNT_FROM):
        yield line
        characters += len(line)
        if characters > LONGEST_LINE:
            return


@_learning()
def delimited(
    text: Iterator[str], kind: Kind, *, mappings: Iterable[Mapping], file_name: str, attributes: Attributes
) -> TableSource:
    """Raises ValidationFailed where neither the kind's own names nor a mapping fits the header."""
    whole = list(_head(text))
    lines = chain(whole, text)
    head = [line[:OF_A_LINE] for line in whole]
    first = next((line for line in head if line.strip()), "")
    separator = separator_of(head[:LOOKED_THROUGH])
    begins = beginning(head[:LOOKED_THROUGH], separator=separator)
    mapping = fitting(mappings, [begins], kind)
    if mapping is None:
        if not separator_naming(first, kind)[1] and len(head) > 1 and max(map(len, begins.rows), default=0) > 1:
            raise _unmapped([begins], kind, file_name=file_name)
        table = DelimitedTable(lines, kind, attributes=attributes)
        how = habits(_cells(head, separator=table.separator))
        rules = {name: FieldRule(columns=(name,)) for name in table.header}
        # A file with the kind's own names mostly comes from a program, which writes a decimal point.
        conversion = RowConversion(
            kind,
            TableMapping(fields=rules),
            habits=Habits(how.decimal or ".", how.dates),
            attributes=attributes,
            rows=_first_rows(head, Header(tuple(table.header), 0), separator=table.separator),
        )
        return TableSource(_named(table, conversion), _remarks(how), table.separator, leftover=(conversion.leftover,))
    [(sheet, header, chosen)] = mapping.tables_in([begins])
    # Counts the lines down to the header's last, because a cell may span several.
    reader = csv.reader(whole, delimiter=separator)
    for _ in islice(reader, header.skip + header.height):
        pass
    own = DelimitedTable(lines, kind, names=header.names, separator=separator, skip=reader.line_num)
    how = habits_by(mapping, _cells(head, separator=separator))
    rows, above = _first_rows(head, header, separator=separator), cells_above(sheet, header)
    conversion = RowConversion(kind, chosen, habits=how, attributes=attributes, above=above, rows=rows)
    records = _converted(_rows(own), conversion)
    return TableSource(records, _remarks(how), separator, mapping.shape, (conversion.leftover,))


def _first_rows(head: Sequence[str], header: Header, *, separator: str) -> Iterable[TableRow]:
    """None where a quote that nothing ends makes one cell of them; reading says which line it is on."""
    try:
        return rows_below(beginning(head, separator=separator), header)
    except ValidationFailed:
        return ()


def fitting(mappings: Iterable[Mapping], sheets: Sequence[Sheet], kind: Kind) -> Mapping | None:
    """Returns the mapping of the kind that reads the most sheets.

    One that maps the kind's own names to themselves is passed over where the header has more of these than it maps.
    """
    names = set(field_types(kind.row))
    found = [
        (len(tables), mapping)
        for mapping in mappings
        if mapping.kind == kind.name
        and (tables := mapping.tables_in(sheets))
        and not any(_knew_fewer(table, header, names) for _, header, table in tables)
    ]
    most, mapping = max(found, key=lambda pair: pair[0], default=(0, None))
    return mapping if most else None


def _knew_fewer(table: TableMapping, header: Header, names: Collection[str]) -> bool:
    own = all(rule == FieldRule(columns=(name,)) for name, rule in table.fields.items())
    return own and any(name in names and name not in table.fields for name in header.names)


def _exact(sheets: Sequence[Sheet], kind: Kind, *, attributes: Attributes) -> Mapping | None:
    """Maps the sheets whose header consists of the kind's own names; None where there is none."""
    known = set(column_names(kind))
    types = field_types(kind.row)
    tables = []
    for sheet in sheets:
        header = header_at(sheet, skip=0)
        if header is not None and all(
            name in known or attribute_of(name, kind, attributes) is not None for name in header.names
        ):
            rules = {name: FieldRule(columns=(name,)) for name in header.names}
            if kind.may_lack(rules) or all(name in rules for name, type_ in types.items() if type_.required):
                tables.append(TableMapping(sheet=sheet.name, fields=rules))
    return Mapping(kind=kind.name, tables=tuple(tables)) if tables else None


def _unmapped(sheets: Sequence[Sheet], kind: Kind, *, file_name: str) -> ValidationFailed:
    named = [name for sheet in sheets if (header := header_at(sheet, skip=0)) for name in header.names][:12]
    named = [name[:60] for name in named]
    return ValidationFailed(
        f"'{file_name}' has columns of its own ({', '.join(named)}), and no mapping says which fields of "
        f"'{kind.name}' they are. Run make preview KIND={kind.name} FILE=…, look at it, and ingest with MAP=…."
    )


def habits_by(mapping: Mapping, cells: Iterable[Cell]) -> Habits:
    given, found = mapping.habits, habits(cells)
    return Habits(given.decimal or found.decimal, given.dates or found.dates)


def _cells(head: Sequence[str], *, separator: str) -> Iterator[Cell]:
    return (cell for line in head for cell in line.rstrip("\r\n").replace('"', "").split(separator))


def _remarks(how: Habits) -> tuple[str, ...]:
    numbers = ("numbers as 1.234,56",) if how.decimal == "," else ()
    return (*numbers, f"dates {how.dates}") if how.dates else numbers


def _named(table: DelimitedTable, conversion: RowConversion) -> Iterator[UnreadRecord | Rejected]:
    """Yields records under the kind's own names; each keeps its text and the note of what was mended in it."""
    silent: dict[str, Cell] = dict.fromkeys(table.header)
    for item in table:
        if not isinstance(item, UnreadRecord) or not isinstance(item.value, dict):
            yield item
            continue
        values, faults = conversion.convert(TableRow(silent | item.value, "", item.line))
        yield _rejected(item.line, faults, item.raw) if faults else replace(item, value=values)


def _rows(table: DelimitedTable) -> Iterator[tuple[int, TableRow] | Rejected]:
    for item in table:
        if isinstance(item, Rejected):
            yield item
        elif isinstance(item.value, dict) and item.value and any(name != cell for name, cell in item.value.items()):
            cells: dict[str, Cell] = {name: cell.strip() for name, cell in item.value.items()}
            yield item.line, TableRow(cells, "", item.line)


def _converted(
    rows: Iterable[tuple[int, TableRow] | Rejected], conversion: RowConversion
) -> Iterator[UnreadRecord | Rejected]:
    each = _each(rows, conversion)
    return tiers_joined(each) if FROM_QUANTITY in conversion.table.fields else each


def _each(
    rows: Iterable[tuple[int, TableRow] | Rejected], conversion: RowConversion
) -> Iterator[UnreadRecord | Rejected]:
    for item in under_its_headings(rows, conversion):
        if isinstance(item, Rejected):
            yield item
            continue
        line, row = item
        raw = json.dumps(
            {name: text_of(cell) for name, cell in row.cells.items() if cell is not None}, ensure_ascii=False
        )
        values, faults = conversion.convert(row)
        if faults:
            yield _rejected(line, faults, raw)
        else:
            places = conversion.places(row)
            yield from (UnreadRecord(line, raw, each, places=places) for each in of_each_segment(values))


def _rejected(line: int, faults: Sequence[CellFault], raw: str) -> Rejected:
    return Rejected(line, storable("; ".join(map(str, faults))), storable(raw), tuple(faults))
