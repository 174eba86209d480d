"""What a draft may rest on: the catalogue, lines of past quotes, the request, a quote of ours, the house."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any, Literal

from cpq.drafts.facts import Fact, FactReader, meant
from cpq.drafts.house import SHORTEST_COPY, House
from cpq.drafts.letter import plain, sentences
from cpq.drafts.written_numbers import number_keys, spelled, telling, words_about
from quarry.characteristics import printed
from quarry.money import written
from quarry.precedents.line_parts import LineText, line_text
from quarry.understanding.names import company_key
from quarry.understanding.needs import Language
from quarry.understanding.service_terms import HOLDS, ServiceTerm, service_terms
from quarry.understanding.text import fold, key_of, tokens
from quarry.understanding.traits import row_traits
from quarry.understanding.words import Vocabulary

Origin = Literal["past quote", "catalogue", "request", "house", "quote", "translated"]

PURPOSES = frozenset(("use", "industry"))
"""Attributes of the trade's words that say what goods are for."""
VALID_FOR = re.compile(r"\b(?:valid|vigencia|valid[oa]|gultig|valable|validite)\W+(?:\w+\W+)?(\d{1,3})\b")
"""For how many days a past quote says that it holds, folded."""
BINDING: tuple[Origin, ...] = ("house", "catalogue", "quote", "past quote")
"""Of texts on which a promise may rest: the customer's wish grants nothing."""
ALIKE = 0.7
"""Share of a statement's words that a source has in their order where the statement is a copy with a slip."""
MOST_AT_ONCE = 1_500
"""Characters of a text that are read together; of a longer one the end would not be read."""
MOST_COMPARED = 120
"""Statements of one draft that are compared with the sources word by word."""


WISHING = re.compile(
    r"\?|\b(?:need\w*|want\w*|like|wish\w*|requir\w*|please|expect\w*|quote|offer|brauch\w*|benotig\w*|mocht\w+|wunsch\w*|erwart\w*|bitte\w*"
    r"|such\w+|necesit\w+|quer\w+|dese\w+|favor|busc\w+|besoin|souhait\w*|voudr\w+|cherch\w+|merci)\b"
)
"""A sentence of a mail that asks for something, folded."""


def digits_of(number: str) -> str:
    return number if number.isdecimal() else re.sub(r"\D", "", number)


def years(text: str) -> list[ServiceTerm]:
    """For how long a warranty or a contract holds that a text tells of."""
    said = fold(text)
    if HOLDS.search(said) is None:
        return []
    return [each for each in service_terms(said, numbers=Vocabulary.shipped().numbers) if each.attribute == "years"]


def valid_for(terms: str) -> int | None:
    """For how many days the terms of a past quote say that it holds."""
    told = VALID_FOR.search(fold(terms))
    return int(told[1]) if told is not None else None


@dataclass(frozen=True)
class SourceText:
    """A text that may be copied. ``model`` is what it describes; ``quote_number`` is of the past quote it is from."""

    name: str
    origin: Origin
    text: str
    model: str = ""
    quote_number: str = ""
    position: int = 0
    maker: str = ""

    @cached_property
    def flat(self) -> str:
        return plain(self.text)

    @cached_property
    def parts(self) -> LineText:
        return line_text(self.text)

    @cached_property
    def words(self) -> list[str]:
        return self.flat.split()

    @cached_property
    def passages(self) -> Sequence[frozenset[str]]:
        """The telling words of each two sentences that follow each other."""
        said = [telling(fold(sentence)) for sentence in sentences(self.flat)]
        return [one | two for one, two in zip(said, [*said[1:], frozenset()], strict=True)]

    @cached_property
    def told(self) -> Sequence[frozenset[str]]:
        """The telling words of each sentence of a mail that neither asks nor wishes."""
        said = (fold(sentence) for sentence in sentences(self.flat))
        return [telling(sentence) for sentence in said if WISHING.search(sentence) is None]

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(number_keys(self.flat))

    @cached_property
    def counted(self) -> Mapping[str, frozenset[str]]:
        """The telling words around each of its numbers; a code such as 1.4.1 has those of each part."""
        spread = re.sub(r"(?<!\d)\d{1,2}(?:\.\d{1,2}){2,}(?!\d)", lambda code: code[0].replace(".", " . "), self.flat)
        found: dict[str, frozenset[str]] = defaultdict(frozenset)
        for first in range(0, len(spread), MOST_AT_ONCE):
            part = spread[first : first + MOST_AT_ONCE]
            words = tokens(fold(part))
            for place, word in enumerate(words):
                if word.number:
                    found[word.text] |= words_about(words, place)
            for start, _, number in spelled(part) if self.origin == "request" else ():
                place = next((place for place, word in enumerate(words) if word.start >= start), 0)
                found[number] |= words_about(words, place)
        return found

    @cached_property
    def years(self) -> frozenset[str]:
        return frozenset(each.value for each in years(self.flat))

    @cached_property
    def figures(self) -> frozenset[str]:
        """The digits of its numbers, as any language writes them; of what a letter may translate also those that are
        spelt.
        """
        words = (number for _, _, number in spelled(self.flat)) if self.origin in ("translated", "quote") else ()
        return frozenset((*(digits_of(number) for number in (*re.findall(r"\d[\d.,'’]*", self.flat), *words)),))

    def holds(self, statement: str) -> bool:
        """Whether the statement stands here to the letter, as whole words."""
        at = self.flat.find(statement)
        while at >= 0:
            end = at + len(statement)
            before, after = self.flat[at - 1 : at], self.flat[end : end + 1]
            inside = (before.isalnum() and statement[:1].isalnum()) or (after.isalnum() and statement[-1:].isalnum())
            if not inside:
                return True
            at = self.flat.find(statement, at + 1)
        return False


