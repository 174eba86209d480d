"""Which words of a catalogue a mistyped word may stand for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SHORTEST = 4
"""Shorter words have too many neighbours; of three letters only two that changed places are mended."""

TWO_SLIPS = 8
"""From so many letters on, two slips are one word still."""

MOST = 8
PREFIX_FACTOR = 0.8
TYPO_FACTORS = {1: 0.7, 2: 0.4}


@dataclass(frozen=True, slots=True)
class Ends:
    """How a mistyped word begins or ends rightly, one of the two, if it has at most ``slips``."""

    start: str
    end: str
    slips: int


def ends(term: str) -> Ends:
    """One slip spares one half, whatever letters beside the middle change places; two spare one end, mostly."""
    slips = allowed(term)
    spared = max(len(term) // 2 - 1, 1) if slips == 1 else len(term) // 3
    return Ends(term[:spared], term[-spared:], max(slips, 1))


def allowed(term: str) -> int:
    """Slips that are mended: none in a number, one in a part number."""
    if term.isdigit() or len(term) < SHORTEST:
        return 0
    return 2 if len(term) >= TWO_SLIPS and term.isalpha() else 1


def candidates(term: str, vocabulary: Iterable[str]) -> list[tuple[str, float]]:
    """(word, how well it stands for ``term``) best first: words that begin with it, then words spelt alike."""
    found = sorted(_scored(term, vocabulary), key=lambda pair: (-pair[1], len(pair[0]), pair[0]))
    return found[:MOST]


def _scored(term: str, vocabulary: Iterable[str]) -> Iterator[tuple[str, float]]:
    letters, most = set(term), allowed(term)
    for word in vocabulary:
        if len(term) >= 3 and word.startswith(term):
            yield word, PREFIX_FACTOR
        elif len(term) == 3 and _two_changed_places(term, word):
            yield word, TYPO_FACTORS[1]
        elif most and abs(len(word) - len(term)) <= most and len(letters ^ set(word)) <= 2 * most:
            slips = distance(term, word)
            if slips <= most and not word.isdigit():
                yield word, TYPO_FACTORS[slips]


def _two_changed_places(term: str, word: str) -> bool:
    return not term.isdigit() and term != word and sorted(term) == sorted(word) and distance(term, word) == 1


def distance(one: str, other: str) -> int:
    """Letters to insert, drop, replace or swap with their neighbour (optimal string alignment)."""
    before: list[int] = []
    previous = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        current = [i]
        for j, right in enumerate(other, start=1):
            cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        before, previous = previous, current
    return previous[-1]
