"""What reading a file showed, for whoever mends the file or its mapping: first rows, rejects by cause, doubts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from operations.tables.attributes import FIELD, OF_ATTRIBUTES
from operations.tables.leftover import Causes
from quarry.ingestion import Accepted, CellFault, Rejected, Row, storable

SHOWN = 5
LONGEST = 80


@dataclass(slots=True)
class RowsSeen:
    """Takes rows as they are stored or refused, and holds what is worth telling: a few of each, however many there
    are. Of one whose key came before the last stands.
    """

    stored: int = 0
    first: list[Row] = field(default_factory=list)
    _causes: Causes = field(default_factory=Causes)
    _mended: Causes = field(default_factory=Causes)
    _repeated: list[int] = field(default_factory=list)
    """Lines."""

    _filled: Counter[str] = field(default_factory=Counter)

    def __call__(self, item: Accepted[Row] | Rejected) -> None:
        where = f"line {item.line}"
        if isinstance(item, Rejected):
            for fault in item.faults or (CellFault("row", item.reason),):
                self._causes.add(fault, where=where)
            return
        self.stored += 1
        self._filled.update(_stated(item.row))
        self.first += [item.row] if len(self.first) < SHOWN else []
        if item.repeats is not None:
            self._repeated.append(item.line)
        if item.repair is not None:
            self._mended.add(CellFault("mended", item.repair), where=where)

    def causes(self) -> list[str]:
        """The rejects by cause, the most frequent first."""
        return list(map(storable, self._causes.told()))

    def doubts(self) -> list[str]:
        """Rows whose key came before, and those that could only be read after mending."""
        more = f" and {len(self._repeated) - SHOWN} more" if len(self._repeated) > SHOWN else ""
        lines = ", ".join(map(str, self._repeated[:SHOWN]))
        told = [f"rows with the key of one before, of which the last stands: line {lines}{more}"]
        return [*(told if lines else []), *map(storable, self._mended.told())]

    def gaps(self) -> list[str]:
        """Fields and attributes that some of the rows have and others lack, with how many have them."""
        return [f"{name}: {count} of {self.stored}" for name, count in self._filled.items() if count < self.stored]

    def rows(self) -> list[str]:
        """The first ones, as they are stored."""
        stored = (row.model_dump(mode="json", exclude_none=True, exclude_defaults=True) for row in self.first)
        return ["; ".join(f"{name}: {short(value)}" for name, value in row.items()) for row in stored]


Shown = Annotated[int, Field(ge=1, le=1_000, description="Most lines of each list.")]


def first(told: Sequence[str], *, most: int) -> list[str]:
    """A list that is cut says by how much, and with what argument the rest comes."""
    more = f"and {len(told) - most} more: shown={min(len(told), 1_000)}"
    return [*told[:most], *([more] if len(told) > most else [])]


def _stated(row: Row) -> Iterator[str]:
    for name in row.model_fields_set:
        value = getattr(row, name)
        if name == FIELD and value:
            yield from (f"{OF_ATTRIBUTES}{one}" for one in value)
        elif value is not None:
            yield name


def short(value: object) -> str:
    text = str(value).replace("\n", " ")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
