"""The context of figures and values in a text: bounds, negation, names of attributes."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quarry.reading.languages import LanguageWords
from quarry.reading.lexicon import LexiconHit
from quarry.reading.source import Phrases, SourceText

_MOST_BETWEEN = 2
"""Most stop words between a word of bounds or negation and what it refers to."""

_MOST_OF_COMPANY = 8
"""Most words between the one that says what goods come with and the last that it refers to."""

_MOST_NAMES = 8
"""Most names on either side of a figure that may be its own."""


class Denial(NamedTuple):
    """Where words of negation and what they deny start and end, and what the packs have them under."""

    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that was read: the attribute, what is asked of it as in ``is``, and the places of its words."""

    attribute: str
    asked: str
    places: tuple[tuple[int, int], ...]
    negated: bool = False


class TextContext:
    def __init__(self, source: SourceText, words: LanguageWords, hits: Iterable[LexiconHit]) -> None:
        self.source = source
        self.words = words
        hits = list(hits)
        self.known = frozenset(hit.first for hit in hits)
        """The pieces with which a phrase of the tenant starts."""
        self._within = frozenset(at for hit in hits for at in range(hit.first, hit.last + 1))
        self._said = {hit.start: hit for hit in hits if hit.meant}
        self._ending: Mapping[int, LexiconHit] = {hit.last: hit for hit in hits if hit.names}
        self._starting: Mapping[int, LexiconHit] = {hit.first: hit for hit in hits if hit.names}
        self.names = sorted(self._starting.values(), key=lambda hit: hit.start)
        """The names of attributes, in the order of the text."""
        self._in_clause: dict[int, list[LexiconHit]] = {}
        for hit in self.names:
            self._in_clause.setdefault(source.pieces[hit.first].clause, []).append(hit)

    def before(
        self, start: int, phrases: Phrases, *, over: frozenset[str] | None = None, of: frozenset[str] = frozenset()
    ) -> tuple[int, str] | None:
        """Finds a phrase that refers to what starts at a place: (where the phrase starts, its meaning).

        Stop words and one attribute's name may stand between, with ``over`` only of these attributes. A phrase that
        is also a name counts as the name beside a figure ``of`` that attribute: one may be called "up to".
        """
        source, words = self.source, self.words
        at, between, named = source.piece_at(start) - 1, 0, False
        while at >= 0 and source.is_near(source.pieces[at].end, start):
            piece, hit = source.pieces[at], self._ending.get(at)
            found = source.ending(at, phrases)
            is_name = hit is not None and not named and (over is None or bool(over & hit.names))
            if hit is not None and is_name and (found is None or not of or of & hit.names):
                named, at, start = True, hit.first - 1, hit.start
                continue
            if found is not None:
                # A denial with a point is an abbreviation, "6 no. pieces", or ends its sentence.
                denies_nothing = phrases is words.denials and source.folded.startswith(".", piece.end)
                return None if denies_nothing else (source.pieces[found[0]].start, found[1])
            if (piece.word not in words.stop and not source.is_elided(at)) or between == _MOST_BETWEEN:
                return None
            between, at, start = between + 1, at - 1, piece.start
        return None

    def behind(self, end: int, phrases: Phrases) -> tuple[int, str] | None:
        """Finds a phrase behind what ends at a place, past one name, unless it refers to a figure that follows."""
        source, at = self.source, self.source.piece_at(end)
        hit = self._starting.get(at)
        if hit is not None and source.is_near(end, hit.start):
            at, end = hit.last + 1, hit.end
        if at >= len(source.pieces) or not source.is_near(end, source.pieces[at].start):
            return None
        if (found := source.starting(at, phrases)) is None:
            return None
        place = source.pieces[found[0]].end
        for following in source.pieces[found[0] + 1 : found[0] + 2]:
            if following.word.isdigit() and source.is_near(place, following.start):
                return None
        return place, found[1]

    def denial(
        self, start: int, end: int, *, over: frozenset[str] = frozenset(), verbs: bool = False
    ) -> Denial | None:
        """Finds the negation before or behind a place; names of the attributes ``over`` may stand between. With
        ``verbs`` it may be one of a verb before the place: "that does not contain".
        """
        before = self.before(start, self.words.denials, over=over)
        if before is None and verbs:
            before = self._denied_verb(start, over)
        if before is not None:
            return Denial(before[0], end, before[1])
        source, words, at, reached = self.source, self.words, self.source.piece_at(end), end
        for _ in range(_MOST_BETWEEN + 1):
            if at == len(source.pieces) or not source.is_near(reached, source.pieces[at].start):
                break
            if (behind := source.starting(at, words.behind_not)) is not None:
                return None if self._goes_on(behind[0]) else Denial(start, source.pieces[behind[0]].end, "behind_not")
            name = self._starting.get(at)
            is_name = name is not None and bool(over & name.names)
            if not is_name and source.pieces[at].word not in words.stop:
                break
            at = name.last + 1 if name is not None and is_name else at + 1
            reached = source.pieces[at - 1].end
        return None

    def _denied_verb(self, start: int, over: frozenset[str]) -> tuple[int, str] | None:
        """Finds a denied verb before a place; what is joined to it or stands beside it is not denied: "does not leak
        and is new", "does not leak with EPDM".
        """
        source, words, at = self.source, self.words, self.source.piece_at(start) - 1
        while at >= 0 and source.is_near(source.pieces[at].end, start):
            piece, hit = source.pieces[at], self._ending.get(at)
            if hit is not None and over & hit.names:
                at, start = hit.first - 1, hit.start
                continue
            if (found := source.ending(at, words.denied_verbs)) is not None:
                return source.pieces[found[0]].start, found[1]
            if piece.word not in words.stop or (piece.word,) in words.joins or (piece.word,) in words.beside:
                return None
            at, start = at - 1, piece.start
        return None

    def _goes_on(self, last: int) -> bool:
        """Returns whether a participle such as "escluso" denies what stands behind it: anything in its clause but an
        "and".
        """
        pieces = self.source.pieces
        if last + 1 >= len(pieces) or not self.source.is_near(pieces[last].end, pieces[last + 1].start):
            return False
        if (pieces[last + 1].word,) in self.words.joins:
            return False
        alone = self.source.starting(last, self.words.behind_not) if pieces[last].word.isascii() else None
        denies = alone is not None and alone[0] == last
        return denies or self.source.ending(last, self.words.denials) is not None

    def company(self, hit: LexiconHit) -> int | None:
        """Returns the piece where a phrase such as "with" starts that makes the goods of a hit an accessory. Goods
        with a figure of their own are asked for themselves: "a pump with a 500 l tank".
        """
        source = self.source
        for at in range(hit.first - 1, max(hit.first - 1 - _MOST_OF_COMPANY, -1), -1):
            piece = source.pieces[at]
            if not source.is_phrase(at, hit.first):
                return None
            found = source.ending(at, self.words.beside)
            if found is not None and source.folded[max(piece.start - 1, 0) : piece.start].strip() == "":
                return found[0]
            if at not in self._within and piece.word not in self.words.stop:
                return None
        return None

    def names_near(self, place: int, clause: int) -> Sequence[LexiconHit]:
        """Returns the names of attributes before and behind a place in a clause."""
        names = self._in_clause.get(clause, [])
        at = bisect_left(names, place, key=lambda hit: hit.start)
        return names[max(at - _MOST_NAMES, 0) : at + _MOST_NAMES]

    def words_between(self, end: int, start: int) -> int | None:
        """Counts the words between two places but those of bounds; None in two clauses, -1 if the places overlap."""
        source, at, last = self.source, self.source.piece_at(end), self.source.piece_at(start)
        if source.pieces[at - 1].clause != source.pieces[last].clause:
            return None
        if start < end:
            return -1
        count = 0
        while at < last:
            bound = source.starting(at, self.words.bounds)
            at, count = (bound[0] + 1, count) if bound else (at + 1, count + 1)
        return count

    def is_said(self, start: int, attribute: str) -> bool:
        """Returns whether a value of the attribute, and no weak one, starts at a place."""
        hit = self._said.get(start)
        return hit is not None and any(sense.attribute == attribute and not sense.weak for sense in hit.meant)

    def names_beside(self, first: int, last: int) -> Iterator[LexiconHit]:
        """Yields attributes' names right before the pieces, past bounds and stop words, then behind them."""
        source, pieces, words = self.source, self.source.pieces, self.words
        at = first
        for _ in range(_MOST_BETWEEN + 1):
            if at == 0 or not source.is_near(pieces[at - 1].end, pieces[at].start):
                break
            if (hit := self._ending.get(at - 1)) is not None:
                yield hit
                break
            bound = source.ending(at - 1, words.bounds)
            if bound is None and pieces[at - 1].word not in words.stop:
                break
            at = bound[0] if bound else at - 1
        hit = self._starting.get(last + 1)
        if hit is not None and source.is_near(pieces[last].end, hit.start) and not self._has_own_figure(hit, first):
            yield hit

    def _has_own_figure(self, name: LexiconHit, first: int) -> bool:
        """Returns whether the figure behind a name belongs to it: glued to it, or with a value before the name."""
        for following in self.source.pieces[name.last + 1 : name.last + 2]:
            if following.word.isdigit() and self.source.is_near(name.end, following.start):
                return following.glued or first in self.known
        return False
