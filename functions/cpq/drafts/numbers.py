"""Numbers as people write them: digits of all scripts, the marks of every country, and all that one may mean."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_SAME = str.maketrans(
    {"\u00a0": " ", "\u202f": "\u2009", "\u2007": "\u2009", "−": "-", "‑": "-", "‐": "-", "’": "'", "ʼ": "'", "`": "'",
     "٬": "'", "．": ".", "，": ",", "⁄": "/"}
)  # fmt: skip
"""A narrow or thin blank is kept apart from an ordinary one: it stands nowhere but between groups of a number."""
_TIMES = re.compile(r"(?<=\d) ?[xX×] ?(?=\d)")
_NUMBER = re.compile(
    r"(?<!\w)(?<![^\W\d_]-)(?<!\d[.,/:'])(?:(?<!\d)[+-])?"
    r"(?:(?P<mixed>(?:\d{1,4}[ -])?\d{1,3}/\d{1,2})(?![\d/.,])"
    r"|\d{1,3}(?:[ \u2009]\d{3})+(?!\d)(?:[.,٫]\d+)?|\d+(?:[.,'٫]\d+)*)"
)
_FRACTION = re.compile(r"(?:(\d+)[ -])?(\d+)/(2|3|4|8|16|32|64)")
MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Reading:
    """``step`` is one of the last digit that is written: 0.1 of 12.5."""

    value: float
    step: float


@dataclass(frozen=True, slots=True)
class Number:
    start: int
    end: int
    text: str
    readings: tuple[Reading, ...]

    @property
    def whole(self) -> int | None:
        """Its value where it is written as nothing but digits."""
        return int(self.text) if self.text.isdecimal() else None


def normalised(text: str) -> str:
    """The text with ASCII digits, one kind of each mark, and a cross with blanks between factors."""
    digits = text.translate(_SAME)
    if not digits.isascii():
        digits = "".join(str(unicodedata.decimal(each, each)) for each in digits)
    return _TIMES.sub(" × ", digits)


def numbers(text: str) -> Iterator[Number]:
    """The numbers of a normalised text; dates, versions and other runs of groups are none."""
    for match in _NUMBER.finditer(text):
        if len(match[0]) <= MOST_DIGITS and (found := _readings(match[0].lstrip("+"), mixed=match["mixed"])):
            yield Number(match.start(), match.end(), match[0], found)


def _readings(written: str, *, mixed: str | None) -> tuple[Reading, ...]:
    if mixed:
        last = _plain(mixed.rpartition("/")[2])
        fraction = _FRACTION.fullmatch(mixed)
        if fraction is None:
            return (last,)
        value = int(fraction[1] or 0) + int(fraction[2]) / int(fraction[3])
        return (Reading(value, 1 / int(fraction[3])), last)
    sign, bare = ("-", written[1:]) if written.startswith("-") else ("", written)
    parts = re.split(r"[.,'٫ \u2009]", bare)
    marks = re.findall(r"[.,'٫ \u2009]", bare)
    grouped = all(len(part) == 3 for part in parts[1:]) and len(parts[0]) <= 3 and not parts[0].startswith("0")
    indian = len(parts[-1]) == 3 and all(len(part) == 2 for part in parts[1:-1]) and len(parts[0]) <= 2
    whole = _plain(sign + "".join(parts))
    if not marks:
        found = [whole]
    elif len(set(marks)) == 1 and marks[0] in "'\u2009":
        found = [whole] if grouped else []
    elif len(set(marks)) == 1 and marks[0] == " ":
        found = [whole, _plain(parts[-1])]  # "line 30 125 psi" has two numbers
    elif len(marks) == 1:
        decimal = _plain(f"{sign}{parts[0]}.{parts[1]}")
        found = [decimal, whole] if grouped and marks[0] != "٫" else [decimal]
    elif len(set(marks)) == 1:
        found = [whole] if grouped or indian else []
    elif marks.count(marks[-1]) == 1 and marks[-1] in ".,٫" and len(set(marks)) == 2:
        found = [_plain(f"{sign}{''.join(parts[:-1])}.{parts[-1]}")]
    else:
        found = []
    if sign:  # a hyphen before a number may be a dash
        found += [Reading(-each.value, each.step) for each in found]
    return tuple(found)


def _plain(digits: str) -> Reading:
    return Reading(float(digits), 10.0 ** -len(digits.partition(".")[2]))
