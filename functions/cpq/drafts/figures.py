"""The figures of a text: a number with its unit, its currency or the word beside it."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from cpq.drafts.numbers import Number, Reading, normalised, numbers
from quarry.attributes.units import Unit, Units, convert
from quarry.text import fold

_SIGNS = {"€": "EUR", "£": "GBP", "₹": "INR", "₺": "TRY", "₽": "RUB", "₴": "UAH", "₩": "KRW", "₪": "ILS", "₫": "VND"}
"""Signs of one currency alone; $ and ¥ are of many."""
ANY = "?"
"""Money whose currency is not told: a sign of many, or two decimals without a unit."""
_WORD = re.compile(r"[ \u2009-]?([^\W\d_]+)")
_BEFORE = re.compile(r"([^\W\d_]+)[ :]*$")
_CODE = re.compile(r" ?([A-Z]{3})(?![^\W_])")
_CODE_BEFORE = re.compile(r"(?<![^\W_])([A-Z]{3}) ?$")
_JOINED = re.compile(r" *(?:[×*/–—~÷-]|\.{2,3}|…) *| +[^\W\d_]{1,4} +")
_TAIL = 40
_TWO_DECIMALS = re.compile(r"\d[.,٫]\d\d")
SHORT = 2
"""Digits of a size that is round in one system only: 22 kW is sold as 30 hp, 7 bar as 100 psi."""
NOMINAL = 0.02


@dataclass(frozen=True, slots=True)
class Figure:
    """``word`` is what follows where that is no unit, ``before`` what stands before, both folded.

    ``weak``: the unit may be no unit ("5 in the hall") or may belong to the next number alone ("3 mit 100 hp").
    ``factor``: it stands before a cross and may be a count.
    """

    text: str
    readings: tuple[Reading, ...]
    unit: Unit | None = None
    currency: str = ""
    word: str = ""
    before: str = ""
    whole: int | None = None
    weak: bool = False
    factor: bool = False

    def same_money(self, other: "Figure") -> bool:
        return self.currency == other.currency or ANY in (self.currency, other.currency)

    def is_near(self, value: float) -> bool:
        """Whether a value in its own unit, rounded as it is written, is what it says."""
        return any(abs(each.value - value) <= each.step * 0.5 + 1e-6 * abs(value) for each in self.readings)

    def in_unit(self, reading: Reading, unit: Unit) -> float | None:
        return convert(reading.value, self.unit, unit) if self.unit else None

    def says(self, other: "Figure") -> bool:
        """Whether it says what a source's figure of the same dimension says."""
        return any(self._says(each, other.unit) for each in other.readings)

    def _says(self, source: Reading, unit: Unit | None) -> bool:
        if unit is None or self.unit is None or unit == self.unit:
            return self.is_near(source.value)
        value = convert(source.value, unit, self.unit)
        if value is None:
            return False
        if self.is_near(value):
            return True
        for own in self.readings:
            back = convert(own.value, self.unit, unit)
            # A source of few digits is no measure: 1 m is not all from 0.5 to 1.5 m.
            if back is not None and abs(back - source.value) <= min(source.step * 0.5, 0.01 * abs(source.value)):
                return True
            digits = len(f"{abs(own.value):.10g}".replace(".", "").strip("0"))
            if digits <= SHORT and unit.offset == 0 and abs(own.value - value) <= NOMINAL * abs(value):
                return True
        return False


def alike(word: str, other: str) -> bool:
    """Whether two folded words share their stem: what they begin with, but for endings."""
    short, long = sorted((word, other), key=len)
    kept = max(3, len(long) - 3)
    return bool(short) and short[:kept] == long[:kept] and (len(short) >= kept or short == long)


