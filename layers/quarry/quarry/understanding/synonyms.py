"""What is said in other words, in any language: who asks for the weekend means a line that says Saturday."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from quarry.understanding.text import WORD, fold

INDEXED = 3
"""Letters under which phrases are looked up."""
SHORT_WORD = 2
"""Letters of words that no row is looked for by."""
SHORT = 5
"""Letters from which the last word of a phrase may go on; a shorter one is a word by itself."""
ASKED_ONLY = "?"
"""What a phrase begins with that tells the thing in a request and may be said of anything in a row."""


@dataclass(frozen=True)
class Synonyms:
    """Each group is one thing in all the phrases that tell it, folded; a phrase is the beginning of what is written,
    so that "permit" is told by "permits" too. One behind a question mark is looked for in requests alone.
    """

    groups: Sequence[Sequence[str]]

    @cached_property
    def _telling(self) -> Sequence[tuple[str, ...]]:
        """The phrases of each group that tell it in a row."""
        return [
            tuple(beginning(phrase) for phrase in phrases if not phrase.startswith(ASKED_ONLY))
            for phrases in self.groups
        ]

    @cached_property
    def _starts(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        found: dict[str, list[tuple[str, int]]] = {}
        for number, phrases in enumerate(self.groups):
            for phrase in phrases:
                told = beginning(phrase.removeprefix(ASKED_ONLY))
                found.setdefault(told[:INDEXED], []).append((told, number))
        return found

    def said(self, text: str) -> Mapping[tuple[str, ...], frozenset[str]]:
        """What a text says, each thing as the beginnings of words that tell it, with the words that say it here."""
        plain = spaced(text)
        found: dict[int, set[str]] = {}
        for told, number, start in self._phrases(plain):
            end = plain.index(" ", start + len(told) - 1)
            found.setdefault(number, set()).update(plain[start:end].split())
        return {self._telling[number]: frozenset(words) for number, words in found.items()}

    def of(self, text: str, *, stop: Set[str]) -> str:
        """The words that tell what a text says, without those that say little."""
        told = (word for phrases in self.said(text) for phrase in phrases for word in phrase.split())
        return " ".join(dict.fromkeys(word for word in told if len(word) > SHORT_WORD and word not in stop))

    def _phrases(self, plain: str) -> Iterator[tuple[str, int, int]]:
        start = 0
        while (start := plain.find(" ", start) + 1) and start < len(plain):
            for told, number in self._starts.get(plain[start : start + INDEXED], ()):
                if plain.startswith(told, start):
                    yield told, number, start


def beginning(phrase: str) -> str:
    """What a text has that tells a phrase, as far as it must be the same."""
    short = len(phrase.rpartition(" ")[2]) < SHORT
    return f"{phrase} " if short else phrase


def spaced(text: str) -> str:
    """The words of a text, folded, with a blank around each."""
    return f" {' '.join(WORD.findall(fold(text)))} "
