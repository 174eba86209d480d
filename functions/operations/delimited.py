"""Reads tables that are text; a damaged record costs no neighbour, and is never mended without a note: by what recurs
in the file, a record with too many cells is put together or refused.
"""

import csv
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile

from operations.bounds import LONGEST_FIELD, LONGEST_LINE, TOO_LONG, CutLine
from operations.tables.cells import Cell
from operations.tables.sheets import Header, TableRow
from quarry.ingestion import Kind, Rejected, storable

csv.field_size_limit(LONGEST_FIELD)

LONGEST_RECORD = 1_000
"""The limit in lines for one record: the end of an open quote is not looked for beyond it."""

LOOKED_AT = 1_000
"""What recurs in the file is learnt from this many lines, before any row is mended."""

MOST_SURPLUS = 8
"""A record with more cells than this beyond its header's is not put together."""


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

    def mended(self, cells: Sequence[str], *, quoted: Sequence[bool], separator: str) -> tuple[list[str], str] | str:
        """Returns the only plausible way to read a record of too many cells, with what was mended, or why there is
        none: its separators belong to one column, or empty cells stand at its end.
        """
        surplus, mending, found = len(cells) - len(self._header), self._kind.mending, list[tuple[list[str], str]]()
        if mending is None or not 0 < surplus <= MOST_SURPLUS:
            return ""
        if not any(cells[-surplus:]):
            left_out = f"empty cells at the end are left out: {surplus}"
            found += [(row, left_out)] if self._plausible(row := list(cells[:-surplus])) else []
        for name in (name for name in mending.columns if name in self._header):
            at = self._header.index(name)
            pieces, behind = cells[at : at + surplus + 1], cells[at + surplus + 1 :]
            row = [*cells[:at], separator.join(pieces), *behind]
            if pieces[-1] and not any(quoted[at : at + surplus + 1]) and self._plausible(row, joined=pieces):
                why = f"joined {surplus + 1} cells, because its separators are not quoted"
                found.append((row, f"{name}: {why}: {separator.join(pieces)}"))
        if len(found) == 1:
            return found[0]
        return f", and they can be joined in {len(found)} ways" if found else ", and no way to join them is plausible"

    def _plausible(self, cells: Sequence[str], *, joined: Sequence[str] = ()) -> bool:
        row = dict(zip(self._header, cells, strict=True))
        if not self.familiar(row) or not self._kind.accepts(filled(row)):
            return False
        if any(seen and row[name].strip().casefold() not in seen for name, seen in self._values.items()):
            return False
        # A cell that begins with a blank is the rest of a sentence, and belongs to the cell before it.
        if any(cell[:1].isspace() for cell in cells):
            return False
        # A joined piece that is elsewhere a value of its own belongs to another row or another column.
        pieces = {piece.strip().casefold() for piece in joined}
        return not any(pieces & seen for seen in self._values.values())


def filled(row: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if value != ""}


