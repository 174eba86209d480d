"""Several values in one cell: figures of a size, and texts apart by commas where the column tells that they are."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from operations.tables.cells import Cell, text_of
from quarry.attributes.model import Attribute, Attributes
from quarry.attributes.units import shipped
from quarry.ingestion import parted
from quarry.reading.languages import spelled
from quarry.text import fold, key_of

_COMMA = re.compile(r",\s+|(?<!\d),|,(?!\d)")
"""None that is within a figure."""

_BETWEEN = tuple(
    re.compile(rf"(?:{sign})\s*+(?=[-+−]?\d)", re.IGNORECASE)
    for sign in (
        r"[x×*]",
        r"(?<!\.)\.{2,}+|[^\w\s.,'’+−-]",
        r"(?<=[\w\s])[-–—]",
        rf"\s(?:{spelled('to')})\s",
        r"\s(?=\+)",
    )
)
"""Separators between the figures of a size, the surest first, because 1/2x3/4 has two of them."""

_LETTER = re.compile(r"(?<=[\d\s])[^\W\d_]\s*+(?=\d)")
"""The last of them, for 3 G 1.5: what it parts may be a unit as well, as in 3 m2."""

_TIMES = re.compile(r"(?<=[\d\s])[x×*]\s*+[^\W\d]+$", re.IGNORECASE)
"""Says what a figure is a multiple of, as in 4 x D."""

MAY_BE_SEVERAL = (
    "may be several values, for its parts stand elsewhere too: if so, write them apart by |, in the file or in the "
    "mapping's values"
)


@dataclass(frozen=True, slots=True)
class ListedTexts:
    """By their keys the values that are declared or stand ``alone`` in a cell, and the parts that ``recur`` in
    different cells: "EU, US" is two where EU is alone somewhere and US stands in other lists too, "100 HP, 1800 RPM"
    is one. Behind two values that are known a third may be new.
    """

    alone: frozenset[str] = frozenset()
    recur: frozenset[str] = frozenset()

    @classmethod
    def of(cls, attribute: Attribute, texts: Iterable[str], attributes: Attributes) -> Self:
        said = {key_of(part): part for text in texts for part in parted(text)}
        parts = Counter(each for part in said.values() for each in {key_of(one) for one in _apart(part)})
        terms = ((term, *values) for (of, term), values in attributes.terms.items() if of == attribute.name)
        declared = {key_of(each) for each in (*attribute.ordered, *(one for both in terms for one in both))}
        alone = {key for key, part in said.items() if len(_apart(part)) == 1}
        # What begins with a figure belongs to the text that it stands in, unless it stands alone too.
        recur = (part for part, times in parts.items() if times > 1 and not part[:1].isdigit())
        found = cls(frozenset(alone | declared), frozenset(recur))
        # What a list has is a value in other lists too.
        while (
            more := {key_of(one) for part in said.values() for one in found.values(part)} - found.alone - said.keys()
        ):
            found = cls(found.alone | more, found.recur)
        return found

    def values(self, text: str) -> list[str]:
        """The values that a text is, itself where its commas belong to it."""
        parts = _apart(text)
        keys = set(map(key_of, parts))
        known, rest = keys & self.alone, keys - self.alone - self.recur
        may_have_more = len(known) > 1 and not any(key[:1].isdigit() for key in rest)
        return parts if known and (not rest or may_have_more) and key_of(text) not in self.alone else [text]

    def is_unsure(self, text: str) -> bool:
        """Whether a text stays whole of which a part is a value by itself, or all parts stand in others too."""
        return any(self._is_unsure(part) for part in parted(text) if self.values(part) == [part])

    def _is_unsure(self, part: str) -> bool:
        keys = set(map(key_of, _apart(part)))
        return len(keys) > 1 and key_of(part) not in self.alone and bool(keys & self.alone or keys <= self.recur)


def _apart(text: str) -> list[str]:
    return [part.strip() for part in _COMMA.split(text) if part.strip()]


def part_of(cell: Cell, place: int, *, counts: bool = False) -> str:
    """Returns the figure at ``place``, from 1, with the unit that stands behind the last: 850 mm is the first of
    "850x775x785 mm". Where it ``counts``, one before "x" has no unit: 4 of "4 x 1.5 mm²". Returns "" where the cell
    has fewer figures.
    """
    text = _TIMES.sub("", text_of(cell)).rstrip()
    signs = _BETWEEN if shipped().named(_unit_behind(text)) else (*_BETWEEN, _LETTER)
    sizes = next((found for sign in signs if len(found := _split_at(text, sign)) > 1), [text])
    if place > len(sizes):
        return ""
    unit = "" if counts and _BETWEEN[0].search(text) else _unit_behind(sizes[-1])
    said = sizes[place - 1]
    return said if place == len(sizes) or not said[-1:].isdigit() else f"{said} {unit}".strip()


def _unit_behind(text: str) -> str:
    return re.sub(r"^[-+−–]?[\d.,'’\s]*", "", text)


def _split_at(text: str, sign: re.Pattern[str]) -> list[str]:
    """Splits at a separator that is looked for in the folded text, where words have no accents."""
    folded = fold(text)
    found = list(sign.finditer(folded if len(folded) == len(text) else text))
    starts, ends = [0, *(each.end() for each in found)], [*(each.start() for each in found), len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
