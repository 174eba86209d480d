"""Reads what a text asks for into needs, and tells which words were not read."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from quarry.attributes.model import Attributes, Names
from quarry.attributes.units import Unit, convert
from quarry.needs.grammar import LONGEST_NEED, number_of, read_need
from quarry.needs.model import BUILT_IN, KindOfRow, Need, Unread
from quarry.reading.binding import Binder
from quarry.reading.context import Mark, TextContext
from quarry.reading.figures import Quantity, ReadFigure, quantities_of
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
from quarry.text import FIGURE, fold, key_of_figure, readings, stem_of

MOST_CHARACTERS = 8_000

_LETTERS = re.compile(r"^[^a-z]*|(?<=[a-z])[^a-z].*$")
"""Matches what is not among the first letters of a unit, by which texts are compared."""
_FAR = 2.0
"""Factor from which two figures are no two statements of one: 30 hp is 22 kW."""

_NAMING = frozenset(("family", "category", "manufacturer"))


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from a text; ``said`` has the words that each need was read from. ``rest`` are the words that
    were not read; ``unread`` the figures of which no need was read, and values that do not tell whose they are.
    ``figures`` has the keys of what each of them may be in a row, but for those that count goods or money.
    """

    needs: tuple[Need, ...] = ()
    said: tuple[tuple[str, ...], ...] = ()
    rest: str = ""
    unread: tuple[str, ...] = ()
    figures: tuple[frozenset[str], ...] = ()


