"""Collects what reading a file showed: first rows, rejects by cause, doubts, and what it says that no row stores."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field

from operations.tables.attributes import FIELD, OF_ATTRIBUTES
from operations.tables.cells import Cell, Mark, mark_of, text_of
from operations.tables.mapping import SECTION
from operations.tables.sheets import Sheet, TableRow
from quarry.ingestion import Accepted, CellFault, Rejected, Row, storable
from quarry.text import fold

MOST_TOLD = 5
MOST_COUNTED = 1_000
"""At most this many different values of a column are counted one by one."""

BELOW_ONE = "is in per cent, and no cell has 1 or more or says %: is 0.065 meant for 6.5 %, write it so"
OTHER_SIGN = (
    "has another decimal sign than figures are read by ({}), and its column has some that may be thousands or "
    "decimals: set numbers in the mapping, or write all of them alike"
)
MOST_CAUSES = 500
LONGEST_TEXT = 300
PLACES = 3


@dataclass(slots=True)
class Causes:
    """Counts faults by field and cause, and keeps a few places of each."""

    _found: dict[tuple[str, str], tuple[int, list[str]]] = field(default_factory=dict)
    _others: int = 0
    """Faults of causes beyond the first MOST_CAUSES."""

    def add(self, fault: CellFault, *, where: str) -> None:
        """``where`` is the place of a fault that has none of its own."""
        said, key = f"{fault.value!r} in " if fault.value else "", (fault.field, fault.cause)
        if len(self._found) < MOST_CAUSES or key in self._found:
            count, places = self._found.get(key, (0, []))
            self._found[key] = (count + 1, [*places, f"{said}{fault.place or where}"][:PLACES])
        else:
            self._others += 1

    def told(self) -> list[str]:
        """Returns a line for each cause, the most frequent first."""
        found = sorted(self._found.items(), key=lambda item: -item[1][0])
        told = [
            f"{name} {cause} ({count}): {'; '.join(places)}"
            + (f" and {count - PLACES} more" if count > PLACES else "")
            for (name, cause), (count, places) in found
        ]
        return [*told, *([f"{self._others} cells of other causes: mend these first"] if self._others else [])]


@dataclass(slots=True)
class Leftover:
    """What one table says and no row stores. ``known`` are the folded names of columns that fields read or that the
    mapping sets aside; ``above`` has, by place, the cells above its header that are neither.
    """

    sheet: str = ""
    known: Collection[str] = ()
    doubts: Causes = field(default_factory=Causes)
    """Cells with an implausible figure or a text outside its order, and prose whose words are not there."""

    unmet: Collection[str] = ()
    """Rows that the mapping's prose names and the table does not have."""

    elements: Collection[str] = ()
    """Lines on elements of an exchange file that are in no cell, and on sheets that no table reads."""

    above: Mapping[str, Cell] = field(default_factory=dict)

    _percents: dict[str, Causes | None] = field(default_factory=dict)
    """Figures below 1 of fields in per cent, which may be hundredths; None once a cell shows that they are not."""

    _signs: dict[str, Causes] = field(default_factory=dict)
    """Figures by field with another decimal sign than that by which figures are read."""

    _ambiguous: set[str] = field(default_factory=set)
    """Fields with a figure that only that sign tells from thousands, as 1.234."""

    _unread: dict[str, Counter[str]] = field(default_factory=dict)
    _unstored: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)

    _idle: list[str] = field(default_factory=list)
    """Headings under which no row stands, such as a note below the table."""

    _empty: list[str] = field(default_factory=list)

    def see(self, row: TableRow) -> None:
        if row.section and SECTION not in self.known:
            _count(self._unread.setdefault(SECTION, Counter()), row.section)
        for column, cell in row.cells.items():
            if (text := text_of(cell)) and fold(column) not in self.known:
                _count(self._unread.setdefault(column, Counter()), text)

    def idle(self, heading: TableRow) -> None:
        text = " ".join(filter(None, map(text_of, heading.cells.values())))
        self._idle.append(f"{heading.where} is a heading without rows: {text[:LONGEST_TEXT]!r}")

    def empty(self, row: TableRow) -> None:
        """Notes a row that says no amount, of which no row is made."""
        self._empty.append(row.where)

    def unstored(self, name: str, column: str, cell: Cell) -> None:
        """Counts a cell from which the field ``name`` takes nothing."""
        _count(self._unstored.setdefault((name, column), Counter()), text_of(cell))

    def percent(self, name: str, value: float | Decimal, *, said: str, place: str) -> None:
        """Notes a figure in per cent: 0.065 may mean 6.5 %, unless a cell of the field says % or is 1 or more."""
        if "%" in said or abs(float(value)) >= 1:
            self._percents[name] = None
        elif value and (causes := self._percents.setdefault(name, Causes())) is not None:
            causes.add(CellFault(name, BELOW_ONE, said[:80], place), where=place)

    def sign(self, name: str, said: str, *, decimal: Mark, place: str) -> None:
        """Notes how a figure is written, where ``decimal`` is the sign by which figures are read."""
        mark = mark_of(said)
        if mark is None and re.search(r"\d[.,]\d", said):
            self._ambiguous.add(name)
        elif mark not in (None, decimal):
            cause = OTHER_SIGN.format("1.234,56" if decimal == "," else "1,234.56")
            self._signs.setdefault(name, Causes()).add(CellFault(name, cause, said[:80], place), where=place)

    def told(self) -> Iterator[str]:
        where = f" of sheet {self.sheet!r}" if self.sheet else ""
        yield from self.elements
        for place, cell in self.above.items():
            yield f"cell {place!r}{where} is read by no field: {text_of(cell)[:LONGEST_TEXT]!r}"
        yield from self._idle
        if self._empty:
            yield f"rows without an amount, of which none is stored: {few(self._empty, most=MOST_TOLD)}"
        for column, values in self._unread.items():
            yield f"column {column!r}{where} is read by no field: {_values(values)}"
        for (name, column), values in self._unstored.items():
            yield f"{name} takes nothing from these cells of column {column!r}{where}: {_values(values)}"

    def to_look_at(self) -> list[str]:
        low = [line for causes in self._percents.values() if causes is not None for line in causes.told()]
        signs = [line for name, causes in self._signs.items() if name in self._ambiguous for line in causes.told()]
        unmet = [f"prose: no row is {few(list(self.unmet), most=MOST_TOLD)}"] if self.unmet else []
        return [*self.doubts.told(), *low, *signs, *unmet]


