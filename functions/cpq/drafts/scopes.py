"""What each item of a draft is about: its machine, the texts that it may use, its line in the quote."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cpq.drafts.evidence import BINDING, Evidence, Machine, OwnLine, PastQuote, SourceText, digits_of
from cpq.drafts.findings import Remark, Verdict
from cpq.drafts.letter import ITEM, Block, Section, sentences
from cpq.drafts.written_numbers import telling
from quarry.understanding.text import fold, key_of, tokens

POSITION = re.compile(r"\b(?:line|position|pos\.?)\s+(\d{1,4})\b", re.IGNORECASE)
QUANTITY = re.compile(r"\b(?:quantity|qty\.?|menge|anzahl|cantidad|quantit[eé])\s*:?\s+(\d{1,4})\b", re.IGNORECASE)
ISO_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
ORIGINAL = re.compile(r"\bOriginal:\s*[\"“„»«']?(.+?)[\"“”»«']?\s*$")
"""What a review note gives as the wording that was translated."""
QUOTED = re.compile(r"[\"“„»«]([^\"“”„»«]+)[\"“”»«]")
SHORTEST_WORDING = 4
"""Words behind "Original:" that are not in quotation marks; fewer name a text, such as the house's."""
MOST_OF_A_HEADING = 6
"""Words."""
OF_ALL: tuple[str, ...] = ("request", "house")


@dataclass(frozen=True)
class Scope:
    """``item`` is 0 for what is about the whole letter, which may use every source."""

    item: int
    machines: tuple[Machine, ...]
    """Whose figures it may state: an item's own, for a service and for the whole letter every one."""
    sources: tuple[SourceText, ...]
    line: OwnLine | None = None
    quantities: tuple[tuple[str, int], ...] = ()
    """How many of a machine the draft or the quote has, by its key."""
    machine: Machine | None = None
    """What the item offers, where that is a machine."""
    notes: tuple[str, ...] = ()
    """The item's review notes."""
    items: int = 0
    """The highest number of an item of the letter."""
    offered: int = 0
    """How many machines the whole letter offers, which it may number."""
    history: tuple[SourceText, ...] = ()
    """The lines of past quotes to this customer."""

    @cached_property
    def stated(self) -> list[SourceText]:
        """What the letter's own words may rest on: the customer's wish last, and no past quote, which is copied."""
        own = [source for source in self.sources if source.origin != "past quote"]
        return sorted(own, key=lambda source: source.origin == "request")

    @cached_property
    def grounds(self) -> Sequence[SourceText]:
        """What a figure may rest on: those and the rows of its machines, the customer's wish last."""
        own = [*self.stated, *(machine.row for machine in self.machines)]
        return sorted(own, key=lambda source: source.origin == "request")

    @cached_property
    def passages(self) -> Sequence[frozenset[str]]:
        """The telling words of what a promise may rest on; proven words are an item's."""
        texts = [each for each in self.sources
                 if each.origin in BINDING and (self.item or each.origin != "past quote")]  # fmt: skip
        return [
            passage for each in (*texts, *(machine.row for machine in self.machines)) for passage in each.passages
        ]

    @cached_property
    def had(self) -> Sequence[frozenset[str]]:
        """The telling words of each sentence of what this customer was sold."""
        return [telling(fold(said)) for source in self.history for said in sentences(source.flat)]

    @cached_property
    def told(self) -> Sequence[frozenset[str]]:
        """The telling words of what the mail tells of the customer's plant."""
        return [told for source in self.sources if source.origin == "request" for told in source.told]

    @cached_property
    def by_digits(self) -> Mapping[str, Sequence[SourceText]]:
        """Those of them that have a number, by its digits."""
        found: dict[str, list[SourceText]] = defaultdict(list)
        for source in self.grounds:
            for digits in source.figures | {digits_of(number) for number in (*source.numbers, *source.counted)}:
                found[digits].append(source)
        return found


def scopes(found: Sequence[Section], evidence: Evidence) -> Mapping[int, Scope]:
    """By the number of the item; 0 is the letter as a whole."""
    by_item: dict[int, list[Section]] = {}
    for section in found:
        if section.item and not section.internal:
            by_item.setdefault(section.item, []).append(section)
    items = {item: _of_item(item, parts, evidence) for item, parts in by_item.items()}
    items = {item: _without_anothers_line(scope, items) for item, scope in items.items()}
    counted = tuple(pair for scope in items.values() for pair in scope.quantities)
    offered = sum(max((count for _, count in scope.quantities), default=1) for scope in items.values())
    whole = Scope(0, tuple(evidence.machines), tuple(evidence.sources), quantities=counted)
    return {
        item: replace(scope, items=max(items, default=0), offered=offered, history=tuple(evidence.history))
        for item, scope in ({0: whole} | items).items()
    }


