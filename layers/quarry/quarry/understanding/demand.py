"""What changes a size that is asked for: outgrown, of a range, with a share to spare, of standard air in a vacuum."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from quarry.understanding.marks import Mark, Role
from quarry.understanding.needs import SIZES, Need
from quarry.understanding.text import Token, fold
from quarry.understanding.units import ATMOSPHERE_INHG, figure, shown

TIMES: Mapping[str, float] = {"half_as_much": 0.5, "half_again": 1.5, "twice": 2.0, "three_times": 3.0}
"""Times of a size that words say, by their role."""
COUNTED_TIMES = frozenset(("times", "mal", "veces", "fois"))
AS_MUCH = frozenset(("that", "as", "the", "our", "what", "this", "so", "mas", "tanto", "plus"))
MULTIPLE = re.compile(r"\d{1,2}(?:[.,]\d)?")
MOST_TIMES = 10
MULTIPLIED_REACH = 80
"""Characters between a size and the words for how many times it is wanted."""
OUTGROWN_REACH = 40
"""Characters between a size and the words that call it too small."""
PEAK_REACH = 12
"""Characters between the words that say that a demand varies and its range."""
LEAST_STEP = 1.2
"""From one size to the next."""
MOST_RESERVE = 100
"""Percent; who asks for more says something else."""
RESERVE_REACH = 2
"""Words between a share and the word that says that it is to spare."""

STANDARD = re.compile(r"(?<![a-z])(?:scfm|[ns]\s?m\s?\^?3|n\s?cbm|nl(?![a-z])|nlpm)|standard|norm(?:al)?\s?kubik")
"""In the words of a flow: it is counted as standard air, wherever it is taken in."""
NORMAL = re.compile(r"(?<![a-z])n\s?(?:m\s?\^?3|cbm|l(?![a-z])|lpm)|norm")
"""Of these what is counted at 0 °C and not at 20."""
WARMER = 293.15 / 273.15
FREE_PER_NORMAL = WARMER * 1.01325
"""Free air at 20 °C and 1 bar, as ISO 1217 and ISO 7183 rate compressors and dryers, for a normal cubic metre at 0 °C
and 1.01325 bar (DIN 1343).
"""
DEEPEST_CONVERTED = 29.0
"""inHg, from which on the least slip of the gauge is a multiple of the flow."""


def demanded(
    needs: Sequence[Need],
    words: Sequence[Token],
    roles: Sequence[Role],
    shares: Sequence[Mark],
    *,
    numbers: Mapping[str, float],
) -> tuple[Need, ...]:
    """The needs of an item with its sizes as large as they have to be; ``shares`` are its percentages."""
    times = [(words[role.first].start, TIMES[role.value]) for role in roles if role.value in TIMES]
    multiplied = _multiplied(needs, [*times, *_times(words, numbers)])
    grown = _at_the_peak(_outgrown(needs, words, roles) if multiplied is needs else multiplied, words, roles)
    return _at_the_vacuum(_with_reserve(_as_free_air(grown), roles, shares))


def _as_free_air(needs: Sequence[Need]) -> list[Need]:
    """A flow of normal air as compressors are rated: 270 Nm³/h are 294 m³/h of free air."""
    if any(need.attribute == "inhg" or need.values == {"vacuum_pump"} for need in needs):
        return list(needs)
    free = []
    for need in needs:
        if need.attribute == "cfm" and not need.implied_by and NORMAL.search(fold(need.words)):
            low, high = (None if end is None else end * FREE_PER_NORMAL for end in (need.low, need.high))
            flow = shown("cfm", need.operator, low, high, hourly="m³/h" in need.shown)
            need = replace(need, low=low, high=high, shown=f"{flow} at 20 °C, of {need.words}")
        free.append(need)
    return free


def _at_the_vacuum(needs: tuple[Need, ...]) -> tuple[Need, ...]:
    """A flow of standard air as the inlet of a vacuum pump takes it in, which is how pumps are rated; at no stated
    level nobody knows what it is there.
    """
    flow = next((need for need in needs if need.attribute == "cfm" and STANDARD.search(fold(need.words))), None)
    level = next((need for need in needs if need.attribute == "inhg"), None)
    pumped = any(need.attribute == "family" and need.values == {"vacuum_pump"} for need in needs)
    if flow is None or not (pumped or level):
        return needs
    depth = next((end for end in (level.low, level.high) if end is not None), None) if level else None
    if depth is None or not 0 < depth <= DEEPEST_CONVERTED:
        told = f"{flow.words} of standard air: at which vacuum is not said"
        taken_in = replace(flow, attribute="standard_air", shown=told, hard=False)
    else:
        factor = ATMOSPHERE_INHG / (ATMOSPHERE_INHG - depth) * (WARMER if NORMAL.search(fold(flow.words)) else 1)
        low, high = (None if end is None else end * factor for end in (flow.low, flow.high))
        inlet = shown("cfm", flow.operator, low, high)
        told = f"{inlet} at the inlet: {flow.words} of standard air, {figure(depth)} inHg"
        taken_in = replace(flow, low=low, high=high, shown=told)
    return tuple(taken_in if need is flow else need for need in needs)


def _times(words: Sequence[Token], numbers: Mapping[str, float]) -> list[tuple[int, float]]:
    """ "Four times that", by where it stands."""
    found = []
    for before, token, following in zip(words, words[1:], words[2:], strict=False):
        if token.text in COUNTED_TIMES and following.text in AS_MUCH:
            factor = (
                float(before.text.replace(",", "."))
                if MULTIPLE.fullmatch(before.text)
                else numbers.get(before.text, 0)
            )
            if 1 < factor <= MOST_TIMES:
                found.append((before.start, factor))
    return found


def _multiplied(needs: Sequence[Need], times: Sequence[tuple[int, float]]) -> Sequence[Need]:
    """The size that is named with how many times as much is wanted: "makes 200 cfm, want double that" is 400."""
    sized = [need for need in needs if need.attribute in SIZES and need.operator in ("exactly", "about") and need.low]
    for start, factor in times:
        near = [need for need in sized if abs(need.start - start) <= MULTIPLIED_REACH]
        if len(near) != 1 or not near[0].low:
            continue
        low = near[0].low * factor
        told = f"{shown(near[0].attribute, 'about', low, low)}, {factor:g} times {near[0].shown}"
        grown = replace(near[0], operator="about", low=low, high=low, shown=told)
        return [grown if need is near[0] else need for need in needs]
    return needs


def _outgrown(needs: Sequence[Need], words: Sequence[Token], roles: Sequence[Role]) -> list[Need]:
    """A size that is said to be too small is exceeded by what is asked for."""
    ends = [words[role.first].start for role in roles if role.value == "too_small"]
    grown = []
    for need in needs:
        near = any(0 <= end - need.start <= OUTGROWN_REACH for end in ends)
        if near and need.attribute in SIZES and need.operator in ("exactly", "about") and need.low:
            low = need.low * LEAST_STEP
            need = replace(need, operator="at_least", low=low, high=None, hard=True,
                           shown=shown(need.attribute, "at_least", low, None))  # fmt: skip
        grown.append(need)
    return grown


def _at_the_peak(needs: Sequence[Need], words: Sequence[Token], roles: Sequence[Role]) -> list[Need]:
    """Of a demand that varies within a range, the most is what a machine has to give."""
    begins = [words[role.last - 1].end for role in roles if role.value == "varying"]
    return [
        replace(need, operator="at_least", low=need.high, high=None,
                shown=shown(need.attribute, "at_least", need.high, None))
        if need.operator == "between" and need.attribute in SIZES
        and any(0 <= need.start - end <= PEAK_REACH for end in begins)
        else need
        for need in needs
    ]  # fmt: skip


def _with_reserve(needs: Sequence[Need], roles: Sequence[Role], shares: Sequence[Mark]) -> tuple[Need, ...]:
    """What is asked for with a share of it to spare is that much more: "300 cfm with 20 % reserve" is 360."""
    share = next((mark for mark in shares if _is_to_spare(mark, roles)), None)
    sized = min(
        (need for need in needs if need.attribute in SIZES and need.low and need.operator != "at_most"),
        key=lambda need: ("cfm", "gallons", "hp").index(need.attribute),
        default=None,
    )
    margin = next((need for need in needs if need.attribute == "price" and need.values == {"margin"}), None)
    # "30 hp at 20 % margin" speaks of money.
    of_money = margin is not None and sized is not None and sized.attribute == "hp"
    if share is None or sized is None or of_money or not 0 < (share.low or 0) <= MOST_RESERVE:
        return tuple(needs)
    factor = 1 + (share.low or 0) / 100
    low, high = (None if end is None else end * factor for end in (sized.low, sized.high))
    told = f"{shown(sized.attribute, sized.operator, low, high)} with {share.low:g} % to spare"
    grown = replace(sized, low=low, high=high, shown=told)
    return tuple(grown if need is sized else need for need in needs if need is not margin)


def _is_to_spare(mark: Mark, roles: Sequence[Role]) -> bool:
    return any(
        role.value == "reserve"
        and (0 <= role.first - mark.last <= RESERVE_REACH or 0 <= mark.first - role.last <= RESERVE_REACH)
        for role in roles
    )
