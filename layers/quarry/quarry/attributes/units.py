"""Units of measure, and the unit systems that values are also shown in."""

import csv
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from quarry.text import ascii_digits, fold, with_blanks

Reference = Literal["", "gauge", "absolute", "vacuum", "standard", "actual"]
"""What a pressure is measured against (a vacuum downwards from the atmosphere), or the state in which a flow of gas
is measured: as standard air or as it stands in the pipe. "" leaves it to the attribute.
"""

_OF_GAS = frozenset(("standard", "actual"))

ATMOSPHERE = 101_325.0
"""One atmosphere in pascal, through which gauge pressure and vacuum convert to absolute pressure."""


class Unit(NamedTuple):
    """A unit of measure: a figure ``v`` in it is ``v * factor + offset`` in the base unit of its dimension."""

    symbol: str
    dimension: str
    factor: float
    offset: float = 0.0
    reference: Reference = ""

    @property
    def currency(self) -> str | None:
        """The code of the currency whose amounts it counts, so many at once as its factor says: thousands, lakhs."""
        amount, _, code = self.dimension.partition("amount in ")
        return code if code and not amount else None

    @property
    def is_currency(self) -> bool:
        """Amounts of two currencies do not compare: each is a dimension of its own."""
        return self.currency == self.symbol


def convert(value: float, said: Unit, wanted: Unit) -> float | None:
    """Converts a figure between units; None where their dimensions differ, or between standard and actual flow of
    gas, for which the pressure in the pipe would have to be known.

    Gauge, absolute and vacuum are converted through one atmosphere. A unit without a reference takes that of the
    other one; beside a vacuum it counts as absolute, because it then states the pressure that is left, unless it is
    negative.
    """
    if said.dimension != wanted.dimension:
        return None
    base = value * said.factor + said.offset
    given, asked = said.reference, wanted.reference
    if asked == "vacuum":
        given = given or ("absolute" if base >= 0 else "gauge")
    elif given == "vacuum":
        asked = asked or "absolute"
    else:
        given, asked = given or asked, asked or given
    if given != asked and _OF_GAS & {given, asked}:
        return None
    if given != asked:
        base = {"gauge": base + ATMOSPHERE, "vacuum": ATMOSPHERE - base}.get(given, base)
        base = {"gauge": base - ATMOSPHERE, "vacuum": ATMOSPHERE - base}.get(asked, base)
    return (base - wanted.offset) / wanted.factor