@dataclass(frozen=True)
class Machine:
    """A row of the catalogue; ``values`` are its columns."""

    maker: str
    model: str
    family: str
    values: Mapping[str, Any]

    @cached_property
    def key(self) -> str:
        return key_of(self.model)

    @cached_property
    def category(self) -> str | None:
        """The key of what it is called in a heading."""
        return key_of(str(self.values.get("category") or "")) or None

    @cached_property
    def traits(self) -> Mapping[str, frozenset[str]]:
        return row_traits(self.values)

    @cached_property
    def printed(self) -> Mapping[str, object]:
        """Its values as its characteristics block has them."""
        return printed(self.values)

    @cached_property
    def row(self) -> SourceText:
        """Its columns as a text, for what its motor's and its air's say of it."""
        said = [value for name, value in self.values.items() if isinstance(value, str) and name != "description"]
        return SourceText(f"catalogue: {self.maker} {self.model}", "catalogue", "\n".join(said), self.model)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """What stands in its columns, and each voltage that it is built for."""
        stated = frozenset(f"{value:g}" for value in self.values.values() if isinstance(value, int | float))
        return stated | frozenset(re.findall(r"\d{3,}", str(self.values.get("voltage") or "")))


@dataclass(frozen=True, slots=True)
class PastQuote:
    """``people`` are the customer's and not the house's."""

    number: str
    customer: str
    people: tuple[str, ...]
    quote_date: date
    terms: str
    total: Decimal | None = None
    prices: tuple[Decimal, ...] = ()
    """Of its lines, each and together."""
    summary: str = ""
    """What it was about."""

    @property
    def valid_until(self) -> date | None:
        """The day to which its prices held, where its terms tell for how many days."""
        told = valid_for(self.terms)
        return self.quote_date + timedelta(days=told) if told is not None else None


@dataclass(frozen=True, slots=True)
class OwnLine:
    """A line of a quote of ours; amounts are None until it is priced."""

    name: str
    sku: str
    maker: str
    model: str
    text: str
    quantity: int
    note: str = ""
    list_price: Decimal | None = None
    unit_price: Decimal | None = None
    total: Decimal | None = None

    @property
    def net(self) -> Decimal | None:
        return None if self.total is None or not self.quantity else self.total / self.quantity


@dataclass(frozen=True, slots=True)
class OwnQuote:
    id: str
    customer: str
    currency: str
    payment: str
    valid_until: date
    lines: Sequence[OwnLine]
    total: Decimal | None = None
    tax: Decimal | None = None

    def as_letter(self) -> str:
        """What its document says of each line, as items of a letter."""
        parts = []
        for number, line in enumerate(self.lines, start=1):
            net = None if line.unit_price is None else written(line.unit_price, self.currency)
            price = "$[PRICE]" if net is None else f"{self.currency} {net}"
            parts.append(f"### Item {number}\n\n{line.name}\n\n{line.text}\n\n{line.note}\n\nNet {price} Each")
        return "\n\n".join(parts)