class DelimitedTable:
    """Rows of a delimited file below its header.

    Where the names are those of a ``kind``, cells are kept to the letter and a row has as many of them as the header.
    Where they are the file's own (None), cells are stripped, and a row of one cell is a heading.
    """

    def __init__(self, lines: Iterable[str], header: Header, *, separator: str, kind: Kind | None) -> None:
        self._lines = iter(lines)
        self._ahead: deque[str] = deque()
        self._at = 0
        self._cut_off = False
        self._names, self._separator, self._kind = list(header.names), separator, kind
        self._known = Recurring(kind, header=header.names) if kind else None
        self._joins = kind is not None and kind.mending is not None
        for _ in range(header.skip + header.height):
            self._take(self._record()[1])

    def __iter__(self) -> Iterator[TableRow | Rejected]:
        if self._known is not None:
            for line in self._coming(LOOKED_AT):
                self._known.learn(_split(line, self._separator, strict=True))
        open_quote = False
        while (coming := self._peek(0)) is not None:
            if isinstance(coming, CutLine):
                raw = self._take(1)
                yield Rejected(self._at, TOO_LONG, storable(raw.rstrip()))
                continue
            cells, taken = self._record()
            if isinstance(cells, csv.Error) or self._swallows_rows(cells, taken):
                error = cells if isinstance(cells, csv.Error) else "a quote is not closed"
                yield self._broken(f"not valid CSV: {error}")
                open_quote = True
            elif open_quote and self._ahead[0].count('"') % 2:
                yield self._broken("not valid CSV: a quote closes that a broken row before opened")
            else:
                open_quote = open_quote and not cells
                raw = self._take(taken).rstrip("\r\n")
                if any(cell.strip() for cell in cells) and cells != self._names:
                    yield self._row(cells, raw)

    def _peek(self, ahead: int) -> str | None:
        while len(self._ahead) <= ahead:
            line = next(self._lines, None)
            if line is None:
                return None
            self._ahead.append(line)
        return self._ahead[ahead]

    def _coming(self, lines: int) -> Iterator[str]:
        """Looks ahead at this many lines, but at no more characters than one record may have."""
        characters = 0
        for ahead in range(lines):
            line = self._peek(ahead)
            if line is None or (ahead and (isinstance(line, CutLine) or characters > LONGEST_LINE)):
                return
            characters += len(line)
            yield line

    def _take(self, lines: int) -> str:
        self._at += lines
        return "".join(self._ahead.popleft() for _ in range(lines))

    def _record(self) -> tuple[list[str] | csv.Error, int]:
        """Returns the next record's cells, or its error, and how many lines it takes; it is not taken yet."""
        taken = 0

        def lines() -> Iterator[str]:
            nonlocal taken
            for line in self._coming(LONGEST_RECORD):
                taken += 1
                yield line

        try:
            return next(csv.reader(lines(), delimiter=self._separator, strict=True), []), taken
        except csv.Error as error:
            return error, taken

    def _swallows_rows(self, cells: list[str], taken: int) -> bool:
        """Whether an open quote has run on into lines that are rows of their own."""
        begins = self._stands_alone if len(cells) == len(self._names) else self._begins_row
        return taken > 1 and any(map(begins, islice(self._ahead, 1, taken)))

    def _begins_row(self, line: str) -> bool:
        return isinstance(line, CutLine) or 2 * len(_split(line, self._separator)) > len(self._names)

    def _stands_alone(self, line: str) -> bool:
        """Whether a line is a row by itself, or begins with a key."""
        first = _split(line, self._separator)[:1]
        if self._known and first and self._begins_row(line) and self._known.recurs(first[0]):
            return True
        cells = _split(line, self._separator, strict=True)
        if len(cells) != len(self._names):
            return False
        return self._kind is None or self._kind.accepts(filled(dict(zip(self._names, cells, strict=True))))

    def _broken(self, why: str) -> Rejected:
        """Rejects the record at the next line; reading goes on at the next line that begins like a row."""
        raw, line = self._take(1), self._at
        taken = sum(1 for _ in takewhile(lambda more: not self._begins_row(more), self._coming(LONGEST_RECORD)))
        return Rejected(line, why, storable((raw + self._take(taken)).rstrip("\r\n")))

    def _row(self, cells: list[str], raw: str) -> TableRow | Rejected:
        if self._known is None:
            cells = [cell.strip() for cell in cells]
        # Where a kind's cells may be joined, the empty ones at the end are among what has to be told apart.
        while not self._joins and len(cells) > len(self._names) and not cells[-1].strip():
            cells.pop()
        if self._known is not None:
            return self._of_the_kind(self._known, cells, raw)
        if sum(map(bool, cells)) < 2:
            cells += [""] * (len(self._names) - len(cells))
        return self._read(cells, raw) if len(cells) == len(self._names) else self._rejected(len(cells), "", raw)

    def _of_the_kind(self, known: Recurring, cells: list[str], raw: str) -> TableRow | Rejected:
        repair, quoted = None, _quoted(raw, self._separator)
        if len(cells) != len(self._names):
            self._cut_off = len(cells) < len(self._names)
            mended = known.mended(cells, quoted=quoted, separator=self._separator)
            if isinstance(mended, str):
                return self._rejected(len(cells), mended, raw)
            cells, repair = mended
        elif why := known.doubt(cells, quoted=quoted, cut_off=self._cut_off):
            return Rejected(self._at, why, storable(raw))
        self._cut_off = False
        return self._read(cells, raw, repair)

    def _read(self, cells: list[str], raw: str, repair: str | None = None) -> TableRow:
        held: dict[str, Cell] = {name: cell or None for name, cell in zip(self._names, cells, strict=True)}
        return TableRow(held, "", self._at, self._at, raw=raw, repair=repair)

    def _rejected(self, cells: int, why: str, raw: str) -> Rejected:
        count = f"the row does not have the header's {len(self._names)} cells but {cells}"
        return Rejected(self._at, f"{count}{why}", storable(raw))


def _quoted(raw: str, separator: str) -> list[bool]:
    """Returns for each cell of a record whether it is in quotes."""
    mark = re.escape(separator)
    return [cell.startswith('"') for cell in re.findall(rf'(?:^|{mark})("(?:[^"]|"")*"|[^{mark}]*)', raw)]


def _split(line: str, separator: str, *, strict: bool = False) -> list[str]:
    """Returns the cells of a line, whatever its quotes; with ``strict`` they have to be those of one whole record.
    Returns no cells where they are not, or where one is longer than a field may be.
    """
    try:
        return next(csv.reader([line], delimiter=separator, strict=strict), [])
    except csv.Error:
        return []
