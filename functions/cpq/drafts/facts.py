"""What one statement states that can be right or wrong: figures, prices, models, makers, names, quote numbers."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from quarry.precedents.mentions import QUOTE_NUMBER, Mentioning
from quarry.understanding.amounts import amounts
from quarry.understanding.electrics import supplies
from quarry.understanding.makers import maker_at, person_at
from quarry.understanding.models import model_at, unknown_model_at
from quarry.understanding.names import Names
from quarry.understanding.needs import Language
from quarry.understanding.quantities import Measure, Reader
from quarry.understanding.text import STEM, Token, fold, tokens
from quarry.understanding.units import ATMOSPHERE_INHG, INHG_PER_MBAR, PSI_PER_BAR, fahrenheit
from quarry.understanding.words import Vocabulary

Kind = Literal["figure", "price", "voltage", "number", "model", "maker", "name", "quote", "property"]

CODED = re.compile(
    r"(?<![\w.])(?P<code>[A-Z]{3})\s?(?P<amount>\d[\d.,'’]*\d|\d)|(?P<after>\d[\d.,'’]*\d)\s?(?P<last>[A-Z]{3})\b"
)
CURRENCIES = frozenset(("CHF", "CAD", "MXN", "GBP", "AUD", "SEK", "DKK", "NOK", "PLN", "CZK", "USD", "EUR"))
PROPERTIES = frozenset(("lubrication", "certificate", "cooling", "dryer_kind", "drive"))
"""What the words of the trade say of a machine and its catalogue row can confirm or deny."""
TOGETHER = frozenset(
    ("together", "both", "total", "combined", "zusammen", "insgesamt", "gesamt", "ensemble", "juntos")
)
LABEL = re.compile(r"\s*\d{1,3}[.)]\s")
"""What a list puts before a statement."""
INHG_PER_PSI = 2.036
JOINING = frozenset(("and", "or", "to", "through", "und", "oder", "bis", "y", "o", "a", "hasta", "et", "ou"))
MOST_LISTED = 8
"""Words between the first number of a list and its last."""
ABOUT, TELLING = 4, 4
"""Words on either side of a number that say what it counts; letters of a telling word."""


@dataclass(frozen=True, slots=True)
class Fact:
    """``measure`` reads a figure in base units; ``near`` are the words before and behind a number."""

    kind: Kind
    text: str
    start: int
    measure: Measure | None = None
    values: frozenset[str] = frozenset()
    amounts: tuple[float, ...] = ()
    near: tuple[str, str] = ("", "")
    among: tuple[Sequence[Token], int] = ((), 0)
    """The statement's words, and the place of a number among them."""
    attribute: str = ""
    together: bool = False
    """True for a figure of several machines at once: both take 1000 scfm."""