@dataclass(frozen=True)
class Evidence:
    """``customer`` is who the draft is for; ``people`` are theirs. ``reading`` knows all names of the tenant."""

    reading: FactReader
    house: House
    today: date
    customer: str = ""
    people: Sequence[str] = ()
    address: str = ""
    request: str = ""
    machines: Sequence[Machine] = ()
    had: Sequence[Machine] = ()
    """Machines of past quotes to this customer, which the letter may name and does not offer."""
    lines: Sequence[SourceText] = ()
    past_quotes: Mapping[str, PastQuote] = field(default_factory=dict)
    offer: OwnQuote | None = None
    quotes: frozenset[str] = frozenset()
    """The numbers of our quotes to this customer."""
    priced: Sequence[OwnLine] = ()
    """Lines of all their versions, each with its quote's number as its name: an alternate may be priced in one."""
    granted: Mapping[str, str] = field(default_factory=dict)
    """The terms that the house granted this customer, and the commonest in its currency, by their quote's number."""
    references: Mapping[str, str] = field(default_factory=dict)
    """What may be said of references, such as "Groeb Farms (food), 2022", with the company of each."""
    language: Language = "en"
    """The letter's."""
    translated: bool = False
    """True where the letter is in another language than the house template."""
    present: Mapping[str, str] = field(default_factory=dict)
    """What review notes deny and the catalogue has, with its model."""
    lists: Mapping[str, Collection[Decimal]] = field(default_factory=dict)
    """The list prices of today of a model, by its key."""

    @cached_property
    def sources(self) -> list[SourceText]:
        """All texts, what a draft may always quote first."""
        found = [SourceText("house", "house", text) for text in self.house.facts.values()]
        if self.request:
            found.append(SourceText("request", "request", self.request))
        if self.address:
            found.append(SourceText("account", "request", self.address))
        found += [
            SourceText(f"catalogue: {machine.maker} {machine.model}", "catalogue", str(machine.values["description"]),
                   machine.model)
            for machine in self.machines if machine.values.get("description")
        ]  # fmt: skip
        if self.offer is not None:
            found += [
                SourceText(f"{self.offer.id}: {line.name}", "quote", f"{line.name}\n{line.text}", line.model)
                for line in self.offer.lines
            ]
        found += [SourceText(f"{number} terms", "quote", terms) for number, terms in self.granted.items()]
        return [*found, *self.lines]

    @cached_property
    def own_past(self) -> Sequence[PastQuote]:
        """The past quotes to this customer."""
        return [each for each in self.past_quotes.values() if self.is_the_customer(each.customer)]

    def is_the_customer(self, name: str) -> bool:
        """Whether it is the company that the draft is for, with or without its legal form."""
        return bool(self.customer) and company_key(name) == company_key(self.customer)

    @cached_property
    def history(self) -> Sequence[SourceText]:
        """The lines and the summaries of the past quotes to this customer."""
        numbers = {each.number for each in self.own_past}
        told = (SourceText(f"{each.number} summary", "past quote", each.summary, quote_number=each.number)
                for each in self.own_past if each.summary)  # fmt: skip
        return [*(line for line in self.lines if line.quote_number in numbers), *told]

    @cached_property
    def days(self) -> Sequence[date]:
        """The days that the letter may name: today, the end of our quote, the past quotes to this customer."""
        return [self.today, *([self.offer.valid_until] if self.offer else []),
                *(each.quote_date for each in self.own_past)]  # fmt: skip

    @cached_property
    def purposes(self) -> frozenset[str]:
        """The trades and works that the request, the customer's name or the catalogue tells."""
        told = [self.request, self.customer, *(each.row.flat for each in self.machines)]
        told += [str(each.values.get("description") or "") for each in self.machines]
        return frozenset().union(*(meant(each, self.reading.vocabulary, of=PURPOSES) for each in told))

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        """The sources that a word stands in, once for each time."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, source in enumerate(self.sources):
            for word in set(source.words):
                found[word].append(place)
        return found

    def nearest(self, statement: str) -> tuple[SourceText, str] | None:
        """The source whose words the statement repeats with a slip, and its own words there; None where none does."""
        words = statement.split()
        if len(words) < SHORTEST_COPY:
            return None
        counts = Counter(place for word in set(words) for place in self._places.get(word, ()))
        for place, count in counts.most_common(2):
            if count < ALIKE * len(set(words)):
                return None
            passage = copied_from(words, self.sources[place].words)
            if passage:
                return self.sources[place], passage
        return None

    @cached_property
    def models(self) -> frozenset[str]:
        """Keys of the models that the draft may name: those of its machines and of the lines of our quote."""
        offered = self.offer.lines if self.offer is not None else ()
        return frozenset((*(machine.key for machine in self.machines), *(key_of(line.model) for line in offered)))

    def machine(self, model: str) -> Machine | None:
        return next((machine for machine in self.machines if machine.key == key_of(model)), None)

    def measured(self, source: SourceText) -> list[Fact]:
        """The figures and voltages of a source; read once."""
        kept: dict[int, list[Fact]] = self._measured
        if id(source) not in kept:
            kept[id(source)] = list(_facts_of(source, self.reading))
        return kept[id(source)]

    @cached_property
    def _measured(self) -> dict[int, list[Fact]]:
        return {}


def _facts_of(source: SourceText, reading: FactReader) -> Iterable[Fact]:
    language = reading.language(source.text[:1_000])
    # A mail is wrapped anywhere, also between a figure and its unit.
    lines = re.split(r"\n\s*\n", source.text) if source.origin == "request" else source.text.splitlines()
    for line in lines or [source.text]:
        for start in range(0, len(line), MOST_AT_ONCE):
            yield from reading.facts(plain(line[start : start + MOST_AT_ONCE]), language=language)


def copied_from(words: Sequence[str], source: Sequence[str]) -> str:
    """The passage of a source that most of the words repeat in their order; empty where they do not."""
    matcher = SequenceMatcher(None, source, words, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks or sum(block.size for block in blocks) < ALIKE * len(words):
        return ""
    first, last = blocks[0], blocks[-1]
    start = max(0, first.a - first.b)
    end = last.a + last.size + (len(words) - last.b - last.size)
    passage = source[start:end]
    return " ".join(passage) if len(passage) <= 1.5 * len(words) + 2 else ""
