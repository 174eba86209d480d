"""Tables as text: separator, header, records; a damaged record costs no neighbour and is never guessed silently."""

import csv
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, islice, takewhile

from pydantic import ConfigDict

from operations.bounds import LONGEST_FIELD, LONGEST_LINE, TOO_LONG, CutLine
from quarry.ingestion import Kind, Rejected, Row, Unread, storable
from quarry.tool.errors import ValidationFailed

csv.field_size_limit(LONGEST_FIELD)

SEPARATORS = (",", ";", "\t", "|")
LONGEST_RECORD = 1_000
"""Lines that one record may take: an open quote is not looked for beyond."""

LOOKED_AT = 1_000
"""Lines from which is learnt, before any row is mended, which values recur in the file."""

MOST_SURPLUS = 8

SHORTEST_GLUED = 3
"""Characters beside a key that are taken for a piece of another cell: keys of parts are often one or two longer."""


def column_names(kind: Kind) -> list[str]:
    return [field.alias or name for name, field in kind.row.model_fields.items()]


class _Split:
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
        """Cells that begin as if the one before went on; and, as much, commas joined though no blank follows."""
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


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a file that has names of its own: what stands above its rows is ``skip`` lines."""

    names: Sequence[str]
    separator: str
    skip: int


class Table:
    """Records of a delimited file; raises ValidationFailed when its header does not fit the kind.

    With ``columns`` the file has a header of its own, and each record is what stands under it.
    """

    def __init__(self, lines: Iterable[str], kind: Kind, *, columns: Columns | None = None) -> None:
        self._lines = iter(lines)
        self._ahead: deque[str] = deque()
        self._at = 0
        self._cut_off = False
        if isinstance(self._peek(0), CutLine):
            raise ValidationFailed(f"The header does not fit: {TOO_LONG}.")
        self._own = columns is not None
        self._kind = replace(kind, row=_AsItStands, key=(), mending=None) if columns is not None else kind
        if columns is None:
            self.separator = _separator(self._peek(0) or "", columns=column_names(kind))
            self._header = self._read_header()
        else:
            self.separator, self._header = columns.separator, list(columns.names)
            self._peek(columns.skip)
            self._take(min(columns.skip, len(self._ahead)))
        self._known = _Known(self._kind, header=self._header)

    def __iter__(self) -> Iterator[Unread | Rejected]:
        for line in self._coming(LOOKED_AT):
            self._known.learn(self._cells_of(line))
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
            elif cells:
                open_quote = False
                yield self._row(cells, self._take(taken))
            else:
                self._take(taken)

    def _read_header(self) -> list[str]:
        header, taken = self._record()
        if isinstance(header, csv.Error):
            raise ValidationFailed(f"The header is not valid CSV: {header}.")
        self._take(taken)
        header = [name.strip() for name in header]
        _check_header(header, self._kind)
        return header

    def _peek(self, ahead: int) -> str | None:
        while len(self._ahead) <= ahead:
            line = next(self._lines, None)
            if line is None:
                return None
            self._ahead.append(line)
        return self._ahead[ahead]

    def _coming(self, lines: int) -> Iterator[str]:
        """So many lines from the next one on, but no more characters than one record may have."""
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
        """The cells of the record at the next line, and how many lines it takes."""
        taken = 0

        def lines() -> Iterator[str]:
            nonlocal taken
            for line in self._coming(LONGEST_RECORD):
                taken += 1
                yield line

        try:
            return next(csv.reader(lines(), delimiter=self.separator, strict=True), []), taken
        except csv.Error as error:
            return error, taken

    def _cells_of(self, line: str) -> list[str]:
        """The cells of a record that is one line; none where that is not so."""
        try:
            return next(csv.reader([line], delimiter=self.separator, strict=True), [])
        except csv.Error:
            return []

    def _swallows_rows(self, cells: list[str], taken: int) -> bool:
        """Whether an open quote has run on into rows that stand for themselves."""
        if taken == 1:
            return False
        rest = list(islice(self._ahead, 1, taken))
        if len(cells) != len(self._header):
            return any(self._begins_row(line) for line in rest)
        return any(self._is_row(line) or self._has_key(line) for line in rest)

    def _has_key(self, line: str) -> bool:
        """Whether a line begins like a row under a key that is written as others are."""
        first = next(csv.reader([line], delimiter=self.separator), [""])[0]
        key = self._kind.key
        return len(key) == 1 and self._header[0] == key[0] and self._begins_row(line) and self._known.recurs(first)

    def _begins_row(self, line: str) -> bool:
        return isinstance(line, CutLine) or 2 * len(_split(line, self.separator)) > len(self._header)

    def _is_row(self, line: str) -> bool:
        cells = self._cells_of(line)
        return len(cells) == len(self._header) and self._known.fits(dict(zip(self._header, cells, strict=True)))

    def _broken(self, why: str) -> Rejected:
        """The record at the next line is given up; reading starts again at the next line that begins like a row."""
        raw, line = self._take(1), self._at
        taken = sum(1 for _ in takewhile(lambda more: not self._begins_row(more), self._coming(LONGEST_RECORD)))
        return Rejected(line, why, storable((raw + self._take(taken)).rstrip("\r\n")))

    def _row(self, cells: list[str], raw: str) -> Unread | Rejected:
        raw, repair = raw.rstrip("\r\n"), None
        while self._own and len(cells) > len(self._header) and not cells[-1].strip():
            cells.pop()
        if self._own and sum(1 for cell in cells if cell.strip()) < 2:
            cells += [""] * (len(self._header) - len(cells))
        if len(cells) != len(self._header):
            self._cut_off = len(cells) < len(self._header)
            mended = self._mended(cells, raw)
            if isinstance(mended, str):
                count = f"the row does not have the header's {len(self._header)} cells but {len(cells)}"
                return Rejected(self._at, f"{count}{mended}", storable(raw))
            cells, repair = mended
        elif why := self._known.doubt(dict(zip(self._header, cells, strict=True)), bare=self._bare(raw)):
            return Rejected(self._at, why, storable(raw))
        elif self._cut_off and not self._known.familiar(dict(zip(self._header, cells, strict=True))):
            return Rejected(
                self._at, "the row before is cut off, and this one's key looks like no other", storable(raw)
            )
        self._cut_off = False
        present = {name: value for name, value in zip(self._header, cells, strict=True) if value != ""}
        return Unread(self._at, raw, present, repair)

    def _bare(self, raw: str) -> set[str]:
        """The columns of a record that stand in no quotes."""
        return {name for name, quoted in zip(self._header, _quoted(raw, self.separator), strict=False) if not quoted}

    def _mended(self, cells: list[str], raw: str) -> tuple[list[str], str] | str:
        """(cells, what was mended), or why it was not."""
        surplus, mending = len(cells) - len(self._header), self._kind.mending
        if mending is None or not 0 < surplus <= MOST_SURPLUS:
            return ""
        found = [
            split
            for split in self._splits(cells, _quoted(raw, self.separator), columns=mending.columns)
            if self._known.plausible(split.cells, joined=split.joined)
        ]
        least = min((split.doubts for split in found), default=0)
        best = [split for split in found if split.doubts == least]
        if len(best) != 1:
            return (
                f", and they can be joined in {len(best)} ways" if best else ", and no way to join them is plausible"
            )
        return [best[0].cells[name] for name in self._header], best[0].report()

    def _splits(self, cells: Sequence[str], quoted: Sequence[bool], *, columns: Sequence[str]) -> Iterator[_Split]:
        """Every way to give surplus cells to ``columns`` or, where they are empty and last, to nobody."""
        places = [self._header.index(name) for name in columns if name in self._header]
        empty = next((n for n, cell in enumerate(reversed(cells)) if cell), len(cells))
        surplus = len(cells) - len(self._header)
        for dropped in range(min(surplus, empty) + 1):
            for chosen in combinations_with_replacement(places, surplus - dropped):
                counts = [1 + chosen.count(place) for place in range(len(self._header))]
                starts = [sum(counts[:place]) for place in range(len(self._header))]
                pieces = [cells[start : start + count] for start, count in zip(starts, counts, strict=True)]
                if any(count > 1 and any(quoted[at : at + count]) for at, count in zip(starts, counts, strict=True)):
                    continue
                yield _Split(dict(zip(self._header, pieces, strict=True)), separator=self.separator, dropped=dropped)


class _AsItStands(Row):
    """A record under the names of the file."""

    model_config = ConfigDict(extra="allow")


class _Known:
    """What recurs in a file: the values of some columns, and its keys but for their numbers."""

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
        """Whether the row's key is written as others of the file; so it is where no two are alike."""
        return max(self._shapes.values(), default=0) < 2 or self._shapes[self._shape(row)] > 1

    def recurs(self, key: str) -> bool:
        """Whether several keys of the file are written like this one."""
        return self._shapes[re.sub(r"\d+", "9", key.strip())] > 1

    def doubt(self, row: Mapping[str, str], *, bare: AbstractSet[str]) -> str | None:
        """Why a row with the right number of cells is not taken to say what stands in its columns, or None.
        ``bare`` are the columns that stand in no quotes.

        Only of a kind whose columns recur: the keys of others, such as models, may well hold one another.
        """
        if not self._values:
            return None
        if self._shifted(row):
            return "cells stand in other columns than in the rest of the file"
        if not self.familiar(row) and self._glued(row):
            return "its key is one of the file's with something else before or behind"
        alone = [name for name, seen in self._values.items() if self._stands_alone(row[name], seen)]
        if any('"' in row[name] for name in bare & set(alone)):
            return "a quote stands within a cell that is like no other of its column"
        if alone and not self.familiar(row):
            return f"its key and {alone[0]} are like no others of the file"
        usual = {name: seen.most_common(1)[0][0] for name, seen in self._values.items() if name in alone}
        if alone and self._kind.mending and not self._kind.mending.plausible({**row, **usual}):
            return f"its {alone[0]} is like no other of the file, and other cells do not fit their columns"
        return None

    def _stands_alone(self, cell: str, seen: Counter[str]) -> bool:
        return max(seen.values(), default=0) > 1 and seen[cell.strip().casefold()] < 2

    def _glued(self, row: Mapping[str, str]) -> bool:
        """Whether the key is one that recurs, with letters right before or behind it."""
        shape = self._shape(row)
        rests = [
            rest
            for known, rows in self._shapes.items()
            if rows > 1 and known and shape != known
            for rest in (shape.removeprefix(known), shape[::-1].removeprefix(known[::-1]))
            if rest != shape and rest != shape[::-1]
        ]
        return any(len(rest) >= SHORTEST_GLUED and rest[0].isalpha() for rest in rests)

    def _shifted(self, row: Mapping[str, str]) -> bool:
        """Whether a cell holds what is elsewhere a value of another column and never of its own."""
        cells = {name: row[name].strip().casefold() for name in self._values}
        return any(
            seen[cell] > 1 and self._values[name][cell] < 2
            for name, cell in cells.items()
            for other, seen in self._values.items()
            if other != name
        )

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


