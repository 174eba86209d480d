"""Learns what recurs in a delimited file, by which a record with too many cells is put together or refused."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

from quarry.ingestion import Kind

MOST_SURPLUS = 8


class Split(NamedTuple):
    """One way to read a record that has more cells than its header: cells joined in some columns, or empty ones left
    out at the end."""

    cells: dict[str, str]
    joined: dict[str, list[str]]
    dropped: int

    def report(self) -> str:
        said = [
            f"{name}: joined {len(pieces)} cells, because its separators are not quoted: {self.cells[name]}"
            for name, pieces in self.joined.items()
        ]
        return "; ".join([*said, *([f"empty cells at the end are left out: {self.dropped}"] if self.dropped else [])])


class Recurring:
    """The values of columns in which they recur, and the shapes of keys, their numbers aside."""

    def __init__(self, kind: Kind, *, header: Sequence[str]) -> None:
        self._kind = kind
        self._header = header
        recurring = kind.mending.recurring if kind.mending else ()
        self._values: dict[str, set[str]] = {name: set() for name in recurring if name in header}
        self._shapes: Counter[str] = Counter()

    def learn(self, cells: Sequence[str]) -> None:
        if len(cells) != len(self._header):
            return
        row = dict(zip(self._header, cells, strict=True))
        for name, values in self._values.items():
            values.add(row[name].strip().casefold())
        self._shapes[self._shape(row)] += 1

    def _shape(self, row: Mapping[str, str]) -> str:
        return re.sub(r"\d+", "9", " ".join(row.get(name, "").strip() for name in self._kind.key))

    def familiar(self, row: Mapping[str, str]) -> bool:
        """Whether other keys of the file have the shape of the row's key; True where no two keys share a shape."""
        return max(self._shapes.values(), default=0) < 2 or self._shapes[self._shape(row)] > 1

    def recurs(self, cell: str) -> bool:
        """Whether the first cell of a line has the shape of several keys, where the key is the first column."""
        is_first = self._kind.key == tuple(self._header[:1])
        return is_first and self._shapes[self._shape({self._header[0]: cell})] > 1

    def doubt(self, cells: Sequence[str], *, quoted: Sequence[bool], cut_off: bool) -> str | None:
        """Returns why a record with the right number of cells may have them in wrong columns; None where it has not.
        ``cut_off`` says that the record before had too few."""
        row = dict(zip(self._header, cells, strict=True))
        if cut_off and not self.familiar(row):
            return "the row before is cut off, and this one's key looks like no other"
        bare = {name for name, is_quoted in zip(self._header, quoted, strict=False) if not is_quoted}
        if any('"' in row[name] for name in bare & self._values.keys()):
            return "a quote stands within a cell of a column that has none"
        return None

    def mended(self, cells: Sequence[str], *, quoted: Sequence[bool], separator: str) -> Split | str:
        """Returns the only plausible way to read the record, or why there is none."""
        surplus, mending = len(cells) - len(self._header), self._kind.mending
        if mending is None or not 0 < surplus <= MOST_SURPLUS:
            return ""
        found = [split for split in self._splits(cells, quoted, separator=separator) if self._plausible(split)]
        if len(found) == 1:
            return found[0]
        return f", and they can be joined in {len(found)} ways" if found else ", and no way to join them is plausible"

    def _splits(self, cells: Sequence[str], quoted: Sequence[bool], *, separator: str) -> Iterator[Split]:
        columns = self._kind.mending.columns if self._kind.mending else ()
        places = [self._header.index(name) for name in columns if name in self._header]
        empty = next((n for n, cell in enumerate(reversed(cells)) if cell), len(cells))
        surplus = len(cells) - len(self._header)
        for dropped in range(min(surplus, empty) + 1):
            for chosen in combinations_with_replacement(places, surplus - dropped):
                counts = [1 + chosen.count(place) for place in range(len(self._header))]
                starts = [sum(counts[:place]) for place in range(len(self._header))]
                if any(count > 1 and any(quoted[at : at + count]) for at, count in zip(starts, counts, strict=True)):
                    continue
                pieces = {
                    name: list(cells[start : start + count])
                    for name, start, count in zip(self._header, starts, counts, strict=True)
                }
                joined = {name: parts for name, parts in pieces.items() if len(parts) > 1}
                yield Split({name: separator.join(parts) for name, parts in pieces.items()}, joined, dropped)

    def _plausible(self, split: Split) -> bool:
        row = split.cells
        if not self.familiar(row) or not self._kind.accepts(filled(row)):
            return False
        if any(seen and row[name].strip().casefold() not in seen for name, seen in self._values.items()):
            return False
        # A cell that begins with a blank is the rest of a sentence, and belongs to the cell before it.
        if any(cell[:1].isspace() for cell in row.values()):
            return False
        # A joined piece that is elsewhere a value of its own belongs to another row or another column.
        pieces = {piece.strip().casefold() for parts in split.joined.values() for piece in parts}
        return not any(pieces & seen for seen in self._values.values())


def filled(row: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if value != ""}
