"""The words in which plants tell a problem, by the product that answers it: shipped as data, read by problems.py."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from quarry.understanding.text import Token

STEM = 4
"""Letters from which a word stands for all that begin with it."""
SKIPPED = 2
"""Small words between two words of a phrase: oil in the water."""
SENTENCE = re.compile(r"[;!?\n]|\.\s")

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KnownProblem:
    says: Mapping[str, frozenset[str]]
    thing: Sequence[Phrase]
    trouble: Sequence[Phrase]
    unless: Sequence[Phrase]
    trades: frozenset[str]
    """Industries whose goods are such a thing: chocolate, a pond, a booth."""

    @property
    def families(self) -> frozenset[str]:
        return self.says["family"]


@dataclass(frozen=True, eq=False)
class Problems:
    """All that ship; ``asking`` stands before a product that is wanted, ``having`` before one that is there and
    ``enough`` behind it.
    """

    known: Sequence[KnownProblem] = ()
    asking: Sequence[Phrase] = ()
    having: Sequence[Phrase] = ()
    enough: Sequence[Phrase] = ()

    @staticmethod
    def of(table: Mapping[str, Any]) -> "Problems":
        """As `python -m local.vocabulary` writes them: what a problem says, its trades and three lists of phrases."""
        known = [
            KnownProblem(
                {name: frozenset(values) for name, values in says.items()},
                _phrases(thing),
                _phrases(trouble),
                _phrases(unless),
                frozenset(trades),
            )
            for says, trades, thing, trouble, unless in table["problems"]
        ]
        return Problems(known, *(_phrases(table[name]) for name in ("asking", "having", "enough")))

    @cached_property
    def index(self) -> Mapping[str, Sequence[tuple[Phrase, int, str]]]:
        """Phrases by the first letters of their first word, with the problem and the part of it that they tell."""
        found: dict[str, list[tuple[Phrase, int, str]]] = {}
        for place, problem in enumerate(self.known):
            for part in ("thing", "trouble", "unless"):
                for phrase in getattr(problem, part):
                    found.setdefault(phrase[0].lstrip("=")[:STEM], []).append((phrase, place, part))
        return found


def _phrases(listed: Iterable[str]) -> tuple[Phrase, ...]:
    return tuple(tuple(phrase.split()) for phrase in listed)


def phrase_at(words: Sequence[Token], place: int, phrase: Phrase, *, stop: Set[str]) -> int:
    """Where the phrase ends that begins at a token; 0 where none does."""
    if not _is(words[place].text, phrase[0]):
        return 0
    at = place + 1
    for word in phrase[1:]:
        skipped = 0
        while True:
            if at >= len(words) or skipped > SKIPPED or SENTENCE.search(words[at].gap):
                return 0
            if _is(words[at].text, word):
                break
            if words[at].text not in stop:
                return 0
            at, skipped = at + 1, skipped + 1
        at += 1
    return at


def _is(text: str, word: str) -> bool:
    return text == word[1:] if word[0] == "=" else text == word or (len(word) >= STEM and text.startswith(word))
