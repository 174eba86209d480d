"""Reads tables that are text; a damaged record costs no neighbour, and is never mended without a note."""

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, islice, takewhile

from pydantic import ConfigDict

from operations.bounds import LONGEST_FIELD, LONGEST_LINE, TOO_LONG, CutLine
from operations.mending import Recurring, Split
from operations.tables.attributes import NO_ATTRIBUTES, attribute_of, known_names
from quarry.attributes.model import Attributes
from quarry.ingestion import Kind, Rejected, Row, UnreadRecord, storable
from quarry.tool.errors import ValidationFailed

csv.field_size_limit(LONGEST_FIELD)

SEPARATORS = (",", ";", "\t", "|")
LONGEST_RECORD = 1_000
"""The limit in lines for one record: the end of an open quote is not looked for beyond it."""

LOOKED_AT = 1_000
"""Which values recur in the file is learnt from this many lines, before any row is mended."""

MOST_SURPLUS = 8


def column_names(kind: Kind) -> list[str]:
    return [field.alias or name for name, field in kind.row.model_fields.items()]


class DelimitedTable:
    """Records of a delimited file; raises ValidationFailed when its header does not fit the kind.

    With ``names`` the file has columns of its own, apart by ``separator``, and each record has its cells by these;
    ``skip`` lines stand above its rows.
    """

    def __init__(
        self,
        lines: Iterable[str],
        kind: Kind,
        *,
        attributes: Attributes = NO_ATTRIBUTES,
        names: Sequence[str] = (),
        separator: str = ",",
        skip: int = 0,
    ) -> None:
        self._lines = iter(lines)
        self._ahead: deque[str] = deque()
        self._at = 0
        self._cut_off = False
        if isinstance(self._peek(0), CutLine):
            raise ValidationFailed(f"The header does not fit: {TOO_LONG}.")
        self._own = bool(names)
        self._kind = replace(kind, row=_AsItStands, key=(), mending=None) if names else kind
        if names:
            self.separator, self.header = separator, list(names)
            self._peek(skip)
            self._take(min(skip, len(self._ahead)))
        else:
            self.separator, _ = separator_naming(self._peek(0) or "", kind)
            self.header = self._read_header(attributes)
        self._known = Recurring(self._kind, header=self.header)

    def __iter__(self) -> Iterator[UnreadRecord | Rejected]:
        for line in self._coming(LOOKED_AT):
            self._known.learn(_split(line, self.separator, strict=True))
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

    def _read_header(self, attributes: Attributes) -> list[str]:
        header, taken = self._record()
        if isinstance(header, csv.Error):
            raise ValidationFailed(f"The header is not valid CSV: {header}.")
        self._take(taken)
        header = [name.strip() for name in header]
        _check_header(header, self._kind, attributes)
        return header

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
            return next(csv.reader(lines(), delimiter=self.separator, strict=True), []), taken
        except csv.Error as error:
            return error, taken

    def _swallows_rows(self, cells: list[str], taken: int) -> bool:
        """Whether an open quote has run on into lines that are rows of their own."""
        if taken == 1:
            return False
        rest = list(islice(self._ahead, 1, taken))
        if len(cells) != len(self.header):
            return any(self._begins_row(line) for line in rest)
        return any(self._is_row(line) or self._has_key(line) for line in rest)

    def _has_key(self, line: str) -> bool:
        """Whether a line begins like a row, with a key of the same shape as other keys."""
        first = next(csv.reader([line], delimiter=self.separator), [""])[0]
        key = self._kind.key
        return len(key) == 1 and self.header[0] == key[0] and self._begins_row(line) and self._known.recurs(first)

    def _begins_row(self, line: str) -> bool:
        return isinstance(line, CutLine) or 2 * len(_split(line, self.separator)) > len(self.header)

    def _is_row(self, line: str) -> bool:
        cells = _split(line, self.separator, strict=True)
        return len(cells) == len(self.header) and self._known.fits(dict(zip(self.header, cells, strict=True)))

    def _broken(self, why: str) -> Rejected:
        """Rejects the record at the next line; reading goes on at the next line that begins like a row."""
        raw, line = self._take(1), self._at
        taken = sum(1 for _ in takewhile(lambda more: not self._begins_row(more), self._coming(LONGEST_RECORD)))
        return Rejected(line, why, storable((raw + self._take(taken)).rstrip("\r\n")))

    def _row(self, cells: list[str], raw: str) -> UnreadRecord | Rejected:
        raw, repair = raw.rstrip("\r\n"), None
        while self._own and len(cells) > len(self.header) and not cells[-1].strip():
            cells.pop()
        if self._own and sum(1 for cell in cells if cell.strip()) < 2:
            cells += [""] * (len(self.header) - len(cells))
        if len(cells) != len(self.header):
            self._cut_off = len(cells) < len(self.header)
            mended = self._mended(cells, raw)
            if isinstance(mended, str):
                count = f"the row does not have the header's {len(self.header)} cells but {len(cells)}"
                return Rejected(self._at, f"{count}{mended}", storable(raw))
            cells, repair = mended
        else:
            row = dict(zip(self.header, cells, strict=True))
            why = self._known.doubt(row, bare=self._bare(raw))
            if why is None and self._cut_off and not self._known.familiar(row):
                why = "the row before is cut off, and this one's key looks like no other"
            if why:
                return Rejected(self._at, why, storable(raw))
        self._cut_off = False
        present = {name: value for name, value in zip(self.header, cells, strict=True) if value != ""}
        return UnreadRecord(self._at, raw, present, repair)

    def _bare(self, raw: str) -> set[str]:
        """Returns the columns whose cells are not in quotes."""
        return {name for name, quoted in zip(self.header, _quoted(raw, self.separator), strict=False) if not quoted}

    def _mended(self, cells: list[str], raw: str) -> tuple[list[str], str] | str:
        """Returns (cells, what was mended), or why the record cannot be mended."""
        surplus, mending = len(cells) - len(self.header), self._kind.mending
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
        return [best[0].cells[name] for name in self.header], best[0].report()

    def _splits(self, cells: Sequence[str], quoted: Sequence[bool], *, columns: Sequence[str]) -> Iterator[Split]:
        """Yields every way to join surplus cells with those of ``columns``, or to drop empty ones at the end."""
        places = [self.header.index(name) for name in columns if name in self.header]
        empty = next((n for n, cell in enumerate(reversed(cells)) if cell), len(cells))
        surplus = len(cells) - len(self.header)
        for dropped in range(min(surplus, empty) + 1):
            for chosen in combinations_with_replacement(places, surplus - dropped):
                counts = [1 + chosen.count(place) for place in range(len(self.header))]
                starts = [sum(counts[:place]) for place in range(len(self.header))]
                pieces = [cells[start : start + count] for start, count in zip(starts, counts, strict=True)]
                if any(count > 1 and any(quoted[at : at + count]) for at, count in zip(starts, counts, strict=True)):
                    continue
                yield Split(dict(zip(self.header, pieces, strict=True)), separator=self.separator, dropped=dropped)