def _of_item(item: int, parts: Sequence[Section], evidence: Evidence) -> Scope:
    cited = [source for part in parts for unit in part.attributions for source in cited_lines(unit, evidence)]
    services = _services(_heading(parts), evidence)
    compared = () if services else _compared(parts, cited, evidence)
    machine = None if services or compared else _machine(parts, cited, evidence)
    sources = [source for source in evidence.sources if source.origin in OF_ALL]
    key = machine.key if machine is not None else ""
    own = cited or [line for line in evidence.lines if key and key_of(line.model) == key]
    if not own and not key:
        own = list(evidence.lines)
    line = _offered(item, key, services, evidence)
    told = [
        source
        for source in evidence.sources
        if source.origin in ("catalogue", "quote")
        and ((key and key_of(source.model) == key) or (line and source.name.endswith(f": {line.name}")))
    ]
    said = (QUANTITY.search(unit.text) for part in parts for unit in part.units)
    count = line.quantity if line is not None else next((int(match[1]) for match in said if match), 1)
    quantities = ((key, count),) if key else ()
    originals = [found for part in parts for unit in part.reviews if (found := original(unit, [*own, *told]))]
    texts = tuple(dict.fromkeys([*sources, *own, *told, *originals]))
    machines = tuple(evidence.machines) if services else (machine,) if machine else tuple(compared)
    notes = tuple(unit.text for part in parts for unit in part.reviews)
    return Scope(item, machines, texts, line, quantities, machine, notes)


def _without_anothers_line(scope: Scope, items: Mapping[int, "Scope"]) -> Scope:
    """An item of which neither model nor service tells the quote's line has the one in its place, unless another item
    of the letter names that line's model.
    """
    line = scope.line
    if line is None or scope.machine is not None or not line.model:
        return scope
    owner = any(each.machine is not None and each.machine.key == key_of(line.model) for each in items.values())
    own = tuple(each for each in scope.sources if each.origin != "quote" or not each.name.endswith(f": {line.name}"))
    return replace(scope, line=None, sources=own) if owner else scope


def original(unit: Block, lines: Sequence[SourceText]) -> SourceText | None:
    """The wording that a note says was translated, if one of the lines has it to the letter."""
    said = ORIGINAL.search(unit.text)
    quoted = QUOTED.findall(said[0]) if said else []
    parts = [part for each in (quoted or ([said[1]] if said else [])) for part in sentences(each.strip())]
    if said and not quoted and len(said[1].split()) < SHORTEST_WORDING:
        return SourceText("house", "translated", "")  # it names a text and repeats none
    for line in lines:
        if parts and all(line.holds(part) for part in parts):
            return SourceText(f"{line.name}, translated", "translated", " ".join(parts), line.model)
    return None


def _models(parts: Sequence[Section], evidence: Evidence) -> list[tuple[str, str]]:
    """The models that an item names, each with the kind of unit that it stands in."""
    return [
        (unit.kind, key_of(value)) for part in parts for unit in part.units
        for fact in evidence.reading.facts(unit.text[:1_500], language="en") if fact.kind == "model"
        for value in fact.values
    ]  # fmt: skip


def _compared(parts: Sequence[Section], cited: Sequence[SourceText], evidence: Evidence) -> Sequence[Machine]:
    """The machines of an item that offers none and shows in a table what comes near."""
    read = [] if cited else _models(parts, evidence)
    keys = {key for _, key in read}
    only_rows = len(keys) > 1 and all(kind == "row" for kind, _ in read)
    return [machine for machine in evidence.machines if machine.key in keys] if only_rows else []


def _machine(parts: Sequence[Section], cited: Sequence[SourceText], evidence: Evidence) -> Machine | None:
    """The machine that most of what the item says is about."""
    votes: Counter[str] = Counter()
    known = {machine.key for machine in evidence.machines}
    text = "\n".join(unit.text for part in parts for unit in part.units)
    for _, key in _models(parts, evidence):
        votes[key] += 2
    for source in cited:
        votes[key_of(source.model)] += 3
    for machine in evidence.machines:
        if machine.key in votes:
            shown = [f"{value:g}" if isinstance(value, float | int) else str(value)
                     for name, value in machine.values.items() if value and name in _TELLING]  # fmt: skip
            votes[machine.key] += sum(1 for value in shown if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text))
    best = next((key for key, _ in votes.most_common() if key in known), "")
    return evidence.machine(best) if best else None


