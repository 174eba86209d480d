"""What reading a file showed, for whoever mends the file or its mapping: first rows, rejects by cause, doubts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from operations.tables.attributes import FIELD, OF_ATTRIBUTES
from operations.tables.leftover import Causes
from quarry.ingestion import Accepted, CellFault, Rejected, Row, storable

SHOWN = 5
LONGEST = 80


@dataclass(slots=True)
class RowsSeen:
    """Takes rows as they are read, and holds what is worth telling: a few of each, however many there are."""

    accepted: int = 0
    rejected: int = 0
    first: list[Row] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)
    """Those of the rejects."""
    _causes: Causes = field(default_factory=Causes)
    _filled: Counter[str] = field(default_factory=Counter)

    def __call__(self, item: Accepted[Row] | Rejected) -> None:
        if isinstance(item, Accepted):
            self.accepted += 1
            self._filled.update(_stated(item.row))
            self.first += [item.row] if len(self.first) < SHOWN else []
            return
        self.rejected += 1
        self.lines.add(item.line)
        for fault in item.faults:
            self._causes.add(fault, where=f"line {item.line}")
        if not item.faults:
            self.refused(item.reason, line=item.line)

    def refused(self, reason: str, *, line: int) -> None:
        """A row that was read, but is not stored."""
        self._causes.add(CellFault("row", reason), where=f"line {line}")

    def causes(self) -> list[str]:
        """The rejects by cause, the most frequent first."""
        return list(map(storable, self._causes.told()))

    def gaps(self) -> list[str]:
        """Fields and attributes that some of the rows have and others lack, with how many have them."""
        return [
            f"{name}: {count} of {self.accepted}" for name, count in self._filled.items() if count < self.accepted
        ]

    def rows(self) -> list[str]:
        return [told(row) for row in self.first]


def _stated(row: Row) -> Iterator[str]:
    for name in row.model_fields_set:
        value = getattr(row, name)
        if name == FIELD and value:
            yield from (f"{OF_ATTRIBUTES}{one}" for one in value)
        elif value is not None:
            yield name


def told(row: Row) -> str:
    stored = row.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return "; ".join(f"{name}: {short(value)}" for name, value in stored.items())


def short(value: object) -> str:
    text = str(value).replace("\n", " ")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def repeated(report: dict[str, Any]) -> list[str]:
    """Of an ingest's report what was made of rows whose key came before, and which rows were mended."""
    lines = [str(each["line"]) for each in report["repeats"]]
    more = " …" if len(lines) > SHOWN else ""
    told = [f"rows with the key of one before, of which the last stands: line {', '.join(lines[:SHOWN])}{more}"]
    mended = Causes()
    for each in report["repairs"]:
        mended.add(CellFault("mended", each["reason"]), where=f"line {each['line']}")
    return [*(told if lines else []), *mended.told()]
