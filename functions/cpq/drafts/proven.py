"""Proven words: lines of past quotes, and which whole sentences of them a letter to another customer may have."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from cpq.drafts.figures import Reader
from cpq.drafts.letter import SHORTEST, Folded, compact
from cpq.drafts.value import PassageArgs
from quarry.money import plainly
from quarry.text import alike, fold, goods_named

_END = re.compile(r"(?<=[^\s.][.!?])\s++(?=[^\W\d_a-zß-ÿ]|[\"“•])")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenLine:
    """A line of a past quote; ``own`` says that it is this customer's, ``released`` that others may be told of it."""

    quote_number: str
    position: int
    quote_date: date
    customer: str
    contact: str | None
    salesperson: str | None
    industry: str | None
    own: bool
    status: str
    reference: bool
    manufacturer: str | None
    model: str | None
    category: str
    description: str
    quantity: Decimal
    unit_price: Decimal | None
    currency: str

    @property
    def name(self) -> str:
        return f"{self.quote_number}/{self.position}"

    @property
    def released(self) -> bool:
        return self.own or (self.reference and self.status == "won")

    @property
    def sentences(self) -> list[str]:
        parts = (part.strip() for line in self.description.split("\n") for part in _END.split(line))
        return list(filter(None, parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenPassage:
    """Sentences of a line, with ``texts`` as the customer reads them; ``left_out`` counts the line's others."""

    line: ProvenLine
    texts: Sequence[str]
    originals: Sequence[str]
    numbers: Sequence[int]
    left_out: int
    reworded: bool

    @property
    def source(self) -> str:
        return f"{self.line.customer}, {self.line.name}, {self.line.quote_date}"


def passage(asked: PassageArgs, line: ProvenLine, *, reader: Reader) -> tuple[ProvenPassage | None, list[str]]:
    """Returns the passage, or None and all that is wrong with the choice."""
    sentences, wrong, numbers = line.sentences, list[str](), list[int]()
    for each in asked.sentences:
        number, instead = _number_of(each, sentences)
        if instead:
            wrong.append(f"{line.name} has no sentence '{each}'. {instead}")
        elif number not in numbers:
            numbers.append(number)
    originals = [sentences[number - 1] for number in numbers]
    for number, sentence in zip(numbers, originals, strict=True):
        if why := _not_for_others(sentence, line, reader=reader):
            wrong.append(f"Sentence {number} of {line.name} {why}: choose others.")
    if wrong:
        return None, wrong
    # The customer reads no mark of a list that a sentence stood in.
    texts = [re.sub(r"^[•*·-]\s+", "", " ".join(text.split())) for text in originals]
    texts = [asked.wording] if asked.wording else texts
    left_out = len(sentences) - len(numbers)
    return ProvenPassage(line=line, texts=texts, originals=originals, numbers=numbers, left_out=left_out,
                   reworded=asked.wording is not None), []  # fmt: skip


def _number_of(asked: str, sentences: Sequence[str]) -> tuple[int, str]:
    """Returns the number of the sentence, or 0 and what there is in its place."""
    if asked.isdecimal():
        number = int(asked)
        return (number, "") if 1 <= number <= len(sentences) else (0, f"It has {len(sentences)}.")
    wanted = compact(asked)
    for place, sentence in enumerate(sentences, 1):
        if wanted and compact(sentence).startswith(wanted):
            return place, ""
    near = alike(asked, [sentence[: len(asked) + 10] for sentence in sentences], most=2, close=0.4)
    shown = near or [sentence[:40] for sentence in sentences[:3]]
    return 0, "Its sentences begin: " + "; ".join(f"'{each}'" for each in shown) + "."


def _not_for_others(sentence: str, line: ProvenLine, *, reader: Reader) -> str:
    """Tells why others may not read it: it names who bought or sold, or what was paid; empty where they may."""
    if line.own:
        return ""
    if any(figure.currency for figure in reader.figures(sentence)):
        return "tells what somebody paid"
    folded, names = Folded(sentence), [None if line.released else line.customer, line.contact, line.salesperson]
    for name in filter(None, names):
        if folded.places(compact(name)):
            return f"names {name}"
        first = next((word for word in name.split() if len(word) >= SHORTEST), "")
        if first and (inside := re.search(rf"(?<=[^\W_][ ,]){re.escape(first)}\b", sentence)):
            return f"names {inside[0]}"
    return ""


def told(line: ProvenLine, amount: str) -> str:
    """Tells a past line in a letter: the customer's own with what was paid, a reference with who, what and when."""
    goods = goods_named(line.manufacturer, line.model) or line.category.capitalize()
    if line.own:
        many = "" if line.quantity == 1 else f"{plainly(line.quantity)} × "
        paid = f", {amount}" if amount else ""
        return f"{many}{goods}{paid} ({line.quote_number}, {line.quote_date.year})"
    industry = f", {line.industry}" if line.industry and fold(line.industry) not in fold(line.customer) else ""
    return f"{goods} ({line.customer}{industry}, {line.quote_date.year})"
