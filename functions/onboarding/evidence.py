"""Checks that rows that an agent read from a letter stand in it: figures by value, dates by day, words verbatim."""

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from pydantic import BaseModel

from onboarding.contents import BETWEEN, Cells, lines_of
from operations.tables.cells import Unreadable, currency_of, day, habits, number
from operations.tables.leftover import short
from operations.tables.sheets import LOOKED_THROUGH, separator_of
from quarry.attributes.model import values_of
from quarry.attributes.units import Units
from quarry.ingestion import Accepted, CellFault, Rejected, Row
from quarry.text import fold, readings, words_of

ASSUMED = "assumed"
"""The column in which a row names those of its fields that the letter does not state."""

OURS = frozenset(("family", "position"))
"""Fields that no letter states: the house's name for a kind of goods, and the position of a line."""

NEVER_ASSUMED = frozenset(("description", "customer", "name"))
"""Fields that say what a row is about; an optional figure may not be assumed either."""

PRICED = ("quantity", "unit_price", "extended_price")
ROUNDING = Decimal("0.02")
_FIGURE = re.compile(r"\d[\d.,'’]*")
_IN_GROUPS = re.compile(r"(?<!\w)\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)")
_LONGEST_DAY = 5
"""The limit in words, which 14 de marzo de 2023 reaches."""


class CellClaim(NamedTuple):
    """One value that a row states; ``within`` marks an attribute's value, whose figure may follow letters: DN50."""

    field: str
    value: object
    within: bool = False

    @property
    def is_figure(self) -> bool:
        if isinstance(self.value, str):
            return self.within and any(sign.isdigit() for sign in self.value)
        return isinstance(self.value, int | float | Decimal) and not isinstance(self.value, bool)


class LetterText:
    """A letter's text; ``figures`` has the lines, from 1, of each figure, ``within`` also figures behind letters."""

    def __init__(self, lines: list[Cells], *, name: str, units: Units | None = None) -> None:
        self.name = name
        self.lines = [BETWEEN.join(filter(None, line)) for line in lines]
        self._folded = [_plain(" ".join(line)) for line in lines]
        self._text = " ".join(self._folded)
        self._how = habits(cell for line in lines for cell in line)
        self._currencies = {
            currency_of(cell, units=units) for line in lines for cell in line if re.search(r"\d", cell)
        }
        self.figures, self.within = defaultdict[Decimal, set[int]](set), set[Decimal]()
        self.days = set[date]()
        for at, line in enumerate(lines, start=1):
            for cell in line:
                self._learn(cell, at)

    def _learn(self, cell: str, at: int) -> None:
        for found in (*_FIGURE.finditer(cell), *_IN_GROUPS.finditer(cell)):
            for value in self._values(found[0].rstrip(".,'’")):
                self.within.add(value)
                prefix = re.search(r"(?<![^\W\d_])[^\W\d_]++$", cell[: found.start()])
                if prefix is None or currency_of(prefix[0].upper()):
                    self.figures[value].add(at)
        words = cell.split()
        for first in range(len(words)):
            for last in range(first + 1, min(first + _LONGEST_DAY, len(words)) + 1):
                if not any(sign.isdigit() for sign in words[last - 1]):
                    continue
                with suppress(Unreadable):
                    self.days.add(day(" ".join(words[first:last]).strip(" ,;:()."), order=self._how.dates))

    def _values(self, figure: str) -> Iterator[Decimal]:
        try:
            yield number(figure, decimal=self._how.decimal)[0]
        except Unreadable:
            yield from (Decimal(f"{value:.15g}") for value in readings(figure))

    def has(self, claim: CellClaim) -> bool:
        match claim.value:
            case bool():
                return False
            case int() | float() | Decimal():
                value = abs(Decimal(str(claim.value)))
                return value in self.within if claim.within else value in self.figures
            case date():
                return claim.value in self.days
            case text:
                pieces = filter(None, map(_plain, str(text).splitlines()))
                return all(map(self._says, pieces)) or (claim.field == "currency" and text in self._currencies)

    def _says(self, piece: str) -> bool:
        # 2023-014 is another number than A-2023-014.
        beside = r"[\w-]" if any(sign.isdigit() for sign in piece) else r"\w"
        return re.search(rf"(?<!{beside}){re.escape(piece)}(?!{beside})", self._text) is not None

    def homes(self, text: str) -> set[int]:
        """Returns the numbers of the lines that contain the text's first line."""
        piece = _plain(next(iter(text.splitlines()), ""))
        return {at for at, line in enumerate(self._folded, start=1) if piece and piece in line}

    def nearest(self, text: str) -> str:
        """Returns a remark on the line that shares the most words with the text; an empty one if none does."""
        wanted = set(words_of(text))
        shared = [len(wanted & set(words_of(line))) for line in self._folded]
        at = shared.index(most) if (most := max(shared, default=0)) else None
        return "" if at is None else f"; nearest, line {at + 1}: {short(self.lines[at])}"


