"""What a cell says: numbers, amounts, dates, units, countries, yes and no, as people of four languages write them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from functools import cache
from types import MappingProxyType
from typing import Literal

from babel import Locale
from babel.core import get_global

from quarry.understanding.own_attributes import OwnAttribute, converted
from quarry.understanding.text import fold
from quarry.understanding.units import ATMOSPHERE_INHG, INHG_PER_MBAR, PSI_PER_BAR, UNITS, Unit, fahrenheit, unit_at
from quarry.understanding.words import Vocabulary

Cell = str | int | float | bool | date | datetime | time | timedelta | None

Mark = Literal[",", "."]
Order = Literal["day first", "month first"]

SIGNS = {
    **{"€": "EUR", "$": "USD", "us$": "USD", "£": "GBP", "¥": "JPY", "c$": "CAD", "ca$": "CAD", "mx$": "MXN"},
    **{"fr": "CHF", "fr.": "CHF", "sfr": "CHF", "sfr.": "CHF", "a$": "AUD", "zł": "PLN", "kč": "CZK"},
}
"""Currencies by their signs as people write them in tables."""

_CODES = frozenset(
    code
    for currencies in get_global("territory_currencies").values()
    for code, _, until, tender in currencies
    if until is None and tender
)
"""Of today: PLZ was a currency, and is a postal code now."""

_MONEY = r"us\$|c\$|ca\$|mx\$|a\$|[€$£¥]|s?fr\.?|zł|kč|[a-z]{3}"
_NUMBER = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+−–])?\s*(?:(?P<before>{_MONEY})(?![a-z])\s*)?(?P<sign2>[-+−–])?\s*"
    r"(?P<figure>\d[\d.,'’\s]*|[.,]\d+)(?P<dash>[.,]?\s?[-–—]{1,2})?\s*(?P<after>.*?)\)?"
)
_TIME = r"(?:[ T]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:am|pm|uhr|h|z)?)?"
_DATE = re.compile(r"(\d{1,4})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{2,4})" + _TIME)
_DAY_MONTH_YEAR = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|\.)?\s+(?:de\s+)?([a-z]+)\.?,?\s+(?:del?\s+)?(\d{4})")
_MONTH_DAY_YEAR = re.compile(r"([a-z]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
YES = frozenset(
    ("yes", "y", "true", "1", "x", "ja", "j", "wahr", "si", "s", "verdadero", "oui", "o", "vrai", "✓", "✔")
)
NO = frozenset(("no", "n", "false", "0", "nein", "falsch", "non", "faux", "falso", "-"))


class Unreadable(ValueError):
    """A cell does not say what its field needs; the text is a sentence's end: "is not a number"."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How a file writes numbers and dates; None where no cell tells."""

    decimal: Mark | None = None
    dates: Order | None = None