@dataclass(frozen=True)
class Reader:
    """Reads figures with the units and the codes of currencies that there are."""

    units: Units
    currencies: frozenset[str]

    @cached_property
    def _unit_alone(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![^\W_])(?:{self.units.pattern.pattern})")

    def figures(self, text: str, *, head: str = "") -> list[Figure]:
        """Those of a text; of a table's cell also with the unit or currency that its ``head`` names."""
        plain = normalised(text)
        found = list(numbers(plain))
        read: list[Figure] = []
        for number, after in reversed(list(pairwise([*found, None]))):
            figure = self._figure(plain, number) if number else None
            if number is None or figure is None:
                continue
            if after is not None and read and not (figure.unit or figure.currency):
                figure = _shared(figure, read[-1], plain[number.end : after.start])
            if not (figure.unit or figure.currency or figure.word) and head:
                figure = replace(figure, unit=self.unit_in(head), currency=self.currency_in(head))
            if not (figure.unit or figure.currency) and _TWO_DECIMALS.search(number.text[-4:]) and "/" not in number.text:
                figure = replace(figure, currency=ANY)
            read.append(figure)
        return read[::-1]

    def _figure(self, text: str, number: Number) -> Figure | None:
        tail = text[number.end : number.end + _TAIL]
        tail = re.sub(r"^[.,][-–—]{1,2}", "", tail)
        before = _BEFORE.search(text[max(0, number.start - _TAIL) : number.start])
        figure = Figure(
            number.text, number.readings, before=fold(before[1]) if before else "", whole=number.whole,
            currency=self._currency(text[max(0, number.start - 5) : number.start], tail),
        )  # fmt: skip
        if figure.currency:
            return figure
        unit, length = self._unit(tail)
        if unit is not None:
            spelled = tail[:length].strip(" -\u2009")
            weak = len(spelled) <= SHORT and spelled.isalpha() and re.match(r" [^\W\d_]", tail[length:]) is not None
            return replace(figure, text=(number.text + tail[:length]).strip(), unit=unit, weak=weak and tail[0] == " ")
        word = _WORD.match(tail)
        if word is not None and tail[0].isalpha():
            return None  # 30th, 3D: the name of a thing
        return replace(figure, word=fold(word[1]), text=number.text + word[0]) if word else figure

    def _currency(self, before: str, tail: str) -> str:
        codes = (_CODE_BEFORE.search(before), _CODE.match(tail))
        if code := next((each[1] for each in codes if each and each[1] in self.currencies), ""):
            return code
        signs = before.rstrip()[-1:] + tail.lstrip()[:1]
        sign = next((each for each in signs if unicodedata.category(each) == "Sc"), "")
        return _SIGNS.get(sign, ANY) if sign else ""

    def _unit(self, tail: str) -> tuple[Unit | None, int]:
        """The unit at the beginning of what follows a number, and how many characters it takes."""
        blank = 1 if re.match(r"[ \u2009]|-(?=[^\W\d_])", tail) else 0
        folded = fold(tail[blank:])
        match = self.units.pattern.match(folded)
        if match is None:
            return None, 0
        same = len(folded) == len(tail) - blank
        spelled = tail[blank : blank + match.end()] if same else match[0]
        return self.units.named(spelled) or self.units.named(match[0]), blank + match.end()

    def unit_in(self, head: str) -> Unit | None:
        """The unit that the head of a column or the label of a row names: "Capacity (m³/h)", "psi", "Weight, lb"."""
        bracketed = re.findall(r"[(\[]([^()\[\]]{1,20}(?:\([^()]{1,5}\))?)[)\]]", head)
        for part in (*bracketed, head, re.split(r"[,/·:]|\bin\b", head)[-1], *head.split()[-1:]):
            if (unit := self.units.named(part)) is not None:
                return unit
        return None

    def currency_in(self, head: str) -> str:
        codes = [code for code in re.findall(r"(?<![^\W_])[A-Z]{3}(?![^\W_])", head) if code in self.currencies]
        signs = [_SIGNS.get(sign, ANY) for sign in head if unicodedata.category(sign) == "Sc"]
        return next(iter((*codes, *signs)), "")


def _shared(figure: Figure, after: Figure, between: str) -> Figure:
    """The figure with the unit of the next number where both are one range or one product."""
    if not _JOINED.fullmatch(between) or not (after.unit or after.currency):
        return figure
    crossed = between.strip() in ("×", "*")
    return replace(
        figure, unit=after.unit, currency=after.currency, factor=crossed and figure.whole is not None,
        weak=between.strip().isalpha(),
    )  # fmt: skip


def measured(values: Iterable[float], unit: Unit | None) -> list[Figure]:
    """Figures of values that a row holds."""
    found = []
    for value in values:
        text = f"{value:.10g}"
        step = 10.0 ** -len(text.partition(".")[2]) if "e" not in text else 0.0
        told = f"{text} {unit.symbol}" if unit else text
        found.append(Figure(told, (Reading(value, step),), unit=unit, whole=int(value) if value == int(value) else None))
    return found