@dataclass(frozen=True)
class FactReader:
    """Reads statements with the trade's words and the tenant's names; nothing misspelt is forgiven."""

    vocabulary: Vocabulary
    names: Names

    @cached_property
    def mentioning(self) -> Mentioning:
        return Mentioning(self.names, self.vocabulary)

    @cached_property
    def no_models(self) -> Names:
        return Names()

    def language(self, text: str) -> Language:
        return self.vocabulary.language_of(tokens(fold(text)))

    def facts(self, text: str, *, language: Language) -> list[Fact]:
        folded = fold(text)
        words = tokens(folded)
        taken = bytearray(len(words))
        found = [*_quotes(text, words, taken), *_supplies(text, folded, words, taken)]
        found += self._models(text, words, taken)
        reader = Reader(folded, words, vocabulary=self.vocabulary, language=language)
        found += _prices(text, folded, words, taken, reader=reader)
        together = any(token.text in TOGETHER for token in words)
        for measure in reader.measures(taken):
            if measure.attribute:
                said = text[measure.start : measure.end].strip()
                found.append(Fact("figure", said, measure.start, measure=measure, together=together))
            else:
                taken[measure.first : measure.last] = b"\0" * (measure.last - measure.first)
        found += self._names(text, words, taken, language=language)
        found += self._properties(text, words, taken, language=language)
        found += _numbers(text, words, taken)
        return sorted(found, key=lambda fact: fact.start)

    def _models(self, text: str, words: list[Token], taken: bytearray) -> Iterator[Fact]:
        place = 0
        while place < len(words):
            if taken[place]:
                place += 1
                continue
            mention = model_at(text, words, place, taken, names=self.names, vocabulary=self.vocabulary)
            if mention is None and (place == 0 or words[place].gap not in ("", "-", ".", "/")):
                mention = unknown_model_at(
                    text, words, place, taken, names=self.no_models, vocabulary=self.vocabulary
                )
            if mention is None or mention.attribute != "model":
                place += 1
                continue
            start, end = words[mention.first].start, words[mention.last - 1].end
            values = frozenset() if mention.absent else mention.values
            yield Fact("model", text[start:end], start, values=values)
            _take(taken, mention.first, mention.last)
            place = mention.last

    def _names(self, text: str, words: list[Token], taken: bytearray, *, language: Language) -> Iterator[Fact]:
        place = 0
        while place < len(words):
            if taken[place]:
                place += 1
                continue
            maker = maker_at(text, words, place, names=self.names, vocabulary=self.vocabulary, language=language)
            person = person_at(text, words, place, names=self.names, vocabulary=self.vocabulary)
            mention = maker if person is None or (maker and maker.last >= person.last) else person
            if mention is None:
                place += 1
                continue
            start, end = words[mention.first].start, words[mention.last - 1].end
            kind: Kind = "maker" if mention is maker else "name"
            yield Fact(kind, text[start:end], start, values=mention.values, attribute=mention.attribute)
            place = mention.last

    def _properties(self, text: str, words: list[Token], taken: bytearray, *, language: Language) -> Iterator[Fact]:
        place = 0
        while place < len(words):
            count, meanings = self.vocabulary.match(words, place) if not taken[place] else (0, ())
            for meaning in meanings:
                if meaning.attribute in PROPERTIES and meaning.language in (language, "en", ""):
                    if meaning.attribute == "certificate":  # its figures are judged as a part of its name
                        _take(taken, place, place + count)
                    start, end = words[place].start, words[place + count - 1].end
                    values = frozenset({meaning.value})
                    yield Fact("property", text[start:end], start, values=values, attribute=meaning.attribute)
            place += count or 1


def _take(taken: bytearray, first: int, last: int) -> None:
    taken[first:last] = b"\1" * (last - first)