@dataclass(frozen=True)
class Units:
    """Units by spelling; a tenant's own override the shipped ones."""

    by_spelling: Mapping[str, Unit]

    def named(self, text: str, *, measuring: Unit | None = None) -> Unit | None:
        """Returns the unit of that spelling. Case counts only where it tells units apart: MW is not mW, but KW is kW,
        and not where another case alone is ``measuring`` the same: Cv of a power is CV. A bare k is no unit, for 5k
        means five thousand and not kelvin.
        """
        plain = squeezed(text)
        if plain == "k":
            return None
        found = self.by_spelling.get(plain) or self.by_spelling.get(_folded(plain))
        if found and measuring and found.dimension != measuring.dimension:
            alike = (unit for each, unit in self.by_spelling.items()
                     if unit.dimension == measuring.dimension and _folded(each) == _folded(plain))  # fmt: skip
            return next(alike, found)
        return found

    def with_own(
        self, rows: Iterable[Mapping[str, object]], *, language: str | None = None, currency: str | None = None
    ) -> "Units":
        """Own spellings as written win, and folded ones where nothing has them yet: G is not the gram's g. The
        house's language adds those that neither has; what several currencies are called, or have as their sign, is
        the house's.
        """
        own = list(map(_unit_of, rows))
        exact = {squeezed(spelling): unit for unit, spellings in own for spelling in spellings}
        said = spoken(language, currency)
        amounts = {each for each, unit in self.by_spelling.items() if unit.is_currency}
        signs = {each: unit for each, unit in said.items() if each in amounts and unit.symbol == currency}
        # Ft is the forint and db a piece in a Hungarian house, where another one has feet and decibels.
        cased = {
            each: unit for unit, listed in spoken_rows(f"{language},") for each in listed
            if _folded(each) in self.by_spelling
        }  # fmt: skip
        known = {**_spelled(own), **self.by_spelling, **cased, **signs, **exact}
        return Units({**{each: unit for each, unit in said.items() if _folded(each) not in known}, **known})

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches the longest spelling of a unit in text folded by ``quarry.text.fold``."""
        folded = map(_folded, self.by_spelling)
        either = {_LETTERS_BEFORE_SIGN.sub(order, each) for each in folded for order in (r"\1 \2", r"\2 \1")}
        spelled = sorted(either, key=len, reverse=True)
        alternatives = "|".join(re.escape(with_blanks(each)).replace(r"\ ", r"\ ?") for each in spelled)
        return re.compile(rf"(?:{alternatives})(?![^\W_])")


SIGN = r"[$¢£¤¥฿₠-⃏]"
"""Matches the sign of one currency or of several."""
APART = frozenset(("us", "usa", "usd", "ca", "can", "cad"))
"""Letters that stand apart from their sign as well; others are words in some language: $ au mètre, $5 to $10."""
_LETTERS_BEFORE_SIGN = re.compile(rf"([^\W\d_]{{2,3}})({SIGN})")
_LETTERS_AND_SIGN = re.compile(rf"({SIGN}?) ?([^\W\d_]{{1,3}})\.? ?({SIGN}?)")


@lru_cache(maxsize=4096)
def squeezed(text: str) -> str:
    """Returns a spelling as it is looked up: letters of a currency stand before its sign, in $ CA as in CA$."""
    # Some keyboards have º in place of the degree sign.
    plain = re.sub(r"\s+", " ", text.strip().replace("º", "°"))
    found = _LETTERS_AND_SIGN.fullmatch(plain)
    return found[2] + (found[1] or found[3]) if found and bool(found[1]) != bool(found[3]) else plain


def _folded(text: str) -> str:
    return fold(squeezed(text))


def _unit_of(row: Mapping[str, object]) -> tuple[Unit, list[str]]:
    spellings = row.get("spellings") or []
    listed = spellings.split("|") if isinstance(spellings, str) else [str(each) for each in spellings]  # type: ignore[attr-defined]
    factor, offset = float(str(row["factor"])), float(str(row.get("offset") or 0))
    if not math.isfinite(factor) or factor == 0 or not math.isfinite(offset):
        raise ValueError(f"factor: {row['symbol']} needs a finite factor that is not 0")
    unit = Unit(str(row["symbol"]), str(row["dimension"]), factor, offset, str(row.get("reference") or ""))  # type: ignore[arg-type]
    return unit, [unit.symbol, *filter(None, listed)]


def _spelled(units: Iterable[tuple[Unit, Sequence[str]]]) -> dict[str, Unit]:
    """Indexes units by exact and by folded spelling; exact ones win, so that mW and MW stay two units."""
    exact: dict[str, Unit] = {}
    alike: dict[str, Unit] = {}
    for unit, spellings in units:
        for spelling in map(squeezed, spellings):
            exact.setdefault(spelling, unit)
            alike.setdefault(_folded(spelling), unit)
    return {**alike, **exact}


@cache
def shipped() -> Units:
    """The units of physics and trade that every tenant has."""
    with (Path(__file__).with_name("units.csv")).open(encoding="utf-8", newline="") as file:
        return Units(_spelled(map(_unit_of, csv.DictReader(file))))


_LONGEST_MARKED = 3


@cache
def spoken(language: str | None, currency: str | None = None) -> Mapping[str, Unit]:
    """Returns what CLDR calls units and currencies in a language, and signs of these; a letter alone only in its own
    case, and short words with their accents only, for others are words: pé is a foot, and PE a plastic.
    """
    units = [*spoken_rows(f"{language},"), *spoken_rows(",")]
    units.sort(key=lambda each: each[0].symbol != currency)
    pairs = {(spelling, unit.symbol) for unit, spellings in units for spelling in spellings}
    times = Counter(spelling for spelling, _ in pairs)
    units = [
        (unit, [unit.symbol, *(each for each in spellings if times[each] == 1 or unit.symbol == currency)])
        for unit, spellings in units
    ]
    said = {spelling for _, spellings in units for spelling in spellings}
    small = {ascii_digits(each).casefold() for each in said}
    return {
        each: unit
        for each, unit in _spelled(units).items()
        if (unit.is_currency or any(map(str.isalpha, each)))
        and (each in said or len(each) > _LONGEST_MARKED or (len(each) > 1 and each in small))
    }


@cache
def spoken_rows(begins: str = "") -> Sequence[tuple[Unit, Sequence[str]]]:
    """Returns units with their spellings in one language, or in all; a language's lines begin with its code, those of
    the signs of currencies with none.
    """
    with (Path(__file__).with_name("spoken.csv")).open(encoding="utf-8") as file:
        next(file)
        rows = [line.rstrip("\n").split(",") for line in file if line.startswith(begins)]
    known = shipped().by_spelling
    return [
        (known.get(symbol) or Unit(symbol, f"amount in {symbol}", 1), [*map(squeezed, text.split("|"))])
        for _, symbol, text in rows
    ]


NOMINAL = 0.02
"""Share by which a standard size may differ from the converted one: 22 kW is sold as 30 hp, 7 bar as 100 psi."""


def printed(value: float, said: Unit, wanted: Unit) -> float | None:
    """Converts a figure as a document prints it: to a standard size of the other system if it is one of its own, else
    to three significant digits, temperatures to tenths. Returns None where ``convert`` does.
    """
    converted = convert(value, said, wanted)
    if not converted or said.dimension == "temperature":
        return converted and round(converted, 1)
    if value in sizes().get(said.symbol, ()):
        near = min(sizes().get(wanted.symbol, ()), key=lambda size: abs(size - converted), default=converted)
        if abs(near - converted) <= NOMINAL * abs(converted):
            return near
    return round(converted, 2 - math.floor(math.log10(abs(converted))))


System = Literal["us", "metric"]
type Beside = Mapping[str, Sequence[str]]
"""Units of a system by dimension: figures are converted to the first, or to the first that keeps them readable. Those
without a dimension are the system's, too, and stay as they are: heat is not told in the unit of motors.
"""

BESIDE = "Figures in this system too. Unset: the house's."


@cache
def _systems() -> Sequence[Mapping[str, str]]:
    with (Path(__file__).with_name("systems.csv")).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def preferred() -> Mapping[str, Beside]:
    found: dict[str, dict[str, list[str]]] = {}
    for row in _systems():
        found.setdefault(row["system"], {})[row["dimension"]] = row["symbols"].split("|")
    return found


@cache
def sizes() -> Mapping[str, Sequence[float]]:
    """Returns standard sizes by unit symbol, round in that system alone; motors as in IEC 60072 and NEMA MG 1."""
    return {
        row["symbols"].split("|")[0]: [*map(float, row["sizes"].split("|"))] for row in _systems() if row["sizes"]
    }


@cache
def most_read() -> Mapping[str, float]:
    """By symbol the figure from which on the next larger unit reads better: 315 ft, not 3,780 in."""
    return {row["symbols"].split("|")[0]: float(row["most"]) for row in _systems() if row["most"]}
