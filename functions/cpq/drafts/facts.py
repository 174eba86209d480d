"""What one statement states that can be right or wrong: figures, prices, models, makers, names, quote numbers."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from cpq.drafts.written_numbers import ABOUT, SIZES, readings, sides
from quarry.precedents.mentions import QUOTE_NUMBER, Mentioning
from quarry.understanding.amounts import amounts
from quarry.understanding.electrics import supplies
from quarry.understanding.makers import maker_at, person_at
from quarry.understanding.models import model_at, unknown_model_at
from quarry.understanding.names import Names
from quarry.understanding.needs import Language
from quarry.understanding.quantities import Measure, Reader
from quarry.understanding.text import Token, fold, tokens
from quarry.understanding.words import Vocabulary

Kind = Literal["figure", "sizes", "price", "voltage", "number", "model", "maker", "name", "quote", "property"]

CODED = re.compile(
    r"(?<![\w.])(?P<code>[A-Z]{3})\s?(?P<amount>\d[\d.,'’]*\d|\d)"
    r"|(?P<after>\d{1,3}(?: \d{3})+(?:[.,]\d{2})?(?!\d)|\d[\d.,'’]*\d)"
    r"\s?(?P<last>[A-Z]{3}\b|€)"
)
SPACED = re.compile(r"(?: \d{3})+")
CURRENCIES = frozenset(("€", "CHF", "CAD", "MXN", "GBP", "AUD", "SEK", "DKK", "NOK", "PLN", "CZK", "USD", "EUR"))
PROPERTIES = frozenset(("lubrication", "certificate", "cooling", "dryer_kind", "drive"))
"""What the words of the trade say of a machine and its catalogue row can confirm or deny."""
TOGETHER = frozenset(
    ("together", "both", "total", "combined", "zusammen", "insgesamt", "gesamt", "ensemble", "juntos")
)
FOLLOWS_A_TIME = re.compile(
    r"\s+(?:the|a|an|our|your|this|that|july|august|june|summer|winter|spring|fall|autumn|weather|\d{4})\b"
)
"""Behind "in" where it is no unit of length: 104 in July, 125 in the header."""
CLOSING = '"”'
OPENED = re.compile(r"(?<![\w\"])[\"“„](?=\w)")
"""The mark that a quotation begins with."""
DEFINITE = re.compile(r"\b(?:the|these|those|all|both|our|your)\s+$")
READ_OFF = re.compile(r"\b(?:hours?|readings?|read)\b")
"""By these a sentence speaks of what a meter shows."""
LABEL = re.compile(r"\s*\d{1,3}[.)]\s")
"""What a list puts before a statement."""
REFRIGERANT = re.compile(r"[Rr]-?\d{2,4}[A-Za-z]{0,2}(?:\(?[EZ]\)?)?")
"""R-513A, R134a, R1234yf: no model."""
_SUBSTANCES = (
    r"(?:refrigerant|oil|lubricant|coolant|water|condensate|desiccant|kaltemittel|ol|schmieroel|kuhlwasser|wasser|kondensat"
    r"|refrigerante|aceite|agua|condensado|fluide\s+frigorigene|frigorigene|huile|eau|condensats?|cooling\s+(?:air|water)"
    r"|ventilation(?:\s+air)?|r-?\d{3,4}[a-z]{0,2})"
)
SUBSTANCE = re.compile(rf"\s*(?:of\s+|de\s+|d'|an\s+|von\s+)?(?:the\s+)?{_SUBSTANCES}\b(?!-)")
LABELLED_SUBSTANCE = re.compile(
    rf"\b(?:{_SUBSTANCES}(?:\s+(?:charge|capacity|fill|content|sump|flow))?|kaltemittelmenge|olfullung|olmenge"
    r"|carga\s+de\s+\w+|charge\s+de\s+\w+)(?:\s+(?:is|of|ist|von|de|es|est))?\s*[:=]?\s*$"
)
COMPARING = (
    r"against|versus|vs\.?|instead\s+of|rather\s+than|gegen(?:uber)?|statt|anstatt|frente\s+a|en\s+(?:vez|lugar)\s+de"
    r"|contra|contre|au\s+lieu\s+de"
)
AGAINST = re.compile(rf"\s*(?:{COMPARING})\s+(?:the\s+|only\s+|nur\s+|solo\s+)?")
"""Between a number and a figure that it is held against, whose unit it has: 17.9 against 8.8 CFM."""
JOINING = frozenset(("and", "or", "to", "through", "und", "oder", "bis", "y", "o", "a", "hasta", "et", "ou"))
JOINTS = ("", "-", ".", "/")
"""What may stand within a model: SES2-3."""
MOST_LISTED = 8
"""Words between the first number of a list and its last."""


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
    other: bool = False
    """True for a figure of what is in a machine or passes through its room: 3.2 lb refrigerant."""


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

    def facts(self, text: str, *, language: Language | None = None) -> list[Fact]:
        """Without a language it is the one that most of the text's words are of."""
        folded = fold(text)
        words = tokens(folded)
        language = language or self.vocabulary.language_of(words)
        taken = bytearray(len(words))
        in_figures = any(word.number for word in words)
        found = [*_quotes(text, words, taken), *_sizes(text, words, taken)] if in_figures else []
        found += _supplies(text, folded, words, taken)
        found += self._models(text, words, taken)
        reader = Reader(folded, words, vocabulary=self.vocabulary, language=language)
        found += _prices(text, folded, words, taken, reader=reader)
        together = any(token.text in TOGETHER for token in words)
        for measure in reader.measures(taken):
            if measure.attribute == "in" and _is_preposition(folded, measure):
                continue
            of_length = not (measure.attribute == "in" and _is_no_length(text, folded, measure))
            if measure.attribute and of_length:
                said = text[measure.start : measure.end].strip()
                number = next((place for place in range(measure.first, measure.last) if words[place].number), 0)
                found.append(Fact("figure", said, measure.start, measure=measure, together=together,
                                  among=(words, number), other=_of_something_else(folded, measure)))  # fmt: skip
                found += _against(text, folded, words, taken, measure)
            else:
                taken[measure.first : measure.last] = b"\0" * (measure.last - measure.first)
        found += self._names(text, words, taken, language=language)
        found += self._properties(text, words, taken, language=language)
        found += _numbers(text, words, taken) if in_figures else ()
        return sorted(found, key=lambda fact: fact.start)

    def _models(self, text: str, words: list[Token], taken: bytearray) -> Iterator[Fact]:
        place = 0
        while place < len(words):
            if taken[place] or self._begins_no_model(words, place):
                place += 1
                continue
            mention = model_at(text, words, place, taken, names=self.names, vocabulary=self.vocabulary)
            if mention is None and (place == 0 or words[place].gap not in JOINTS):
                mention = unknown_model_at(
                    text, words, place, taken, names=self.no_models, vocabulary=self.vocabulary
                )
            if mention is None or mention.attribute != "model":
                place += 1
                continue
            start, end = words[mention.first].start, words[mention.last - 1].end
            if mention.absent and REFRIGERANT.fullmatch(text[start:end]):
                place = mention.last
                continue
            values = frozenset() if mention.absent else mention.values
            yield Fact("model", text[start:end], start, values=values)
            _take(taken, mention.first, mention.last)
            place = mention.last

    def _begins_no_model(self, words: list[Token], place: int) -> bool:
        """Whether nothing that looks like a model begins at a word, told without a look at the text."""
        word = words[place]
        joined = place + 1 < len(words) and words[place + 1].gap in JOINTS
        return not (joined or word.number or len(word.text) < 2 or word.text[:2] in self.names.beginnings)

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
            if taken[place] or words[place].text not in self.vocabulary.longest:
                place += 1
                continue
            count, meanings = self.vocabulary.match(words, place)
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


