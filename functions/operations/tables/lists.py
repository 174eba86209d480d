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

_COMMA = re.compile(r",\s+|(?<!\d),|,(?!\d)|[，،]")
"""None that is within a figure."""

_DIGIT = r"[\d\u00bc-\u00be\u2150-\u215e]"
"""A digit or a fraction of one letter."""

_BETWEEN = tuple(
    re.compile(rf"(?:{sign})\s*+(?=[-+−]?{_DIGIT})", re.IGNORECASE)
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

_TWICE = re.compile(rf"((?=[^()]*?{_DIGIT})[^()]*+)\(((?=[^()]*?(?<![^\W\d_]){_DIGIT})[^()]*+)\)")
"""Matches figures with others in brackets behind them, but no unit such as m (H2O)."""

MAY_BE_SEVERAL = (
    "may be several values, for its parts stand elsewhere too: if so, write them apart by |, in the file or in the "
    "mapping's values"
)
FEWER_FIGURES = (
    "is read from fewer figures than its column's other cells have: say in the mapping's values which these are"
)
UNLIKE_FIGURES = (
    "is a figure with letters where most cells are bare figures, so who asks for the figure misses it: write all "
    "alike, in the file or in the mapping's values"
)
_FIGURE = re.compile(r"[\d.,]*\d")
_LETTERED = re.compile(rf"{_FIGURE.pattern}\s?[^\W\d_]+\.?")


@dataclass(frozen=True, slots=True)
class ListedTexts:
    """By their keys the values that are declared or stand ``alone`` in a cell, and the parts that ``recur`` in
    different cells: "EU, US" is two where EU is alone somewhere and US stands in other lists too, "100 HP, 1800 RPM"
    is one. ``parts`` are what stands alone or between commas anywhere, ``declared`` what the tenant names;
    ``is_of_figures`` where most cells are bare figures.
    """

    alone: frozenset[str] = frozenset()
    recur: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()
    is_of_figures: bool = False

    @classmethod
    def of(cls, attribute: Attribute, texts: Iterable[str], attributes: Attributes) -> Self:
        cells = [part for text in texts for part in parted(text)]
        said = {key_of(part): part for part in cells}
        parts = Counter(each for part in said.values() for each in {key_of(one) for one in _apart(part)})
        terms = ((term, *values) for (of, term), values in attributes.terms.items() if of == attribute.name)
        declared = frozenset(map(key_of, (*attribute.ordered, *(one for both in terms for one in both))))
        alone = declared | {key for key, part in said.items() if len(_apart(part)) == 1}
        # What begins with a figure belongs to the text that it stands in, unless it stands alone too.
        recur = (part for part, times in parts.items() if times > 1 and not part[:1].isdigit())
        is_of_figures = 2 * sum(1 for part in cells if _FIGURE.fullmatch(part)) > len(cells)
        return cls(alone, frozenset(recur), declared.union(parts), declared, is_of_figures)

    def values(self, text: str) -> list[str]:
        """The values that a text is, itself where its commas belong to it."""
        keys = set(map(key_of, parts := _apart(text)))
        are_known = bool(keys & self.alone) and keys <= self.alone | self.recur
        return parts if are_known and key_of(text) not in self.alone else [text]

    def doubt(self, text: str) -> str | None:
        """Says why a text that stays whole may be meant otherwise: a part is a value by itself, or all parts stand in
        others too; or it is a figure with letters among figures.
        """
        whole = [part for part in parted(text) if self.values(part) == [part]]
        if any(map(self._is_unsure, whole)):
            return MAY_BE_SEVERAL
        return UNLIKE_FIGURES if self.is_of_figures and any(map(_LETTERED.fullmatch, whole)) else None

    def _is_unsure(self, part: str) -> bool:
        keys = set(map(key_of, _apart(part)))
        if len(keys) > 1 and key_of(part) not in self.alone and (keys & self.alone or keys <= self.recur):
            return True
        slashed = [key for key in map(key_of, part.split("/")) if not key[:1].isdigit()]
        return "/" in part and key_of(part) not in self.declared and not self.parts.isdisjoint(slashed)


def _apart(text: str) -> list[str]:
    return [part.strip() for part in _COMMA.split(text) if part.strip()]


def part_of(cell: Cell, place: int, *, counts: bool = False) -> str:
    """Returns the figure at ``place``, from 1; "" where the cell has fewer figures."""
    found = parts_of(cell, counts=counts)
    return found[place - 1] if place <= len(found) else ""


def parts_of(cell: Cell, *, counts: bool = False) -> list[str]:
    """Returns a cell's figures, each with its unit or the next that stands behind it: "850x775x785 mm" begins with
    850 mm. Where it ``counts``, one before "x" has no unit: 4 of "4 x 1.5 mm²". A size in brackets behind a size is
    the same size once more.
    """
    first, again = written_twice(_TIMES.sub("", text_of(cell)).rstrip())
    found = _sizes(first, counts=counts)
    return [*found, *_sizes(again, counts=counts)] if again and len(found) == 1 else found


def usual_count(cells: Iterable[Cell]) -> int:
    """Returns how many figures most of the filled cells have."""
    counts = Counter(len(parts_of(cell)) for cell in cells if text_of(cell))
    return max(counts, key=lambda each: counts[each], default=0)


def written_twice(text: str) -> tuple[str, str]:
    """Splits "60 kW (82 hp)" into the figures and those in brackets; the latter are "" where there are none."""
    found = _TWICE.fullmatch(text)
    return (found[1].strip(), found[2].strip()) if found else (text, "")


def _sizes(text: str, *, counts: bool) -> list[str]:
    signs = _BETWEEN if shipped().named(_unit_behind(text)) else (*_BETWEEN, _LETTER)
    sizes = next((found for sign in signs if len(found := _split_at(text, sign)) > 1), [text])
    units = list(map(_unit_behind, sizes))
    if counts and _BETWEEN[0].search(text):
        return sizes
    return [
        said if unit or not said else f"{said} {next(filter(None, units[at:]), '')}".rstrip()
        for at, (said, unit) in enumerate(zip(sizes, units, strict=True))
    ]


def _unit_behind(text: str) -> str:
    return re.sub(rf"^[-+−–]?(?:[.,'’\s/]|{_DIGIT})*", "", text)


def _split_at(text: str, sign: re.Pattern[str]) -> list[str]:
    """Splits at a separator that is looked for in the folded text, where words have no accents. What the text begins
    with separates nothing.
    """
    folded = fold(text)
    found = [each for each in sign.finditer(folded if len(folded) == len(text) else text) if each.start()]
    starts, ends = [0, *(each.end() for each in found)], [*(each.start() for each in found), len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
