"""How a letter says what rows say: in the customer's language, his country's marks and his units."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cpq.documents.content import Charge
from cpq.documents.wording import DocumentLabels, Wording, tables
from cpq.drafts.figures import Reader
from cpq.drafts.value import DraftArgs
from cpq.model import Language, QuoteVersion
from quarry.attributes.model import Attribute, Attributes, Value
from quarry.attributes.units import Beside, Unit, convert, preferred
from quarry.characteristics import TOO_SMALL, shown


@dataclass(frozen=True, slots=True)
class LetterWording(Wording):
    """``words`` are those of layouts and of letters, ``values`` those of the catalogue; ``labels`` say how the
    reader's country writes figures in the language, ``closings`` how a letter may end in it, here or elsewhere.
    """

    values: Mapping[str, str]
    country: str
    closings: frozenset[str]

    def value(self, text: str) -> str:
        """Translates a catalogue value from English, where the house has a word for it or for its unit."""
        if text in ("yes", "no"):
            return self.labels.flag(text == "yes")
        parts = (", ".join(map(self._part, each.split(", "))) for each in text.split("; "))
        return self.values.get(text) or "; ".join(parts)

    def _part(self, text: str) -> str:
        figure, _, unit = text.rpartition(" ")
        return self.values.get(text) or f"{figure} {self.values.get(unit, unit)}".strip()

    def quote(self, version: QuoteVersion) -> str:
        revised = self.say("version", number=version.version) if version.version > 1 else ""
        return f"{version.quote_id} {revised}".rstrip()

    def charge(self, charge: Charge, currency: str) -> str:
        """Formats what is paid once, or each time and in all, as the layouts do."""
        total = self.amount(charge.total, currency)
        if charge.period == "once":
            return self.pair(self.say("once"), total)
        each = self.amount(charge.each, currency)
        each = each if charge.exact else self.say("about", amount=each)
        name = f"one_{charge.period}" if charge.count == 1 else f"each_{charge.period}"
        in_all = "" if charge.count == 1 and charge.exact else f", {self.say('in_all', amount=total)}"
        return self.pair(self.say(name, count=charge.count), each + in_all)


def wording_of(layouts: Path, language: Language, country: str = "") -> LetterWording:
    """Reads the wording for a reader in ``country``, which is empty where nobody knows it."""
    content = tables(layouts, language, country)
    labels = DocumentLabels.read(layouts, language, country)
    words = {**content["text"], **content["letter"]}
    closings = frozenset(each["letter"]["sincerely"] for each in (content, tables(layouts, language)))
    return LetterWording(language, labels, words, content.get("block", {}), country, closings)


def worked_out(figure: float) -> float:
    """Rounds a computed figure to three significant digits."""
    return float(f"{figure:.3g}")


OF_ONE_SIZE = 20
"""How many times his largest figure in a unit a customer reads well in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomersUnits:
    """Units that values are told in; ``beside`` those of the customer's system, ``own`` of the house's, in which its
    texts are left. ``most`` is by dimension the largest figure that the customer wrote in the first of them.
    """

    reader: Reader
    attributes: Attributes
    beside: Beside
    wording: LetterWording
    own: Beside = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)

    def told(
        self, value: Value, attribute: Attribute, *, alone: bool = True, others: Sequence[Value | None] = ()
    ) -> str:
        """Formats a value. Unless it stands ``alone``, what the catalogue prints is told beside it; among ``others``
        it has the unit of the largest. A value that was worked out at the conditions of a job is rounded, because it
        is no finer than its sources.
        """
        if value.low is None or value.high is None:
            return self.text(self.wording.value(value.shown(attribute.unit)))
        about = "≈ " if value.how else ""
        if about:
            value = Value(worked_out(value.low), worked_out(value.high))
        value, attribute = self._as_stated(value, attribute)
        mark = self.wording.labels.decimal_mark
        largest = max((each.high for each in others if each and each.high is not None), default=value.high)
        said = shown(
            value, attribute, self.attributes, decimal_mark=mark, alone=alone, largest=largest,
            beside=self._of_size(largest, attribute),
        )  # fmt: skip
        return f"{about}{self.wording.value(said)}"

    def _of_size(self, high: float | None, attribute: Attribute) -> Beside:
        """Returns the units with the one that the customer writes alone for figures of the size of his, so that they
        have one unit, and without it for others: who writes 100 mbar reads 8.62 bar.
        """
        unit = self.attributes.unit_of(attribute)
        if high is None or unit is None or unit.dimension not in self.most or unit.dimension == "temperature":
            return self.beside
        symbol, *others = self.beside[unit.dimension]
        most, written = self.most[unit.dimension], self.attributes.units.named(symbol)
        figure = abs((written and convert(high, unit, written)) or 0)
        fits = unit.reference != "vacuum" and max(TOO_SMALL, most / OF_ONE_SIZE) <= figure <= OF_ONE_SIZE * most
        return {**self.beside, unit.dimension: (symbol,) if fits else others}

    def _as_stated(self, value: Value, attribute: Attribute) -> tuple[Value, Attribute]:
        """Returns a period in the unit that its file states: 2 days are no 0.285714 weeks to anybody."""
        declared, stated = self.attributes.unit_of(attribute), self.attributes.units.named(value.unit or "")
        if value.raw is None or declared is None or stated is None or declared.dimension != "time":
            return value, attribute
        # Loading keeps six digits of what it converts.
        low, high = (None if end is None else float(f"{convert(end, declared, stated):.5g}")
                     for end in (value.low, value.high))  # fmt: skip
        return Value(low, high), Attribute(name=attribute.name, kind="number", unit=stated.symbol)

    def _is_own(self, dimension: str) -> bool:
        return not set(self.beside.get(dimension, ())).isdisjoint(self.own.get(dimension, ()))

    def preferring(self, unit: Unit, *others: str, most: float | None = None) -> "CustomersUnits":
        """Returns units with this one before others of its dimension; what is in ``others`` stays as it is."""
        own = self.beside.get(unit.dimension) or self.own.get(unit.dimension, others)
        known = {name: figure for name, figure in self.most.items() if name != unit.dimension}
        return replace(self, beside={**self.beside, unit.dimension: (unit.symbol, *own)},
                       most=known if most is None else {**known, unit.dimension: most})  # fmt: skip

    def saying(self, text: str, need: str, unit: Unit | None) -> "CustomersUnits":
        """Returns units with the first one of the customer's text that measures the same before others; where it has
        none, the first one of the need that is of his system.
        """
        said = [(one.unit, of) for of in (text, need) for one in self.reader.figures(of) if one.unit and not one.weak]
        alike = [(one, of) for one, of in said if unit and one.dimension == unit.dimension]
        own = self.beside.get(unit.dimension) if unit else None
        first = next((one for one, of in alike if of is text or not own or one.symbol in own), None)
        return self.preferring(first) if first else self

    def name(self, item: str, model: str) -> str:
        """Formats what goods are called; a model that reads like a figure stays as it is, and so does a length, which
        is a nominal size: a pipe of 1 in is none of 25.4 mm.
        """
        before, found, after = item.partition(model) if model else (item, "", "")
        return f"{self.text(before, stays='length')}{found}{self.text(after, stays='length')}"

    def text(self, text: str, *, stays: str = "") -> str:
        """Returns the text with its figures in the customer's units, where their system is not the house's, but those
        of the dimension that ``stays``.
        """
        for figure in self.reader.figures(text) if self.beside else ():
            is_other = figure.weak or figure.factor or figure.currency
            if figure.unit and not (
                is_other or figure.unit.dimension == stays or self._is_own(figure.unit.dimension)
            ):
                value = Value(low=figure.readings[0].value, high=figure.readings[0].value)
                told = self.told(value, Attribute(name="", kind="number", unit=figure.unit.symbol), alone=False)
                told, bracket, _ = told.partition(" (")
                is_same = figure.text.replace(".", self.wording.labels.decimal_mark) == told
                text = text.replace(figure.text, told, 1) if bracket or is_same else text
        return text


