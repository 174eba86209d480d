"""Converts rows of a table into a kind's fields by a mapping, or collects the faults that keep a row out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, getcontext
from typing import Any

from operations.tables import tiers
from operations.tables.attributes import (
    OF_ATTRIBUTES,
    PIECES,
    AttributeCells,
    attribute_of,
    currency_named,
    pieces_said,
)
from operations.tables.cells import (
    EMPTIES,
    NOTHING,
    Cell,
    Doubtful,
    Habits,
    Unreadable,
    country,
    day,
    flag,
    is_series,
    language,
    number,
    one_discount,
    text_of,
)
from operations.tables.field_types import FieldType, field_types
from operations.tables.leftover import Leftover
from operations.tables.lists import FEWER_FIGURES, ListedTexts, part_of, parts_of, usual_count
from operations.tables.mapping import SECTION, SHEET, FieldRule, TableMapping
from operations.tables.prose import ProseValues, standing
from operations.tables.sheets import PLACE, TableRow, once_each
from quarry.attributes.model import Attributes
from quarry.ingestion import CellFault, Kind
from quarry.text import fold, slug

STRANGE_UNIT = (
    "is no known unit, so prices of such lines stand apart: ingest it as units, of pieces and 1 where it is one piece"
)
WORDS = ("choice", "country", "currency", "language", "key", "id")
"""Types of fields whose words are read the same in a constant as in a cell."""


class RowConversion:
    """Converts the rows of one table in order; a field with ``count_within`` numbers the rows that share another."""

    def __init__(
        self,
        kind: Kind,
        table: TableMapping,
        *,
        habits: Habits,
        attributes: Attributes,
        above: Mapping[str, Cell],
        rows: Iterable[TableRow],
    ) -> None:
        """``above`` has the cells above the header by their places, such as (B2); ``rows`` are those that tell which
        texts are lists. The table sets aside what any field of its sheet reads, so that no leftover tells it.
        """
        self.table = table
        self._own = dict[str, str]()
        """The attributes that fields are, marked as such or not; the value of an undeclared one raises the fault."""
        for name in (*table.fields, *table.constants):
            if (declared := attribute_of(name, kind, attributes)) or name.startswith(OF_ATTRIBUTES):
                self._own[name] = declared.name if declared else name.removeprefix(OF_ATTRIBUTES)
        rows = list(rows)
        self._attributes = AttributeCells(attributes, habits, self._lists(rows, attributes))
        self._sizes = {
            column: max(usual_count(_cell(row, column) for row in rows), *(rule.part or 0 for rule in rules.values()))
            for column, rules in table.parted.items()
        }
        self._meant = AttributeCells(attributes)
        """Reads what a mapping says that a cell means, where figures have a decimal point."""
        self._habits = habits
        self._types = field_types(kind.row)
        self._counts: Counter[tuple[str, str]] = Counter()
        self._made: dict[str, str] = {}
        self._prose = ProseValues(table.prose, self._attributes)
        self.leftover = Leftover(
            table.sheet or "",
            frozenset(map(fold, table.aside)),
            unmet=self._prose.unmet,
            above={place: cell for place, cell in once_each(above).items() if place not in table.aside},
        )
        self._above = {place: cell for place, cell in above.items() if place in table.aside}
        rules = tiers.for_as_many_pieces(table.fields)
        # An amount is held to its row's currency, which is read first.
        self._rules = dict(sorted(rules.items(), key=lambda rule: not rule[0].endswith("currency")))
        self._down = [column for rule in table.fields.values() if rule.fill for column in rule.columns]
        self._begun = dict[str, Cell]()
        self._scale = price.scale if (price := self._types.get("price")) else None
        self._kind = kind
        self._fullest: tuple[list[object], dict[str, tuple[int, object]]] = ([], {})
        """The key of the last row, and by joined field how many cells its fullest text was of, with the text."""

    def _lists(self, rows: Sequence[TableRow], attributes: Attributes) -> dict[str, ListedTexts]:
        """Returns by attribute which texts of its column are several values."""
        read = {own: self.table.fields[name].columns for name, own in self._own.items() if name in self.table.fields}
        return {
            own: ListedTexts.of(attribute, (text_of(_cell(row, columns[0])) for row in rows), attributes)
            for own, columns in read.items()
            if (attribute := attributes.by_name.get(own)) and attribute.kind == "text" and len(columns) == 1
        }

    def _doubt_sizes(self, row: TableRow) -> None:
        """Doubts a cell of fewer figures than its column's others: its first may be another than theirs."""
        for column, rules in self.table.parted.items():
            cell, most = _cell(row, column), self._sizes[column]
            fields = [name for name, rule in rules.items() if rule.meant(cell) is None]
            if fields and any(map(str.isnumeric, said := text_of(cell))) and len(parts_of(cell)) < most:
                fault = CellFault(", ".join(fields), FEWER_FIGURES, said[:80], row.place(column))
                self.leftover.doubts.add(fault, where=row.where)

    def convert(self, row: TableRow) -> tuple[dict[str, Any], list[CellFault]]:
        """Returns the fields that the row states, and the faults of cells that cannot be read."""
        values: dict[str, Any] = {}
        faults: list[CellFault] = []
        for name, constant in self.table.constants.items():
            try:
                self._put(values, name, self._constant(name, constant))
            except Unreadable as trouble:
                faults.append(CellFault(name, str(trouble), text_of(constant)[:80]))
        self.leftover.see(row)
        row = replace(row, cells=row.cells | self._above) if self._above else row
        row = self._filled(row) if self._down else row
        self._doubt_sizes(row)
        for name, rule in self._rules.items():
            try:
                value = self._value(name, rule, row)
                stored = name if value is None or rule.at is None else self._tier(rule.at, row, values)
                if isinstance(value, int | float | Decimal):
                    self._hold_to_currency(name, rule, row, values)
                    self._note_sign(name, rule, row)
            except Unreadable as trouble:
                self._doubt_or_fault(name, trouble, rule, row, faults)
                continue
            if value is not None:
                own = self._own.get(name)
                if own and (why := self._attributes.doubt(own, value)):
                    self._doubt_or_fault(name, Doubtful(why), rule, row, faults)
                if self._is_strange_unit(name, value):
                    self._doubt_or_fault(name, Doubtful(STRANGE_UNIT), rule, row, faults)
                if self._is_percent(name) and isinstance(value, int | float | Decimal):
                    said = "; ".join(text_of(_cell(row, column)) for column in rule.columns)
                    self.leftover.percent(name, value, said=said, place=row.place(rule.columns[0]))
                self._put(values, stored, None if value == EMPTIES else value)
            else:
                for column in rule.columns:
                    if text_of(cell := _cell(row, column)):
                        self.leftover.unstored(name, column, cell)
        if self.table.prose:
            cells = {fold(name): cell for name, cell in row.cells.items()}
            for found in self._prose.of(row, values, cells):
                if isinstance(found, CellFault):
                    self.leftover.doubts.add(found, where=row.where)
                else:
                    self._put(values, f"{OF_ATTRIBUTES}{found[0]}", found[1])
        for name, rule in self.table.fields.items():
            if rule.count_within:
                within = str(values.get(rule.count_within, ""))
                self._counts[name, within] += 1
                values[name] = self._counts[name, within]
        self._keep_fuller(values, row)
        try:
            return tiers.tiered(values), faults
        except Unreadable as trouble:
            return values, [*faults, CellFault("tiers", str(trouble))]

    def _note_sign(self, name: str, rule: FieldRule, row: TableRow) -> None:
        cell, decimal = _cell(row, rule.columns[0]), self._habits.decimal
        if isinstance(cell, str) and decimal and rule.meant(cell) is None and not rule.part:
            self.leftover.sign(name, cell, decimal=decimal, place=row.place(rule.columns[0]))

    def _hold_to_currency(self, name: str, rule: FieldRule, row: TableRow, values: dict[str, Any]) -> None:
        """Takes the currency beside an amount as the row's. Raises Unreadable where the row has another."""
        cell, of = _cell(row, rule.columns[0]), tiers.currency_field(name)
        if of not in self._types or not isinstance(cell, str) or tiers.PLAIN.fullmatch(cell):
            return
        if rule.meant(cell) is not None or rule.part:
            return
        code = tiers.currency_beside(cell, units=self._attributes.attributes.units, decimal=self._habits.decimal)
        if code and (own := values.setdefault(of, code)) != code:
            raise Unreadable(f"is in {code}, and its row in {own}: each row has one {of}")

    def _keep_fuller(self, values: dict[str, Any], row: TableRow) -> None:
        """Of rows of one key in turn a text of several cells stays that of the row that has most of them."""
        key = [values.get(name) for name in self._kind.key]
        if self._kind.known_by and None in key:
            key = [values.get(self._kind.known_by)]
        if key != self._fullest[0]:
            self._fullest = (key, {})
        for name, rule in self._rules.items():
            if len(rule.columns) > 1 and name in values:
                count = sum(1 for column in rule.columns if text_of(_cell(row, column)))
                own, before = (count, values[name]), self._fullest[1].get(name, (0, None))
                _, values[name] = self._fullest[1][name] = before if before[0] > count else own

    def _filled(self, row: TableRow) -> TableRow:
        """Fills the columns that are filled down, unless a cell of theirs begins something new or the row has fewer
        than half the cells of the one that did, as a sum or a note has.
        """
        own = {column: cell for column, cell in row.cells.items() if text_of(cell)}
        if any(column in own for column in self._down):
            self._begun = own
            return row
        begun = {column: cell for column, cell in self._begun.items() if column in self._down}
        return replace(row, cells=row.cells | begun) if 2 * len(own) >= len(self._begun) else row

    def states_nothing(self, values: Mapping[str, Any]) -> bool:
        """Whether a row of prices or discounts lacks its amount because the cells that would have it are empty."""
        amount = tiers.AMOUNTS_OF.get(self._kind.name, ())
        read = any(name.partition(".")[0] in amount for name in self.table.fields)
        return read and not any(name in values for name in (*amount, tiers.OFF))

    def _constant(self, name: str, constant: Cell) -> object:
        if own := self._own.get(name):
            return self._attributes.value(own, constant)
        type_ = self._types.get(name, FieldType("text"))
        return self._typed(name, constant, type_) if isinstance(constant, str) and type_.type in WORDS else constant

    def _tier(self, at: str, row: TableRow, values: Mapping[str, Any]) -> str:
        """Returns the field of a price that holds from the quantity on that stands in the column ``at``."""
        cell = _cell(row, at)
        if not text_of(cell):
            raise Unreadable(f"has no quantity in {at!r} from which on it holds")
        start = number(cell, decimal=self._habits.decimal)[0]
        if start != int(start) or start < 1 or str(int(start)) in values.get("tiers", ()):
            raise Unreadable(f"holds from {text_of(cell)!r} on: it is a whole number, another for each price")
        return f"tiers.{int(start)}"

    def _doubt_or_fault(
        self, name: str, trouble: Unreadable, rule: FieldRule, row: TableRow, faults: list[CellFault]
    ) -> None:
        said = rule.joined(text_of(_cell(row, column)) for column in rule.columns).strip()
        fault = CellFault(name, str(trouble), said[:80], row.place(rule.columns[0]))
        if isinstance(trouble, Doubtful):
            self.leftover.doubts.add(fault, where=row.where)
        else:
            faults.append(fault)

    def _put(self, values: dict[str, Any], name: str, value: object) -> None:
        outer, _, inner = (f"{OF_ATTRIBUTES}{self._own[name]}" if name in self._own else name).partition(".")
        if inner:
            values.setdefault(outer, {})[inner] = value
        else:
            values[name] = value.isoformat() if isinstance(value, date) else value

    def _is_strange_unit(self, name: str, value: object) -> bool:
        """Whether what a line's quantity counts is no unit that is known."""
        if name != "unit" or self._kind.name != "line_items" or not isinstance(value, str) or value == EMPTIES:
            return False
        return self._attributes.attributes.units.named(value) is None

    def _is_percent(self, name: str) -> bool:
        own = self._own.get(name)
        declared = self._attributes.attributes.by_name.get(own) if own else None
        return declared.unit == "%" if declared else name.partition(".")[0].endswith("_pct")

    def _counts_pieces(self, name: str) -> bool:
        declared = self._attributes.attributes.by_name.get(self._own.get(name, ""))
        unit = declared and self._attributes.attributes.unit_of(declared)
        return declared is not None and (declared.unit is None or (unit is not None and unit.dimension == PIECES))

    def places(self, row: TableRow) -> dict[str, str]:
        """Returns by field the place of its first cell, and under the empty name that of the row."""
        fields = {name: row.place(rule.columns[0]) for name, rule in self.table.fields.items() if rule.columns}
        return {"": row.where, **fields}

    def _value(self, name: str, rule: FieldRule, row: TableRow) -> object | None:
        if rule.count_within:
            return None
        cells = [cell for column in rule.columns if (cell := _cell(row, column)) is not None and text_of(cell)]
        said = self._said(rule, row, cells)
        mapped = None if said is None else rule.meant(said)
        meant = said if mapped is None else mapped
        if meant in (None, "", EMPTIES):
            return meant or None
        if rule.part is not None:
            # What a mapping says that a cell means may be that figure alone.
            counts = self._counts_pieces(name)
            is_one = mapped is not None and len(parts_of(mapped, counts=counts)) < 2
            meant = part_of(meant, rule.part, counts=counts) or (mapped if is_one else None)
        if not meant:
            return None
        if name.endswith(".lines"):
            return [text_of(cell) for cell in cells] if rule.join is None else [text_of(meant)]
        if own := self._own.get(name):
            own_cells = self._attributes if mapped is None else self._meant
            pieces, heading = self._pieces(rule, row), rule.columns[0]
            return own_cells.value(own, meant, unit=rule.unit, pieces=pieces, heading=heading)
        return self._of_field(name, meant, rule, row, is_mapped=mapped is not None)

    def _said(self, rule: FieldRule, row: TableRow, cells: Sequence[Cell]) -> Cell:
        """Returns what the rule's filled cells say together, "" where their emptiness is meant too, else None."""
        if not cells and any(map(PLACE.fullmatch, rule.columns)):
            raise Unreadable("is empty")
        if not cells:
            return "" if "" in rule.values and rule.per is None else None
        joined = cells[0] if len(cells) == 1 else rule.joined(text_of(cell) for cell in cells)
        joined = _labelled(rule, row) if rule.label else joined
        if rule.says is None:
            return joined
        said = standing(rule.says, text_of(joined))
        if said is None:
            raise Unreadable(f"does not say {rule.says!r}")
        return said

    def _of_field(self, name: str, cell: Cell, rule: FieldRule, row: TableRow, *, is_mapped: bool) -> object | None:
        """Returns a cell as a field of the kind holds it, a figure as the rule says for how many it is."""
        if is_series(cell) and tiers.is_off(name, said=rule.unit or text_of(cell)):
            cell = one_discount(text_of(cell), decimal=self._habits.decimal)
        counted = tiers.TIER.fullmatch(name) or (name in (tiers.FROM_QUANTITY, tiers.OFF) and name not in self._types)
        declared = self._types.get(name) or self._types.get(name.partition(".")[0], FieldType("text"))
        type_ = FieldType("number", scale=self._scale) if counted else declared
        if type_.type in ("number", "integer") and text_of(cell).lower() in NOTHING:
            return None
        try:
            value = self._typed(name, cell, type_)
        except Unreadable:
            # What a mapping says that a cell means may be a word that the field allows besides figures.
            if not is_mapped or counted:
                raise
            return cell
        if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
            return value
        if rule.complement:
            value = _complement(value, is_percent="%" in text_of(cell), is_of_percent=rule.unit == "%")
        if tiers.TIER.fullmatch(name) and "%" in (rule.unit, number(cell, decimal=self._habits.decimal)[1]):
            return f"{value}%"
        if rule.per is not None:
            return _rounded(Decimal(str(value)) / self._pieces(rule, row), type_.scale)
        # A value that a workbook calculated may have fifteen digits.
        return _rounded(value, type_.scale) if isinstance(cell, float) else value

    def _pieces(self, rule: FieldRule, row: TableRow) -> Decimal:
        """Returns for how many pieces the rule's figure is in this row. Raises Unreadable where that is no number."""
        if rule.per is None:
            return Decimal(1)
        if not isinstance(rule.per, str):
            return Decimal(str(rule.per))
        pieces = _cell(row, rule.per)
        said = text_of(pieces)
        meant = rule.listed(pieces) or said or "1"
        decimal = "." if meant != said else self._habits.decimal
        count = pieces_said(meant, self._attributes.attributes.units, decimal=decimal)
        if count is None:
            raise Unreadable(
                f"is for {said!r} in {rule.per!r}, which is no number of pieces: say in its values how many it is, "
                "1 if goods are sold by it"
            )
        if count <= 0:
            raise Unreadable("is for a number of pieces that cannot be")
        return count

    def _typed(self, name: str, cell: Cell, type_: FieldType) -> object:
        if type_.type in ("number", "integer"):
            value, beside = number(cell, decimal=self._habits.decimal)
            if beside:
                units = self._attributes.attributes.units
                value = tiers.counted(value, beside, units=units, is_percent=self._is_percent(name))
            if beside == "%" and "price" in name:
                raise Unreadable("is a percentage and no price")
            return int(value) if value == value.to_integral_value() and "price" not in name else value
        if type_.type == "date":
            return day(cell, order=self._habits.dates)
        if type_.type == "flag":
            return flag(cell)
        text = text_of(cell)
        if type_.type == "country":
            return country(cell)
        if type_.type == "language":
            return language(cell)
        if type_.type == "currency":
            code = currency_named(text, self._attributes.attributes.units)
            # An amount without a currency leaves the field unsaid, as an empty cell does.
            if code or text in NOTHING or any(map(str.isdigit, text)):
                return code
            raise Unreadable("is no currency; write its three letters, such as EUR")
        if type_.type == "choice":
            folded = fold(text).replace(" ", "_")
            return next((choice for choice in type_.choices if fold(choice) == folded), text)
        if type_.type in ("key", "id"):
            made = slug(text, prefix=type_.prefix)
            if (name,) == self._kind.key and self._made.setdefault(made, text) != text:
                raise Unreadable(f"makes the same id as {self._made[made]!r}; give one of them an id of its own")
            return made
        return cell if isinstance(cell, str) else text


def _complement(value: float | Decimal, *, is_percent: bool, is_of_percent: bool) -> float | Decimal:
    """Returns what is off, in per cent, where a figure says what is left to pay: 85 % or .85."""
    if not (is_percent or is_of_percent or 0 < value <= 1 or value >= 10):
        raise Unreadable("is no share that is left to pay: write it in % or as 0.85")
    return 100 - value * (100 if 0 < value <= 1 and not is_percent else 1)


def _rounded(value: object, scale: int | None) -> object:
    if scale is None or not isinstance(value, Decimal) or value.adjusted() + scale >= getcontext().prec:
        return value
    return value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)


def _labelled(rule: FieldRule, row: TableRow) -> str:
    first, *others = rule.columns
    said = [f"{column}: {text}" for column in others if (text := text_of(_cell(row, column)))]
    return ". ".join(part for part in (text_of(_cell(row, first)), "; ".join(said)) if part)


def _cell(row: TableRow, column: str) -> Cell:
    if column == SECTION:
        return row.section
    if column == SHEET:
        return row.sheet
    if column in row.cells:
        return row.cells[column]
    folded = fold(column)
    return next((cell for name, cell in row.cells.items() if fold(name) == folded), None)
