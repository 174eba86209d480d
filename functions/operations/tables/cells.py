"""Reads what a cell says: numbers, amounts, dates, countries, yes and no, in several languages' notations."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from typing import Literal

from babel import Locale
from babel.core import get_global
from babel.localedata import locale_identifiers

from quarry.attributes.units import APART, SIGN, Units, shipped, spoken_rows, squeezed
from quarry.reading.languages import languages, yes_or_no
from quarry.text import GROUPS, ascii_digits, fold, written_out

Cell = str | int | float | bool | date | datetime | time | timedelta | None

Mark = Literal[",", "."]
Order = Literal["day first", "month first", "year first"]

_SIGNS = dict.fromkeys(("fr", "fr.", "sfr", "sfr."), "CHF") | {
    **{"ca$": "CAD", "mx$": "MXN", "rs": "INR", "rs.": "INR", "nt$": "TWD", "ntd": "TWD", "cfa": "XOF", "fcfa": "XOF"}
}


@cache
def signs() -> dict[str, str]:
    """Returns currencies by their signs as people write them in tables, and as languages write them that have no
    other meaning for these; words of Latin letters are none.
    """
    known = {said: unit.symbol for said, unit in shipped().by_spelling.items() if unit.is_currency}
    spoken = defaultdict[str, set[str]](set)
    for unit, spellings in spoken_rows():
        for said in spellings if unit.is_currency else ():
            if " " not in said and (len(said) == 1 or not said.isalpha()):
                spoken[ascii_digits(said.lower())].add(unit.symbol)
    found = {said: code for said, codes in spoken.items() if len(codes) == 1 for code in codes} | known
    return {said: code for said, code in found.items() if not (said.isascii() and said.isalpha())} | _SIGNS


@cache
def _signed() -> re.Pattern[str]:
    return re.compile("|".join(_bounded(sign) for sign in sorted(signs(), key=len, reverse=True)))


def _bounded(sign: str) -> str:
    if found := re.fullmatch(rf"([^\W\d_]{{2,3}})({SIGN})", sign):
        letters, mark = found[1], re.escape(found[2])
        blank = r"\s?" if letters in APART else ""
        before = blank if letters.startswith("us") else ""
        return rf"(?<![^\W\d_]){letters}{before}{mark}|{mark}{blank}{letters}(?![^\W\d_])"
    left = r"(?<![^\W\d_])" if sign[0].isalpha() else ""
    return left + re.escape(sign) + (r"(?![^\W\d_])" if sign.strip("./")[-1].isalpha() else "")


_BY_TWOS = re.compile(r"\d{1,2}(?:,\d\d)+,\d{3}")
SHARED = frozenset(("$", "¥", "rs", "rs.", "fr", "fr.", "cfa", "fcfa"))
"""Signs of several countries' currencies: a book of Canadian dollars has them too."""

_CODES = frozenset(
    code
    for currencies in get_global("territory_currencies").values()
    for code, _, until, tender in currencies
    if until is None and tender
)
"""Only currencies of today: PLZ was one, and stands for postal code in tables."""


@cache
def _number() -> re.Pattern[str]:
    return re.compile(
        rf"\A(?P<open>\()?(?P<sign>[-+−–])?\s*+(?:(?P<before>%|{_signed().pattern}|[a-z]{{3}})(?![^\W\d_])\s*+)?"
        r"(?P<sign2>[-+−–])?\s*+(?P<figure>\d[\d.,'’\s]*+|[.,]\d++)(?P<dash>[.,/]?\s?[-–—]{1,2})?\s*+"
        r"(?P<after>.*?)\)?"
    )


_SERIES = re.compile(r"%?\d[\d.,]*+\s?%?(?:\s?\+\s?%?\d[\d.,]*+\s?%?)+")
_TIME = r"(?:[ T]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:am|pm|uhr|h|z)?)?"
_DATE = re.compile(
    r"(?P<first>(?P<year>\d{4})|\d{1,2})\s?(?P<sign>[./-])\s?(?P<second>\d{1,2})\s?(?P=sign)\s?"
    r"(?P<third>(?(year)\d{1,2}|\d{2,4}))\.?" + _TIME
)
_SHORT_YEAR = re.compile(r"\d{1,2}([./-])\D+\1\d\d")
_PART_OF_DATE = re.compile(r"\d+|[^\d\s.,/،'’-]+")
_ORDINALS = frozenset(("st", "nd", "rd", "th", "er", "del"))
_OF_OTHER_CALENDARS = frozenset((*range(1300, 1500), *range(2460, 2643))) - {2499, 2500, 2600}
"""Years of now and of the last century by Buddhist, Islamic and Persian count. Others stand for no day
or no end: 1753, 2499, 9999."""
YES = frozenset(("true", "1", "x", "wahr", "verdadero", "vrai", "✓", "✔", *"yjosta"))
"""Besides these, with the first letters of some, every language has words of its own."""
DASHES = frozenset(("-", "–", "—", "--"))
"""A cell with one of these is empty, in columns of text too."""
NOTHING = DASHES | frozenset(("n/a", "n.a.", "k.a.", "k. a.", "n.v.", "s/d", "n.d.", "nd", "s.o.", "s. o.", "s/o"))
"""A cell with one of these has no figure."""
EMPTIES = "(empty)"
"""A cell with this text empties its stored field; an empty cell, or one without a figure, leaves it as it is."""

