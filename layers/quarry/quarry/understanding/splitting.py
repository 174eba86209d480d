"""Splits an item at its lines and sizes: "a 50 hp and a 100 hp compressor" are two."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from quarry.understanding.heads import MOST_ITEMS, Segment
from quarry.understanding.marks import Mark, Role, places
from quarry.understanding.needs import SIZES
from quarry.understanding.parting import JOIN, LINE
from quarry.understanding.text import Token


def at_lines(words: Sequence[Token], marks: Sequence[Mark], found: list[Segment]) -> list[Segment]:
    """Splits a segment at its lines where two or more of them state a size."""
    result: list[Segment] = []
    for segment in found:
        starts = [
            place
            for place in range(segment.first + 1, segment.last)
            if words[place].gap != " " and LINE.search(words[place].gap)
        ][:MOST_ITEMS]
        edges = [segment.first, *starts, segment.last]
        spans = [(low, high) for low, high in pairwise(edges) if high > low]
        sized = [
            {mark.attribute for mark in marks if low <= mark.first < high and mark.attribute in SIZES}
            for low, high in spans
        ]
        repeated = sum(bool(each) and any(each & other for other in sized if other is not each) for each in sized)
        if repeated < 2 or len(spans) > MOST_ITEMS:
            result.append(segment)
            continue
        begin = spans[0][0]
        open_sizes: set[str] = set()
        for (low, _), sizes in zip(spans, sized, strict=True):
            if sizes & open_sizes:
                result.append(replace(segment, first=begin, last=low))
                begin, open_sizes = low, set()
            open_sizes |= sizes
        result.append(replace(segment, first=begin, last=segment.last))
    return result


def at_sizes(
    words: Sequence[Token], marks: Sequence[Mark], roles: Sequence[Role], found: list[Segment], dropped: set[int]
) -> list[Segment]:
    """Splits "a 50 hp and a 100 hp compressor" and "QMB30 and QMB25"; what is said of neither alone goes to both."""
    result: list[Segment] = []
    for segment in found:
        result.extend(_sized(words, marks, roles, segment, dropped))
    return result[: MOST_ITEMS * 2]


def _sized(
    words: Sequence[Token], marks: Sequence[Mark], roles: Sequence[Role], segment: Segment, dropped: set[int]
) -> list[Segment]:
    inside = [
        place
        for place in places(marks, segment.first, segment.last)
        if place not in dropped and not any(low <= marks[place].first < high for low, high in segment.context)
    ]
    for attribute in ("model", "hp", "gallons", "micron"):
        sizes = [place for place in inside if marks[place].attribute == attribute]
        sizes = [place for place in sizes if marks[place].operator in ("one_of", "exactly", "about")]
        if not 2 <= len(sizes) <= MOST_ITEMS or not _apart(words, marks, roles, sizes, attribute):
            continue
        shared = [place for place in inside if place not in sizes]
        return [
            replace(
                segment,
                first=segment.first if number == 0 else marks[place].first,
                last=segment.last if number == len(sizes) - 1 else marks[sizes[number + 1]].first,
                marks=tuple(sorted((*shared, place))),
            )
            for number, place in enumerate(sizes)
        ]
    return [segment]


def _apart(
    words: Sequence[Token], marks: Sequence[Mark], roles: Sequence[Role], sizes: Sequence[int], attribute: str
) -> bool:
    for one, other in pairwise(sizes):
        before, after = marks[one], marks[other]
        between = [role.value for role in roles if before.last <= role.first < after.first]
        if "replace" in [role.value for role in roles if role.first < after.first] or "or" in between:
            return False
        listed = "and" in between or any(
            LINE.search(words[place].gap)
            or JOIN.search(words[place].gap)
            or (attribute == "model" and "," in words[place].gap)
            for place in range(before.last, after.first + 1)
        )
        alike = (
            before.low is not None and after.low is not None and abs(before.low - after.low) <= 0.05 * abs(after.low)
        )
        if not listed or alike or (attribute == "model" and before.values == after.values):
            return False
    return True
