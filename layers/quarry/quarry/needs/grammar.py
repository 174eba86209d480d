"""The grammar of ``is``: ``[>=|<=|>|<|=|~|not] value[..value] [unit]``, alternatives with ``|``."""

import calendar
import math
import re
from collections.abc import Sequence
from datetime import date
from difflib import get_close_matches
from fractions import Fraction

from quarry.attributes.model import Attribute, Attributes, unlabelled
from quarry.attributes.units import convert
from quarry.money import MONEY
from quarry.needs.model import BUILT_IN, DATE, Choice, Need, Operator, Unread
from quarry.reading.languages import marks_decimals_by_point, signed, spelled, yes_or_no
from quarry.text import (
    POINT_OF_FRACTION,
    as_known,
    ascii_digits,
    decimal_fractions,
    figure_of,
    fold,
    key_of,
    readings,
    written_out,
)

GRAMMAR = (
    "[>=|<=|>|<|=|~|not] value[..value] [unit]; alternatives with |, in filters also ?: says nothing of it (5..9 | ?)"
)
_SILENCE = Choice("?")

FIELDS = {"unit_price": "price", "total_price": "total", "quote_date": "date"}
"""Fields of files that tables, needs and filters call otherwise."""

LONGEST_NEED = 500
"""Most characters of what is asked of one attribute."""

_OPERATOR = re.compile(r"\s*(>=|=>|≥|<=|=<|≤|>|<|~|≈|=)?\s*")
_OPERATORS: dict[str | None, Operator] = {
    None: "is", "=": "=", ">=": ">=", "=>": ">=", "≥": ">=", "<=": "<=", "=<": "<=", "≤": "<=", ">": ">", "<": "<",
    "~": "~", "≈": "~",
}  # fmt: skip
_ENDS = r"\.\.\.?|…"
_NOT = re.compile(r"\s*(?:not\b|!=|!|≠)\s*", re.IGNORECASE)
_SPACED = r"\d{1,3}(?: \d{3})++(?:[.,]\d+)?(?!\d)"
_ONE = (
    rf"(?:[+\-−]?\d+(?:\s+|{POINT_OF_FRACTION})\d+/\d+|[+\-−]?\d+/\d+|[+\-−]?{_SPACED}"
    r"|[+\-−]?\.?\d+(?:[.,'’\u00a0\u202f]\d+)*)"
)
_TO = rf"\.\.\.?|…|–|—|〜|(?<=\d)[-~]|(?<=\s)[-~](?=\s)|(?<=\s)(?:{spelled('to')})(?=\s)"
_PARTED = re.compile(rf"({_TO})")
_FIGURES = re.compile(rf"({_ONE})\s*(?:(?:{_TO})\s*({_ONE})\s*)?(.*)", re.DOTALL)
_BETWEEN_FIGURES = re.compile(r"(?<=\s)[^\W\d_]+(?=\s+[+\-−.]?\d)")
_PART_OF_DATE = r"\s?(?:[./-]|[\u3005-\u9fff\uac00-\ud7a3])\s?"
_YEAR_FIRST = re.compile(rf"(\d{{4}}){_PART_OF_DATE}(\d{{1,2}})(?:{_PART_OF_DATE}(\d{{1,2}}))?(?:{_PART_OF_DATE})?")
_CODE, _NO_CURRENCY = re.compile(r"[A-Z]{3}"), "'{}' is no currency that is known"
_SIGNS = {"true": True, "1": True, "y": True, "false": False, "0": False, "n": False}


def read_need(attribute: str, asked: str, *, attributes: Attributes, wish: bool = False) -> Need | Unread:
    """Parses a need as a caller wrote it; Unread, with how to ask, where attribute, unit or figure are not known."""
    known = attribute_of(attribute, attributes)
    if known is None:
        return Unread(attribute, asked, _who_is_meant(attribute, attributes))
    negation = _NOT.match(asked)
    text = asked[negation.end() :] if negation else asked
    if text.strip() == _SILENCE.operator:
        return Need(known, (_SILENCE,), asked.strip(), negated=negation is not None, wish=wish)
    choices, parts = [], [part for part in map(str.strip, text.split("|")) if part]
    silent = _SILENCE.operator in parts
    for part in (one for each in parts for one in _values_between(each, known, attributes) or [each]):
        if part == _SILENCE.operator:
            continue
        inner = _NOT.match(part) if negation else None
        choice = _choice(part[inner.end() :] if inner else part, known, attributes)
        if isinstance(choice, str):
            return Unread(attribute, asked, choice)
        choices.append(choice)
    if not choices:
        return Unread(attribute, asked, f"says nothing; write {GRAMMAR}")
    return Need(known, tuple(choices), asked.strip(), negated=negation is not None, wish=wish, or_silent=silent)


def _values_between(part: str, attribute: Attribute, attributes: Attributes) -> Sequence[str]:
    ends = [_meant(end.strip(), attribute, attributes) for end in re.split(_ENDS, part, maxsplit=1)]
    return attribute.between(*ends) if len(ends) == 2 else ()


