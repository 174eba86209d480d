"""Reads the figures of a text: numbers with their units or currencies."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from quarry.attributes.units import NOMINAL, Unit, Units, convert, printed
from quarry.text import (
    DENOMINATORS,
    PARTS_OF_ONE,
    POINT_OF_FRACTION,
    POWER,
    ascii_digits,
    decimal_power,
    fold,
    readings,
)

_SAME = str.maketrans("\u00a0\u202f\u2007−‑‐’ʼ`．，⁄", " \u2009\u2009---'''.,/")
"""A narrow blank differs from an ordinary one, because it stands only between groups of a number."""
_NUMBER = re.compile(
    r"(?<!\w)(?<![^\W\d_]-)(?<!\d[.,/:'])(?:(?<!\d)[+-])?"
    rf"(?:(?P<mixed>(?:\d{{1,4}}(?:[ -]|{POINT_OF_FRACTION}))?\d{{1,3}}/\d{{1,2}})(?![\d/.,])"
    r"|\d{1,3}(?:[ \u2009]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*)"
)
_FRACTION = re.compile(rf"(?:(\d+)[ .-])?(\d+)/({DENOMINATORS})")
MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class NumberReading:
    """One way to read a number; ``step`` is a unit of the last digit that is written: 0.1 for 12.5."""

    value: float
    step: float


def normalised(text: str) -> str:
    """Returns the text with ASCII digits, one kind of each mark, and a cross with blanks between factors."""
    digits = ascii_digits(text, point=",").translate(_SAME)
    return re.sub(r"(?<=\d) ?[xX×] ?(?=\d)", " × ", digits)


def numbers(text: str) -> Iterator[tuple[re.Match[str], tuple[NumberReading, ...]]]:
    """Yields the numbers of a normalised text; dates, versions and other runs of groups are none."""
    for match in _NUMBER.finditer(text):
        if len(match[0]) <= MOST_DIGITS and (found := _readings(match[0].lstrip("+"), mixed=match["mixed"])):
            yield match, found


def _readings(written: str, *, mixed: str | None) -> tuple[NumberReading, ...]:
    if mixed:
        fraction = _FRACTION.fullmatch(mixed)
        if fraction is None:
            under = mixed.rpartition("/")[2]
            is_part = re.fullmatch(f"1/(?:{PARTS_OF_ONE})", mixed)
            return (*([NumberReading(1 / int(under), 1 / int(under))] if is_part else ()), _plain(under))
        part = NumberReading(int(fraction[2]) / int(fraction[3]), 1 / int(fraction[3]))
        return (replace(part, value=int(fraction[1] or 0) + part.value),)
    sign, bare = ("-", written[1:]) if written.startswith("-") else ("", written)
    # In Indian notation the groups before the last one have two digits.
    plain = re.sub(r"(?<=\d),(?=\d\d,)", "", bare)
    digits, decimals = float(re.sub(r"\D", "", bare)), 10.0 ** -len(re.split(r"\D", bare)[-1])
    found = [NumberReading(value, 1.0 if value == digits else decimals) for value in readings(plain)]
    if re.fullmatch(r"\d+ \d+", bare):  # "line 30 125 psi" has two numbers
        found.append(_plain(bare.partition(" ")[2]))
    if sign:  # a hyphen before a number may be a dash
        found = [NumberReading(one * each.value, each.step) for one in (-1, 1) for each in found]
    return tuple(found)


def _plain(digits: str) -> NumberReading:
    return NumberReading(float(digits), 1.0)


ANY = "?"
"""The currency of money that does not say it: a sign of several, or two decimals without a unit."""
_SIGNS = {"€": "EUR", "£": "GBP", "₹": "INR", "₺": "TRY", "₽": "RUB", "₴": "UAH", "₩": "KRW", "₪": "ILS", "₫": "VND"}
"""Signs that stand for one currency; $ and ¥ stand for several."""
_SIGN, _CODE = r"[$¢£¤¥฿₠-⃏]", r"(?<![^\W_])[A-Z]{3}"
_MONEY_BEFORE, _MONEY_BEHIND = re.compile(rf"({_CODE}|{_SIGN}) ?$"), re.compile(rf" ?([A-Z]{{3}}(?![^\W_])|{_SIGN})")
_MONEY = re.compile(rf"{_CODE}(?![^\W_])|{_SIGN}")
_JOINED = re.compile(r" *(?:[×*/–—~÷-]|\.{2,3}|…) *| +[^\W\d_]{1,4} +")
_DASHES = ("-", "–", "—", "..", "...", "…")
_WORD = re.compile(r"[ \u2009-]?[^\W\d_]")
_IN_PROSE = re.compile(r"(?<=[^\W\d_] )[^\W\d_]{1,2}(?= [^\W\d_])")
_TO_A_NUMBER = re.compile(r" [a-zà-ÿ]{1,2} \d")
"""A word like "at" in "129 at 60 Hz"."""
_TO_MONEY = re.compile(rf" [a-zà-ÿ]{{1,2}} (?:{_CODE}|{_SIGN}) ?\d")
"""A word like "at" in "3 at $ 40", where it is no unit's symbol: 20 m EUR 400."""
_WITH_CENTS = re.compile(r"(?<!\d)0*+[1-9]\d*+[.,]\d\d$")
_TAIL = 40
ROUNDED = 0.04
"""By which share at most a whole figure is rounded: 30 days are no 4 weeks."""
PIECES = "pieces"
"""The dimension of counts, which say nothing of the thing itself."""


