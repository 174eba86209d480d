"""Attributes of a tenant's own families: their names, their units, and the needs that figures of them become."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from quarry.understanding.marks import Mark
from quarry.understanding.needs import Need, Operator
from quarry.understanding.text import fold, tokens
from quarry.understanding.units import PSI_PER_BAR, SIGN, UNITS, Unit, fahrenheit, figure

MORE_UNITS = (Unit("gpm", "cfm", r"(?:us\s?)?gpm|gal(?:lons?)?\s?(?:per|/)\s?min(?:ute)?", 0.133681),)
"""What the trade's requests never measure in, and a tenant's goods may."""


@dataclass(frozen=True, slots=True)
class OwnAttribute:
    """``bound`` is what a figure without one asks for; ``values`` are those that goods have of a text."""

    name: str
    unit: str | None
    numeric: bool
    families: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    bound: Operator = "exactly"
    filterable: bool = True
    values: tuple[str, ...] = ()

    @property
    def labels(self) -> frozenset[tuple[str, ...]]:
        """What it is called, as tokens."""
        said = (self.name.replace("_", " "), *self.words)
        return frozenset(label for text in said if (label := tokens_of(text)))

    def needs(self, group: Sequence[Mark], *, text: str, negated: bool) -> list[Need]:
        """One need for each figure, in the attribute's unit."""
        found: list[Need] = []
        for mark in group:
            operator = mark.operator
            if negated and operator not in ("at_least", "at_most"):
                continue
            if negated:
                operator = "at_most" if operator == "at_least" else "at_least"
            ends = (mark.low if operator != "at_most" else None, mark.high if operator != "at_least" else None)
            shown = "–".join(figure_of(value) for value in dict.fromkeys(ends) if value is not None)
            spoken = f"{self.name.replace('_', ' ')} {SIGN.get(operator, '')}{shown} {self.unit or ''}".rstrip()
            found.append(Need(self.name, operator, *ends, words=text[mark.start : mark.end], hard=True, shown=spoken,
                              start=mark.start, unit=self.unit or ""))  # fmt: skip
        return found


def figure_of(value: float) -> str:
    return f"{value:g}" if abs(value) < 1e6 and value == round(value, 3) else figure(value)


def tokens_of(text: str) -> tuple[str, ...]:
    return tuple(token.text for token in tokens(fold(text)))


# Units


@cache
def unit_of(text: str) -> Unit | None:
    """The unit that a text is, whole; None for one that converts into no other."""
    folded = fold(text).strip(" []()").replace("³", "3").replace("²", "2")
    return next((unit for unit in (*MORE_UNITS, *UNITS) if re.fullmatch(unit.pattern, folded)), None)


def _measure(unit: Unit) -> str:
    """What it measures; "" where that is not told."""
    kind = unit.attribute.rstrip("?")
    return {"mbar": "pressure", "temperature_c": "temperature"}.get(kind, kind)


def converted(value: float, *, said: str, declared: str) -> float | None:
    """The value in the declared unit; None where the one that is said measures something else."""
    if fold(said).strip() == fold(declared).strip():
        return value
    one, other = unit_of(said), unit_of(declared)
    if one is None or other is None or not _measure(one) or _measure(one) != _measure(other):
        return None
    if _measure(one) == "temperature":
        base = fahrenheit(value) if one.attribute.startswith("temperature_c") else value
        found = (base - 32) * 5 / 9 if other.attribute.startswith("temperature_c") else base
    else:
        found = value * _factor(one) / _factor(other)
    return float(f"{found:.5g}")


def _factor(unit: Unit) -> float:
    return PSI_PER_BAR / 1000 if unit.attribute == "mbar" else unit.factor


@cache
def behind_figures(declared: str) -> re.Pattern[str]:
    """What may stand behind a figure of an attribute with this unit."""
    own = unit_of(declared)
    alike = [unit for unit in (*MORE_UNITS, *UNITS) if own and _measure(own) and _measure(unit) == _measure(own)]
    patterns = [re.escape(fold(declared)), *(unit.pattern for unit in alike)]
    return re.compile(r"\s?-?\s?((?:" + "|".join(f"(?:{each})" for each in patterns) + r"))(?![a-z0-9])")


class AttributeLabels:
    """The names of a tenant's attributes, found in the tokens of a text."""

    def __init__(self, attributes: Iterable[OwnAttribute]) -> None:
        self.attributes = {attribute.name: attribute for attribute in attributes}
        self._by_first: dict[str, list[tuple[tuple[str, ...], OwnAttribute]]] = {}
        for attribute in self.attributes.values():
            for label in attribute.labels:
                self._by_first.setdefault(label[0], []).append((label, attribute))
        for labels in self._by_first.values():
            labels.sort(key=lambda pair: -len(pair[0]))

    def at(self, texts: Sequence[str], place: int) -> tuple[OwnAttribute, int] | None:
        """The attribute whose name begins at a token, and where the name ends."""
        for label, attribute in self._by_first.get(texts[place], ()):
            if tuple(texts[place : place + len(label)]) == label:
                return attribute, place + len(label)
        return None


def unmistakable(attributes: Iterable[OwnAttribute]) -> Iterator[tuple[str, str]]:
    """(value, attribute) of each text value that only one attribute has: it needs no name beside it."""
    holders: dict[str, list[tuple[str, str]]] = {}
    for attribute in attributes:
        for value in attribute.values:
            if any(not token.isdigit() for token in tokens_of(value)):
                holders.setdefault(fold(value), []).append((value, attribute.name))
    for held in holders.values():
        if len({name for _, name in held}) == 1:
            yield held[0]