def _meant(text: str, attribute: Attribute, attributes: Attributes) -> str:
    """Returns the only figure, yes or no or place in an order that a term stands for; any other text as it is, or the
    value that rows have of the same look.
    """
    meant = attributes.terms.get((attribute.name, key_of(text)), ())
    compares = attribute.kind != "text" or (attribute.ordered and attribute.place_of(text) is None)
    if compares and len(meant) == 1:
        return meant[0]
    listed = attributes.listed.get(attribute.name, frozenset())
    return text if text in listed else as_known(text, (*attribute.ordered, *listed))


def unknown_attribute(name: str, attributes: Attributes) -> Unread | None:
    """Tells why a name means no attribute, with the nearest names; None where it means one."""
    return None if attribute_of(name, attributes) else Unread(name, "", _who_is_meant(name, attributes))


def attribute_of(name: str, attributes: Attributes) -> Attribute | None:
    """Returns the built-in attribute of that name, or the tenant's; None where there is neither."""
    return BUILT_IN.get(name) or attributes.named(name) or BUILT_IN.get(FIELDS.get(name) or key_of(name))


def _who_is_meant(name: str, attributes: Attributes) -> str:
    shared = attributes.by_word.get(key_of(name), ())
    if shared:
        return f"may be {' or '.join(one.name for one in shared)}: name one"
    spelled = {**{word: one[0].name for word, one in attributes.by_word.items()}, **{name: name for name in BUILT_IN}}
    near = dict.fromkeys(spelled[each] for each in get_close_matches(key_of(name), spelled, n=3, cutoff=0.6))
    hint = f"nearest: {', '.join(near)}; " if near else ""
    return f"no such attribute; {hint}list_attributes has all, and attribute description asks the words of the row"


def _choice(part: str, attribute: Attribute, attributes: Attributes) -> Choice | str:
    """Parses one alternative; a text says why it cannot be read."""
    if attribute.kind == "number" and attribute.name != DATE:
        part = signed(_in_digits(_meant(part, attribute, attributes), attributes))
    sign = _OPERATOR.match(part)
    operator = _OPERATORS[sign[1] if sign else None]
    text = part[sign.end() if sign else 0 :].strip()
    if not text:
        return f"has no value after {operator}"
    text = _meant(text, attribute, attributes)
    if attribute.name == DATE:
        return _period(text, operator, days_first=attributes.language not in (None, "en"))
    if attribute.kind == "number":
        return _figures(text, operator, attribute, attributes)
    if attribute.name == "currency":
        code = currency_named(text, attributes) or currency_named(text.upper(), attributes)
        return Choice(operator, value=code) if code else f"{_NO_CURRENCY.format(text)}: write its code, as EUR"
    if attribute.kind == "flag":
        flag = _SIGNS.get(fold(text), yes_or_no(text))
        return f"asks yes or no, not '{text}'" if flag is None else Choice(flag=flag)
    if operator not in ("is", "=", "~") and not attribute.ordered:
        return f"has values without an order: {operator} says nothing of them"
    if operator not in ("is", "=", "~") and attribute.place_of(text) is None:
        return f"has no '{text}' in its order, which is {' | '.join(attribute.ordered)}: ask by one of these"
    return Choice(operator, value=text)


def currency_named(said: str, attributes: Attributes) -> str | None:
    """Returns the code of a currency; one that is written as a code needs no declared unit."""
    unit = attributes.units.named(said)
    return said if _CODE.fullmatch(said) else unit.symbol if unit and unit.is_currency else None


def _period(text: str, operator: Operator, *, days_first: bool) -> Choice | str:
    """Parses days into figures such as 20240131; a year or a month stands for all its days. Houses that write English
    may put the month first, all others the day.
    """
    said = [_as_iso(each.strip(), days_first=days_first) for each in re.split(_ENDS, text, maxsplit=1)]
    if unsure := next((each for each in said if len(each) > 1), None):
        return f"may be {' or '.join(unsure)}: write which, not '{text}'"
    ends = [_days(one) for [one] in said]
    if any(each is None for each in ends):
        return f"is no day: write 2024-01-31, 2024-01 or 2024, not '{text}'"
    days = [each for each in ends if each is not None]
    low, high = days[0][0], days[-1][1]
    if operator in (">=", "<"):
        return Choice(operator, low, low)
    if operator in ("<=", ">"):
        return Choice(operator, high, high)
    return Choice("is", low, high)


def _as_iso(text: str, *, days_first: bool) -> Sequence[str]:
    """Returns the day that 31/12/2024, 31.12.2024 or 2024/12/31 is as 2024-12-31, both days that it may be, or any
    other text.
    """
    text = ascii_digits(text)
    if found := _YEAR_FIRST.fullmatch(text):
        return ["-".join(filter(None, found.groups()))]
    found = re.fullmatch(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})", text)
    if found is None:
        return [text]
    first, second, year = int(found[1]), int(found[3]), found[4]
    by_day, by_month = f"{year}-{second:02}-{first:02}", f"{year}-{first:02}-{second:02}"
    if days_first or found[2] == "." or first > 12 or first == second:
        return [by_day]
    return [by_month] if second > 12 else [by_month, by_day]


