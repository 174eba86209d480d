"""What a row's text tells of the words of a request that no rule reads."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from quarry.retrieval.ranking import Candidate
from quarry.retrieval.requests import Reading
from quarry.understanding.inflection import plain
from quarry.understanding.needs import Request
from quarry.understanding.synonyms import spaced
from quarry.understanding.text import STEM, WORD, fold
from quarry.understanding.words import Vocabulary

ORDINALS = {"1st": "first", "2nd": "second", "3rd": "third"}
LONG = 2_000
"""Characters from which a description has parts that tell of different things."""
PARAGRAPHS = re.compile(r"\n\s*\n")

ABBREVIATED_SO = frozenset(
    "the and for our out one per all con por los las par des der die das mit und von".split()  # noqa: SIM905
)
"""Words of three letters that abbreviate none."""

TELLING, TELLING_FIGURE = 3, 4
"""Characters from which a word or a figure tells something by itself: a 100 may be a size or a model."""
NAMED = 4
"""Letters by which a word names a service or a trade: breweries, brewing."""


@dataclass(frozen=True, slots=True)
class UnreadWords:
    """The words of a request that no rule reads, each by its stem and worth the more the fewer rows have it.

    A word that no row has may be what matters: another maker, another thing. ``share`` is that of these words among
    all that was asked. With ``figures`` among them nobody knows what they ask, but of a row whose text has them.
    """

    worth: Mapping[str, float]
    share: float
    figures: frozenset[str] = frozenset()
    said: Mapping[tuple[str, ...], float] = field(default_factory=dict)
    """What is told in other words too (Synonyms), with its worth."""

    @staticmethod
    def of(
        request: Request,
        texts: Sequence[Sequence[str]],
        *,
        closer: frozenset[str] = frozenset(),
        idle: frozenset[str] = frozenset(),
        said: Mapping[tuple[str, ...], frozenset[str]] = MappingProxyType({}),
    ) -> "UnreadWords":
        """``closer`` are stems of words that were read as something wider; they count where some row has them.
        ``idle`` are words that ask nothing. ``said`` is what is told in other words too, with the words that say it
        here; it stands for them where some row tells it.
        """
        telling = {phrases: sum(any(tells(phrases, part) for part in parts) for parts in texts) for phrases in said}
        replaced = {word for phrases, words in said.items() if telling[phrases] for word in words}
        closer = frozenset(stem for stem in closer if replaced.isdisjoint(stem.split()) and stem not in replaced)
        typed = [word for word in request.not_understood if fold(word) not in idle and fold(word) not in replaced]
        unread = {
            stem_of(word)
            for word in typed
            if (word.isalpha() and len(word) > 2) or (word.isdecimal() and len(word) == 2)
        }
        having = {
            stem: sum(any(has_stem(stem, part) for part in parts) for parts in texts) for stem in unread | closer
        }
        worth = {
            stem: math.log(1 + len(texts) / (1 + count))
            for stem, count in sorted(having.items())
            if count or stem in unread
        }
        figures = frozenset(fold(word) for word in typed if word[0].isdigit())
        told = {phrases: math.log(1 + len(texts) / (1 + count)) for phrases, count in telling.items() if count}
        asked = len(worth) + len(told)
        return UnreadWords(worth, asked / (asked + len(request.needs)) if asked else 0.0, figures, told)

    def told(self, parts: Sequence[str]) -> float:
        """The share of their worth that the best part of a row's text has."""
        whole = sum(self.worth.values()) + sum(self.said.values())
        found = (
            sum(worth for stem, worth in self.worth.items() if has_stem(stem, part))
            + sum(worth for phrases, worth in self.said.items() if tells(phrases, part))
            for part in parts
        )
        return max(found, default=0.0) / whole if whole else 0.0

    def leaves_a_figure(self, parts: Sequence[str]) -> bool:
        """Whether a figure is left that no rule read and the text lacks: ISO 50001 tells, a 4 may be of anything."""
        return not all(_tells_figure(figure, parts) for figure in self.figures)