_TELLING = ("cfm", "motor", "weight_lb", "noise_dba", "series", "category", "psi", "hp")


def _heading(parts: Sequence[Section]) -> str:
    """The words under which the item stands, behind its number or in the line below it."""
    said = (ITEM.sub("", unit.text) for part in parts for unit in part.units)
    first = next((text for text in said if re.search(r"\w", text)), "")
    return first if len(first.split()) <= MOST_OF_A_HEADING else ""


def _services(text: str, evidence: Evidence) -> frozenset[str]:
    """The services that a text names in any language; none where it names a machine first, "dryer with start-up"."""
    words, vocabulary = tokens(fold(text)), evidence.reading.vocabulary
    models = (fact.start for fact in evidence.reading.facts(text, language=evidence.language) if fact.kind == "model")
    first = next(models, len(text))
    for place, word in enumerate(words):
        meanings = vocabulary.match(words, place)[1]
        if word.start >= first or any(each.attribute == "family" and each.value != "service" for each in meanings):
            break
        if services := frozenset(each.value for each in meanings if each.attribute == "service"):
            return services
    return frozenset()


def _offered(item: int, key: str, services: frozenset[str], evidence: Evidence) -> OwnLine | None:
    """The line of our quote that the item is: by its model or its service, else by its place."""
    lines = evidence.offer.lines if evidence.offer else []
    same = [
        line
        for line in lines
        if (key and key_of(line.model) == key)
        or (services and not line.model and services & _services(line.name, evidence))
    ]
    if same:
        return same[0]
    by_place = lines[item - 1] if 0 < item <= len(lines) else None
    return by_place if by_place is not None and not ((key or services) and by_place.model) else None


def cited_lines(unit: Block, evidence: Evidence) -> list[SourceText]:
    """The lines of past quotes that an attribution names."""
    numbers = set(_quotes_named(unit, evidence))
    position = POSITION.search(unit.text)
    return [
        line
        for line in evidence.lines
        if line.quote_number in numbers and (position is None or line.position == int(position[1]))
    ]


def _quotes_named(unit: Block, evidence: Evidence) -> list[str]:
    return [
        number for number in evidence.past_quotes if re.search(rf"(?<![\w-]){re.escape(number)}(?![\w-])", unit.text)
    ]


def _sold(unit: Block, evidence: Evidence) -> str:
    """The line of our quote whose catalogue number an attribution names, or the machine whose row; empty for none."""
    named = {key_of(word.strip(".,;:()")) for word in unit.text.split()}
    lines = evidence.offer.lines if evidence.offer is not None else ()
    line = next((each.name for each in lines if each.sku and key_of(each.sku) in named), "")
    key = key_of(unit.text)
    rows = (each.row.name for each in evidence.machines if key.endswith(each.key) and "catalog" in key)
    return line or next(rows, "")


def attribution(unit: Block, evidence: Evidence) -> Remark:
    """Whether an attribution names a line that there is, with its customer and its date."""
    numbers = _quotes_named(unit, evidence)
    if not numbers and (sold := _sold(unit, evidence)):
        return Remark("supported", "attribution", unit.line, unit.text, source=sold)
    quote: PastQuote | None = next(
        (evidence.past_quotes[each] for each in numbers if each in evidence.past_quotes), None
    )
    wrong = ""
    right = ""
    if quote is None:
        wrong = "no quote that was named as a source"
    elif not cited_lines(unit, evidence):
        wrong = f"{quote.number} has no such line"
    elif key_of(quote.customer) not in key_of(unit.text):
        wrong, right = "the quote's customer is another", quote.customer
    elif (day := ISO_DATE.search(unit.text)) is not None and day[0] != quote.quote_date.isoformat():
        wrong, right = "the quote's date is another", quote.quote_date.isoformat()
    verdict: Verdict = "contradicted" if right else "unsupported" if wrong else "supported"
    source = quote.number if quote is not None else ""
    return Remark(verdict, "attribution", unit.line, unit.text, source=source, right=right, why=wrong)
