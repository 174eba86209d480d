"""Points of curves: attributes declared as the value of another one at a condition, such as flow at head 20 m."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from quarry.attributes.model import Attribute, Attributes, Value
from quarry.attributes.units import Unit, convert
from quarry.text import figure_of

HOW = "write the attribute, 'at', the condition, its figure and unit: flow at head 20 m"
_POINT = re.compile(r"(\w++) at (\w++) ([+\-−]?\d[\d.,]*+) ?+(.*)")


class Point(NamedTuple):
    """The attribute ``name`` holds what ``of`` is where ``condition`` equals ``figure``, in the condition's unit. A
    factor has no ``unit``; a value in ``unit`` is converted to ``of_unit``.
    """

    of: str
    condition: str
    is_factor: bool
    figure: float
    name: str
    unit: Unit | None
    of_unit: Unit | None

    def ends(self, value: Value | None) -> tuple[float, float] | None:
        """Returns (low, high) of a row's value at this point, in the unit of ``of``; None without a figure."""
        if value is None or value.low is None or value.high is None:
            return None
        if self.unit is None or self.of_unit is None:
            return value.low, value.high
        low, high = (convert(end, self.unit, self.of_unit) for end in (value.low, value.high))
        return None if low is None or high is None else (low, high)


def point_of(attribute: Attribute, attributes: Attributes) -> Point | str:
    """Parses the point that an attribute declares; a text says why it is none and what to write."""
    said = _POINT.fullmatch(" ".join((attribute.point or "").split()))
    figure = figure_of(said[3]) if said else None
    if said is None or figure is None:
        return f"says no point: {HOW}"
    of, condition = (attributes.by_name.get(said[place]) for place in (1, 2))
    for name, one in ((said[1], of), (said[2], condition)):
        if one is None:
            return f"'{name}' is no attribute of yours: declare it in a row above, or {HOW}"
        if one.kind != "number" or one.point or one.name == attribute.name or of is condition:
            return f"'{name}' is no other number that is itself no point: {HOW}"
    assert of is not None
    assert condition is not None
    if attribute.kind != "number":
        return f"a point is a number, in a unit of {of.name}, or as a factor without one: leave out the kind"
    own, theirs = attributes.unit_of(attribute), attributes.unit_of(of)
    if own and (theirs is None or convert(1, own, theirs) is None):
        return f"{attribute.unit} is no unit of {of.name}, in {of.unit or 'none'}: give it one, or none to a factor"
    unit, at = (attributes.units.named(said[4]), attributes.unit_of(condition)) if said[4] else (None, None)
    there = figure if said[4] in ("", condition.unit) else unit and at and convert(figure, unit, at)
    if there is None:
        return f"'{said[3]} {said[4]}' is no figure of {condition.name}, which is in {condition.unit or 'no unit'}"
    return Point(of.name, condition.name, own is None, there, attribute.name, own, theirs)


@lru_cache(maxsize=16)
def points_of(attributes: Attributes) -> Sequence[Point]:
    """Returns all points, sorted by curve and figure; those that refer to attributes now gone are left out."""
    read = (point_of(one, attributes) for one in attributes.by_name.values() if one.point)
    return sorted((one for one in read if isinstance(one, Point)), key=lambda one: one[:5])


@lru_cache(maxsize=16)
def conditions(attributes: Attributes) -> Mapping[str, frozenset[str]]:
    """Maps each condition to the attributes whose values depend on it."""
    found: dict[str, frozenset[str]] = {}
    for one in points_of(attributes):
        found[one.condition] = found.get(one.condition, frozenset()) | {one.of}
    return found