def untold(request: Request, row: Mapping[str, Any]) -> list[str]:
    """Of the words that no rule reads those that a row's text does not have either."""
    parts = texts_of(row)
    return [word for word in request.not_understood if not _tells_word(word, parts)]


def _tells_word(word: str, parts: Sequence[str]) -> bool:
    if word[0].isdigit():
        return _tells_figure(fold(word), parts)
    return any(
        f" {fold(word)} " in part or (len(word) >= TELLING and has_stem(stem_of(word), part)) for part in parts
    )


def _tells_figure(figure: str, parts: Sequence[str]) -> bool:
    return len(figure) >= TELLING_FIGURE and any(f" {figure} " in part for part in parts)


def tells(phrases: Sequence[str], text: str) -> bool:
    """Whether a text tells a thing in one of the phrases for it."""
    return any(f" {phrase}" in text for phrase in phrases)


def stem_of(word: str) -> str:
    word = fold(word)
    return (word.removesuffix("s") if len(word) > 3 else word)[:STEM]


def has_stem(stem: str, text: str) -> bool:
    """Whether a text has a word that begins so, or an abbreviation of one: sch of schedule."""
    if f" {stem}" in text or " " in stem:
        return f" {stem}" in text
    return (stem[:3] not in ABBREVIATED_SO and f" {stem[:3]} " in text) or f" {stem[:4]} " in text


def wider_words(request: Request, vocabulary: Vocabulary) -> frozenset[str]:
    """Stems of what says a service or a trade more closely than what it was read as: sawmill of woodworking, hot tap
    of installation.
    """
    shipped = Vocabulary.shipped().phrases
    read = [
        plain(need.words).split()
        for need in request.needs
        if need.operator == "one_of"
        and (need.attribute == "industry" or (need.attribute == "service" and plain(need.words) not in shipped))
        and not any(word[:NAMED] in value for value in need.values for word in plain(need.words).split())
    ]
    wider = [
        words
        for words in read
        if len(words[-1]) > 2 and not {words[-1], words[-1].removesuffix("s")} & vocabulary.stop
    ]
    return frozenset(" ".join([*words[:-1], stem_of(words[-1])]) for words in wider)


def unread_pairs(request: Request, *, query: str) -> frozenset[str]:
    """Pairs of words of which no rule reads one, with the stem of the second: air bearings, second trip."""
    words = [ORDINALS.get(word, word) for word in WORD.findall(fold(query))]
    unread = {fold(word) for word in request.not_understood} | {*ORDINALS.values()}
    pairs = [pair for pair in pairwise(words) if unread & {*pair} and min(map(len, pair)) > 2]
    return frozenset(f"{first} {stem_of(second)}" for first, second in pairs)


def texts_of(row: Mapping[str, Any]) -> list[str]:
    """The words of a row's texts in small letters, a blank around each; of a long description each paragraph for
    itself, for a scope of twenty pages has every word somewhere.
    """
    lines = row.get("_lines") or ()
    texts = [value for name, value in row.items() if isinstance(value, str) and name != "description"]
    texts += [value for line in lines for value in line.values() if isinstance(value, str)]
    description = str(row.get("description") or "")
    paragraphs = [description] if len(description) < LONG else PARAGRAPHS.split(description)
    return [spaced(" ".join([*texts, paragraph])) for paragraph in paragraphs]


def any_tells(candidates: Sequence[Candidate], reading: Reading, *, least: float) -> bool:
    """Whether a row has at least two of the words that no rule reads, and ``least`` of their worth."""
    if reading.request is None:
        return False
    texts = [texts_of(one.row) for one in candidates]
    unread = UnreadWords.of(reading.request, texts)
    return any(
        unread.told([part]) >= least and sum(has_stem(stem, part) for stem in unread.worth) > 1
        for parts in texts
        for part in parts
    )
