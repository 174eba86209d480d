"""A tenant's phrases: the values, families and attributes that the words of a text stand for."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from quarry.attributes.model import Attributes, names_of, unmarked
from quarry.needs.model import BUILT_IN, KindOfRow
from quarry.reading.languages import endings, number_stems, plain_words
from quarry.reading.source import SourceText, lengths_of, pieces_of, stems_of
from quarry.text import fold, stem_of

_NOT_OF_PRODUCTS = frozenset(("customer", "salesperson", "industry", "status"))
_NEVER_LISTED = frozenset(BUILT_IN) - {"family", "category", "industry"}
"""Built-in attributes whose values are no phrases: names, prose, or what filters ask for."""
_STATUSES = ("won", "lost", "open")
_SHORTEST_PART = 3
_LONGEST_COMPOUND = 40
_TELLING_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Sense:
    """What a phrase means: ``values`` of an attribute, without any its name. ``weak`` values (figures, letters, stop
    words) need the attribute's name beside, or the sign that they have where they are ``signed``.
    """

    attribute: str
    values: tuple[str, ...] = ()
    weak: bool = False
    signed: str = ""


@dataclass(frozen=True, eq=False)
class LexiconHit:
    """A phrase in a text: its first and last piece, its place, and all that it may mean."""

    first: int
    last: int
    start: int
    end: int
    senses: tuple[Sense, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(sense.attribute for sense in self.senses if not sense.values)

    @cached_property
    def meant(self) -> tuple[Sense, ...]:
        return tuple(sense for sense in self.senses if sense.values)

    def values_of(self, attribute: str) -> tuple[str, ...]:
        return tuple(value for sense in self.meant if sense.attribute == attribute for value in sense.values)


class Lexicon:
    def __init__(self, phrases: Iterable[tuple[tuple[str, ...], Sense]]) -> None:
        found: dict[tuple[str, ...], dict[Sense, None]] = {}
        numbers = number_stems()
        for stems, sense in phrases:
            if stems:
                found.setdefault(tuple(numbers.get(stem, stem) for stem in stems), {})[sense] = None
        self.senses: Mapping[tuple[str, ...], tuple[Sense, ...]] = {key: tuple(each) for key, each in found.items()}

    @cached_property
    def lengths(self) -> Mapping[str, Sequence[int]]:
        """The lengths of the phrases that start with a stem, longest first."""
        return lengths_of(self.senses, at=0)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stem for stems in self.senses for stem in stems)

    def known(self, stem: str) -> str:
        """Returns the stem in phrases that a stem of the text is a form of; that stem itself if there is none."""
        stem = number_stems().get(stem, stem)
        if stem in self.stems:
            return stem
        # One look for all endings at once, since most stems have none.
        ending_in = endings() if stem.endswith(endings()) else ()
        for cut in (stem_of(stem.removesuffix(ending)) for ending in ending_in if stem.endswith(ending)):
            if len(cut) >= _SHORTEST_PART and (known := cut if cut in self.stems else self._cut.get(cut)):
                return known
        return self._cut.get(stem, stem)

    @cached_property
    def _cut(self) -> Mapping[str, str]:
        """Stems of other letters than Latin ones by what is left without an ending, which nouns there have in every
        case and number.
        """
        return {
            stem.removesuffix(ending): stem
            for stem in sorted(self.stems) if not stem.isascii()
            for ending in endings() if stem.endswith(ending) and len(stem) - len(ending) > _SHORTEST_PART
        }  # fmt: skip

    def at(self, stems: list[str], first: int) -> Iterator[tuple[int, tuple[Sense, ...]]]:
        """Yields the phrases that start at a stem, longest first: (place of the last stem, senses)."""
        for length in self.lengths.get(self.known(stems[first]), ()):
            found = tuple(map(self.known, stems[first : first + length]))
            if len(found) == length and (senses := self.senses.get(found)) is not None:
                yield first + length - 1, senses

    def parts(self, word: str) -> list[tuple[Sense, ...]]:
        """Splits a compound into phrases of one word and returns their senses; none where a part is unknown."""
        if not 2 * _SHORTEST_PART <= len(word) <= _LONGEST_COMPOUND or not word.isalpha():
            return []
        # Filled from the end on: the parts of word[at:], of which the first is the longest.
        known: dict[int, list[tuple[Sense, ...]]] = {len(word): []}
        for at in range(len(word) - _SHORTEST_PART, -1, -1):
            for end in range(len(word), at + _SHORTEST_PART - 1, -1):
                senses = self.senses.get((stem_of(word[at:end]),), ()) if end in known else ()
                if not all(sense.weak for sense in senses):
                    known[at] = [senses, *known[end]]
                    break
        return known[0] if len(known.get(0, ())) > 1 else []


@lru_cache(maxsize=16)
def lexicon_of(attributes: Attributes, kind_of_row: KindOfRow) -> Lexicon:
    """Returns all phrases of the attributes that such rows have."""
    left_out = _NOT_OF_PRODUCTS if kind_of_row == "product" else frozenset[str]()
    return Lexicon(one for one in _phrases(attributes) if one[1].attribute not in left_out)


def _phrases(attributes: Attributes) -> Iterator[tuple[tuple[str, ...], Sense]]:
    named: dict[str, set[str]] = {}
    for attribute in attributes.by_name.values():
        for name in names_of(attribute):
            yield stems_of(name), Sense(attribute.name)
            for stem in stems_of(name):
                named.setdefault(stem, set()).add(attribute.name)
    for family, words in attributes.families.items():
        for word in (family, *(unmarked(each)[1] for each in words)):
            yield stems_of(word), Sense("family", (family,))
    for (name, term), values in attributes.terms.items():
        if values and (name in attributes.by_name or name in BUILT_IN):
            yield stems_of(term), Sense(name, values, is_weak(term), _signed(term))
    for status in _STATUSES:
        yield stems_of(status), Sense("status", (status,))
    ordered = {one.name: one.ordered for one in attributes.by_name.values() if one.ordered}
    for name in dict.fromkeys((*attributes.listed, *ordered)):
        if name in _NEVER_LISTED or not (name in attributes.by_name or name in BUILT_IN):
            continue
        listed = sorted({*attributes.listed.get(name, ()), *ordered.get(name, ())})
        for value in listed:
            stems = stems_of(value)
            # A word that is also in other attributes' names is too common to mean a value by itself.
            is_plain = len(stems) == 1 and bool(named.get(stems[0], set()) - {name})
            yield stems, Sense(name, (value,), is_plain or is_weak(value), _signed(value))
        if name in attributes.by_name:
            whole = {stems_of(said) for said in (*listed, *(term for of, term in attributes.terms if of == name))}
            yield from ((stems, sense) for stems, sense in _parts_of(name, listed) if stems not in whole)


def _parts_of(name: str, listed: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Sense]]:
    """Yields words that mean all values with them beside the attribute's name: "T bore" is a "3-way T"."""
    having: dict[str, list[str]] = {}
    for value in listed:
        pieces = pieces_of(value)
        for piece in dict.fromkeys(pieces) if len(pieces) > 1 else ():
            if piece.isalpha() and piece not in plain_words():
                having.setdefault(stem_of(piece), []).append(value)
    for stem, values in having.items():
        if len(values) < len(listed):
            yield (stem,), Sense(name, tuple(values), weak=True)


