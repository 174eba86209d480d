"""Values of a row as it is set up: at the conditions of the job, and of several machines with some of them out."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from quarry.attributes.model import Attribute, Attributes, Value
from quarry.attributes.points import Point, conditions, points_of
from quarry.needs.judge import ROUNDING, TINY
from quarry.needs.model import Choice, Need


class ConditionRange(NamedTuple):
    """The range of a condition that is asked for, in its unit; points of a row may miss its ends by ``slack``."""

    low: float
    high: float
    slack: float


class AskedConditions(NamedTuple):
    """The conditions asked for, with their ranges; ``names`` are all attributes asked for, ``judged`` the conditions
    and the attributes that depend on them, ``curves`` the points of each curve along them.
    """

    conditions: Mapping[str, ConditionRange]
    names: frozenset[str]
    judged: frozenset[str]
    curves: Sequence[Sequence[Point]]


@lru_cache(maxsize=1024)
def asked_at(needs: tuple[Need, ...], attributes: Attributes) -> AskedConditions | None:
    """Returns the conditions asked for, or None; a bound asks for its figure, several figures for all between."""
    spans, names = {}, frozenset(need.name for need in needs)
    for name in filter(names.__contains__, conditions(attributes)):
        own = [one for need in needs if need.name == name and not need.negated for one in need.choices]
        ends = [end for one in own for end in (one.low, one.high) if end is not None]
        if ends:
            # A converted figure may be rounded: 49 °C, given for 120 °F, has to meet the point at 120 °F.
            share = ROUNDING if any(one.converted for one in own) else 0
            spans[name] = ConditionRange(min(ends), max(ends), max(TINY, share * max(map(abs, ends))))
    judged = frozenset(spans).union(*(conditions(attributes)[name] for name in spans))
    along = (one for one in points_of(attributes) if one.condition in spans)
    curves = [tuple(points) for _, points in groupby(along, lambda one: one[:3])]
    return AskedConditions(spans, names, judged, curves) if spans else None


def nearest_point(need: Need, asked: AskedConditions, attributes: Attributes) -> Need | None:
    """Returns a need for the nearest point, by which SQL may order rows in place of one that is judged at conditions
    or asks for one. Returns None for any other need, by which SQL may also choose rows.
    """
    if need.name not in asked.judged:
        return None
    points = [one for curve in asked.curves for one in curve if need.name in (one.of, one.condition)]
    near = min(points, key=lambda one: (one.is_factor, abs(one.figure - asked.conditions[one.condition].high)))
    if need.name == near.condition:
        return Need(attributes.by_name[near.name], (Choice("?"),), "?", negated=True, wish=need.wish)
    is_value = near.unit and near.of_unit and near.unit.factor == near.of_unit.factor
    return need._replace(attribute=attributes.by_name[near.name]) if is_value else need


class Curve(NamedTuple):
    """A row's values of ``of`` along a condition: (figure, lower end, upper end), in the order of figures."""

    of: str
    condition: str
    is_factor: bool
    points: Sequence[tuple[float, float, float]]

    def at(self, span: ConditionRange, *, most: bool) -> tuple[float, float, float] | None:
        """Returns the point of the span with the lowest, or the highest, value; None beyond the known points."""
        first, last = self.points[0][0], self.points[-1][0]
        if span.low < first - span.slack or span.high > last + span.slack:
            return None
        low, high = (min(max(end, first), last) for end in (span.low, span.high))
        places = [self._on(low), *(one for one in self.points if low < one[0] < high), self._on(high)]
        return max(places, key=lambda one: one[2]) if most else min(places, key=lambda one: one[1])

    def _on(self, figure: float) -> tuple[float, float, float]:
        before = [one for one in self.points if one[0] <= figure][-1]
        behind = next(one for one in self.points if one[0] >= figure)
        share = (figure - before[0]) / (behind[0] - before[0]) if behind[0] > before[0] else 0.0
        low, high = (one + (other - one) * share for one, other in zip(before[1:], behind[1:], strict=True))
        return figure, low, high


def at_conditions(
    names: Sequence[str], has: Callable[[str], Value | None], *, asked: AskedConditions, attributes: Attributes
) -> Iterator[tuple[str, Value]]:
    """Yields (name, value) at the conditions for a row that ``has`` reads: for an attribute that depends on them its
    value, without a figure beyond the row's points; for a condition the range that the points cover.
    """
    curves = []
    for points in asked.curves:
        held = [(one.figure, *ends) for one in points if (ends := one.ends(has(one.name))) is not None]
        if not points[0].is_factor:
            held = _with_rating(held, has(points[0].of), has(points[0].condition))
        curves += [Curve(*points[0][:3], held)] if held else []
    for name in names:
        printed = has(name)
        if own := [curve for curve in curves if curve.of == name]:
            if value := _there(attributes.by_name[name], printed, own, asked.conditions, attributes):
                yield name, value
        elif name in asked.conditions and printed is None:
            along = [curve for curve in curves if curve.condition == name]
            if along:
                span, reach = asked.conditions[name], [one[0] for curve in along for one in curve.points]
                covers = all(curve.at(span, most=False) for curve in along)
                covers &= conditions(attributes)[name] & asked.names <= {curve.of for curve in along}
                yield name, Value(min(reach), max(reach), covers=covers)