def _plain(text: str) -> str:
    return " ".join(fold(text).split()).strip(" .,;:")


class LetterEvidence:
    """Compares each accepted row with the letter; check and load both call it, so that they always agree."""

    def __init__(self, letter: bytes, *, name: str, text: str, units: Units | None = None) -> None:
        """``text`` is the CSV that the rows are read from."""
        self._letter = LetterText(lines_of(letter, file_name=name), name=name, units=units)
        lines = io.StringIO(text, newline="").readlines()
        reader = csv.DictReader(lines, delimiter=separator_of(lines[:LOOKED_THROUGH]))
        reader.fieldnames = [name.strip().casefold() for name in reader.fieldnames or ()]
        self._assumed = dict[int, list[str]]()
        for row in reader:
            self._assumed[reader.line_num] = re.findall(r"[\w.]+", row.get(ASSUMED) or "")
        self._unchecked = Counter[str]()
        self._doubts: list[str] = []
        self.rows: list[Row] = []
        """The rows that stand in the letter."""

    def __call__(self, item: Accepted[Row] | Rejected) -> Accepted[Row] | Rejected:
        if isinstance(item, Rejected):
            return item
        faults = [*self._faults(item)]
        if faults:
            return Rejected.by(faults, line=item.line, raw=item.row.model_dump_json(exclude_none=True))
        self._look_at_prices(item)
        self.rows.append(item.row)
        return item

    def _faults(self, item: Accepted[Row]) -> Iterator[CellFault]:
        assumed, fields, where = self._assumed.get(item.line, []), type(item.row).model_fields, f"line {item.line}"
        self._unchecked.update(assumed)
        for name in assumed:
            if name.split(".")[0] not in fields:
                yield CellFault(ASSUMED, "names no field", name, where)
        for claim in _claims(item.row):
            may_be_absent = "." in claim.field or not fields[claim.field].is_required()
            never = claim.field in NEVER_ASSUMED or (may_be_absent and claim.is_figure)
            if self._letter.has(claim) or (claim.field in assumed and not never):
                continue
            about = getattr(item.row, "description", "") if claim.is_figure else ""
            nearest = self._letter.nearest(f"{about or claim.value}")
            self._doubts.append(f"{where}: {claim.field} {short(claim.value)!r} is not in the letter{nearest}")
            more = " and is never assumed" if claim.field in assumed else ""
            cause = f"does not stand in {self._letter.name}{more}"
            yield CellFault(claim.field, cause, short(claim.value), where)

    def _look_at_prices(self, item: Accepted[Row]) -> None:
        """Notes a figure that does not stand beside its goods, and an amount that is not quantity times price."""
        said = [getattr(item.row, name, None) for name in PRICED]
        homes = self._letter.homes(getattr(item.row, "description", None) or "")
        for name, value in zip(PRICED, said, strict=True):
            known = self._letter.figures.get(abs(value), set()) if value is not None else set()
            if homes and known and not homes & known:
                self._doubts.append(f"line {item.line}: {name} {value} does not stand beside its description in the "
                                   f"letter, but in its line {min(known)}")  # fmt: skip
        quantity, price, amount = said
        if quantity and price and amount and abs(quantity * price - amount) > ROUNDING:
            self._doubts.append(f"line {item.line}: {quantity} x {price} is {quantity * price}, not {amount}")

    def doubts(self) -> list[str]:
        unchecked = ", ".join(f"{name} ({rows})" for name, rows in self._unchecked.items())
        return [*([f"Assumed, and not held against the letter: {unchecked}"] if unchecked else []), *self._doubts]

    def values(self, field: str) -> list[str]:
        return list(dict.fromkeys(str(value) for row in self.rows if (value := getattr(row, field, None))))


def _claims(row: Row) -> Iterator[CellClaim]:
    """Yields the values that the row states, without defaults and the fields that no letter states."""
    for name, about in type(row).model_fields.items():
        value = getattr(row, name)
        if name in OURS or value is None or value == about.get_default(call_default_factory=True):
            continue
        if name == "attributes":
            for attribute, held in values_of(value).items():
                said = [held.raw] if held.raw else [*held.texts, *dict.fromkeys((held.low, held.high, held.flag))]
                yield from (CellClaim(f"{name}.{attribute}", each, within=True) for each in said if each is not None)
        else:
            yield from (CellClaim(name, part) for part in _parts(value))


def _parts(value: Any) -> Iterator[object]:
    match value:
        case BaseModel():
            yield from _parts(value.model_dump(exclude_none=True))
        case Mapping():
            yield from (part for each in value.values() for part in _parts(each))
        case list() | tuple():
            yield from (part for each in value for part in _parts(each))
        case _:
            yield value