_SIGNED = re.compile(r"(?=.*\D)[#&*@§†]?\d+[#&*@§†]?|\d+[.,]\d+")


def _signed(value: str) -> str:
    """Returns a folded figure with a sign or a decimal mark that tells it from others; else ""."""
    folded = fold(value.strip())
    return folded if _SIGNED.fullmatch(folded) else ""


def is_weak(value: str) -> bool:
    pieces = [number_stems().get(piece, piece) for piece in pieces_of(value)]
    if all(map(str.isdigit, pieces)):
        return len(pieces) < 2 or (len(pieces) == 2 and sum(map(len, pieces)) < _TELLING_DIGITS)
    return len(pieces) == 1 and (len(pieces[0]) == 1 or pieces[0] in plain_words())


def hits_of(source: SourceText, lexicons: Iterable[Lexicon], *, stems: list[str] | None = None) -> list[LexiconHit]:
    """Finds phrases in what was not read yet, the longest at each place, without overlaps.

    ``stems`` stand in for those of the text where typing errors are mended.
    """
    lexicons = list(lexicons)
    stems = stems or [piece.stem for piece in source.pieces]
    found: list[LexiconHit] = []
    at = 0
    while at < len(stems):
        hits = [] if source.pieces[at].glued else _hits_at(source, lexicons, stems, at)
        found += hits
        at = hits[0].last + 1 if hits else at + 1
    return found


def _hits_at(source: SourceText, lexicons: list[Lexicon], stems: list[str], at: int) -> list[LexiconHit]:
    """Finds the longest phrase that starts at a piece, or all the parts of a compound there."""
    pieces = source.pieces
    best: dict[int, list[Sense]] = {}
    for lexicon in lexicons:
        for last, senses in lexicon.at(stems, at):
            if not source.is_whole(at, last):
                # An attribute's name stands before its figure without a gap: PN16.
                is_before_figure = pieces[last + 1].word.isdigit()
                senses = tuple(each for each in senses if is_before_figure and not each.values)
            if senses and source.is_phrase(at, last) and source.is_free(pieces[at].start, pieces[last].end):
                best.setdefault(last, []).extend(senses)
                break
    if best:
        longest = max(best)
        return [LexiconHit(at, longest, pieces[at].start, pieces[longest].end, tuple(best[longest]))]
    start, end = pieces[at].start, pieces[at].end
    if not source.is_whole(at, at) or not source.is_free(start, end):
        return []
    parts = next(filter(None, (lexicon.parts(pieces[at].word) for lexicon in lexicons)), [])
    return [LexiconHit(at, at, start, end, senses) for senses in parts]