def text_of(cell: Cell) -> str:
    """The cell as a person reads it: 12 and not 12.0, a date as ISO 8601."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.15g}"
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(sep=" ")
    return str(cell).strip()


def habits(cells: Iterable[Cell]) -> Habits:
    """What most cells that tell it agree on: 1.234,50 and 7,5 have a decimal comma, 14/03/2023 has its day first."""
    marks, orders = Counter[Mark](), Counter[Order]()
    for cell in cells:
        if not isinstance(cell, str) or not any(character.isdigit() for character in cell) or len(cell) > 60:
            continue
        if found := _DATE.fullmatch(cell.strip().lower()):
            if (order := _order(found)) is not None:
                orders[order] += 1
        elif (mark := _mark(cell)) is not None:
            marks[mark] += 1
    return Habits(
        decimal=marks.most_common(1)[0][0] if marks else None,
        dates=orders.most_common(1)[0][0] if orders else None,
    )


def _order(found: re.Match[str]) -> Order | None:
    first, sign, second = int(found[1]), found[2], int(found[3])
    if len(found[1]) == 4:
        return None
    if sign == "." or first > 12:
        return "day first"
    return "month first" if second > 12 else None


def _mark(text: str) -> Mark | None:
    """The decimal mark that a figure has beyond doubt."""
    found = _NUMBER.fullmatch(text.strip().lower())
    figure = found["figure"].strip() if found else ""
    points, commas = figure.count("."), figure.count(",")
    if points and commas:
        return "," if figure.rfind(",") > figure.rfind(".") else "."
    if points + commas > 1:
        return "," if points else "."
    if points + commas == 1:
        mark: Mark = "." if points else ","
        whole, part = figure.split(mark)
        return mark if len(part) != 3 or whole.strip("0 ") == "" or len(whole) > 3 else None
    return None


def number(cell: Cell, *, decimal: Mark | None = None) -> tuple[Decimal, str]:
    """The number of a cell and what stands around it, currency or unit: "1.234,50 €" is 1234.50 and "€".

    Raises Unreadable, also for 1.234 where nothing in the file says what its mark is.
    """
    if isinstance(cell, bool) or cell is None or not isinstance(cell, str | int | float):
        raise Unreadable("is not a number")
    if isinstance(cell, int | float):
        return Decimal(f"{cell:.15g}"), ""
    found = _NUMBER.fullmatch(cell.strip().lower().replace("\u00a0", " ").replace("\u202f", " "))
    # A digit behind the figure belongs to a unit, m3/h, or makes it a range, a size, a part number.
    if found is None or any(sign.isdigit() for sign in re.sub(r"[a-z]+\^?\d|[²³]", "", found["after"])):
        raise Unreadable("is not a number")
    figure = found["figure"].strip() + (found["dash"] or "")[:1].strip("-–—")
    figure += "0" if figure[-1] in ".," and found["dash"] else ""
    if re.search(r"[\s'’]", figure) and not re.fullmatch(r"\d{1,3}(?:[\s'’]\d{3})+(?:[.,]\d*)?", figure):
        raise Unreadable("is not a number")
    figure = re.sub(r"[\s'’]", "", figure)
    try:
        value = Decimal(_plain(figure, decimal=decimal))
    except InvalidOperation:
        raise Unreadable("is not a number") from None
    negative = bool(found["open"]) or (found["sign"] or found["sign2"] or "+") != "+"
    return -value if negative else value, " ".join(part for part in (found["before"], found["after"].strip()) if part)


def _plain(figure: str, *, decimal: Mark | None) -> str:
    figure = figure.rstrip(".,")
    mark = _mark(figure) or (decimal if "." in figure or "," in figure else ".")
    if mark is None:
        raise Unreadable("may mean thousands or decimals; set numbers in the mapping")
    groups = "," if mark == "." else "."
    whole, _, part = figure.partition(mark)
    if groups in whole and not re.fullmatch(rf"\d{{1,3}}(?:{re.escape(groups)}\d{{3}})+", whole):
        raise Unreadable("is not a number")
    if not re.fullmatch(r"\d*", part):
        raise Unreadable("is not a number")
    return f"{whole.replace(groups, '') or '0'}.{part or '0'}"


def currency_of(text: str) -> str | None:
    """The currency that stands in a cell or a header: "1.234,50 €", "Preis (EUR)"."""
    for sign in sorted(SIGNS, key=len, reverse=True):
        bounds = (r"(?<![a-z])", r"(?![a-z])") if sign.strip(".").isalpha() else ("", "")
        if re.search(bounds[0] + re.escape(sign) + bounds[1], text.lower()):
            return SIGNS[sign]
    return next((word for word in re.findall(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])", text) if word in _CODES), None)


def day(cell: Cell, *, order: Order | None = None) -> date:
    """Raises Unreadable, also for 03/04/2023 where nothing in the file says which is the day."""
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    text = fold(cell.strip()) if isinstance(cell, str) else ""
    try:
        if found := _DATE.fullmatch(text):
            return _numeric(found, order=order)
        months = Vocabulary.shipped().months
        if (found := _DAY_MONTH_YEAR.fullmatch(text)) and (month := months.get(found[2])):
            return date(int(found[3]), month, int(found[1]))
        if (found := _MONTH_DAY_YEAR.fullmatch(text)) and (month := months.get(found[1])):
            return date(int(found[3]), month, int(found[2]))
    except ValueError as error:
        raise error if isinstance(error, Unreadable) else Unreadable("is no day of the calendar") from None
    raise Unreadable("is not a date")


def _numeric(found: re.Match[str], *, order: Order | None) -> date:
    first, second, third = int(found[1]), int(found[3]), int(found[4])
    if len(found[1]) == 4:
        return date(first, second, third)
    year = third if len(found[4]) == 4 else 2000 + third - (100 if third >= 70 else 0)
    order = _order(found) or order
    if order is None and first != second:
        raise Unreadable("may have its day or its month first; set dates in the mapping")
    return date(year, second, first) if order != "month first" else date(year, first, second)


def flag(cell: Cell) -> bool:
    if isinstance(cell, bool):
        return cell
    folded = fold(text_of(cell))
    if folded in YES:
        return True
    if folded in NO:
        return False
    raise Unreadable("is neither yes nor no")


@cache
def _territories() -> dict[str, str]:
    names = dict.fromkeys(("usa", "u.s.a.", "u.s."), "US") | dict.fromkeys(("uk", "great britain", "england"), "GB")
    for language in ("en", "de", "es", "fr"):
        for code, name in Locale(language).territories.items():
            if len(code) == 2 and code.isalpha():
                names.setdefault(fold(str(name)), str(code))
    return names


def country(cell: Cell) -> str:
    """The ISO 3166 code of a country that is written as code or as name in one of four languages."""
    text = text_of(cell)
    if re.fullmatch("[A-Za-z]{2}", text) and text.upper() in _territories().values():
        return text.upper()
    if code := _territories().get(fold(text)):
        return code
    raise Unreadable("is no country in English, German, Spanish or French; write its two letters, such as DE")


# Units

MEASURES: dict[str, frozenset[str]] = {
    "hp": frozenset(("hp",)),
    "cfm": frozenset(("cfm",)),
    "psi": frozenset(("pressure", "psia", "bara", "mbar")),
    "vacuum_inhg": frozenset(("inhg", "mbar")),
    "dewpoint_f": frozenset(("temperature", "temperature_c", "temperature?", "temperature_c?")),
    "weight_lb": frozenset(("lb",)),
    "noise_dba": frozenset(("dba",)),
    "length_in": frozenset(("in",)),
    "width_in": frozenset(("in",)),
    "height_in": frozenset(("in",)),
}
"""What the trade's units measure, by the field that holds it."""