def of_sheet(sheet: Sheet) -> Leftover:
    """Returns what a sheet says from which no table is read."""
    values = Counter[str]()
    for text in (text for row in sheet.rows for cell in row if (text := text_of(cell))):
        _count(values, text)
    told = [f"sheet {sheet.name!r} is read by no table: {_values(values)}"] if values else []
    return Leftover(elements=[*told, *sheet.unread])


def _count(values: Counter[str], text: str) -> None:
    values[text[:60] if text in values or len(values) < MOST_COUNTED else "…"] += 1


def _values(values: Counter[str]) -> str:
    shown = ", ".join(
        f"{text!r}" + (f" ({times})" if times > 1 else "") for text, times in values.most_common(MOST_TOLD)
    )
    more = f" and {len(values) - MOST_TOLD} other values" if len(values) > MOST_TOLD else ""
    return f"{values.total()} cells, {shown}{more}"


SHOWN = 5
LONGEST = 80


@dataclass(slots=True)
class RowsSeen:
    """Takes rows as they are accepted or refused and keeps a few of each, with what the file itself states: what is
    stored beside it, such as costs, is not for whoever loads. Of rows with one key the last is stored.
    """

    stored: int = 0
    first: list[dict[str, Any]] = field(default_factory=list)
    _causes: Causes = field(default_factory=Causes)
    _mended: Causes = field(default_factory=Causes)
    _repeated: list[int] = field(default_factory=list)
    """Lines of rows whose key came before."""

    _different: list[str] = field(default_factory=list)
    """What some of them say otherwise than the row before."""

    _filled: Counter[str] = field(default_factory=Counter)

    def __call__(self, item: Accepted[Row] | Rejected) -> None:
        where = item.where
        if isinstance(item, Rejected):
            for fault in item.faults or (_fault(item.reason),):
                self._causes.add(fault, where=where)
            return
        self.stored += 1
        row, stated = item.row, set(item.row.model_fields_set if item.stated is None else item.stated)
        if item.stated is not None and (attributes := getattr(row, FIELD, None)):
            own = {name: value for name, value in attributes.items() if OF_ATTRIBUTES + name in stated}
            row, stated = row.model_copy(update={FIELD: own}), stated & type(row).model_fields.keys()
        self._filled.update(_stated(row, stated))
        if len(self.first) < SHOWN:
            dumped = row.model_dump(mode="json", include=stated, exclude_none=True, exclude_defaults=True)
            self.first.append(dumped)
        if item.repeats is not None:
            self._repeated.append(item.line)
        if item.differs:
            self._different.append(f"{where} has the key of line {item.repeats} and stands: {item.differs}")
        if item.repair is not None:
            self._mended.add(CellFault("mended", item.repair), where=where)

    def causes(self) -> list[str]:
        """The rejects by cause, the most frequent first."""
        return list(map(storable, self._causes.told()))

    def doubts(self) -> list[str]:
        """Returns remarks on rows whose key came before, and on rows that could only be read after mending."""
        lines = few(self._repeated, most=SHOWN)
        told = [f"rows with the key of one before, of which the last stands: line {lines}"]
        others = len(self._different) - SHOWN
        differ = self._different[:SHOWN]
        differ += [f"{others} more rows differ from one of their key"] if others > 0 else []
        return [*(told if lines else []), *map(storable, differ), *map(storable, self._mended.told())]

    def gaps(self) -> list[str]:
        """Fields and attributes that some of the rows have and others lack, with how many have them."""
        return [f"{name}: {count} of {self.stored}" for name, count in self._filled.items() if count < self.stored]

    def rows(self) -> list[str]:
        return ["; ".join(f"{name}: {short(value)}" for name, value in row.items()) for row in self.first]


