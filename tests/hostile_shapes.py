"""Texts that make a careless regular expression slow, derived from the expression itself."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations, product
from re import _constants as sre  # type: ignore[attr-defined]  # the standard library's own parser of patterns
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

EXTRAS = (" ", "\n", "1", "٣", "a", "-", ".", "\u2028", "½")
"""Characters that every pattern is tried with beside its own."""

LONG = 16
"""Repeats that go on for longer than this are pumped one by one."""

MOST_OWN = 14
"""Characters of one pattern that are paired with each other."""

_CLASSES = {
    sre.CATEGORY_DIGIT: "1٣",
    sre.CATEGORY_NOT_DIGIT: "a ",
    sre.CATEGORY_SPACE: " \n\u2028",
    sre.CATEGORY_NOT_SPACE: "a-",
    sre.CATEGORY_WORD: "a1_é",
    sre.CATEGORY_NOT_WORD: " -",
}
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


@dataclass(frozen=True)
class Shape:
    """``unit`` again and again between ``before`` and ``after``."""

    before: str
    unit: str
    after: str

    def text(self, length: int) -> str:
        return self.before + self.unit * (length // len(self.unit)) + self.after


def shapes(pattern: re.Pattern[Any]) -> set[Shape]:
    """One character or pair again and again; what each long repeat takes, with and without what stands before it."""
    return {Shape(*parts) for parts in _pumped(pattern) if parts[1]}


def _pumped(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    repeats = list(_repeats(tree, ""))
    own = list(dict.fromkeys([*(char for _, units in repeats for char in "".join(units)), *_characters(tree)]))
    for unit in {*own, *EXTRAS}:
        yield "", unit, ""
        yield "", unit, "\0"
    if not repeats:
        return
    for pair in permutations(dict.fromkeys([*own[:MOST_OWN], *EXTRAS]), 2):
        yield "", "".join(pair), ""
    for before, units in repeats:
        for unit in units:
            yield before, unit, "\0"
            yield before, unit, "\n"
            yield "", before + unit, ""
            yield "", before, ""
            yield from ((before, unit + other, "\0") for other in units if other != unit)
    for unit, other in product({unit for _, units in repeats for unit in units}, repeat=2):
        yield "", unit + other, "\0"


def _repeats(items: Iterable[Any], before: str) -> Iterator[tuple[str, list[str]]]:
    """Of each long repeat the shortest text that leads to it, and texts that it takes once."""
    for op, value in items:
        if op in _REPEATS:
            _, most, inner = value
            if most > LONG:
                yield before, list(dict.fromkeys(filter(None, _examples(inner))))[:8]
            yield from _repeats(inner, before)
            yield from _repeats(inner, before + _example(inner)) if most > 1 else ()
        elif op is sre.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, before)
        elif op is sre.SUBPATTERN:
            yield from _repeats(value[3], before)
        elif op is sre.ATOMIC_GROUP:
            yield from _repeats(value, before)
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _repeats(value[1], before)
        before += _example([(op, value)])


def _example(items: Iterable[Any]) -> str:
    return next(iter(_examples(items)), "")


def _examples(items: Iterable[Any]) -> list[str]:
    """Texts that the items take, each alternative once."""
    texts = [""]
    for item in items:
        texts = [text + each for text, each in product(texts[:8], _of_one(*item) or [""])][:32]
    return texts


def _of_one(op: Any, value: Any) -> list[str]:
    if op is sre.LITERAL:
        return [chr(value)]
    if op is sre.NOT_LITERAL:
        return [each for each in "a 1-" if ord(each) != value]
    if op is sre.ANY:
        return ["a", " ", "1", "-"]
    if op is sre.IN:
        return _of_class(value)
    if op is sre.BRANCH:
        return [text for branch in value[1] for text in _examples(branch)]
    if op is sre.SUBPATTERN:
        return _examples(value[3])
    if op is sre.ATOMIC_GROUP:
        return _examples(value)
    if op in _REPEATS:
        least, most, inner = value
        return [text * max(least, 1 if most > LONG else 0) for text in _examples(inner)] or [""]
    return [""]


def _of_class(items: list[tuple[Any, Any]]) -> list[str]:
    if items[0][0] is sre.NEGATE:
        taken = set(_of_class(items[1:]) if len(items) > 1 else [])
        excluded = re.compile("[" + "".join(f"\\U{ord(each):08x}" for each in taken) + "]") if taken else None
        return [each for each in "a 1-é\n" if not (excluded and excluded.match(each))]
    found = list[str]()
    for op, value in items:
        if op is sre.LITERAL:
            found.append(chr(value))
        elif op is sre.RANGE:
            found += [chr(value[0]), chr(value[1])]
        elif op is sre.CATEGORY:
            found += _CLASSES[value]
    return list(dict.fromkeys(found))


def _characters(items: Iterable[Any]) -> Iterator[str]:
    """The literals and class characters of a pattern, one of each class."""
    for op, value in items:
        if op in _REPEATS:
            yield from _characters(value[2])
        elif op is sre.BRANCH:
            for branch in value[1]:
                yield from _characters(branch)
        elif op is sre.SUBPATTERN:
            yield from _characters(value[3])
        elif op is sre.ATOMIC_GROUP:
            yield from _characters(value)
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _characters(value[1])
        else:
            yield from (each for each in _of_one(op, value)[:6])
