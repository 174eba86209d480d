"""Phrases of a tenant: what of its values, families and names the words of a text stand for."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from quarry.attributes.model import Attributes, names_of, unmarked
from quarry.needs.model import BUILT_IN
from quarry.reading.languages import plain_words
from quarry.reading.model import KindOfRow, Names
from quarry.reading.source import Source, pieces_of, stems_of
from quarry.text import stem_of

NOT_OF_PRODUCTS = frozenset(("customer", "salesperson", "industry"))
"""Built-in attributes that only what was offered has."""
_NEVER_LISTED = frozenset(
    ("model", "series", "sku", "manufacturer", "customer", "contact", "salesperson", "status", "project", "currency",
     "quote_number", "terms", "description", "date")
)  # fmt: skip
"""Built-in attributes whose values are names, prose, or what filters say."""
_SHORTEST_PART = 3
_LONGEST_COMPOUND = 40
_SHORTEST_SLIP = 5
_TELLING_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Means:
    """A value. A ``weak`` one counts only beside its attribute's name: a figure, a letter, a yes, a plain word."""

    attribute: str
    values: tuple[str, ...]
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Called:
    """An attribute's name."""

    attribute: str


type Sense = Means | Called


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase from one piece of the text to another, both included, and its place."""

    first: int
    last: int
    start: int
    end: int
    senses: tuple[Sense, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(sense.attribute for sense in self.senses if isinstance(sense, Called))

    def values_of(self, attribute: str) -> tuple[str, ...]:
        return tuple(
            value
            for sense in self.senses
            if isinstance(sense, Means) and sense.attribute == attribute
            for value in sense.values
        )


class Lexicon:
    def __init__(self, phrases: Iterable[tuple[tuple[str, ...], Sense]]) -> None:
        found: dict[tuple[str, ...], dict[Sense, None]] = {}
        for stems, sense in phrases:
            if stems:
                found.setdefault(stems, {})[sense] = None
        self.senses: Mapping[tuple[str, ...], tuple[Sense, ...]] = {key: tuple(each) for key, each in found.items()}

    @cached_property
    def lengths(self) -> Mapping[str, tuple[int, ...]]:
        """How many stems the phrases have that start with a stem, longest first."""
        found: dict[str, set[int]] = {}
        for stems in self.senses:
            found.setdefault(stems[0], set()).add(len(stems))
        return {first: tuple(sorted(each, reverse=True)) for first, each in found.items()}

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stem for stems in self.senses for stem in stems)

    @cached_property
    def by_missing(self) -> Mapping[str, list[str]]:
        """Longer stems by what is left of them without one of their letters."""
        found: dict[str, list[str]] = {}
        for stem in self.stems:
            if _SHORTEST_SLIP - 1 <= len(stem) <= _LONGEST_COMPOUND:
                for missing in _one_missing(stem):
                    found.setdefault(missing, []).append(stem)
        return found

    def at(self, stems: list[str], first: int) -> Iterator[tuple[int, tuple[Sense, ...]]]:
        """The phrases that start at a place, longest first, each with its last stem's place."""
        for length in self.lengths.get(stems[first], ()):
            found = tuple(stems[first : first + length])
            if len(found) == length and (senses := self.senses.get(found)) is not None:
                yield first + length - 1, senses

    def parts(self, word: str) -> list[tuple[Sense, ...]]:
        """The phrases of one word each that a compound is put together of; none where a part is unknown."""
        if not 2 * _SHORTEST_PART <= len(word) <= _LONGEST_COMPOUND or not word.isalpha():
            return []
        # The longest first part that leads to the end, from the end on: reached[at] has the parts of word[at:].
        reached: dict[int, list[tuple[Sense, ...]]] = {len(word): []}
        for at in range(len(word) - _SHORTEST_PART, -1, -1):
            for end in range(len(word), at + _SHORTEST_PART - 1, -1):
                if end in reached and (senses := self._part(word[at:end])):
                    reached[at] = [senses, *reached[end]]
                    break
        found = reached.get(0, [])
        return found if len(found) > 1 else []

    def _part(self, part: str) -> tuple[Sense, ...]:
        return self.senses.get((stem_of(part),)) or self.senses.get((part,)) or ()


@lru_cache(maxsize=16)
def lexicon_of(attributes: Attributes, kind_of_row: KindOfRow) -> Lexicon:
    """All phrases of the attributes that such rows have."""
    left_out = NOT_OF_PRODUCTS if kind_of_row == "product" else frozenset[str]()
    own = ((stems, sense) for stems, sense in _phrases(attributes) if sense.attribute not in left_out)
    return Lexicon(own)


