"""Learns what recurs in a delimited file, to find records that are damaged and the likeliest way to mend one."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from quarry.ingestion import Kind

SHORTEST_GLUED = 3
"""This many more characters than a known key are a piece of another cell; fewer are often a variant of the key."""


class Split:
    """One way to read a row that has more cells than its header."""

    def __init__(self, pieces: Mapping[str, Sequence[str]], *, separator: str, dropped: int) -> None:
        self.cells = {name: separator.join(parts) for name, parts in pieces.items()}
        self._joins = {name: parts for name, parts in pieces.items() if len(parts) > 1}
        self._sign = "commas" if separator == "," else "separators"
        self._dropped = dropped

    @property
    def joined(self) -> list[str]:
        return [piece for pieces in self._joins.values() for piece in pieces]

    @property
    def doubts(self) -> tuple[int, int]:
        """Counts (cells that begin with a blank, cells that look cut or joined wrongly); fewer are better."""
        blank = sum(1 for value in self.cells.values() if value[:1].isspace())
        lower = sum(
            1 for value in self.cells.values() if re.match(r"(?![\"'“„«(\[])\W", value) or value[:1].islower()
        )
        inside = sum(1 for pieces in self._joins.values() for piece in pieces[1:] if not piece[:1].isspace())
        return blank, lower + inside

    def report(self) -> str:
        said = [
            f"{name}: joined {len(pieces)} cells, because its {self._sign} are not quoted: {self.cells[name]}"
            for name, pieces in self._joins.items()
        ]
        return "; ".join(
            [*said, *([f"empty cells at the end are left out: {self._dropped}"] if self._dropped else [])]
        )


class Recurring:
    """Counts what recurs in a file: the values of some columns, and the shapes of keys, their numbers aside."""

    def __init__(self, kind: Kind, *, header: Sequence[str]) -> None:
        self._kind = kind
        self._header = header
        self._recurring = kind.mending.recurring if kind.mending else ()
        self._values: dict[str, Counter[str]] = {name: Counter() for name in self._recurring if name in header}
        self._shapes: Counter[str] = Counter()

    def learn(self, cells: Sequence[str]) -> None:
        if len(cells) != len(self._header):
            return
        row = dict(zip(self._header, cells, strict=True))
        for name, values in self._values.items():
            values[row[name].strip().casefold()] += 1
        self._shapes[self._shape(row)] += 1

    def _shape(self, row: Mapping[str, str]) -> str:
        key = " ".join(row.get(name, "").strip() for name in self._kind.key)
        return re.sub(r"\d+", "9", key)

    def familiar(self, row: Mapping[str, str]) -> bool:
        """Whether other keys of the file have the shape of the row's key; True where no two keys share a shape."""
        return max(self._shapes.values(), default=0) < 2 or self._shapes[self._shape(row)] > 1

    def recurs(self, key: str) -> bool:
        """Whether several keys of the file have the shape of this one."""
        return self._shapes[re.sub(r"\d+", "9", key.strip())] > 1

    def doubt(self, row: Mapping[str, str], *, bare: AbstractSet[str]) -> str | None:
        """Returns why a row with the right number of cells may have them in wrong columns, or None. ``bare`` are the
        columns without quotes.

        Applies only to a kind whose values recur: keys of others, such as models, may well contain one another.
        """
        if not self._values:
            return None
        # A value that recurs in another column, and not in its own, stands in the wrong one.
        cells = {name: row[name].strip().casefold() for name in self._values}
        if any(
            seen[cell] > 1 and self._values[name][cell] < 2
            for name, cell in cells.items()
            for other, seen in self._values.items()
            if other != name
        ):
            return "cells stand in other columns than in the rest of the file"
        if not self.familiar(row) and self._extends_known_key(row):
            return "its key is one of the file's with something else before or behind"
        alone = [name for name, seen in self._values.items()
                 if max(seen.values(), default=0) > 1 and seen[row[name].strip().casefold()] < 2]  # fmt: skip
        if any('"' in row[name] for name in bare & set(alone)):
            return "a quote stands within a cell that is like no other of its column"
        if alone and not self.familiar(row):
            return f"its key and {alone[0]} are like no others of the file"
        usual = {name: seen.most_common(1)[0][0] for name, seen in self._values.items() if name in alone}
        if alone and self._kind.mending and not self._kind.mending.plausible({**row, **usual}):
            return f"its {alone[0]} is like no other of the file, and other cells do not fit their columns"
        return None

    def _extends_known_key(self, row: Mapping[str, str]) -> bool:
        """Whether the key is one that recurs, with at least SHORTEST_GLUED characters beside it, a letter first."""
        shape = self._shape(row)
        rests = [
            rest
            for known, rows in self._shapes.items()
            if rows > 1 and known and shape != known
            for rest in (shape.removeprefix(known), shape[::-1].removeprefix(known[::-1]))
            if rest != shape and rest != shape[::-1]
        ]
        return any(len(rest) >= SHORTEST_GLUED and rest[0].isalpha() for rest in rests)

    def fits(self, row: Mapping[str, str]) -> bool:
        """Whether a row looks like the others and is valid by itself."""
        if not self.familiar(row):
            return False
        present = {name: value for name, value in row.items() if value != ""}
        return self._kind.accepts(present)

    def plausible(self, row: Mapping[str, str], *, joined: Sequence[str]) -> bool:
        mending = self._kind.mending
        if mending is None or not self.fits(row):
            return False
        if any(seen and row[name].strip().casefold() not in seen for name, seen in self._values.items()):
            return False
        # A joined piece that is elsewhere a value of its own belongs to another row or another column.
        pieces = {piece.strip().casefold() for piece in joined}
        return not any(pieces & seen.keys() for seen in self._values.values()) and mending.plausible(row)
