"""What a draft may rest on: rows of the catalogue, lines of quotes, the request, the house; by whose figures they are."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from cpq.drafts.figures import Figure, Reader, measured
from cpq.drafts.numbers import Reading, normalised
from quarry.attributes.units import Unit

NOT_SAID = frozenset(
    ("tenant", "id", "updated_at", "created_at", "model", "model_key", "sku_key", "manufacturer_key", "source",
     "product_id", "quote_id", "category_key", "name_key", "unit_price", "extended_price", "currency", "cost",
     "cost_currency")
)  # fmt: skip
"""Columns whose figures say nothing of the thing; amounts are read apart."""
_DAY = re.compile(r"(?<!\d)(?:(\d{4})[-./](\d{1,2})[-./](\d{1,2})|(\d{1,2})([-./]) ?(\d{1,2})\5 ?(\d{4}|\d\d))(?![\d])")
_SPOKEN_DAY = re.compile(
    r"(?<!\d)(?:(\d{1,2})(?:\.|[^\W\d_]{2})? (?:[^\W\d_]{2,3} )?[^\W\d_]{3,}\.?,? (?:[^\W\d_]{2,3} )?"
    r"((?:19|20)\d\d)|[^\W\d_]{3,}\.? (\d{1,2}),? ((?:19|20)\d\d))(?!\d)"
)


@dataclass(frozen=True)
class Source:
    """``of`` is the model or product that it is of, "" where it is of no single one; ``money``: whether a letter may
    state its amounts.
    """

    name: str
    figures: Sequence[Figure]
    of: str = ""
    money: bool = True


@dataclass(frozen=True)
class Evidence:
    """``aliases`` are keys of models, numbers and names by the thing they are of; ``makers`` by folded name.

    ``others`` are names of other customers and their people by compact name; ``quotes`` the numbers that may be named
    and ``foreign_quotes`` those that may not; ``shapes`` what numbers of quotes look like.
    """

    reader: Reader
    sources: Sequence[Source] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    prefixes: frozenset[str] = frozenset()
    makers: Mapping[str, str] = field(default_factory=dict)
    makers_of: Mapping[str, frozenset[str]] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    own_words: str = ""
    quotes: frozenset[str] = frozenset()
    foreign_quotes: frozenset[str] = frozenset()
    shapes: frozenset[str] = frozenset()
    dates: frozenset[date] = frozenset()
    hosts: frozenset[str] = frozenset()
    counts: frozenset[int] = frozenset()
    today: date = date.min


def of_row(reader: Reader, row: Mapping[str, Any], units: Mapping[str, Unit | None]) -> list[Figure]:
    """The figures of a row, whether its values are columns or stand in ``attributes``."""
    said = {**row, **(row.get("attributes") or {})}
    found: list[Figure] = []
    for name, value in said.items():
        if name not in NOT_SAID and name != "attributes":
            found += _of_value(reader, value, _unit_of(reader, name, units))
    return found


def _unit_of(reader: Reader, name: str, units: Mapping[str, Unit | None]) -> Unit | None:
    """As it is declared, else as the name ends: weight_lb."""
    return units.get(name) or reader.units.named(name) or reader.units.named(name.rpartition("_")[2])


def _of_value(reader: Reader, value: object, unit: Unit | None) -> list[Figure]:
    match value:
        case bool() | None:
            return []
        case int() | float() | Decimal():
            return measured([float(value)], unit)
        case str():
            # Each part of 230/460/3/60 is a figure of its own.
            return reader.figures(value) + (reader.figures(value.replace("/", " / ")) if "/" in value else [])
        case {"value": inner, **more}:
            return _of_value(reader, inner, unit) + _of_value(reader, more.get("raw"), unit)
        case {**more}:
            return [each for inner in more.values() for each in _of_value(reader, inner, unit)]
        case [*inner]:
            return [figure for each in inner for figure in _of_value(reader, each, unit)]
    return []


def amounts(values: Iterable[Decimal | None], currency: str) -> list[Figure]:
    told = [value for value in values if value is not None]
    return [
        Figure(f"{value:,.2f} {currency}", (Reading(float(value), 0.01),), currency=currency) for value in told
    ]


def days(text: str) -> Iterator[tuple[str, set[date]]]:
    """Dates with all days that they may mean: one with its month in words may be of any month."""
    plain = normalised(text)
    for match in _DAY.finditer(plain):
        if match[1]:
            found = {_day(int(match[1]), int(match[2]), int(match[3]))}
        else:
            year = int(match[7]) + (2000 if len(match[7]) == 2 else 0)
            found = {_day(year, int(match[6]), int(match[4])), _day(year, int(match[4]), int(match[6]))}
        if told := {day for day in found if day}:
            yield match[0], told
    for match in _SPOKEN_DAY.finditer(plain):
        day, year = (match[1], match[2]) if match[1] else (match[3], match[4])
        if told := {found for month in range(1, 13) if (found := _day(int(year), month, int(day)))}:
            yield match[0], told


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def around(day: date) -> set[date]:
    """A day as it is called anywhere on earth."""
    return {day + timedelta(days=off) for off in (-1, 0, 1)}