NO = frozenset(("false", "0", "falsch", "faux", "falso", "-", "n"))


LONGEST_DATE = 40
"""In characters; what is longer is a text with a day in it."""


class Percent(float):
    """A figure in per cent: 6.5 where a workbook shows 6.5 % and holds 0.065."""


class Unreadable(ValueError):
    """A cell cannot be read as its field's type; the message ends a sentence that begins with the field."""


class Doubtful(Unreadable):
    """A cell's value is implausible: its row is stored without it."""


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
    if isinstance(cell, Percent):
        return f"{cell:.15g}%"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.15g}"
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(sep=" ")
    return str(cell).strip()


def habits(cells: Iterable[Cell], *, language: str | None = None) -> Habits:
    """Returns what most unambiguous cells say: 1.234,50 and 7,5 have a decimal comma, 14/03/2023 the day first.
    25.3.4 has the year first where the house's language writes it so.
    """
    marks, orders = Counter[Mark](), Counter[Order]()
    ends = list[tuple[int, int]]()
    for cell in cells:
        if not isinstance(cell, str) or not any(character.isdigit() for character in cell) or len(cell) > 60:
            continue
        if found := _DATE.fullmatch(cell.strip().lower()):
            if len(found["third"]) == 2 and not found["year"] and _is_year_first(language):
                ends.append((int(found["first"]), int(found["third"])))
            elif (order := _order(found)) is not None:
                orders[order] += 1
        elif (mark := mark_of(cell)) is not None:
            marks[mark] += 1
    if ends:
        orders[_by_ends(ends)] += len(ends)
    return Habits(
        decimal=marks.most_common(1)[0][0] if marks else None,
        dates=orders.most_common(1)[0][0] if orders else None,
    )


@cache
def _is_year_first(language: str | None) -> bool:
    known = language is not None and language in locale_identifiers()
    return known and Locale.parse(language).date_formats["short"].pattern.startswith("y")


def _by_ends(ends: Sequence[tuple[int, int]]) -> Order:
    """Returns at which end days have their year of two figures: where one is no day, else where they differ less."""
    firsts, lasts = zip(*ends, strict=True)
    if max(*firsts, *lasts) > 31:
        return "year first" if max(firsts) > 31 else "day first"
    return "year first" if max(firsts) - min(firsts) <= max(lasts) - min(lasts) else "day first"


def _order(found: re.Match[str]) -> Order | None:
    first, second = int(found["first"]), int(found["second"])
    if found["year"]:
        return None
    if found["sign"] == "." or first > 12:
        return "day first"
    return "month first" if second > 12 else None


def mark_of(text: str) -> Mark | None:
    """Returns the decimal mark of a figure that is unambiguous; else None."""
    found = _number().fullmatch(text.strip().lower())
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
        return Decimal(f"{cell:.15g}"), "%" if isinstance(cell, Percent) else ""
    point = decimal or "."
    text = written_out(ascii_digits(cell, point=point), point=point)
    found = _number().fullmatch(text.strip().lower().replace("\u00a0", " ").replace("\u202f", " "))
    # A digit behind the figure belongs to a unit, m3/h, or makes it a range, a size, a part number.
    behind = re.sub(r"(?<![^\W\d_])[^\W\d_]++\^?\d|[²³]", "", found["after"]) if found else ""
    if found is None or any(map(str.isdigit, behind)):
        figures = len(re.findall(r"\d[\d.,'’]*", text))
        which = "by part which of its figures is meant"
        which = which if figures > 1 else "declare the words before its figure as words of the attribute"
        remedy = f": say in the mapping's values what it means, or {which}" if figures else ""
        raise Unreadable(f"is not a number{remedy}")
    figure = found["figure"].strip() + (found["dash"] or "")[:1].strip("-–—/")
    figure += "0" if figure[-1] in ".," and found["dash"] else ""
    if re.search(r"[\s'’]", figure) and not re.fullmatch(r"\d{1,3}(?:[\s'’]\d{3})+(?:[.,]\d*)?", figure):
        raise Unreadable("is not a number")
    figure = re.sub(r"[\s'’]", "", figure)
    value = Decimal(_plain(figure, decimal=decimal))
    negative = bool(found["open"]) or (found["sign"] or found["sign2"] or "+") != "+"
    return -value if negative else value, " ".join(part for part in (found["before"], found["after"].strip()) if part)