def _span(words: list[Token], start: int, end: int) -> tuple[int, int]:
    inside = [place for place, token in enumerate(words) if token.start < end and token.end > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def _quotes(text: str, words: list[Token], taken: bytearray) -> Iterator[Fact]:
    for match in QUOTE_NUMBER.finditer(text):
        _take(taken, *_span(words, *match.span()))
        yield Fact("quote", match[0], match.start(), values=frozenset({match[0]}))


def _supplies(text: str, folded: str, words: list[Token], taken: bytearray) -> Iterator[Fact]:
    for supply in supplies(folded):
        _take(taken, *_span(words, supply.start, supply.end))
        said = text[supply.start : supply.end].strip()
        # Figures as they are written: 480 V is not the 460 V that it is nominally. "Three phase" has none.
        figures = re.findall(r"\d+", said) or [value.split()[0] for value in supply.values]
        yield Fact("voltage", said, supply.start, values=frozenset(figures))


def _prices(text: str, folded: str, words: list[Token], taken: bytearray, *, reader: Reader) -> Iterator[Fact]:
    for match in CODED.finditer(text):
        first, last = _span(words, *match.span())
        if (match["code"] or match["last"]) in CURRENCIES and not any(taken[first:last]):
            _take(taken, first, last)
            yield Fact("price", match[0], match.start(), amounts=readings(match["amount"] or match["after"]))
    for said in amounts(folded, words, taken, reader=reader):
        start, end = words[said.first].start, words[said.last - 1].end
        start -= text[max(0, start - 1) : start] in ("$", "€", "£")
        value = said.low if said.low is not None else said.high
        digits = re.search(r"\d[\d.,]*\d|\d", text[start:end])
        yield Fact("price", text[start:end], start, amounts=(*readings(digits[0] if digits else ""), value or 0.0))


def readings(figure: str) -> tuple[float, ...]:
    """What an amount may be with a point or with a comma before the decimals: 1.200,50 and 1,200.50."""
    bare = re.sub(r"['’\s]", "", figure)
    found = set()
    for decimal, group in ((".", ","), (",", ".")):
        whole = bare.replace(group, "").replace(decimal, ".", 1)
        if whole.replace(".", "", 1).isdigit():
            found.add(float(whole))
    return tuple(sorted(found))


def _numbers(text: str, words: list[Token], taken: bytearray) -> Iterator[Fact]:
    for place, token in enumerate(words):
        if token.number and not taken[place] and not (place == 0 and LABEL.match(text)):
            before = words[_listed_from(words, place) - 1].text if place else ""
            following = words[place + 1].text if place + 1 < len(words) else ""
            yield Fact("number", text[token.start : token.end], token.start, near=(before, following),
                       among=(words, place))  # fmt: skip


def _listed_from(words: list[Token], place: int) -> int:
    """Where a list of numbers begins that the one at `place` ends: "items 4 and 5", "1 bis 6"."""
    last = max(1, place - MOST_LISTED)
    while place > last and (
        words[place - 1].number or (words[place - 1].text in JOINING and words[place - 2].number)
    ):
        place -= 1
    return place


def words_about(words: Sequence[Token], place: int) -> frozenset[str]:
    """The words of four letters and more near that at `place`, each by its beginning, which endings leave alone."""
    near = words[max(0, place - ABOUT) : place + ABOUT + 1]
    return frozenset(word.text[:STEM] for word in near if len(word.text) >= TELLING and not word.number)


def number_keys(text: str) -> set[str]:
    """A number beside each of its neighbours, as `supported_number` looks for it."""
    words = tokens(fold(text)) if len(text) < 2_000 else [
        token for part in re.findall(r"(?s).{1,1500}(?:\s|$)", text) for token in tokens(fold(part))
    ]  # fmt: skip
    keys: set[str] = set()
    for place, token in enumerate(words):
        if token.number:
            keys.add(token.text)
            keys.update(f"{words[at].text} {token.text}" for at in (place - 1, place + 1) if 0 <= at < len(words))
    return keys


def canonical(measure: Measure) -> list[tuple[str, float]]:
    """The catalogue's columns that a measure may be of, with its value in their units."""
    value, kind = measure.low, measure.attribute
    if kind in ("hp", "cfm", "gallons"):
        return [(kind, value)]
    if kind == "pressure":
        return [("psi", abs(value)), ("vacuum_inhg", abs(value) * INHG_PER_PSI)]
    if kind == "mbar":
        depth = abs(value) * INHG_PER_MBAR
        return [
            ("psi", abs(value) * PSI_PER_BAR / 1000),
            ("vacuum_inhg", depth),
            ("vacuum_inhg", ATMOSPHERE_INHG - depth),
        ]
    if kind == "inhg":
        return [("vacuum_inhg", ATMOSPHERE_INHG - value if measure.unit.absolute else abs(value))]
    if kind in ("bara", "psia"):
        return [("psi", value - 14.7), ("vacuum_inhg", ATMOSPHERE_INHG - value * INHG_PER_PSI)]
    if kind.startswith("temperature"):
        return [("dewpoint_f", fahrenheit(value) if kind.startswith("temperature_c") else value)]
    if kind == "in":
        return [(side, value) for side in ("length_in", "width_in", "height_in")]
    return [({"dba": "noise_dba", "lb": "weight_lb"}.get(kind, kind), value)]


def rounding(measure: Measure, text: str) -> float:
    """Half a unit of the last digit that is written, in the measure's base unit."""
    figures = re.findall(r"\d+(?:[.,]\d+)*", text)
    last = figures[-1] if figures else "0"
    point = re.search(r"[.,](\d{1,2}|\d{4,})$", last)
    quantum = 10.0 ** -len(point[1]) if point else 1.0
    return 0.5 * quantum * (measure.unit.factor or 1.0)
