"""A mapping: which columns of a file become which fields of a kind, as a TOML file that a person reads and edits.

Mappings that a tenant has used are stored, and read its next file with the same columns.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, Self

from psycopg.sql import SQL
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from operations.tables.cells import Cell, Habits, Order, text_of
from operations.tables.sheets import LOOKED_THROUGH, PLACE, Header, Sheet, header_at
from quarry.data import database
from quarry.ingestion import Kind, Row
from quarry.text import fold
from quarry.tool.errors import ValidationFailed

SECTION = "(section)"
"""In place of a column this means the heading between rows under which a row stands."""

SHEET = "(sheet)"
"""In place of a column this means the name of the row's sheet."""

OTHERS = "(others)"
"""Among a field's values this means all texts that are not listed."""


def _known(encoding: str) -> str:
    try:
        "".encode(encoding)
    except (LookupError, UnicodeError):
        raise ValueError("is no encoding, such as cp1250 or utf-8") from None
    return encoding


Encoding = Annotated[str, Field(max_length=40), AfterValidator(_known)]


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class FieldRule(_Part):
    """How one field is read: from the cells of its columns, or as the row's number within another field.

    ``part`` says which figure of a cell is meant: of 850x775x785 the first is 1. ``says`` are the words of the cell
    that are meant, which have to stand there. ``per`` says for how many pieces an amount is, or is the column that
    does, in figures or in words that ``values`` have, and ``at`` from how many on a price holds. With ``label`` the
    cells behind the first are named by their columns: "DN: 50; PN: 16". With ``fill`` a row whose cell is empty goes
    on with what the row above it began. The ``complement`` of 85 % or .85 is 15 %.
    """

    columns: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(default=(), alias="from")
    unit: str | None = None
    values: dict[str, str] = Field(default_factory=dict)
    join: str | None = None
    label: bool = False
    count_within: str | None = None
    per: str | Annotated[float, Field(gt=0)] | None = None
    at: str | None = None
    part: int | None = Field(default=None, ge=1, le=9)
    says: str | None = Field(default=None, min_length=1, max_length=500)
    fill: Literal["down"] | None = None
    complement: bool = False

    def joined(self, texts: Iterable[str]) -> str:
        return (" " if self.join is None else self.join).join(texts)

    def listed(self, cell: Cell) -> str | None:
        """Returns what ``values`` say of this very text."""
        folded = fold(text_of(cell)) if self.values else ""
        return next((meant for said, meant in self.values.items() if fold(said) == folded), None)

    def meant(self, cell: Cell) -> str | None:
        """Returns what ``values`` say of a text, as one of the others too."""
        listed = self.listed(cell)
        return self.values.get(OTHERS) if listed is None else listed

    @property
    def reads(self) -> tuple[str, ...]:
        return (*self.columns, *(each for each in (self.per, self.at) if isinstance(each, str)))


class ProseValue(_Part):
    """An attribute's value that only the prose of a cell states. The row is named by ``row``, its number, or ``of``,
    its SKU or model; ``says`` are the words, ``means`` is what they stand for: yes, no or a text.
    """

    attribute: str
    row: int | None = Field(default=None, ge=1)
    of: str | None = Field(default=None, min_length=1)
    column: str = Field(alias="from")
    says: str = Field(min_length=1, max_length=500)
    means: str | None = None

    @model_validator(mode="after")
    def is_of_one_row(self) -> Self:
        if (self.row is None) == (self.of is None):
            raise ValueError("say whose it is: row, or of, its SKU or model")
        return self

    @property
    def whose(self) -> str:
        return f"row {self.row}" if self.row is not None else str(self.of)


