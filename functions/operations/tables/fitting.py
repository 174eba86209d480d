"""The cells of a sheet by column: how well they say what a field needs, and what those of a closed field mean."""

from collections import defaultdict
from dataclasses import dataclass, field

from operations.tables.attributes import AttributeCells, unit_named
from operations.tables.cells import (
    NOTHING,
    Cell,
    Habits,
    Unreadable,
    country,
    currency_of,
    day,
    flag,
    number,
    text_of,
)
from operations.tables.conversion import FieldType, slug
from operations.tables.mapping import SECTION, SHEET, FieldRule
from operations.tables.names import SURE, Families, choice_named, concepts_of, family_named, quantity_from
from operations.tables.sheets import Header, Sheet, TableRow, rows_below, under_headings
from operations.tables.tiers import FROM_QUANTITY
from quarry.attributes.model import Attribute, Attributes
from quarry.ingestion import Kind

WORDY = frozenset(["customer", "name", "description", "manufacturer", "category", "project", "summary", "contact"])
"""Fields that no column of mere figures is taken for."""

UNIQUE = frozenset(("id", "sku", "product_id"))
"""Fields whose values seldom repeat in a file."""

MOST_VALUES = 80
"""Different values of a column that are worth a table of what they mean."""


@dataclass(slots=True)
class SheetCells:
    """``how`` numbers and dates are written in the file."""

    sheet: Sheet
    header: Header
    kind: Kind
    how: Habits
    rows: list[TableRow] = field(init=False)

    def __post_init__(self) -> None:
        rows = ((row.row, row) for row in rows_below(self.sheet, self.header))
        self.rows = [item[1] for item in under_headings(rows) if isinstance(item, tuple)]

    @property
    def names(self) -> tuple[str, ...]:
        return self.header.names

    def of(self, column: str) -> list[Cell]:
        return [cell for row in self.rows if (cell := row.cells.get(column)) is not None and text_of(cell)]

    def fitting(self, name: str, column: str, type_: FieldType) -> float:
        """The share of the column's cells that say what the field needs; an empty column fits nothing."""
        cells = self.of(column)[:300]
        if type_.type in ("number", "integer"):
            cells = [cell for cell in cells if text_of(cell).lower() not in NOTHING]
        if not cells or (name == FROM_QUANTITY and quantity_from(column)):
            return 0.0
        may_repeat = self._has_tier_rows or "quote_number" in self.kind.key
        if name in UNIQUE and not may_repeat and len({text_of(cell) for cell in cells}) < SURE * len(cells):
            return 0.0
        good = sum(1 for cell in cells if self._says(cell, type_, name))
        return 1.0 if good / len(cells) >= SURE else 0.0

    def differing(self, key: str) -> frozenset[str]:
        """The columns whose cells differ among the rows of one key: they tell of a line, not of what is named."""
        rows = defaultdict[str, list[TableRow]](list)
        for row in self.rows:
            rows[text_of(row.cells.get(key))].append(row)
        several = [group for name, group in rows.items() if name and len(group) > 1]
        return frozenset(
            column
            for column in self.names
            if any(len({text for row in group if (text := text_of(row.cells.get(column)))}) > 1 for group in several)
        )

    @property
    def _has_tier_rows(self) -> bool:
        """Whether rows of one product are the prices from quantities on."""
        return self.kind.name == "prices" and any(
            FROM_QUANTITY in concepts_of(column) and not quantity_from(column) for column in self.names
        )

    def _says(self, cell: Cell, type_: FieldType, name: str) -> bool:
        try:
            if type_.type in ("number", "integer"):
                value, beside = number(cell, decimal=self.how.decimal or ".")
                return type_.type == "number" or (value == value.to_integral_value() and not beside)
            if type_.type == "date":
                day(cell, order=self.how.dates or "day first")
            elif type_.type == "flag":
                flag(cell)
            elif type_.type == "country":
                country(cell)
            elif type_.type == "currency":
                return currency_of(text_of(cell)) is not None
        except Unreadable:
            return False
        if name.endswith("email"):
            return "@" in text_of(cell)
        return name not in WORDY or any(character.isalpha() for character in text_of(cell))

    def unit_beside(self, attribute: Attribute, column: str, attributes: Attributes) -> str | None:
        """The next column but one at most, where all its cells are units of what it measures: 68,5 | KG."""
        at = self.names.index(column)
        measured = {own.dimension for own in (attributes.unit_of(attribute), attributes.also_of(attribute)) if own}
        for other in self.names[at + 1 : at + 3]:
            units = [unit_named(text_of(cell), attributes.units) for cell in self.of(other)]
            if units and all(unit is not None and unit.dimension in measured for unit in units):
                return other
        return None

    def has_units_in_cells(self, column: str) -> bool:
        cells = [cell for cell in self.of(column)[:50] if isinstance(cell, str)]
        return bool(cells) and all(cell[-1:].isalpha() or cell[-1:] in "³)°º" for cell in cells)

    def states(self, attribute: Attribute, column: str, unit: str | None, attributes: Attributes) -> bool:
        """Whether nearly all of the column's cells say what the attribute holds."""
        own = AttributeCells(attributes, Habits(self.how.decimal or ".", self.how.dates))
        cells = self.of(column)[:300]
        good = 0
        for cell in cells:
            try:
                own.value(attribute.name, cell, unit=unit)
            except Unreadable:
                continue
            good += 1
        return bool(cells) and good >= SURE * len(cells)

    def meanings(
        self, name: str, rule: FieldRule, *, choices: tuple[str, ...], families: Families
    ) -> tuple[dict[str, str], list[str]]:
        """(meaning by value, what a person has to look at)."""
        said = {
            text: None
            for row in self.rows
            for column in rule.columns
            if (text := text_of({SECTION: row.section, SHEET: row.sheet}.get(column) or row.cells.get(column)))
        }
        found: dict[str, str] = {}
        doubts: list[str] = []
        for text in list(said)[:MOST_VALUES]:
            meant = family_named(text, families) if name == "family" else choice_named(name, text, choices)
            if meant is not None:
                found[text] = meant
            elif name == "family":
                found[text] = slug(text)
                doubts.append(f"family: {text!r} is none of the usual ones; stored as {slug(text)!r}.")
            else:
                doubts.append(f"{name}: what does {text!r} mean? Write one of {', '.join(choices)} into values.")
        return found, doubts