def _days(text: str) -> tuple[float, float] | None:
    """Returns the first and the last day of a year, a month or a day, as figures."""
    found = re.fullmatch(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", text.strip())
    if found is None:
        return None
    year, month, day = (int(each) if each else None for each in found.groups())
    try:
        first = date(year or 0, month or 1, day or 1)
        last_month = month or 12
        last = date(first.year, last_month, day or calendar.monthrange(first.year, last_month)[1])
    except ValueError:
        return None
    return figure_of_day(first), figure_of_day(last)


def figure_of_day(day: date) -> float:
    return float(day.year * 10_000 + day.month * 100 + day.day)


def _in_digits(text: str, attributes: Attributes) -> str:
    """Writes what counts thousands in digits, unless it begins the name of a unit, as in 千瓦时."""
    plain = ascii_digits(text)
    named = attributes.units.named(re.sub(r"^[^\w]*[\d.,]*\s*", "", plain))
    return plain if named else written_out(plain)


def _figures(text: str, operator: Operator, attribute: Attribute, attributes: Attributes) -> Choice | str:
    plain = _BETWEEN_FIGURES.sub(lambda word: fold(word[0]), _in_digits(text, attributes))
    plain = "".join(unlabelled(each, attribute) for each in _PARTED.split(plain))
    found = _FIGURES.fullmatch(decimal_fractions(plain))
    written = [each for each in found.groups()[:2] if each] if found else []
    figures = [number_of(each) for each in written]
    if found is None or None in figures:
        return f"is a figure{f' in {attribute.unit}' if attribute.unit else ''}, not '{text}'; write {GRAMMAR}"
    for each in () if marks_decimals_by_point(attributes.language) else written:
        if len(meant := sorted(readings(each), key=abs)) > 1:
            return f"may be {meant[0]:g} or {meant[1]:g}: write {meant[1]:.0f} or {meant[0]:.4f}, not '{each}'"
    ends = sorted(each for each in figures if each is not None)
    choice = Choice(operator, ends[0], ends[-1])
    return _in_its_unit(choice, found[3].strip(), attribute, attributes)


def _in_its_unit(choice: Choice, said: str, attribute: Attribute, attributes: Attributes) -> Choice | str:
    own, also = attributes.unit_of(attribute), attributes.also_of(attribute)
    unit = attributes.units.named(said, measuring=own)
    if not said or fold(said) == fold(attribute.unit or "") or (unit is None and attribute.is_called(said)):
        return choice
    if unit is None and attribute.name in MONEY:
        return f"{_NO_CURRENCY.format(said)}: write its code behind the amount, as 500 EUR"
    if own is None or unit is None:
        what = f"is in {attribute.unit}" if attribute.unit else "has no unit"
        return f"{what}: '{said}' is no unit that is known" if unit is None else f"{what}, not {said}"
    for wanted in filter(None, (own, also)):
        low, high = (convert(end, unit, wanted) for end in choice.ends)
        if low is not None and high is not None:
            turned = low > high or (unit.reference == "vacuum") != (wanted.reference == "vacuum")
            operator = _TURNED.get(choice.operator, choice.operator) if turned else choice.operator
            # Plain "bar" is the unit of a gauge attribute, too, and 25 MPa are 250 bar: what is round in one of them
            # is so in the other. A factor that is no power of ten, or an offset, ends in uneven figures.
            tens = math.log10(abs(unit.factor / wanted.factor))
            off = unit.offset != wanted.offset or not math.isclose(tens, round(tens), abs_tol=1e-9)
            left = wanted.reference == "vacuum" and not unit.reference and min(choice.ends) >= 0
            # Cells are stored with six digits, too.
            low, high = (float(f"{end:.6g}") for end in sorted((low, high)))
            return choice._replace(operator=operator, low=low, high=high, converted=off, absolute=left)
    if own.dimension == unit.dimension:
        return f"is in {attribute.unit}; {said} of it depends on a pressure: work it out and ask in {attribute.unit}"
    return f"is in {attribute.unit}, and {said} measures {unit.dimension}"


_TURNED: dict[Operator, Operator] = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
"""Reversed operators, for units that count the other way: less pressure left is more vacuum."""


def number_of(text: str) -> float | None:
    """Parses a figure, a fraction or both: "7,5", ".5", "1/2", "1 1/2", "1.1/2"; None for anything else."""
    plain = re.sub(r"^([+-]?)\.", r"\g<1>0.", text.replace("−", "-").strip())
    plain = re.sub(rf"(?<=\d){POINT_OF_FRACTION}", " ", plain)
    whole, _, part = plain.rpartition(" ")
    if "/" not in part:
        return figure_of(plain)
    try:
        amount = float(Fraction(part.lstrip("+")))
    except (ValueError, ZeroDivisionError):
        return None
    base = figure_of(whole) if whole.strip() else 0.0
    return None if base is None else base + (-amount if base < 0 else amount)