class TableMapping(_Part):
    """One table of the file: where its header stands, the fields, what is set aside because nobody needs it (columns,
    cells above the header, other sheets by their names), and what prose says.
    """

    sheet: str | None = None
    skip: int = Field(default=0, ge=0)
    header_rows: int = Field(default=1, ge=1, le=2)
    headings: bool = False
    aside: tuple[str, ...] = ()
    fields: dict[str, FieldRule]
    constants: dict[str, str | int | float | bool] = Field(default_factory=dict)
    prose: tuple[ProseValue, ...] = ()

    @property
    def has_headings(self) -> bool:
        """Whether a row of one text is a heading between rows, and not a row that lacks everything else."""
        return self.headings or any(SECTION in rule.columns for rule in self.fields.values())

    @property
    def columns(self) -> list[str]:
        """Returns the header's columns that fields read."""
        read = dict.fromkeys(name for rule in self.fields.values() for name in rule.reads)
        return [name for name in read if not PLACE.fullmatch(name) and fold(name) not in (SECTION, SHEET)]

    @property
    def parted(self) -> dict[str, dict[str, FieldRule]]:
        """Returns by column the fields that take one of its figures each, of whole cells."""
        found: dict[str, dict[str, FieldRule]] = {}
        for name, rule in self.fields.items():
            if rule.part and not rule.says and len(rule.columns) == 1:
                found.setdefault(rule.columns[0], {})[name] = rule
        return found

    def lacking(self, sheet: Sheet) -> str:
        """Says why this table does not read the sheet: which columns its header lacks there, and which it has."""
        header = header_at(sheet, skip=self.skip, height=self.header_rows)
        names = header.names if header is not None else ()
        there = set(map(fold, names))
        lost = ", ".join(repr(name) for name in self.columns if fold(name) not in there)
        where = f"of sheet {sheet.name!r} " if sheet.name else ""
        if not lost:
            of = f"sheet {sheet.name!r}" if sheet.name else "a file without sheets"
            return f"of the tables for {of} only one is read; in a workbook all are that name the sheet"
        return f"row {self.skip + 1} {where}has no {lost}; it reads {', '.join(map(repr, names)) or 'nothing'}"

    def header_in(self, sheet: Sheet) -> Header | None:
        """Finds this table's header in the sheet: behind ``skip`` rows, or else anywhere near its beginning."""
        wanted = set(map(fold, self.columns))
        for skip in dict.fromkeys((self.skip, *range(min(LOOKED_THROUGH, len(sheet.rows))))):
            found = header_at(sheet, skip=skip, height=self.header_rows)
            if found is not None and wanted <= {fold(name) for name in found.names}:
                return found
        return None