def one_discount(series: str, *, decimal: Mark | None = None) -> Percent:
    """What discounts in series come to: of "40+10+5" 48.7 %, which is 1 - .6 × .9 × .95. Raises Unreadable."""
    left = Decimal(1)
    for part in series.split("+"):
        off = number(part, decimal=decimal)[0]
        if off > 100:
            raise Unreadable("takes off more than there is")
        left *= 1 - off / 100
    return Percent(100 * (1 - left))


def is_series(cell: Cell) -> bool:
    """Whether a cell has discounts of which each is taken off what the ones before leave."""
    return isinstance(cell, str) and _SERIES.fullmatch(cell.strip()) is not None


def _plain(figure: str, *, decimal: Mark | None) -> str:
    figure = figure.rstrip(".,")
    mark = mark_of(figure) or (decimal if "." in figure or "," in figure else ".")
    if mark is None:
        raise Unreadable("may mean thousands or decimals; set numbers in the mapping")
    groups = "," if mark == "." else "."
    whole, _, part = figure.partition(mark)
    # Behind groups of two decimals tell that they are no list of sizes.
    is_grouped = re.fullmatch(GROUPS.format(re.escape(groups)), whole) or (part and _BY_TWOS.fullmatch(whole))
    if groups in whole and not is_grouped:
        raise Unreadable("is not a number")
    if not re.fullmatch(r"\d*", part):
        raise Unreadable("is not a number")
    return f"{whole.replace(groups, '') or '0'}.{part or '0'}"


def currency_of(text: str, *, units: Units | None = None, is_sure: bool = False) -> str | None:
    """The currency that stands in a cell or a header: "1.234,50 €", "Preis (EUR)". A sign that several countries
    share says the one of the house's ``units``, else the usual one, where no code stands beside it, and none if it
    has to be ``is_sure``.
    """
    found = [squeezed(each) for each in _signed().findall(ascii_digits(text.lower()))]

    def meant(sign: str) -> str:
        own = units.named(sign) if units else None
        return (own and own.currency) or signs()[sign]

    if sign := next((each for each in found if each not in SHARED), None):
        return meant(sign)
    shared = meant(found[0]) if found and not is_sure else None
    codes = re.findall(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])", text)
    return next((word for word in codes if word in _CODES), shared)


def day(cell: Cell, *, order: Order | None = None) -> date:
    """Raises Unreadable, also for 03/04/2023 where nothing in the file says which is the day."""
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    text = fold(ascii_digits(cell.strip())) if isinstance(cell, str) else ""
    try:
        found = _DATE.fullmatch(text)
        said = _numeric(found, order=order) if found else _worded(text)
    except (ValueError, OverflowError) as error:
        raise error if isinstance(error, Unreadable) else Unreadable("is no day of the calendar") from None
    if said is None or said.year in _OF_OTHER_CALENDARS:
        raise Unreadable("is not a date: write it as 2024-01-31")
    return said


def figure_in(cell: Cell) -> tuple[Decimal, str] | None:
    """The number of a cell, whatever its decimal mark, and what stands around it; None where it has none."""
    try:
        return number(cell, decimal=".")
    except Unreadable:
        return None


def is_day(cell: Cell) -> bool:
    try:
        day(cell, order="day first")
    except Unreadable:
        return False
    return True


def _worded(text: str) -> date | None:
    """Reads a day whose month has its name, or whose year comes first, with what languages write between figures."""
    parts = _PART_OF_DATE.findall(text) if len(text) <= LONGEST_DATE else []
    figures, words = [each for each in parts if each.isdigit()], [each for each in parts if not each.isdigit()]
    has_year = len(words) == 1 or any(len(each) == 4 for each in figures)
    if not words or len(figures) not in (2, 3) or not has_year:
        return None
    months, between = _words_of_dates()
    named = [months[word] for word in words if word in months]
    others = [word for word in words if word not in months]
    if not between.issuperset(others):
        return None
    if len(figures) == 3:
        is_said = not named and len(figures[0]) == 4 and not any(map(str.isascii, others))
        return date(*map(int, figures)) if is_said else None
    year_first = len(figures[0]) == 4
    day_of_month, year = reversed(figures) if year_first else figures
    if len(named) != 1 or not (len(year) == 4 or _SHORT_YEAR.fullmatch(text)):
        return None
    return date(_year(year), named[0], int(day_of_month))