def is_time(unit: Unit | None) -> bool:
    return unit is not None and unit.dimension == "time"


def currency_unit(code: str) -> Unit:
    """Returns a currency as the unit of its amounts, which is also that of the table of units."""
    return Unit(code, f"amount in {code}", 1)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit, which is a currency where it is money.

    ``weak``: the unit may be no unit ("5 in the hall") or may belong to the next number alone ("3 mit 100 hp").
    ``factor``: it stands before a cross and may be a count. ``upto`` ends a range of time that begins with it.
    """

    text: str
    readings: tuple[NumberReading, ...]
    unit: Unit | None = None
    weak: bool = False
    factor: bool = False
    upto: float | None = None

    @property
    def currency(self) -> str:
        return self.unit.symbol if self.unit and self.unit.is_currency else ""

    @property
    def names_currency(self) -> bool:
        """Whether a code or sign makes it money, and not its two decimals."""
        return bool(self.currency and re.search(r"[^\d.,' -]", self.text))

    @property
    def count(self) -> int:
        """The whole number without a unit that is written, else 0."""
        return int(self.text) if self.text.isdecimal() else 0

    def measures(self, other: "Figure") -> bool:
        """Whether both are money of one currency, figures of which one converts into the other, or neither."""
        if self.unit is None or other.unit is None:
            return self.unit is other.unit
        if ANY in (self.currency, other.currency):
            return bool(self.currency and other.currency)
        return convert(1.0, other.unit, self.unit) is not None

    def is_near(self, other: "Figure") -> bool:
        """Whether the other's number, rounded as this one is written, is the same, whatever the units."""
        return any(abs(each.value - told.value) <= each.step * 0.5 + 1e-6 * abs(told.value)
                   for each in self.readings for told in other.readings)  # fmt: skip

    def is_worked_out(self, value: float) -> bool:
        """Whether a converted or computed value, rounded as this figure is written, is the same."""
        return any(
            abs(each.value - value)
            <= min(each.step * 0.5, ROUNDED * abs(value) if each.step >= 1 else 1) + 1e-6 * abs(value)
            for each in self.readings
        )

    def values_of(self, other: "Figure") -> list[float]:
        """Returns the other figure's values in this one's unit."""
        if self.unit is None or other.unit is None or self.unit == other.unit or self.currency:
            return [each.value for each in other.readings]
        made = (convert(each.value, other.unit, self.unit) for each in other.readings)
        return [value for value in made if value is not None]

    def says(self, other: "Figure") -> bool:
        """Whether it says what a source's figure of the same kind says, in any unit or within its range of time."""
        if other.upto is not None and self._is_within(other):
            return True
        if self.unit is None or other.unit is None or self.unit == other.unit or self.currency:
            return self.is_near(other)
        return any(self._is_converted(source, other.unit, self.unit) for source in other.readings)

    def _is_converted(self, source: NumberReading, unit: Unit, wanted: Unit) -> bool:
        """Whether it is a figure of another unit, rounded as either is written, or to a size that is sold."""
        value = convert(source.value, unit, wanted)
        if value is None:
            return False
        if self.is_worked_out(value) or printed(source.value, unit, wanted) in [own.value for own in self.readings]:
            return True
        for own in self.readings:
            back = convert(own.value, wanted, unit) or 0.0
            is_size = own.step >= 1 and len(f"{abs(own.value):.10g}".rstrip("0")) <= 2
            most = 0.5 * own.step if unit.offset else NOMINAL * abs(value) if is_size else 0.0
            least = min(0.5 * source.step, NOMINAL * abs(source.value))
            if abs(own.value - value) <= most or abs(back - source.value) <= least:
                return True
        return False

    def _is_within(self, other: "Figure") -> bool:
        ends = replace(other, readings=(*other.readings, NumberReading(other.upto or 0.0, 1.0)), upto=None)
        values = self.values_of(ends)
        return any(min(values) - 1e-6 <= each.value <= max(values) + 1e-6 for each in self.readings if values)


