"""The reader: what a text asks for, as needs, and the words that it did not read."""

from collections.abc import Iterable

from quarry.attributes.model import Attributes
from quarry.needs.grammar import read_need
from quarry.needs.model import BUILT_IN, Need
from quarry.reading.context import Context, Mark
from quarry.reading.figures import Binder, Quantity, figures_of, quantities_of
from quarry.reading.languages import language_of, plain_words, words_of
from quarry.reading.lexicon import Hit, hits_of, lexicon_of, lexicon_of_names, mended
from quarry.reading.model import KindOfRow, Names, Reading
from quarry.reading.models import models_of, slips_of
from quarry.reading.source import Source
from quarry.reading.values import denials_of, families_of, values_of
from quarry.text import stem_of

MOST_CHARACTERS = 20_000
_BOUNDS = (">", "<")


def read(text: str, *, attributes: Attributes, names: Names, kind_of_row: KindOfRow = "product") -> Reading:
    """What a text asks of rows of a kind; what it says besides is left in ``rest``."""
    reader = _Reader(text[:MOST_CHARACTERS], attributes, names, kind_of_row)
    reader.read()
    needs, said = reader.needs()
    return Reading(
        needs=needs,
        said=said,
        rest=reader.source.rest,
        unread=tuple(
            reader.source.written(*place) for place in sorted(set(reader.unread)) if reader.source.is_free(*place)
        ),
        language=reader.words.language,
        cut=max(len(text) - MOST_CHARACTERS, 0),
    )


class _Reader:
    """Reads what is surest first: models, figures, values, then slips in what nobody else read."""

    def __init__(self, text: str, attributes: Attributes, names: Names, kind_of_row: KindOfRow) -> None:
        self.source = Source(text)
        self.attributes = attributes
        self.names = names
        self.words = words_of(language_of([piece.word for piece in self.source.pieces]))
        self.lexicon = lexicon_of(attributes, kind_of_row)
        self.own_names = lexicon_of_names(names, kind_of_row)
        self.marks: list[Mark] = []
        self.unread: list[tuple[int, int]] = []

    def read(self) -> None:
        context = Context(self.source, self.words, ())
        for mark in models_of(context, self.names, self.lexicon):
            self._keep(mark)
        hits = hits_of(self.source, (self.lexicon, self.own_names))
        context = Context(self.source, self.words, hits)
        flags = frozenset(one.name for one in self.attributes.by_name.values() if one.kind == "flag")
        denials = denials_of(context, hits, flags=flags)
        families = families_of(hits, denials)
        quantities = quantities_of(context, figures_of(context, self.attributes))
        named: list[Mark] = []
        for figure in Binder(context, self.attributes, families).marks(quantities):
            # An attribute's name beside a figure may also be a value: it stays for those.
            if isinstance(figure, Mark) and self._keep(figure, beside=False):
                named.append(figure)
            elif isinstance(figure, Quantity):
                self.unread.append((figure.start, figure.end))
        values = values_of(context, hits, denials=denials, families=families, attributes=self.attributes)
        self._keep_all(list(values))
        for figure in named:
            for place in figure.places:
                self.source.take(*place)
        self._read_slips(context, families)

    def _read_slips(self, context: Context, families: list[str]) -> None:
        makers = [
            value for mark in self.marks if mark.attribute == "manufacturer" for value in mark.asked.split(" | ")
        ]
        hits = hits_of(
            self.source, (self.own_names,), stems=mended(self.source, self.own_names, is_word=self._is_word)
        )
        makers += [value for hit in hits for sense in hit.senses for value in getattr(sense, "values", ())]
        for mark in slips_of(context, self.names, makers):
            self._keep(mark)
        denials = denials_of(context, hits, flags=frozenset())
        values = values_of(context, hits, denials=denials, families=families, attributes=self.attributes)
        self._keep_all(list(values))

    def _is_word(self, word: str) -> bool:
        return word in plain_words() or word in self.names.words or stem_of(word) in self.lexicon.stems

    def _keep_all(self, values: Iterable[Mark | Hit]) -> None:
        for value in values:
            if isinstance(value, Mark):
                self._keep(value)
            else:
                self.unread.append((value.start, value.end))

    def _keep(self, mark: Mark, *, beside: bool = True) -> bool:
        """Whether what was read can be asked for; what cannot stays unread."""
        if self._need(mark.attribute, [mark.asked], negated=mark.negated) is None:
            self.unread.append(mark.places[0])
            return False
        self.marks.append(mark)
        for place in mark.places if beside else mark.places[:1]:
            self.source.take(*place)
        return True

    def _need(self, attribute: str, asked: Iterable[str], *, negated: bool) -> Need | None:
        text = ("not " if negated else "") + " | ".join(dict.fromkeys(asked))
        need = read_need(attribute, text, attributes=self.attributes)
        if not isinstance(need, Need) or need.negated != negated:
            return None
        is_plain = need.attribute.kind != "text" or all(choice.operator == "is" for choice in need.choices)
        return need if is_plain else None

    def needs(self) -> tuple[tuple[Need, ...], tuple[tuple[str, ...], ...]]:
        """Values of one attribute are alternatives, bounds of it hold together."""
        grouped: dict[tuple[str, bool, str], list[Mark]] = {}
        for mark in sorted(self.marks, key=lambda mark: mark.start):
            bound = mark.asked if self._is_bound(mark) else ""
            grouped.setdefault((mark.attribute, mark.negated, bound), []).append(mark)
        found: list[tuple[Need, tuple[str, ...]]] = []
        for (attribute, negated, _), marks in grouped.items():
            asked = [each for mark in marks for each in mark.asked.split(" | ")]
            if self._kind(attribute) == "flag":
                asked = asked[:1]
            if (need := self._need(attribute, asked, negated=negated)) is not None:
                found.append((need, tuple(self.source.written(*mark.places[0]) for mark in marks)))
        return tuple(need for need, _ in found), tuple(said for _, said in found)

    def _is_bound(self, mark: Mark) -> bool:
        return self._kind(mark.attribute) == "number" and mark.asked.startswith(_BOUNDS)

    def _kind(self, attribute: str) -> str:
        known = self.attributes.by_name.get(attribute) or BUILT_IN.get(attribute)
        return known.kind if known else "text"