Shown = Annotated[int, Field(ge=1, le=1_000, description="Most lines of each list.")]


def first(told: Sequence[str], *, most: int) -> list[str]:
    """Returns ``most`` lines; a further one says how many are left out, and the argument that shows them."""
    more = f"and {len(told) - most} more: shown={min(len(told), 1_000)}"
    return [*told[:most], *([more] if len(told) > most else [])]


def few(told: Sequence[object], *, most: int) -> str:
    more = f" and {len(told) - most} more" if len(told) > most else ""
    return ", ".join(map(str, told[:most])) + more


def _fault(reason: str) -> CellFault:
    """Returns why the database refuses a row: the value in such a reason is no cause of its own."""
    found = re.fullmatch(r"(\w+): ([^']*)'([^']*)'([^']*)", reason)
    if found is None:
        return CellFault("row", reason)
    cause = f"{found[2].strip()} {found[4].strip()}" if found[4][:1].isspace() else found[2].strip() + found[4]
    return CellFault(found[1], cause.strip(), found[3])


def _stated(row: Row, fields: Iterable[str]) -> Iterator[str]:
    """Yields the names of what a row has of the ``fields``; one that every row has, such as yes or no without a word,
    is no gap.
    """
    for name in fields:
        value, about = getattr(row, name), type(row).model_fields[name]
        if name == FIELD and value:
            yield from (f"{OF_ATTRIBUTES}{one}" for one in value)
        elif value is not None and (about.is_required() or about.default is None):
            yield name


def short(value: object) -> str:
    text = str(value).replace("\n", " ")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