def _with_rating(
    held: list[tuple[float, float, float]], rated: Value | None, at: Value | None
) -> list[tuple[float, float, float]]:
    """Adds what a row states of both attributes as a point of its own, where the curve goes on through it. The most
    of each, which are of no one point, would turn it back.
    """
    if len(held) < 2 or rated is None or at is None or at.low is None or at.low != at.high:
        return held
    if rated.low is None or rated.high is None or at.low in [one[0] for one in held]:
        return held
    points = sorted([*held, (at.low, rated.low, rated.high)])
    steps = [after[end] - before[end] for before, after in pairwise(points) for end in (1, 2)]
    return points if min(steps) >= 0 or max(steps) <= 0 else held


def _there(
    attribute: Attribute,
    printed: Value | None,
    curves: Sequence[Curve],
    spans: Mapping[str, ConditionRange],
    attributes: Attributes,
) -> Value | None:
    """Computes a value at the conditions: from a curve of values, if there is one, times factors. The result says so
    where it is not known, beyond a curve's points or from two curves of values.
    """
    unit = {curve.condition: attributes.by_name[curve.condition].unit for curve in curves}
    read = [(curve, curve.at(spans[curve.condition], most=attribute.sense == "at_most")) for curve in curves]
    if sum(not curve.is_factor for curve in curves) > 1 or not all(found for _, found in read):
        where = [_shown(*dict.fromkeys(spans[name][:2]), unit=one) for name, one in unit.items()]
        has = printed.shown(attribute.unit) if printed else ""
        return Value(raw=", ".join(filter(None, [has, f"not known at {', '.join(where)}"])))
    base = (printed.low, printed.high) if printed else (None, None)
    ends, terms = [end for end in base if end is not None], list[str]()
    for curve, found in sorted(read, key=lambda one: one[0].is_factor):
        assert found is not None
        at, low, high = found
        if not curve.is_factor:
            ends = [low, high]
        elif not ends:
            return None
        else:
            terms = terms or [_shown(*dict.fromkeys(ends))]
            ends = [ends[0] * low, ends[1] * high]
        terms.append(f"{_shown(*dict.fromkeys((low, high)))} at {_shown(at, unit=unit[curve.condition])}")
    how = f" ({' × '.join(terms)})" if len(terms) > 1 else terms[0][terms[0].index(" at ") :]
    return Value(_rounded(ends[0]), _rounded(ends[1]), how=how)


def _rounded(figure: float) -> float:
    """Rounds to four significant digits: what lies between two points is not known better."""
    return float(f"{figure:.4g}") if abs(figure) < 1000 else float(round(figure))


def _shown(*figures: float, unit: str | None = None) -> str:
    return " ".join(filter(None, ["..".join(f"{_rounded(one):.10g}" for one in figures), unit]))


def as_set_up(
    values: Mapping[str, Value],
    *,
    attributes: Mapping[str, Attribute],
    machines: int,
    down: int = 0,
    units: float | None = None,
    reserve: float = 0,
) -> dict[str, Value]:
    """Returns values of several machines together: what adds up is added, all else is as of one.

    If as many are ``down`` as there are, units inside the machine are meant, of which its row has ``units`` and tells
    what they give while ``reserve`` of them wait; where none is left, or their number is unknown, what would add up
    is omitted.
    """
    running = float(machines - down)
    if running <= 0:
        left = units * machines - down if units and units > reserve else 0.0
        running = min(float(machines), left / (units - reserve)) if units and left > 0 else 0.0
    return {
        name: _together(value, attributes[name], running) if name in attributes else value
        for name, value in values.items()
        if running or name not in attributes or not _adds_up(value, attributes[name])
    }


def _adds_up(value: Value, attribute: Attribute) -> bool:
    return value.low is not None and attribute.adds in ("sum", "decibels")


def _together(value: Value, attribute: Attribute, running: float) -> Value:
    if value.low is None or value.high is None or not _adds_up(value, attribute) or running == 1:
        return value
    if attribute.adds == "decibels":
        more = louder(running)  # told to a tenth: nobody hears or measures less
        return value._replace(low=round(value.low + more, 1), high=round(value.high + more, 1), raw=None)
    how = value.how.replace("(", f"({running:g} × ", 1)
    return value._replace(low=value.low * running, high=value.high * running, raw=None, how=how)


def louder(times: float) -> float:
    """Returns by how many decibels the level rises when the power of a sound is multiplied."""
    return 10 * math.log10(times)