@dataclass(frozen=True)
class Reader:
    """Reads figures with the units and currency codes that there are; ``prose`` is the letter that they stand in."""

    units: Units
    currencies: frozenset[str]
    prose: str = ""

    @cached_property
    def _short_words(self) -> frozenset[str]:
        """Words of one or two letters between others in the letter; a unit spelled like one may be a word."""
        return frozenset(_IN_PROSE.findall(self.prose))

    def figures(self, text: str, *, head: str = "") -> list[Figure]:
        """Returns the figures of a text; in a cell of a table they may have the unit of its ``head``."""
        plain = normalised(POWER.sub(self._decimal, text))
        read: list[Figure] = []
        behind = len(plain)
        for match, found in reversed(list(numbers(plain))):
            figure, between = self._figure(plain, match, found), plain[match.end() : behind]
            behind = match.start()
            if figure is None:
                continue
            if read and not figure.unit and _JOINED.fullmatch(between):
                # In a range or a product the last number has the unit of all.
                last, sign = read[-1], between.strip()
                figure = replace(figure, unit=last.unit, weak=sign.isalpha())
                if sign in ("×", "*") and figure.count and last.unit:
                    figure = replace(figure, factor=True)
                elif is_time(last.unit) and sign in _DASHES:
                    figure = replace(figure, upto=last.readings[0].value)
            if not figure.unit and head and not _WORD.match(plain, match.end()):
                figure = replace(figure, unit=self._unit_in(head))
            if not figure.unit and _WITH_CENTS.search(match[0]):
                figure = replace(figure, unit=currency_unit(ANY))
            read.append(figure)
        return read[::-1]

    def _decimal(self, power: re.Match[str]) -> str:
        """Writes a figure in scientific notation as a decimal one unless it may be a name: no unit follows."""
        behind = fold(power.string[power.end() : power.end() + _TAIL].lstrip())
        is_name = power["plain"] and power[0] != power.string.strip() and not self.units.pattern.match(behind)
        return power[0] if is_name else decimal_power(power)

    def _figure(self, text: str, number: re.Match[str], found: tuple[NumberReading, ...]) -> Figure | None:
        tail = re.sub(r"^[.,][-–—]{1,2}", "", text[number.end() : number.end() + _TAIL])
        before = _MONEY_BEFORE.search(text, max(0, number.start() - _TAIL), number.start())
        if before and (unit := self._money(before[1])):
            return Figure(before[0].lstrip() + number[0], found, unit)
        behind = _MONEY_BEHIND.match(tail)
        if behind and (unit := self._money(behind[1])):
            return Figure(number[0] + behind[0], found, unit)
        blank = 1 if re.match(r"[ \u2009]|-(?=[^\W\d_])", tail) else 0
        folded = fold(tail[blank:])
        if spelled := self.units.pattern.match(folded):
            same = tail[blank : blank + spelled.end()] if len(folded) == len(tail) - blank else spelled[0]
            unit = self.units.named(same) or self.units.named(spelled[0])
            if unit is not None and unit.dimension != PIECES:
                to_money = same != unit.symbol and _TO_MONEY.match(tail)
                weak = blank == 1 and (same in self._short_words or bool(_TO_A_NUMBER.match(tail) or to_money))
                return Figure(number[0] + tail[:blank] + same, found, unit, weak=weak)
        # 30th, 3D: the name of a thing
        return None if tail[:1].isalpha() else Figure(number[0], found)

    def _unit_in(self, head: str) -> Unit | None:
        """Finds the unit in the head of a column or label of a row: "Capacity (m³/h)", "psi", "Weight, lb", "EUR"."""
        named = list[Unit | None]()
        for label in head.split(" | "):  # a row may be called A, which is no ampere beside a head with EUR
            parts = re.findall(r"[(\[]([^()\[\]]{1,20}(?:\([^()]{1,5}\))?)[)\]]", label)
            parts += [label, re.split(r"[,/·: ]", label)[-1]]
            named += [self._money(part) or self.units.named(part) for part in parts]
            named += map(self._money, _MONEY.findall(label))
        return next(filter(None, named), None)

    def _money(self, text: str) -> Unit | None:
        """Returns the currency of a code or of a sign."""
        code = _SIGNS.get(text, ANY) if re.fullmatch(_SIGN, text) else text
        return currency_unit(code) if code == ANY or code in self.currencies else None
