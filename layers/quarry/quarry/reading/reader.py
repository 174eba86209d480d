"""Reads what a text asks for into needs, and tells which words were not read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quarry.attributes.model import Attributes, Names
from quarry.needs.grammar import LONGEST_NEED, read_need
from quarry.needs.model import BUILT_IN, KindOfRow, Need
from quarry.reading.binding import Binder
from quarry.reading.context import Mark, TextContext
from quarry.reading.figures import quantities_of
from quarry.reading.languages import language_of, plain_words, words_of
from quarry.reading.lexicon import LexiconHit, hits_of, lexicon_of
from quarry.reading.source import SourceText
from quarry.reading.values import (
    Values,
    asides_of,
    denials_of,
    families_of,
    lexicon_of_names,
    mended,
    models_of,
    slips_of,
)
from quarry.text import stem_of

MOST_CHARACTERS = 8_000

_FAR = 2.0
"""Factor from which two figures are no two statements of one: 30 hp is 22 kW."""

_NAMING = frozenset(("family", "category", "manufacturer"))


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from a text; ``said`` has the words that each need was read from. ``rest`` are the words that
    were not read; ``unread`` those of them that state a figure or a value without telling which attribute is meant.
    """

    needs: tuple[Need, ...] = ()
    said: tuple[tuple[str, ...], ...] = ()
    rest: str = ""
    unread: tuple[str, ...] = ()


def read(text: str, *, attributes: Attributes, names: Names, kind_of_row: KindOfRow = "product") -> Reading:
    """Reads what the first MOST_CHARACTERS ask of rows of a kind; their other words are left in ``rest``."""
    reader = _Reader(text[:MOST_CHARACTERS], attributes, names, kind_of_row)
    reader.read()
    found, source = reader.needs(), reader.source
    unread = [source.written(*place) for place in sorted(set(reader.unread)) if source.is_free(*place)]
    return Reading(
        needs=tuple(need for need, _ in found),
        said=tuple(tuple(source.written(*mark.places[0]) for mark in marks) for _, marks in found),
        rest=source.rest,
        unread=tuple(unread),
    )


