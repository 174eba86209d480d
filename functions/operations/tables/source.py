"""Opens a table file, finds the mapping that fits it, and yields its records as a kind's fields."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from operations.bounds import LONGEST_LINE, TOO_LONG, CutLine
from operations.delimited import DelimitedTable
from operations.exchange.files import read_sheets
from operations.tables.attributes import attribute_of, known_names
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
from quarry.ingestion import Kind, Rejected, UnreadRecord
from quarry.tool.errors import ValidationFailed

LEARNT_FROM = 1_000
"""How a delimited file writes numbers and dates is learnt from this many lines."""


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
    content: bytes, kind: Kind, *, mappings: Sequence[Mapping], file_name: str, attributes: Attributes
) -> TableSource:
    """Raises ValidationFailed where no mapping fits and no sheet has the kind's own column names."""
    sheets = read_sheets(content, file_name=file_name)
    given = fitting(mappings, sheets, kind)
    mapping = given or _by_own_names(sheets, kind, mappings=mappings, file_name=file_name, attributes=attributes)
    tables = mapping.tables_in(sheets)
    others = [sheet for sheet in sheets if sheet.rows and sheet not in [table[0] for table in tables]]
    said = ["sheets " + ", ".join(dict.fromkeys(repr(sheet.name) for sheet, _, _ in tables))]
    said += ["not read: " + ", ".join(repr(sheet.name) for sheet in others)] if others else []
    cells = (cell for sheet, _, _ in tables for row in sheet.rows for cell in row)
    how = habits_by(mapping, cells, language=attributes.language)
    read = list(conversions(tables, kind, habits=how, attributes=attributes))
    records = chain.from_iterable(_converted(rows, conversion) for conversion, rows in read)
    leftover = [conversion.leftover for conversion, _ in read]
    leftover += map(of_sheet, (sheet for sheet in others if sheet.name not in mapping.aside))
    leftover += (Leftover(elements=unread) for unread in dict.fromkeys(sheet.unread for sheet, *_ in tables))
    return TableSource(
        records, (*said, *_remarks(how)), shape=given.shape if given else None, leftover=tuple(leftover)
    )


def conversions(
    tables: Iterable[tuple[Sheet, Header, TableMapping]],
    kind: Kind,
    *,
    habits: Habits,
    attributes: Attributes,
    rows_of: Callable[[Sheet, Header], Iterable[TableRow | Rejected]] = rows_below,
) -> Iterator[tuple[RowConversion, Iterable[TableRow | Rejected]]]:
    """Yields each table's conversion and its rows under their headings; ``rows_of`` gives the rows of a table whose
    sheet has only the first of them. What another table of the same sheet reads is set aside.
    """
    read = defaultdict[str, list[str]](list)
    for sheet, _, table in (tables := list(tables)):
        read[sheet.name] += [*table.aside, *(column for rule in table.fields.values() for column in rule.reads)]
    for sheet, header, table in tables:
        named = table.model_copy(update={"sheet": sheet.name, "aside": tuple(read[sheet.name])})
        above = cells_above(sheet, header)
        first = rows_below(sheet, header)
        conversion = RowConversion(kind, named, habits=habits, attributes=attributes, above=above, rows=first)
        rows = rows_of(sheet, header)
        yield conversion, under_headings(rows, idle=conversion.leftover.idle) if table.has_headings else rows


def delimited(
    text: Iterator[str], kind: Kind, *, mappings: Sequence[Mapping], file_name: str, attributes: Attributes
) -> TableSource:
    """Raises ValidationFailed where neither the kind's own names nor a mapping fits the header."""
    head = list(_head(text))
    if head and isinstance(head[0], CutLine):
        raise ValidationFailed(f"The header does not fit: {TOO_LONG}.")
    separator = separator_of(head[:LOOKED_THROUGH], names=column_names(kind))
    sheet = beginning(head, separator=separator)
    given = fitting(mappings, [sheet], kind)
    mapping = given or _by_own_names([sheet], kind, mappings=mappings, file_name=file_name, attributes=attributes)
    tables = mapping.tables_in([sheet])
    how = habits_by(mapping, _cells(head, separator=separator), language=attributes.language)
    # A file with the kind's own names mostly comes from a program, which writes a decimal point.
    decimal = how.decimal if given else how.decimal or "."

    def rows_of(_: Sheet, header: Header) -> DelimitedTable:
        return DelimitedTable(chain(head, text), header, separator=separator, kind=None if given else kind)

    written = Habits(decimal, how.dates)
    [(conversion, rows)] = conversions(tables, kind, habits=written, attributes=attributes, rows_of=rows_of)
    shape = given.shape if given else None
    return TableSource(_converted(rows, conversion), _remarks(how), separator, shape, (conversion.leftover,))


def _head(text: Iterator[str]) -> Iterator[str]:
    """Yields lines to learn from, fewer where they are long."""
    characters = 0
    for line in islice(text, LEARNT_FROM):
        yield line
        characters += len(line)
        if characters > LONGEST_LINE:
            return


def fitting(mappings: Iterable[Mapping], sheets: Sequence[Sheet], kind: Kind) -> Mapping | None:
    """Returns the mapping of the kind that says of the most sheets what they are: read, or set aside by name.

    One that maps the kind's own names to themselves is passed over where the header has more of these than it maps.
    """
    names = set(field_types(kind.row))
    found = [
        (len({sheet.name for sheet, *_ in tables}) + len(mapping.aside & {sheet.name for sheet in sheets}), mapping)
        for mapping in mappings
        if mapping.kind == kind.name
        and (mapping.reads or mapping.encoding is None)  # else it says the encoding alone
        and (tables := mapping.tables_in(sheets))
        and not any(_knew_fewer(table, header, names) for _, header, table in tables)
    ]
    most, mapping = max(found, key=lambda pair: pair[0], default=(0, None))
    return mapping if most else None


