"""Numbers as people write them: digits of all scripts, the marks of every country, and all that one may mean."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quarry.text import ascii_digits, readings

_SAME = str.maketrans("\u00a0\u202f\u2007−‑‐’ʼ`．，⁄", " \u2009\u2009---'''.,/")
"""A narrow blank stays apart from an ordinary one: it stands nowhere but between groups of a number."""
_NUMBER = re.compile(
    r"(?<!\w)(?<![^\W\d_]-)(?<!\d[.,/:'])(?:(?<!\d)[+-])?"
    r"(?:(?P<mixed>(?:\d{1,4}[ -])?\d{1,3}/\d{1,2})(?![\d/.,])"
    r"|\d{1,3}(?:[ \u2009]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*)"
)
_FRACTION = re.compile(r"(?:(\d+)[ -])?(\d+)/(2|3|4|8|16|32|64)")
MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class NumberReading:
    """``step`` is one of the last digit that is written: 0.1 of 12.5."""

    value: float
    step: float


@dataclass(frozen=True, slots=True)
class Number:
    start: int
    end: int
    text: str
    readings: tuple[NumberReading, ...]


def normalised(text: str) -> str:
    """The text with ASCII digits, one kind of each mark, and a cross with blanks between factors."""
    digits = ascii_digits(text, point=",").translate(_SAME)
    return re.sub(r"(?<=\d) ?[xX×] ?(?=\d)", " × ", digits)


def numbers(text: str) -> Iterator[Number]:
    """The numbers of a normalised text; dates, versions and other runs of groups are none."""
    for match in _NUMBER.finditer(text):
        if len(match[0]) <= MOST_DIGITS and (found := _readings(match[0].lstrip("+"), mixed=match["mixed"])):
            yield Number(match.start(), match.end(), match[0], found)


def _readings(written: str, *, mixed: str | None) -> tuple[NumberReading, ...]:
    if mixed:
        last, fraction = _plain(mixed.rpartition("/")[2]), _FRACTION.fullmatch(mixed)
        if fraction is None:
            return (last,)
        return NumberReading(int(fraction[1] or 0) + int(fraction[2]) / int(fraction[3]), 1 / int(fraction[3])), last
    sign, bare = ("-", written[1:]) if written.startswith("-") else ("", written)
    # An Indian number has groups of two before the last.
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