def _quoted(raw: str, separator: str) -> list[bool]:
    """Which cells of a record stand in quotes."""
    mark = re.escape(separator)
    return [cell.startswith('"') for cell in re.findall(rf'(?:^|{mark})("(?:[^"]|"")*"|[^{mark}]*)', raw)]


def _separator(header: str, *, columns: Sequence[str]) -> str:
    """The separator under which the header names the most columns of the kind; a comma where none does."""

    def known(separator: str) -> int:
        return len({name.strip() for name in _split(header, separator)} & set(columns))

    return max(SEPARATORS, key=known)


def _split(line: str, separator: str) -> list[str]:
    """The cells of a line, whatever its quotes; none where one is longer than a field may be."""
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []


def _check_header(header: Sequence[str], kind: Kind) -> None:
    known = {field.alias or name: field for name, field in kind.row.model_fields.items()}
    closed = kind.row.model_config.get("extra") == "forbid"
    own = tuple(f"{name}." for name in known if name == "attributes")
    unknown = [name for name in header if closed and name not in known and not name.startswith(own)]
    missing = [name for name, field in known.items() if field.is_required() and name not in header]
    if unknown or missing or len(set(header)) != len(header):
        problems = [
            f"unknown columns {[name[:60] for name in unknown[:10]]}" if unknown else "",
            f"and {len(unknown) - 10} more" if len(unknown) > 10 else "",
            f"missing columns {missing}" if missing else "",
            "repeated columns" if len(set(header)) != len(header) else "",
        ]
        raise ValidationFailed(
            f"The CSV header does not fit '{kind.name}': {', '.join(filter(None, problems))}. "
            f"Columns are {', '.join(known)}."
        )