def _knew_fewer(table: TableMapping, header: Header, names: Collection[str]) -> bool:
    own = all(rule == FieldRule(columns=(name,)) for name, rule in table.fields.items())
    return own and any(name in names and name not in table.fields for name in header.names)


@dataclass(frozen=True, slots=True)
class OwnHeader:
    """A sheet's first row, held against the names of a kind's fields and of the tenant's attributes."""

    sheet: Sheet
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]
    is_repeated: bool

    @property
    def fits(self) -> bool:
        return bool(self.known) and not (self.unknown or self.missing or self.is_repeated)

    @property
    def has_its_own(self) -> bool:
        return not self.known or len(self.known) < len(self.unknown)

    def table(self) -> TableMapping:
        fields = {name: FieldRule(columns=(name,)) for name in self.known}
        return TableMapping(sheet=self.sheet.name or None, fields=fields)

    def problems(self) -> str:
        said = [
            "" if self.known or self.unknown else "no header in the first line, or one that is not valid CSV",
            f"unknown columns {[name[:60] for name in self.unknown[:10]]}" if self.unknown else "",
            f"and {len(self.unknown) - 10} more" if len(self.unknown) > 10 else "",
            f"missing columns {list(self.missing)}" if self.missing else "",
            "repeated columns" if self.is_repeated else "",
        ]
        return ", ".join(filter(None, said))


def column_names(kind: Kind) -> list[str]:
    return [field.alias or name for name, field in kind.row.model_fields.items()]


def own_header(sheet: Sheet, kind: Kind, attributes: Attributes) -> OwnHeader:
    names = [" ".join(text_of(cell).split()) for row in sheet.rows[:1] for cell in row]
    while names and not names[-1]:
        names.pop()
    fields = {field.alias or name: field for name, field in kind.row.model_fields.items()}
    own = {name: found.name for name in names if (found := attribute_of(name, kind, attributes)) is not None}
    meant = [own.get(name, name) for name in names]
    closed = kind.row.model_config.get("extra") == "forbid"
    may_stand = {*fields, *field_types(kind.row)}
    needed = () if kind.may_lack(names) else (name for name, field in fields.items() if field.is_required())
    return OwnHeader(
        sheet,
        known=tuple(name for name in names if name in may_stand or name in own),
        unknown=tuple(name for name in names if closed and name not in may_stand and name not in own),
        missing=tuple(name for name in needed if name not in names),
        is_repeated=len(set(meant)) != len(meant),
    )


def _by_own_names(
    sheets: Sequence[Sheet], kind: Kind, *, mappings: Sequence[Mapping], file_name: str, attributes: Attributes
) -> Mapping:
    """Maps the sheets whose header consists of the kind's own names. Raises ValidationFailed where there is none."""
    headers = [own_header(sheet, kind, attributes) for sheet in sheets]
    if tables := [header.table() for header in headers if header.fits]:
        return Mapping(kind=kind.name, tables=tuple(tables))
    likely = max(headers, key=lambda header: len(header.known), default=None)
    if likely is None or (likely.has_its_own and any(len(row) > 1 for row in likely.sheet.rows)):
        why = "; ".join(mappings[0].unfit(sheets)) if len(mappings) == 1 else ""
        named = [name for sheet in sheets if (header := header_at(sheet, skip=0)) for name in header.names]
        raise ValidationFailed(
            f"'{file_name}' has columns of its own ({', '.join(name[:60] for name in named[:12])}), and no mapping "
            f"says which fields of '{kind.name}' they are, given or remembered{why and f' ({why})'}. "
            f"Run make preview KIND={kind.name} FILE=…, look at it, and ingest with MAP=…."
        )
    declared = f" Attributes that you have declared are {known_names(attributes)}." if kind.attributed else ""
    raise ValidationFailed(
        f"The header does not fit '{kind.name}': {likely.problems()}. Columns are "
        f"{', '.join(column_names(kind))}.{declared}"
    )


def habits_by(mapping: Mapping, cells: Iterable[Cell], *, language: str | None) -> Habits:
    given, found = mapping.habits, habits(cells, language=language)
    return Habits(given.decimal or found.decimal, given.dates or found.dates)


def _cells(head: Sequence[str], *, separator: str) -> Iterator[Cell]:
    return (cell for line in head for cell in line.rstrip("\r\n").replace('"', "").split(separator))


def _remarks(how: Habits) -> tuple[str, ...]:
    numbers = ("numbers as 1.234,56",) if how.decimal == "," else ()
    return (*numbers, f"dates {how.dates}") if how.dates else numbers


def _converted(rows: Iterable[TableRow | Rejected], conversion: RowConversion) -> Iterator[UnreadRecord | Rejected]:
    each = _each(rows, conversion)
    return tiers_joined(each) if FROM_QUANTITY in conversion.table.fields else each


def _each(rows: Iterable[TableRow | Rejected], conversion: RowConversion) -> Iterator[UnreadRecord | Rejected]:
    for row in rows:
        if isinstance(row, Rejected):
            yield row
            continue
        said = {name: text_of(cell) for name, cell in row.cells.items() if cell is not None}
        raw = row.raw or json.dumps(said, ensure_ascii=False)
        values, faults = conversion.convert(row)
        if faults:
            yield Rejected.by(faults, line=row.line, raw=raw, place=row.where)
        elif conversion.states_nothing(values):
            conversion.leftover.empty(row)
        else:
            places = conversion.places(row)
            yield from (UnreadRecord(row.line, raw, each, row.repair, places) for each in of_each_segment(values))