def _sizes(text: str, words: list[Token], taken: bytearray) -> Iterator[Fact]:
    for match in SIZES.finditer(text):
        _take(taken, *_span(words, *match.span()))
        yield Fact("sizes", match[0], match.start(), amounts=sides(match[0]))


def _of_something_else(folded: str, measure: Measure) -> bool:
    behind = SUBSTANCE.match(folded, measure.end)
    return behind is not None or LABELLED_SUBSTANCE.search(folded[: measure.start]) is not None


def _against(text: str, folded: str, words: list[Token], taken: bytearray, measure: Measure) -> Iterator[Fact]:
    """The number before or behind a figure that has the figure's unit."""
    if measure.attribute.startswith("temperature"):
        return
    place = measure.first - 1
    while place >= 0 and measure.first - place <= ABOUT and not words[place].number:
        place -= 1
    if place >= 0 and AGAINST.fullmatch(folded, words[place].end, words[measure.first].start):
        yield from _in_its_unit(text, words, taken, place, measure)
    place = next((each for each in range(measure.last, min(measure.last + ABOUT, len(words)))
                  if words[each].number), 0)  # fmt: skip
    if place and AGAINST.fullmatch(folded, words[measure.last - 1].end, words[place].start):
        behind = words[place + 1] if place + 1 < len(words) else None
        if behind is None or behind.gap.strip() or behind.text in JOINING or not behind.text.isalpha():
            yield from _in_its_unit(text, words, taken, place, measure)