class _Reader:
    """Reads what is surest first: models, figures, models with a typing error, then values."""

    def __init__(self, text: str, attributes: Attributes, names: Names, kind_of_row: KindOfRow) -> None:
        self.source = SourceText(text)
        self.attributes = attributes
        self.names = names
        self.kind_of_row = kind_of_row
        self.words = words_of(language_of([piece.word for piece in self.source.pieces], else_of=attributes.language))
        self.lexicon = lexicon_of(attributes, kind_of_row)
        self.own_names = lexicon_of_names(names, kind_of_row, self.lexicon)
        self.marks: list[Mark] = []
        self.unread: list[tuple[int, int]] = []

    def read(self) -> None:
        plain = TextContext(self.source, self.words, ())
        self._keep(models_of(plain, self.names, self.lexicon.senses))
        hits = hits_of(self.source, (self.lexicon, self.own_names)) + self._mended_names()
        context = TextContext(self.source, self.words, hits)
        denials = denials_of(context, hits, self.attributes)
        # Goods of a quote are lines of it, each of which is asked for.
        asides = asides_of(context, hits) if self.kind_of_row != "quote" else frozenset[LexiconHit]()
        families = families_of(hits, denials, asides)
        goods = {hit.start: False for hit in hits if any(sense.attribute in _NAMING for sense in hit.meant)}
        goods |= {mark.places[0][0]: True for mark in self.marks}
        binder = Binder(
            context, self.attributes, families, self.kind_of_row, goods=goods, sold_in=self.names.sold_in
        )  # fmt: skip
        figures = list(binder.marks(quantities_of(context, self.attributes)))
        apart = self._far_apart([one for one in figures if isinstance(one, Mark)])
        self.unread += [mark.places[0] for mark in apart]
        named = self._keep(one for one in figures if one not in apart)
        makers = {value for hit in hits for value in hit.values_of("manufacturer")}
        self._keep(slips_of(context, self.names, makers))
        self._keep(list(Values(context, denials, asides, families, self.attributes).marks(hits)))
        # An attribute's name beside a figure may also be a value, so it is taken only after all values were read.
        for start, end in (place for mark in named for place in mark.places):
            self.source.take(start, end)

    def _far_apart(self, figures: Sequence[Mark]) -> list[Mark]:
        """Finds figures that one attribute cannot have both, in units of which one would do for both: "4 hours, for 5
        years". Of these only the ones beside its name are its own.
        """
        found: list[Mark] = []
        for name in dict.fromkeys(mark.attribute for mark in figures):
            exact = [mark for mark in figures if mark.attribute == name and mark.asked[0].isdigit()]
            needs = [need for mark in exact if (need := self._need(name, [mark.asked], negated=mark.negated))]
            low = [choice.low or 0.0 for need in needs for choice in need.choices]
            units = {mark.asked.rpartition(" ")[2] for mark in exact}
            if len(units) > 1 and max(low, default=0.0) > _FAR * min(low, default=0.0):
                found += [mark for mark in exact if len(mark.places) == 1]
        return found

    def _mended_names(self) -> list[LexiconHit]:
        """Finds names in which a word has a typing error."""
        stems = mended(self.source, self.names, is_word=self._is_word)
        changed = {at for at, piece in enumerate(self.source.pieces) if piece.stem != stems[at]}
        found = hits_of(self.source, (self.own_names,), stems=stems) if changed else []
        return [hit for hit in found if changed & set(range(hit.first, hit.last + 1))]

    def _is_word(self, word: str) -> bool:
        known = (self.lexicon.stems, self.own_names.stems)
        return word in plain_words() or word in self.names.words or any(stem_of(word) in stems for stems in known)

    def _keep(self, found: Iterable[object]) -> list[Mark]:
        """Keeps the marks that make a valid need and takes their words; records all others as unread."""
        kept = []
        for one in found:
            if not isinstance(one, Mark):
                self.unread.append((one.start, one.end))  # type: ignore[attr-defined]
            elif self._need(one.attribute, [one.asked], negated=one.negated) is None:
                self.unread.append(one.places[0])
            else:
                kept.append(one)
                self.source.take(*one.places[0])
        self.marks += kept
        return kept

    def _need(self, attribute: str, asked: Iterable[str], *, negated: bool) -> Need | None:
        text = ("not " if negated else "") + " | ".join(dict.fromkeys(asked))
        if len(text) > LONGEST_NEED:  # no caller could send it again
            return None
        need = read_need(attribute, text, attributes=self.attributes)
        if not isinstance(need, Need) or need.negated != negated:
            return None
        is_plain = need.attribute.kind != "text" or all(choice.operator == "is" for choice in need.choices)
        return need if is_plain else None

    def needs(self) -> list[tuple[Need, list[Mark]]]:
        """Groups marks into needs: values of one attribute are alternatives, bounds on it hold together."""
        grouped: dict[tuple[str, bool, str], list[Mark]] = {}
        for mark in sorted(narrowed(self.marks), key=lambda mark: mark.places[0]):
            is_bound = self._kind(mark.attribute) == "number" and mark.asked.startswith((">", "<"))
            grouped.setdefault((mark.attribute, mark.negated, mark.asked if is_bound else ""), []).append(mark)
        found = []
        for (attribute, negated, _), marks in grouped.items():
            marks = marks[:1] if self._kind(attribute) == "flag" else marks
            asked = [each for mark in marks for each in mark.asked.split(" | ")]
            if (need := self._need(attribute, asked, negated=negated)) is not None:
                found.append((need, marks))
        return found

    def _kind(self, attribute: str) -> str:
        known = self.attributes.by_name.get(attribute) or BUILT_IN.get(attribute)
        return known.kind if known else "text"


def narrowed(marks: Sequence[Mark]) -> list[Mark]:
    """Drops the marks that another one makes superfluous: a class of which a value is named ("stainless, 1.4408"),
    and a value that is excluded elsewhere ("trouble with brass: anything but brass").
    """
    values = [(mark, frozenset(mark.asked.split(" | "))) for mark in marks]
    of: dict[str, dict[tuple[frozenset[str], bool], None]] = {}
    for mark, own in values:
        of.setdefault(mark.attribute, {})[own, mark.negated] = None
    return [
        mark
        for mark, own in values
        if mark.negated or not any(own <= other if negated else other < own for other, negated in of[mark.attribute])
    ]