def _phrases(attributes: Attributes) -> Iterator[tuple[tuple[str, ...], Sense]]:
    named: dict[str, set[str]] = {}
    for attribute in attributes.by_name.values():
        for name in names_of(attribute):
            yield stems_of(name), Called(attribute.name)
            for stem in stems_of(name):
                named.setdefault(stem, set()).add(attribute.name)
    for family, words in attributes.families.items():
        for word in (family, *(unmarked(each)[1] for each in words)):
            yield stems_of(word), Means("family", (family,))
    for (name, term), values in attributes.terms.items():
        if values and _is_known(name, attributes):
            yield stems_of(term), Means(name, values, weak=_is_weak(term))
    for name, listed in attributes.listed.items():
        if name in _NEVER_LISTED or not _is_known(name, attributes):
            continue
        for value in sorted(listed):
            stems = stems_of(value)
            # A word that other attributes' names are made of is a plain word of the trade.
            plain = len(stems) == 1 and bool(named.get(stems[0], set()) - {name})
            yield stems, Means(name, (value,), weak=plain or _is_weak(value))


def _is_known(name: str, attributes: Attributes) -> bool:
    return name in attributes.by_name or name in BUILT_IN


def _is_weak(value: str) -> bool:
    pieces = pieces_of(value)
    if all(map(str.isdigit, pieces)):
        return len(pieces) < 2 or sum(map(len, pieces)) < _TELLING_DIGITS
    return len(pieces) == 1 and (len(pieces[0]) == 1 or pieces[0] in plain_words())


@lru_cache(maxsize=16)
def lexicon_of_names(names: Names, kind_of_row: KindOfRow) -> Lexicon:
    kinds = {"manufacturer": names.manufacturers}
    if kind_of_row != "product":
        kinds |= {"customer": names.customers, "salesperson": names.salespeople}
    return Lexicon(
        (stems_of(said), Means(kind, (name,), weak=_is_weak(said)))
        for kind, each in kinds.items()
        for said, name in each.items()
    )


def hits_of(source: Source, lexicons: Iterable[Lexicon], *, stems: list[str] | None = None) -> list[Hit]:
    """The phrases of the text that nothing read yet, longest first at each place, none over another.

    ``stems`` stand in for those of the text where slips are mended.
    """
    lexicons = list(lexicons)
    pieces = source.pieces
    stems = stems or [piece.stem for piece in pieces]
    found: list[Hit] = []
    at = 0
    while at < len(pieces):
        hit = None if pieces[at].glued else _longest(source, lexicons, stems, at)
        if hit is not None:
            found.append(hit)
        elif not pieces[at].glued and source.is_whole(at, at) and source.is_free(pieces[at].start, pieces[at].end):
            found += _compound(source, lexicons, at)
        at = hit.last + 1 if hit else at + 1
    return found


def _longest(source: Source, lexicons: list[Lexicon], stems: list[str], at: int) -> Hit | None:
    pieces = source.pieces
    best: dict[int, list[Sense]] = {}
    for lexicon in lexicons:
        for last, senses in lexicon.at(stems, at):
            if source.is_whole(at, last) and source.is_phrase(at, last):
                if source.is_free(pieces[at].start, pieces[last].end):
                    best.setdefault(last, []).extend(senses)
                break
    if not best:
        # An attribute's name stands before its figure without a gap: PN16.
        return _glued_name(source, lexicons, stems, at)
    last = max(best)
    return Hit(at, last, pieces[at].start, pieces[last].end, tuple(best[last]))


def _glued_name(source: Source, lexicons: list[Lexicon], stems: list[str], at: int) -> Hit | None:
    pieces = source.pieces
    if at + 1 >= len(pieces) or not pieces[at + 1].glued or not pieces[at + 1].word.isdigit():
        return None
    senses = [
        sense for lexicon in lexicons for sense in lexicon.senses.get((stems[at],), ()) if isinstance(sense, Called)
    ]
    place = pieces[at]
    return (
        Hit(at, at, place.start, place.end, tuple(senses))
        if senses and source.is_free(*(place.start, place.end))
        else None
    )


def _compound(source: Source, lexicons: list[Lexicon], at: int) -> Iterator[Hit]:
    piece = source.pieces[at]
    parts = next(filter(None, (lexicon.parts(piece.word) for lexicon in lexicons)), [])
    for senses in parts:
        yield Hit(at, at, piece.start, piece.end, senses)


def mended(source: Source, lexicon: Lexicon, *, is_word: Callable[[str], bool]) -> list[str]:
    """The stems of a text in which words one slip away from a word of a name are that word."""
    stems = [piece.stem for piece in source.pieces]
    for at, piece in enumerate(source.pieces):
        if not _SHORTEST_SLIP <= len(piece.word) <= _LONGEST_COMPOUND or not piece.word.isalpha():
            continue
        if piece.stem in lexicon.stems or not source.is_whole(at, at) or is_word(piece.word):
            continue
        near = {
            word
            for missing in _one_missing(piece.stem)
            for word in lexicon.by_missing.get(missing, ())
            if word[0] == piece.stem[0] and is_one_slip(word, piece.stem)
        }
        if len(near) == 1:
            stems[at] = near.pop()
    return stems


def _one_missing(word: str) -> list[str]:
    return [word, *(word[:at] + word[at + 1 :] for at in range(len(word)))]


def is_one_slip(one: str, other: str) -> bool:
    """Whether one letter is wrong, missing or too much, or two beside each other are turned."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[start:], other[start:]
    return (
        one[1:] == other
        or one == other[1:]
        or one[1:] == other[1:]
        or (one[:2] == other[1::-1] and len(other) > 1 and one[2:] == other[2:])
    )