def _in_its_unit(
    text: str, words: list[Token], taken: bytearray, place: int, measure: Measure
) -> Iterator[Fact]:  # fmt: skip
    number = words[place]
    said = text[number.start : number.end]
    amounts = readings(said)
    if number.number and not taken[place] and amounts:
        grouped = re.search(r"[.,]\d{3}$", said) is not None
        value = amounts[-grouped] * (measure.unit.factor or 1.0)
        taken[place] = 1
        yield Fact("figure", said, number.start, measure=replace(measure, low=value, high=value))


def _is_preposition(folded: str, measure: Measure) -> bool:
    return folded[: measure.end].endswith(" in") and FOLLOWS_A_TIME.match(folded, measure.end) is not None


def _is_no_length(text: str, folded: str, measure: Measure) -> bool:
    """Whether the mark behind a number ends a quotation, or the meters are those that are read."""
    before, said = text[: measure.start], text[measure.start : measure.end].strip()
    opened = max(match.start() for match in OPENED.finditer(before)) if OPENED.search(before) else -1
    quoted = said[-1:] in CLOSING and opened >= 0 and not any(mark in before[opened + 1 :] for mark in CLOSING)
    counted = said.lower().endswith("meters") and DEFINITE.search(folded[: measure.start]) is not None
    return quoted or (counted and READ_OFF.search(folded) is not None)


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
            said_so = match["amount"] or match["after"]
            # Behind a blank may also stand all of it: item 3 645,00 EUR.
            behind = readings(said_so.partition(" ")[2]) if SPACED.search(said_so) else ()
            yield Fact("price", match[0], match.start(), amounts=(*readings(said_so), *behind))
    for said in amounts(folded, words, taken, reader=reader):
        start, end = words[said.first].start, words[said.last - 1].end
        start -= text[max(0, start - 1) : start] in ("$", "€", "£")
        value = said.low if said.low is not None else said.high
        digits = re.search(r"\d[\d.,]*\d|\d", text[start:end])
        yield Fact("price", text[start:end], start, amounts=(*readings(digits[0] if digits else ""), value or 0.0))


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


def meant(text: str, vocabulary: Vocabulary, *, of: Collection[str]) -> frozenset[str]:
    """The values that a text names, in any language, of the attributes ``of``."""
    words = tokens(fold(text))
    return frozenset(
        each.value
        for place in range(len(words))
        for each in vocabulary.match(words, place)[1]
        if each.attribute in of
    )