def read(text: str, *, attributes: Attributes, names: Names, kind_of_row: KindOfRow = "product") -> Reading:
    """Reads what the first MOST_CHARACTERS ask of rows of a kind; their other words are left in ``rest``."""
    reader = _Reader(text[:MOST_CHARACTERS], attributes, names, kind_of_row)
    reader.read()
    found, source = reader.needs(), reader.source
    return Reading(
        needs=tuple(need for need, _ in found),
        said=tuple(tuple(source.written(*mark.places[0]) for mark in marks) for _, marks in found),
        rest=source.rest,
        unread=tuple(source.written(*place) for place in reader.left()),
        figures=tuple(reader.figures()),
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
        self.quantities: list[Quantity] = []
        self.goods: dict[int, bool] = {}
        self.read_needs: dict[tuple[str, str], Need | Unread] = {}

    def read(self) -> None:
        plain = TextContext(self.source, self.words, ())
        self._keep(models_of(plain, self.names, self.lexicon.senses))
        hits = hits_of(self.source, (self.lexicon, self.own_names)) + self._mended_names()
        context = TextContext(self.source, self.words, hits)
        denials = denials_of(context, hits, self.attributes)
        # Goods of a quote are lines of it, each of which is asked for.
        asides = asides_of(context, hits) if self.kind_of_row != "quote" else frozenset[LexiconHit]()
        families = families_of(hits, denials, asides)
        self.goods = {hit.start: False for hit in hits if any(sense.attribute in _NAMING for sense in hit.meant)}
        self.goods |= {mark.places[0][0]: True for mark in self.marks}
        binder = Binder(
            context, self.attributes, families, self.kind_of_row, goods=self.goods, sold_in=self.names.sold_in
        )  # fmt: skip
        self.quantities = quantities_of(context, self.attributes)
        figures = list(binder.marks(self.quantities))
        apart = self._far_apart([one for one in figures if isinstance(one, Mark)])
        self.unread += [mark.places[0] for mark in apart]
        named = self._keep(one for one in figures if one not in apart)
        makers = {value for hit in hits for value in hit.values_of("manufacturer")}
        self._keep(slips_of(context, self.names, makers))
        plain_figures = {
            (figure.start, figure.end)
            for quantity in self.quantities if quantity.unit is None and not quantity.is_range
            for figure in quantity.figures
        }  # fmt: skip
        values = Values(context, denials, asides, families, self.attributes, plain_figures)
        self._keep(list(values.marks(hits)))
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
        if (attribute, text) not in self.read_needs:
            self.read_needs[attribute, text] = read_need(attribute, text, attributes=self.attributes)
        need = self.read_needs[attribute, text]
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
            else:
                self.marks = [mark for mark in self.marks if mark not in marks]
        return found

    def left(self) -> list[tuple[int, int]]:
        """Returns the places of what was not read: every figure that is in no mark, as it is written, and values."""
        source, figures, runs = self.source, self._figures_left(), self.source.runs()
        places = [(source.pieces[at].start, source.pieces[at].end) for at in figures]
        found: list[tuple[int, int]] = []
        for start, end in sorted({*places, *self.unread}):
            own = figures & {*self._pieces(start, end)}
            if own:
                start, end = min(start, runs[min(own)][0]), max(end, runs[max(own)][1])
            if own or source.is_free(start, end):
                if found and start < found[-1][1]:
                    before = found.pop()
                    start, end = min(start, before[0]), max(end, before[1])
                found.append((start, end))
        return found

    def figures(self) -> Iterator[frozenset[str]]:
        """Yields the keys of each figure, and capital letter, that is left and may tell goods apart."""
        left = self._figures_left()
        for quantity in self._whole():
            own = left & {*self._pieces(quantity.start, quantity.end)}
            if own and self.source.is_free(quantity.start, quantity.end) and not self._is_amount(quantity, max(own)):
                keys = [key for figure in quantity.figures for key in self._keys(figure, quantity.unit)]
                # Of alternatives a row need say but one.
                yield from [frozenset().union(*keys)] if len(quantity.figures) > 1 else keys
        for start, end in self.unread:
            if end - start == 1 and self.source.folded[start].isalpha() and self.source.is_free(start, end):
                yield frozenset((self.source.folded[start],))

    def _whole(self) -> Iterator[Quantity]:
        """Yields the quantities but the powers within the units of others: the 3 of m³."""
        reached = 0
        for quantity in self.quantities:
            if quantity.start >= reached:
                yield quantity
            reached = max(reached, quantity.end)

    def _is_amount(self, quantity: Quantity, last: int) -> bool:
        """Returns whether a figure may count what is ordered, or is one of money, or a range, which no row says."""
        unit, pieces, at = quantity.unit, self.source.pieces, last + 1
        if unit is None:
            read = {each for mark in self.marks for place in mark.places for each in self._pieces(*place)}
            while at < len(pieces) and pieces[at].start not in self.goods and (pieces[at].word == "x" or at in read):
                at += 1
            return quantity.is_range or (at < len(pieces) and pieces[at].start in self.goods)
        sold = (self.attributes.units.named(each) for each in self.names.sold_in)
        is_sold = any(one is not None and one.dimension == unit.dimension for one in sold)
        return quantity.is_range or unit.is_currency or (is_sold and not self.attributes.measured_in(unit))

    def _keys(self, figure: ReadFigure, unit: Unit | None) -> Iterator[frozenset[str]]:
        """Yields what a row may say for each figure: itself, or it with its unit where attributes have that."""
        if "/" in figure.text:
            yield frozenset((figure.text.split()[-1], key_of_figure(number_of(figure.text) or 0.0)))
            return
        measured = self.attributes.measured_in(unit) if unit else []
        for values in map(list, map(readings, FIGURE.findall(figure.text))):
            found = {key_of_figure(value) for value in values}
            if unit is not None and measured:
                letters = {
                    _LETTERS.sub("", said)
                    for said in (self.source.folded[figure.start : figure.end], fold(unit.symbol))
                }
                # A degree's sign ends the letters behind a figure.
                letters |= {""} if "°" in unit.symbol else set()
                found = {f"{key} {each}" for key in found for each in letters}
                for one in measured:
                    own = self.attributes.unit_of(one) or unit
                    ends = [convert(value, unit, own) for value in values]
                    found |= {f"{one.name} {key_of_figure(end)}" for end in ends if end is not None}
            if found:
                yield frozenset(found)

    def _figures_left(self) -> set[int]:
        read = {at for mark in self.marks for place in mark.places for at in self._pieces(*place)}
        return {at for at, piece in enumerate(self.source.pieces) if piece.word.isdigit() and at not in read}

    def _pieces(self, start: int, end: int) -> range:
        return range(self.source.piece_at(start), self.source.piece_at(end))

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
