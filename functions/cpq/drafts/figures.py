"""When two figures are one: the same column, the rounding of a conversion, the ends of a range, what a row meets."""

import re
from collections.abc import Sequence
from dataclasses import replace

from cpq.drafts.evidence import Machine, SourceText
from cpq.drafts.facts import Fact
from cpq.drafts.written_numbers import WRITTEN_FIGURE, canonical, rounding

NATIVE = {
    "hp": "hp", "cfm": "cfm", "psi": "psi", "vacuum_inhg": "inhg", "dewpoint_f": "°f", "gallons": "gal",
    "noise_dba": "dba", "weight_lb": "lb", "length_in": "in", "width_in": "in", "height_in": "in",
}  # fmt: skip
"""The unit of each column, by the names of quarry.understanding.units."""
CONVERTED = 0.003
"""Share by which a converted figure may be off beyond its rounding, for factors differ in their last digits."""
ROUND = 0.006
"""The same for a figure that is round in its own system: 1000 l of 264 gal, 11 bar of 160 psi."""
AT_MOST = frozenset(("noise_dba", "weight_lb", "dewpoint_f"))
"""Columns of which a machine meets a wish by having less."""
SIDES_OF_IT = ("length_in", "width_in", "height_in")
NORMAL = re.compile(r"(?i)(?<![a-z])n\s?m[3³]")
"""The unit of a flow at 0 °C, in which no catalogue row is."""
LONGEST = 600.0
"""Inches: what is longer is a way or an altitude."""
WARMEST_DEW = 60.0
"""°F: what is warmer is no dew point but a room, an inlet or an oil."""


def columns_of(fact: Fact) -> Sequence[str]:
    """The columns that a figure may be of: no room is a dew point, and no altitude is a side of a machine."""
    assert fact.measure is not None
    if fact.measure.attribute == "in" and fact.measure.low > LONGEST:
        return ()
    found = dict(canonical(fact.measure))
    return [column for column, value in found.items() if column != "dewpoint_f" or value <= WARMEST_DEW]


def half_of(fact: Fact) -> float:
    """What the rounding of a figure hides, in the unit of the catalogue's column."""
    assert fact.measure is not None
    half = rounding(fact.measure, fact.text)
    return half * 1.8 if fact.measure.attribute.startswith("temperature_c") else half


def equals(fact: Fact, column: str, theirs: float) -> bool:
    """Whether a figure is the catalogue's, to the digits that are written."""
    assert fact.measure is not None
    half = half_of(fact)
    for name, ours in canonical(fact.measure):
        if name != column:
            continue
        off = abs(ours - theirs)
        if fact.measure.unit.name == NATIVE[column]:
            if off <= 1e-6 * max(1.0, abs(theirs)) or (theirs != round(theirs) and off <= half):
                return True
        elif off <= half + CONVERTED * abs(theirs) * (half > 0.002 * abs(theirs)) or (
            _is_round(fact.text) and off <= ROUND * abs(theirs)
        ):
            return True
    return False


def meets(fact: Fact, machine: Machine) -> bool:
    """Whether a machine's row has what a figure asks for, or more where more is better; nothing is known of a flow in
    normal conditions, nor of how warm a room may be.
    """
    assert fact.measure is not None
    if NORMAL.search(fact.text) or fact.other:
        return False
    known = columns_of(fact)
    for column, asked in canonical(fact.measure):
        has = machine.values.get(column)
        if not isinstance(has, int | float) or column not in known:
            continue
        if has <= asked if column in AT_MOST or column in SIDES_OF_IT else has >= asked:
            return True
    return False


def ends_of(fact: Fact) -> Sequence[Fact]:
    """The two figures that a range is between; none of a single figure."""
    one = fact.measure
    if one is None or one.low == one.high:
        return ()
    return [replace(fact, measure=replace(one, low=end, high=end)) for end in (one.low, one.high)]


def states(fact: Fact, source: SourceText, measured: Sequence[Fact], *, ends: Sequence[Fact]) -> bool:
    """Whether one of a source's figures is this one, or two of them are the ends of this range; a customer leaves the
    unit of one end to the reader: at least 200 cfm but not more than 300.
    """
    asked = source.origin == "request"
    if any(same_figure(fact, other) or (asked and _same_depth(fact, other)) for other in measured):
        return True
    told = [any(same_figure(end, other) for other in measured) for end in ends]
    if asked and any(told):
        written = WRITTEN_FIGURE.findall(fact.text)
        bare = {other.text for other in measured if other.kind == "number"}
        told = [known or (len(written) == len(ends) and text in bare)
                for known, text in zip(told, written, strict=False)]  # fmt: skip
    return bool(ends) and len(told) == len(ends) and all(told)


def _same_depth(fact: Fact, other: Fact) -> bool:
    """Whether one of them says in inches alone what the other says in inches of mercury."""
    one, two = fact.measure, other.measure
    if one is None or two is None or {one.attribute, two.attribute} != {"in", "inhg"}:
        return False
    inches = all(each.unit.name in ("in", "inhg") for each in (one, two))
    return inches and abs(one.low - two.low) < 1e-6 and abs(one.high - two.high) < 1e-6


def _is_round(text: str) -> bool:
    figure = WRITTEN_FIGURE.findall(text)[-1:] or [""]
    digits = re.sub(r"\D", "", figure[0]).strip("0")
    return len(digits) <= 2


def same_figure(fact: Fact, other: Fact) -> bool:
    """Whether two figures are one: the same in the same unit, else what the rounding of either admits."""
    if other.measure is None or fact.measure is None:
        return False
    one, two = fact.measure, other.measure
    if one.unit.name == two.unit.name:
        return abs(one.low - two.low) < 1e-6 * max(1, abs(two.low)) and abs(one.high - two.high) < 1e-6 * max(
            1, abs(two.high)
        )
    half = max(rounding(one, fact.text), rounding(two, other.text))
    theirs = dict(canonical(two))
    return any(
        column in theirs and abs(value - theirs[column]) <= half + CONVERTED * abs(value)
        for column, value in canonical(one)
    )
