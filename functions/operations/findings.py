"""What reading a file showed, for whoever mends the file or its mapping: first rows, rejects by cause, doubts."""

from dataclasses import dataclass, field

from operations.tables.columns import GuessedTable
from quarry.ingestion import Accepted, Rejected, Row

SHOWN = 5
MOST_CAUSES = 500
PLACES = 3
LONGEST = 80


@dataclass(slots=True)
class RowsSeen:
    """Takes rows as they are read, and holds what is worth telling: a few of each, however many there are."""

    accepted: int = 0
    rejected: int = 0
    first: list[Row] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)
    """Those of the rejects."""
    _causes: dict[tuple[str, str], tuple[int, list[str]]] = field(default_factory=dict)

    def __call__(self, item: Accepted[Row] | Rejected) -> None:
        if isinstance(item, Accepted):
            self.accepted += 1
            self.first += [item.row] if len(self.first) < SHOWN else []
            return
        self.rejected += 1
        self.lines.add(item.line)
        for fault in item.faults:
            said = f"{fault.value!r} in " if fault.value else ""
            self._count(fault.field, fault.cause, f"{said}{fault.place or f'line {item.line}'}")
        if not item.faults:
            self.refused(item.reason, line=item.line)

    def refused(self, reason: str, *, line: int) -> None:
        """A row that was read, but is not stored."""
        self._count("row", reason, f"line {line}")

    def _count(self, name: str, cause: str, place: str) -> None:
        if len(self._causes) < MOST_CAUSES or (name, cause) in self._causes:
            count, places = self._causes.get((name, cause), (0, []))
            self._causes[name, cause] = (count + 1, [*places, place][:PLACES])

    def causes(self) -> list[str]:
        """The rejects by cause, the most frequent first."""
        found = sorted(self._causes.items(), key=lambda item: -item[1][0])
        return [
            f"{name} {cause} ({count}): {'; '.join(places)}"
            + (f" and {count - PLACES} more" if count > PLACES else "")
            for (name, cause), (count, places) in found
        ]

    def rows(self) -> list[str]:
        return [told(row) for row in self.first]


def told(row: Row) -> str:
    stored = row.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return "; ".join(f"{name}: {short(value)}" for name, value in stored.items())


def short(value: object) -> str:
    text = str(value).replace("\n", " ")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def open_questions(table: GuessedTable) -> list[str]:
    """What a guess leaves to whoever looks at it."""
    where = f" of sheet {table.mapping.sheet!r}" if table.mapping.sheet else ""
    needed = [f"NEEDED{where}: {name} has no column: set it in constants, or name one." for name in table.needed]
    return needed + [f"PLEASE CHECK{where}: {doubt}" for doubt in table.doubts]
