"""How near a product comes that does not fit: what it misses, by how much, and whether that can be talked about."""

import math
from collections.abc import Mapping
from typing import Any

from quarry.retrieval.hits import Hit
from quarry.understanding.figures_fit import COLUMNS
from quarry.understanding.needs import Finding, Judgement
from quarry.understanding.words_fit import PLAIN_STEEL

LIMITS = frozenset(("dba", "lb", "height_in", "width_in", "length_in", "voltage", "cooling", "drive"))
"""What a machine may miss and still be the one to talk about: the customer can bend it, a maker can build for it."""

KINDS = frozenset(("family", "accessory_kind", "filter_kind", "dryer_kind"))
"""What a thing is: where a product contradicts it, it is no answer at all."""

OF_ANOTHER_KIND = 0.3
"""The share by which what is cooled, driven or supplied otherwise counts as off, beside figures that are off."""

HERTZ = ("50 Hz", "60 Hz")
FREEZING_F = 32.0
"""Below which no dryer gets that cools the air: its water would freeze."""

RATED_AT = frozenset(("dryer", "filtration"))
"""Goods whose sheet prints the pressure of their rating, and rarely the highest that they bear."""
LEAST_OF_A_RATING = 0.8
"""Share of the pressure asked for from which such a rating is worth a question to the maker."""


A_LITTLE = 0.2
"""Share by which a machine may be over a limit and still be one to talk about."""


def missed(hit: Hit) -> list[Finding]:
    """What it contradicts."""
    findings = hit.answer.judgement.findings if hit.answer else ()
    return [each for each in findings if each.verdict == "contradicted"]


def is_of_another_kind(hit: Hit) -> bool:
    return any(each.need.attribute in KINDS for each in missed(hit))


def off_by_a_limit(hit: Hit) -> bool:
    """Whether nothing speaks against it but one limit that it does not keep."""
    off = missed(hit)
    return len(off) == 1 and _is_a_limit(off[0], hit.row)


def is_only_rated_lower(finding: Finding, row: Mapping[str, Any]) -> bool:
    """Whether a dryer or a filter is rated at a pressure that is a little below the one asked for."""
    value, asked = row.get("psi"), finding.need.low
    if finding.need.attribute != "psi" or row.get("family") not in RATED_AT or not asked:
        return False
    return isinstance(value, int | float) and value >= LEAST_OF_A_RATING * asked


def _is_a_limit(finding: Finding, row: Mapping[str, Any]) -> bool:
    return finding.need.attribute in LIMITS or is_only_rated_lower(finding, row)


def is_over_by_a_little(finding: Finding, row: Mapping[str, Any]) -> bool:
    """Whether a limit in figures, a weight or a noise, is missed by so little that it is worth a word."""
    return _is_a_limit(finding, row) and distance(finding, row) <= A_LITTLE


def is_of_the_other_frequency(finding: Finding) -> bool:
    asked = [hertz for hertz in HERTZ if hertz in finding.need.values]
    there = [hertz for hertz in HERTZ if hertz in finding.has]
    return finding.need.attribute == "voltage" and bool(asked and there) and not {*asked} & {*there}


def is_below_freezing(finding: Finding, row: Mapping[str, Any]) -> bool:
    """Whether a dew point is asked for that no dryer of the row's kind reaches, however large it is."""
    value, most = row.get("dewpoint_f"), finding.need.high
    if finding.need.attribute != "dewpoint_f" or most is None or not isinstance(value, int | float):
        return False
    return most < FREEZING_F < value


def distance(finding: Finding, row: Mapping[str, Any]) -> float:
    """By which share a row's figure is off; infinite where it has none. What is no figure, water for air, is no
    matter of degree: a figure that is off by less is nearer.
    """
    value = row.get(COLUMNS.get(finding.need.attribute, finding.need.attribute))
    asked = finding.need.high if finding.need.high is not None else finding.need.low
    if not asked:
        return OF_ANOTHER_KIND
    return abs(value / asked - 1) if isinstance(value, int | float) else math.inf


def how_far(judged: Judgement, row: Mapping[str, Any]) -> tuple[int, int, bool, int, int, float]:
    """What contradicts least is nearest, where the other frequency and frost count double; of what is as near what
    misses a limit alone, then what is close in least, and then what is over the limit by least.
    """
    off = [each for each in judged.findings if each.verdict == "contradicted"]
    never = sum(is_of_the_other_frequency(each) or is_below_freezing(each, row) for each in off)
    plain = sum(each.has == PLAIN_STEEL for each in judged.findings)
    limits = [each for each in off if _is_a_limit(each, row)]
    by_a_limit = len(off) == len(limits) == 1
    excess = max((distance(each, row) for each in limits), default=0.0)
    return judged.contradicted + never + plain, never, not by_a_limit, judged.close, plain, excess