class _AsItStands(Row):
    """A record under the file's own names."""

    model_config = ConfigDict(extra="allow")


def _quoted(raw: str, separator: str) -> list[bool]:
    """Returns for each cell of a record whether it is in quotes."""
    mark = re.escape(separator)
    return [cell.startswith('"') for cell in re.findall(rf'(?:^|{mark})("(?:[^"]|"")*"|[^{mark}]*)', raw)]


def separator_naming(header: str, kind: Kind) -> tuple[str, int]:
    """Returns the separator by which a header names the most columns of the kind, and their number; else a comma."""
    columns = set(column_names(kind))
    named = {each: len({name.strip() for name in _split(header, each)} & columns) for each in SEPARATORS}
    return max(named.items(), key=lambda item: item[1])


def _split(line: str, separator: str, *, strict: bool = False) -> list[str]:
    """Returns the cells of a line, whatever its quotes; with ``strict`` they have to be those of one whole record.
    Returns no cells where they are not, or where one is longer than a field may be.
    """
    try:
        return next(csv.reader([line], delimiter=separator, strict=strict), [])
    except csv.Error:
        return []


def _check_header(header: Sequence[str], kind: Kind, attributes: Attributes) -> None:
    known = {field.alias or name: field for name, field in kind.row.model_fields.items()}
    closed = kind.row.model_config.get("extra") == "forbid"
    own = {name: found.name for name in header if (found := attribute_of(name, kind, attributes)) is not None}
    unknown = [name for name in header if closed and name not in known and name not in own]
    needed = [] if kind.may_lack(header) else [name for name, field in known.items() if field.is_required()]
    missing = [name for name in needed if name not in header]
    meant = [own.get(name, name) for name in header]
    if unknown or missing or len(set(meant)) != len(meant):
        problems = [
            f"unknown columns {[name[:60] for name in unknown[:10]]}" if unknown else "",
            f"and {len(unknown) - 10} more" if len(unknown) > 10 else "",
            f"missing columns {missing}" if missing else "",
            "repeated columns" if len(set(meant)) != len(meant) else "",
        ]
        declared = f" Attributes that you have declared are {known_names(attributes)}." if kind.attributed else ""
        raise ValidationFailed(
            f"The CSV header does not fit '{kind.name}': {', '.join(filter(None, problems))}. "
            f"Columns are {', '.join(known)}.{declared}"
        )