class Mapping(_Part):
    kind: str
    numbers: Literal["1.234,56", "1,234.56"] | None = None
    dates: Order | None = None
    encoding: Encoding | None = None
    tables: tuple[TableMapping, ...] = Field(min_length=1)

    @property
    def reads(self) -> bool:
        """Whether any field reads a column; a mapping of which none does only says what a guess has to keep."""
        return any(rule.columns or rule.count_within for table in self.tables for rule in table.fields.values())

    @property
    def aside(self) -> set[str]:
        """What any table sets aside: columns, cells above a header, whole sheets."""
        return {name for table in self.tables for name in table.aside}

    @property
    def habits(self) -> Habits:
        return Habits(decimal=None if self.numbers is None else self.numbers[-3], dates=self.dates)  # type: ignore[arg-type]  # a comma or a point, as the literals have it

    @property
    def shape(self) -> str:
        """Returns what identifies files of one form: the columns that the mapping reads, as JSON."""
        tables = sorted(
            sorted({fold(name) for rule in table.fields.values() for name in rule.reads}) for table in self.tables
        )
        return json.dumps(tables, ensure_ascii=False)

    def tables_in(self, sheets: Sequence[Sheet]) -> list[tuple[Sheet, Header, TableMapping]]:
        """Returns each sheet that tables fit, with each of those that name it. A sheet that none names is read by the
        one with the most fields; a hidden sheet only by tables of its name.
        """
        found = []
        for sheet in sheets:
            fitting = [(table, header) for table in self.tables if (header := table.header_in(sheet)) is not None]
            fitting.sort(key=lambda pair: (pair[0].sheet != sheet.name, -len(pair[0].fields)))
            named = [
                pair
                for pair in fitting
                if not sheet.name or pair[0].sheet == sheet.name or (len(self.tables) == 1 and not sheet.hidden)
            ]
            others = {table.sheet for table in self.tables} & {each.name for each in sheets}
            chosen = named or [pair for pair in fitting if pair[0].sheet not in others and not sheet.hidden]
            own = [pair for pair in chosen if sheet.name and pair[0].sheet == sheet.name]
            found += [(sheet, header, table) for table, header in own or chosen[:1]]
        return found

    def unfit(self, sheets: Sequence[Sheet]) -> list[str]:
        """Says of each table that fits no sheet what is missing in the sheet that it names, or in the only one."""
        used = [table for _, _, table in self.tables_in(sheets)]
        return [
            table.lacking(sheet)
            for table in self.tables
            if table not in used
            for sheet in sheets
            if sheet.name == table.sheet or len(sheets) == 1
        ]

    @classmethod
    def parse(cls, text: str, *, source: str) -> Self:
        """Raises ValidationFailed with the line or the key that is wrong."""
        try:
            return cls.model_validate(tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            raise ValidationFailed(f"The mapping {source} is not valid TOML: {error}.") from error
        except ValidationError as error:
            faults = "; ".join(f"{_place(fault['loc'])}{_advice(fault)}" for fault in error.errors())
            raise ValidationFailed(f"The mapping {source} does not fit: {faults}.") from error

    def written(self, *, comments: Iterable[str] = (), left: dict[str | None, list[str]] | None = None) -> str:
        """The TOML that ``parse`` reads; of the columns ``left`` of a sheet each is a comment to be filled in."""
        lines = [f"# {comment}" for comment in comments]
        lines += [
            f"{name} = {_toml(value)}"
            for name in ("kind", "numbers", "dates", "encoding")
            if (value := getattr(self, name))
        ]
        for table in self.tables:
            lines += ["", "[[tables]]"]
            lines += [f"sheet = {_toml(table.sheet)}"] if table.sheet else []
            lines += [f"skip = {table.skip}", f"header_rows = {table.header_rows}"]
            lines += ["headings = true"] if table.headings else []
            lines += [f"aside = [{', '.join(map(_toml, table.aside))}]"] if table.aside else []
            lines += ["prose = [", *(f"  {_toml(_given(one))}," for one in table.prose), "]"] if table.prose else []
            lines += ["", "[tables.constants]"]
            lines += [f"{_key(name)} = {_toml(value)}" for name, value in table.constants.items()]
            lines += ["", "[tables.fields]"]
            for name, rule in table.fields.items():
                lines.append(f"{_key(name)} = {_toml(_given(rule))}")
            lines += [f"# FIELD = {{ from = {_toml(column)} }}" for column in (left or {}).get(table.sheet, ())]
        return "\n".join(lines) + "\n"


def _place(loc: Sequence[str | int]) -> str:
    """Names a key as its author counts: ("tables", 0, "fields", "model", "unit") is table 1, fields.model.unit."""
    table = f"table {int(loc[1]) + 1}" if len(loc) > 1 and loc[0] == "tables" else ""
    rest = ".".join(map(str, loc[2:] if table else loc))
    return ", ".join(part for part in (table, rest) if part) + ": "


def _advice(fault: ErrorDetails) -> str:
    loc, kind_of_error = fault["loc"], fault["type"]
    if loc == ("tables",):
        return "there is no [[tables]]; write one for each sheet, its columns below it in [tables.fields]"
    if kind_of_error == "extra_forbidden":
        outer: type[BaseModel] = Mapping if len(loc) == 1 else TableMapping
        inner: dict[str, type[BaseModel]] = {"fields": FieldRule, "prose": ProseValue}
        part = inner.get(str(loc[2]), outer) if len(loc) > 3 else outer
        known = ", ".join(each.alias or name for name, each in part.model_fields.items())
        return f"nothing is called so here; what may stand here: {known}"
    if kind_of_error == "missing":
        example = 'model = { from = "Typ" }' if loc[-1] == "fields" else f'{loc[-1]} = "…"'
        return f"is missing; write {example}"
    if kind_of_error in ("model_type", "dict_type"):
        return f'is {fault["input"]!r}; write {{ from = "Column" }}'
    if kind_of_error == "literal_error":
        return f"write {fault['ctx']['expected']}"
    return fault["msg"].removeprefix("Value error, ").replace("Input should", "has to")


def _given(part: FieldRule | ProseValue) -> dict[str, Any]:
    return part.model_dump(by_alias=True, exclude_defaults=True)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(name)} = {_toml(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        shown = [_toml(each) for each in value]
        return shown[0] if len(shown) == 1 else "[" + ", ".join(shown) + "]"
    return json.dumps(value, ensure_ascii=False)


class MappingRow(Row):
    """A mapping's TOML, with the kind and the shape by which it is found."""

    kind: str = Field(min_length=1, max_length=100)
    shape: str = Field(min_length=1, max_length=20_000)
    mapping: str = Field(min_length=1, max_length=500_000)


REMEMBERED = SQL("""
    SELECT mapping FROM quarry.ingest_mappings
    WHERE tenant = %(tenant)s AND kind = %(kind)s ORDER BY updated_at DESC, shape
""")

# updated_at is set even where nothing changed, so that the mapping that was given last comes first.
UPSERT = SQL("""
    INSERT INTO quarry.ingest_mappings AS t (tenant, kind, shape, mapping)
    SELECT %(tenant)s, r.kind, r.shape, r.mapping
    FROM jsonb_populate_recordset(NULL::quarry.ingest_mappings, %(rows)s) AS r
    ON CONFLICT (tenant, kind, shape) DO UPDATE SET mapping = excluded.mapping, updated_at = now()
    RETURNING (t.xmax = 0) AS inserted
""")

MAPPINGS = Kind(
    name="mappings",
    row=MappingRow,
    key=("kind", "shape"),
    table="quarry.ingest_mappings",
    upsert=UPSERT,
    replaceable=False,
    primary_key=("kind", "shape"),
)


def mappings_of(tenant: str, *, kind: str) -> list[Mapping]:
    """Returns the stored mappings of a kind, the newest first."""
    rows = database.fetch(tenant, REMEMBERED, {"tenant": tenant, "kind": kind})
    return [Mapping.parse(row["mapping"], source=f"remembered for {kind}") for row in rows]


def as_record(text: str) -> dict[str, str]:
    """Raises ValidationFailed if the TOML is no valid mapping, or reads no column."""
    mapping = Mapping.parse(text, source="file")
    if not mapping.reads:
        raise ValidationFailed("The mapping reads no column: its [tables.fields] are empty.")
    return {"kind": mapping.kind, "shape": mapping.shape, "mapping": text}