def unit_named(text: str) -> Unit | None:
    """The trade's unit that a text is, whole: "m³/h", "[kW]", "bar(g)"."""
    folded = fold(text).strip(" []()").replace("³", "3").replace("²", "2")
    if not folded:
        return None
    found = unit_at(folded, 0)
    if found is None or found[1] != len(folded):
        return next((unit for unit in UNITS if unit.name == folded), None)
    return found[0]


def in_field_unit(field: str, value: Decimal, unit: Unit) -> float:
    """The value as the field holds it. Raises Unreadable where the unit measures something else."""
    if unit.attribute not in MEASURES[field]:
        raise Unreadable(f"is in {unit.name}, which does not measure {field}")
    found = float(value)
    if field == "dewpoint_f":
        found = fahrenheit(found) if unit.attribute.startswith("temperature_c") else found
    elif field == "vacuum_inhg":
        absolute = unit.absolute or unit.attribute == "mbar"
        factor = INHG_PER_MBAR if unit.attribute == "mbar" else unit.factor
        found = ATMOSPHERE_INHG - found * factor if absolute else abs(found) * unit.factor
    elif unit.attribute == "mbar":
        found *= PSI_PER_BAR / 1000
    else:
        found *= unit.factor
        if unit.attribute in ("psia", "bara"):
            found -= 14.696
    return float(f"{found:.6g}")


# A tenant's own attributes

OF_ATTRIBUTES = "attributes."
"""Begins the field of one of the tenant's own attributes."""
Attributes = Mapping[str, OwnAttribute]
NO_ATTRIBUTES: Attributes = MappingProxyType({})


def own_value(
    name: str, cell: Cell, attributes: Attributes, *, unit: str | None, habits: Habits
) -> float | str | None:
    """The cell as one of the tenant's attributes holds it: a figure in its unit, "PN 16" too. Raises Unreadable."""
    attribute = attributes.get(name)
    if attribute is None:
        raise Unreadable("is no attribute of your goods; declare it first: make ingest KIND=attributes")
    if not attribute.numeric:
        return text_of(cell)
    if isinstance(cell, str):
        labels = "|".join(re.escape(each) for each in (name, *attribute.words))
        cell = re.sub(rf"^(?:{labels})[\s:.=-]*(?=[\d+-])", "", cell.strip(), flags=re.IGNORECASE)
    value, beside = number(cell, decimal=habits.decimal)
    said = beside or unit
    found = float(value) if not said else converted(float(value), said=said, declared=attribute.unit or "")
    if found is None:
        raise Unreadable(f"is in {said}, which does not measure what is in {attribute.unit or 'pieces'}")
    return found
