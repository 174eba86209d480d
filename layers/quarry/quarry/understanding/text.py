"""A request as folded text of the same length and as tokens that know where they stand."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

MOST_CHARACTERS = 6_000
WORD = re.compile(r"[^\W_]+")
OUTSIDE_KEYS = re.compile(r"[^a-z0-9]+")
STEM = 5
"""Letters by which two words are taken for forms of one."""
MOST_TOKENS = 400
"""Words and figures of some 2,500 characters; what lies beyond is not read, to keep within 5 ms."""

GASES = frozenset(("co2", "no2", "n2o", "h2s", "h2o", "nh3", "ch4", "so2", "sf6"))
"""Formulae of what is pumped, compressed or blanketed with: each is a word, and its figure neither size nor count."""
TOKEN = re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(GASES))})(?![^\W_])|[^\W\d_]+|(?:(?<![\w.,])\.)?\d+(?:[.,]\d+)*")
SOFT_GAPS = frozenset(("", " ", "-", "+"))

_SIGNS = {
    **dict.fromkeys("‐‑–—−", "-"), **dict.fromkeys("“”″„", '"'), **dict.fromkeys("’‘′", "'"),
    **dict.fromkeys("\u00a0\u202f\u2009\t", " "), **dict.fromkeys("µμ", "u"), **{half: half for half in "½¼¾"},
    "º": "°", "×": "x", "ß": "s", "⁄": "/", "œ": "o", "æ": "a", "ø": "o", "đ": "d", "ł": "l",
}  # fmt: skip


class _Fold(dict[int, str]):
    """Folds one character into exactly one, so that a position means the same in both texts."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        base = unicodedata.normalize("NFKD", sign)[:1] or sign
        folded = base.lower()
        self[code] = folded if len(folded) == 1 else sign
        return self[code]


_FOLD = _Fold({ord(sign): plain for sign, plain in _SIGNS.items()})


def fold(text: str) -> str:
    """Lower-case, without accents, with plain quotes and dashes, and exactly as long as `text`."""
    return text.translate(_FOLD)


def key_of(text: str) -> str:
    """The key that models are compared by: lower-case letters and digits, "$" read as an s."""
    return OUTSIDE_KEYS.sub("", fold(text).replace("$", "s"))


def halves(text: str) -> tuple[str, str]:
    """What a text begins and ends with, one of which every text has that misses it by one slip."""
    half = (len(text) - 1) // 2
    return text[:half], text[-half:]


def one_slip(one: str, other: str) -> bool:
    """True when one letter is wrong, missing or too many, or two neighbours are swapped."""
    if one == other or abs(len(one) - len(other)) > 1:
        return one == other
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, others = one[start:], other[start:]
    if len(rest) == len(others):
        return rest[1:] == others[1:] or (rest[1::-1] == others[:2] and rest[2:] == others[2:])
    return rest[1:] == others or rest == others[1:]


@dataclass(slots=True)
class Token:
    text: str
    start: int
    end: int
    number: bool
    gap: str
    soft: bool
    """True when nothing but blanks, a hyphen or a slash stands between this token and the one before."""


def tokens(folded: str) -> list[Token]:
    found: list[Token] = []
    end = 0
    for match in islice(TOKEN.finditer(folded), MOST_TOKENS):
        start, after = match.span()
        gap, text = folded[end:start], folded[start:after]
        soft = gap in SOFT_GAPS or (len(gap) < 5 and not gap.strip(" -/'.$_") and ". " not in gap)
        found.append(Token(text, start, after, text[0].isdigit() or text[0] == ".", gap, soft and end > 0))
        end = after
    return found


def text_of(row: Mapping[str, object], column: str) -> str:
    """A row's text; empty where the column has none."""
    value = row.get(column)
    return value if isinstance(value, str) else ""
