"""How signs and joining words part two things that a request names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quarry.understanding.heads import Head
from quarry.understanding.marks import Mark, Role
from quarry.understanding.text import Token

LINE = re.compile(r"\n\s*|[•·|]|\s[-*]\s")
STRONG = re.compile(r"[;!?]|\.\s|\n")
JOIN = re.compile(r"[+&/]")


@dataclass(frozen=True, slots=True)
class Joints:
    """Tokens at which a joining word begins, with the one after it, and tokens within a mark."""

    joins: Mapping[int, int]
    inner: frozenset[int]


def is_parted(words: Sequence[Token], first: int, last: int) -> bool:
    return any(STRONG.search(token.gap) for token in words[first : last + 1])


def strength_of(gap: str) -> int:
    """How much the signs between two words part them."""
    if gap == " ":
        return 0
    strong = 4 if LINE.search(gap) else 3 if STRONG.search(gap) else 0
    return strong or (2 if JOIN.search(gap) else 1 if "," in gap else 0)


def cut_between(words: Sequence[Token], joints: Joints, one: Head, other: Head) -> int | None:
    """The token at which the second item begins: after the strongest sign between two heads, the last of its kind."""
    best, at = 0, None
    for place in range(one.last, other.first + 1):
        if place in joints.inner:
            continue
        strength = strength_of(words[place].gap)
        if strength and strength >= best:
            best, at = strength, place
        if place in joints.joins and best <= 2 and place < other.first:
            best, at = 2, joints.joins[place]
    return at


def cut_by_style(marks: Sequence[Mark], first: int, one: Head, other: Head) -> int:
    """Without a sign between two heads: sizes before their head end with it, sizes after it end before the next."""
    before = any(mark.operator != "one_of" and first <= mark.first < one.first for mark in marks)
    return one.last if before else other.first


def phrase_end(words: Sequence[Token], roles: Sequence[Role], head: Head) -> int:
    stops = {role.first for role in roles if role.value in ("and", "but", "for")}
    place = head.last
    while place < len(words) and place not in stops and not re.search(r"[,;.!?()\n]", words[place].gap):
        place += 1
    return place