def _locales() -> list[Locale]:
    """Returns what CLDR has of each language with a code of two letters, wherever it is spoken."""
    return [Locale(each) for each in locale_identifiers() if len(each) == 2]


@cache
def _words_of_dates() -> tuple[Mapping[str, int], frozenset[str]]:
    """Returns months by folded name and abbreviation, and what else stands in dates, in all languages of CLDR; what
    two of them call different months is that of a language with a pack. This takes .4 s.
    """
    own, meant, between = {fold("sept"): 9}, defaultdict[str, set[int]](set), set(_ORDINALS)
    packed = set(languages())
    for locale in sorted(_locales(), key=lambda each: each.language in packed):
        for names in (names for form in ("format", "stand-alone") for names in locale.months[form].values()):
            for month, said in names.items():
                name = fold(said).strip(".")
                between |= set(re.findall(r"[^\W\d]+", name)) if any(map(str.isdigit, name)) else set()
                if len(name) > 2:
                    meant[name].add(month)
                    own |= {name: month} if locale.language in packed else {}
        for each in locale.date_formats.values():
            for quoted, letters in re.findall(r"'([^']+)'|([^\x00-\x7f]+)", each.pattern):
                between |= set(_PART_OF_DATE.findall(fold(quoted or letters)))
    return {name: min(months) for name, months in meant.items() if len(months) == 1} | own, frozenset(between)


def _year(text: str) -> int:
    return int(text) + (0 if len(text) == 4 else 2000 if int(text) < 70 else 1900)


def _numeric(found: re.Match[str], *, order: Order | None) -> date:
    first, second, third = (int(found[name]) for name in ("first", "second", "third"))
    if found["year"]:
        return date(first, second, third)
    if order == "year first" and len(found["third"]) == 2:
        return date(_year(found["first"]), second, third)
    year = _year(found["third"])
    order = _order(found) or (None if order == "year first" else order)
    if order is None and first != second:
        raise Unreadable("may have its day or its month first; set dates in the mapping")
    return date(year, second, first) if order != "month first" else date(year, first, second)


def flag(cell: Cell) -> bool:
    if isinstance(cell, bool):
        return cell
    folded = fold(text_of(cell))
    said = True if folded in YES else False if folded in NO else yes_or_no(folded)
    if said is None:
        raise Unreadable("is neither yes nor no")
    return said


_ON_CARS = {
    **{"A": "AT", "B": "BE", "D": "DE", "E": "ES", "F": "FR", "H": "HU", "I": "IT", "L": "LU", "M": "MT", "N": "NO"},
    **{"P": "PT", "S": "SE", "V": "VA", "FIN": "FI", "FL": "LI", "IRL": "IE", "SLO": "SI"},
}
"""Countries by the letters that cars from there bear, as far as these are no ISO 3166 codes."""


@cache
def _territories() -> dict[str, str]:
    names = dict.fromkeys(("usa", "u.s.a.", "u.s."), "US") | dict.fromkeys(("uk", "great britain", "england"), "GB")
    for language in languages():
        for code, name in Locale(language).territories.items():
            if len(code) == 2 and code.isalpha():
                names.setdefault(fold(str(name)), str(code))
    return names


@cache
def _elsewhere(kind: Literal["territories", "languages"]) -> dict[str, str]:
    """Returns codes by their names in all languages of CLDR, unless a name has two; this takes .6 s."""
    meant = defaultdict[str, set[str]](set)
    for locale in _locales():
        for code, name in getattr(locale, kind).items():
            if len(code) == 2 and code.isalpha():
                meant[fold(str(name))].add(str(code))
    return {name: min(codes) for name, codes in meant.items() if len(codes) == 1}


def country(cell: Cell) -> str:
    """The ISO 3166 code of a country that is written so, as cars bear it, or by name in any language."""
    text = text_of(cell)
    if re.fullmatch("[A-Za-z]{2}", text) and text.upper() in _territories().values():
        return text.upper()
    if code := _territories().get(fold(text)) or _ON_CARS.get(text) or _elsewhere("territories").get(fold(text)):
        return code
    raise Unreadable("is no country's name; write its two letters, such as DE")


def language(cell: Cell) -> str:
    """The ISO 639 code of a language that is written so or by its name in any language."""
    text, folded = text_of(cell), fold(text_of(cell))
    code = re.fullmatch(r"([a-z]{2})(?:[-_][a-z]{2})?", folded)
    return code[1] if code else _elsewhere("languages").get(folded, text)