def customers_units(
    reader: Reader,
    attributes: Attributes,
    wording: LetterWording,
    content: DraftArgs,
    *,
    asked: Beside,
    house: Beside,
) -> CustomersUnits:
    """Returns the units of a customer who reads the system ``asked``. Before others come those that are the only ones
    of their dimension in all musts, or where they have none in the page; one of another system only where the call
    names none. Where his system is the house's, what the house declares and writes stays as it is.
    """
    beside = {} if asked == house else asked
    units = CustomersUnits(reader=reader, attributes=attributes, wording=wording, beside=beside, own=house)
    if house and not beside:
        return units
    systems = [units.beside, *(() if content.units else preferred().values())]
    decided = set[str]()
    for text in ("\n".join(each.text for each in content.requirements), content.page or ""):
        said = dict[Unit, float]()
        for figure in units.reader.figures(text):
            if figure.unit and not figure.weak:
                said[figure.unit] = max(said.get(figure.unit, 0.0), abs(figure.readings[0].value))
        of_each = Counter(unit.dimension for unit in said)
        for unit, most in said.items():
            known = [each[unit.dimension] for each in systems if unit.symbol in each.get(unit.dimension, ())]
            if known and of_each[unit.dimension] == 1 and unit.dimension not in decided:
                units = units.preferring(unit, *(known[0] if beside else ()), most=most)
        decided |= of_each.keys()
    return units
