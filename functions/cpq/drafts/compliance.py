"""Rows of the compliance section that say yes: what they say rests on a source of the item that they speak of."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from cpq.drafts.evidence import BINDING, Evidence
from cpq.drafts.facts import meant
from cpq.drafts.findings import Remark
from cpq.drafts.letter import ITEM, Block
from cpq.drafts.promises import PLAIN
from cpq.drafts.scopes import Scope
from cpq.drafts.statements import Statements
from cpq.drafts.written_numbers import TELLING, canonical, telling
from quarry.understanding.fit import fit
from quarry.understanding.needs import Finding, Item, Need
from quarry.understanding.reading import understand
from quarry.understanding.text import STEM, fold, key_of, tokens

TRAITS = frozenset(("feature", "certificate"))
ANSWERED = frozenset(
    ("hp", "cfm", "psi", "inhg", "dewpoint_f", "gallons", "dba", "lb", "lubrication", "voltage", "cooling")
)
"""Attributes of a requirement that a row of the catalogue answers."""
BUILT = ("lubrication", "cooling")
"""Attributes of which a yes says more than a row without them."""
DISTANCE = re.compile(
    r"\bdb\s?\(?a?\)?[^;|]{0,20}?\s(?P<distance>(?:at|from|in|bei|a|en|de)\s+(?:una?\s+|une\s+|a\s+)?(?:\w+\s+(?:of|de|von)\s+)?"
    r"\d+(?:[.,]\d+)?\s?(?:m|met(?:er|re)s?|metros?|ft|feet|foot))\b"
)
"""From where a noise is measured, folded."""
STATED = frozenset(("figure", "voltage", "sizes", "model", "maker"))
"""Facts that are judged by themselves."""
FRACTION = re.compile(r"(?<![\w/.])(?:\d+[ -])?\d{1,2}/\d{1,2}(?![\w/])(?:\s?(?:\"|in\b\.?|NPT|BSP))*", re.IGNORECASE)
"""The size of a connection: 1-1/2 NPT."""
TOLD_BY = 8
"""Words from which a requirement tells its own language; a shorter one is in the letter's."""
MOST_TRIED = 6
"""Items that a row is held against which names none of them."""
MOST_READ = 200
"""Requirements of one draft that are read in full."""
UNSURE = "to be confirmed"
COMPLIES = re.compile(
    r"(?:yes|ja|si|oui|compl(?:y|ies|iant)|erfullt|entspricht|eingehalten|cumple|conform[es]?|met|ok)\b"
)
"""How a cell says yes, folded."""
ALLOWED = re.compile(
    r"(?:yes|ja|si|oui|exception|ausnahme|abweichung|excepcion|to\s+be\s+confirmed|zu\s+(?:bestatigen|klaren|prufen)"
    r"|por\s+confirmar|a\s+confirmer|\[answer\])\W*"
)
"""The words that the template has for the last column, in the languages of letters, folded."""
HEADED = re.compile(r"(?:compl|erfull|cumpl|conform|statement|response)")
"""How that column's head begins, folded."""
PRESCRIBED = re.compile(
    r"[A-Z]{3,}(?: [A-Z]{2,})*(?:\s?[/,|]\s?(?:OR )?[A-Z]{2,}(?: [A-Z]{2,})*)+"
    r"|[\"“„«]\s?[^\W\d]+(?: [^\W\d]+){0,2}(?:\s?[/,|]\s?[^\W\d]+(?: [^\W\d]+){0,2})+\s?[\"“”»]"
    r"|[\"“„«][^\"“”„«»\n]{2,30}[\"“”»](?:(?:,?\s+(?:or|oder|o|u|ou|and|und|y|et)\s+|,?\s?[/|]?\s?)[\"“„«][^\"“”„«»\n]{2,30}[\"“”»])+"
)
"""The words that a mail wants there: COMPLY / DEVIATE / NOT OFFERED, "erfüllt" oder "weicht ab"."""
BETWEEN_WORDS = re.compile(r"[\"“„«”»]\W*(?:(?:or|oder|o|u|ou|and|und|y|et)\s+)?[\"“„«]|[/,|\"“„«”»]")
NUMBERED = re.compile(r"(?:pos(?:ition)?\.?\s*\d{1,3}\b|\d{1,3}[.)](?=\s))", re.IGNORECASE)
"""How a row begins that opens a position; the rows below it are of the same item."""
MEASURED = {"noise_dba": "dba", "weight_lb": "lb", "vacuum_inhg": "inhg"}
"""A need's name of a column, where that is another."""
OF_THE_OFFER = re.compile(
    r"\b(?:(?:shown|stated|listed|priced|quoted|itemi[sz]ed|given)\s+(?:separately|apart|by\s+line|line\s+by\s+line)"
    r"|(?:equipment|supply|goods)\s+only|nur\s+lieferung|(?:getrennt|gesondert)\s+ausgewiesen|solo\s+suministro|por\s+separado"
    r"|fourniture\s+seule|separement)\b"
)
"""What a requirement wants of the letter and its prices, which no source has to tell."""
BOUNDS = ("at_least", "at_most", "between")
OFF = 0.003
"""Share by which a figure may be beyond a bound by its conversion."""
REMEDY = 'write "to be confirmed", or "exception" with what is offered instead'


@dataclass(frozen=True, slots=True)
class Proof:
    """What the rows of one item rest on: its scope without the customer's wish, and what its sources say: the
    beginnings of their words, their features, each one's text as a key.
    """

    scope: Scope
    words: frozenset[str]
    traits: frozenset[str]
    keys: Sequence[str]


@dataclass
class Compliance:
    """``scopes`` are those of the items, by their number, and of the whole letter as 0."""

    evidence: Evidence
    scopes: Mapping[int, Scope]
    statements: Statements
    current: Sequence[Scope] = ()
    """The items of the position whose rows are read."""
    _proofs: dict[tuple[int, str], Proof] = field(default_factory=dict)
    _read: dict[str, Sequence[Item]] = field(default_factory=dict)

    def follow(self, unit: Block) -> None:
        """Take note of the position that a row opens."""
        if unit.cells == unit.heads:
            self.current = ()
        elif NUMBERED.match(unit.cells[0]):
            told, spoken_of = self._of(unit, by_itself=True)
            self.current = spoken_of if told else ()

    def words(self, unit: Block) -> Iterator[Remark]:
        """Whether the last cell has the template's words, or those that the mail prescribes."""
        if HEADED.match(fold(unit.heads[2])) is None or ALLOWED.fullmatch(fold(unit.cells[2])):
            return
        wanted = self._prescribed
        if fold(unit.cells[2].strip(" .")) not in map(fold, wanted):
            right = " / ".join(wanted) or "yes, exception, to be confirmed"
            why = "it is none of the words that this column may have"
            yield Remark("contradicted", "compliance", unit.line, unit.cells[2] or "(empty)", right=right, why=why)

    @cached_property
    def _prescribed(self) -> Sequence[str]:
        """The words of the mail's lists of which one says yes, or which are in capitals."""
        lists = [[each.strip() for each in BETWEEN_WORDS.split(match[0]) if each.strip()]
                 for match in PRESCRIBED.finditer(self.evidence.request)]  # fmt: skip
        told = [words for words in lists
                if all(map(str.isupper, words)) or any(COMPLIES.match(fold(word)) for word in words)]  # fmt: skip
        return [word for words in told for word in words]

    def row(self, unit: Block) -> Iterator[Remark]:
        """Of a row that says yes; the customer's own words prove no answer to him."""
        broken = self._broken(unit)
        if broken is not None:
            yield broken
            return
        if OF_THE_OFFER.search(fold(unit.cells[0])):
            yield from self.statements.of(unit.cells[1], unit.line, self.scopes[0], binding="offers")
            return
        told, spoken_of = self._of(unit)
        found = [self._held_against(unit, self._proof(scope), told=told) for scope in spoken_of]
        best = min(found, key=lambda remarks: sum(each.verdict != "supported" for each in remarks))
        of_one = told or len(spoken_of) == 1
        yield from (
            best if of_one else [each if each.kind == "compliance" else replace(each, right="") for each in best]
        )

    def _broken(self, unit: Block) -> Remark | None:
        """Where what the row offers is beyond the bound of its own requirement."""
        reading = self.evidence.reading
        facts = reading.facts(unit.cells[1], language=self.evidence.language)
        stated: dict[str, list[float]] = defaultdict(list)
        for fact in facts:
            if fact.measure is not None and fact.measure.low == fact.measure.high and not fact.other:
                for column, value in canonical(fact.measure):
                    stated[MEASURED.get(column, column)].append(value)
        if not stated:
            return None
        for item in self._required(unit.cells[0]):
            for need in item.needs:
                values = stated.get(need.attribute, [])
                if need.operator in BOUNDS and values and not any(_within(value, need) for value in values):
                    why = f"the row's own figure is not {need.words}: {REMEDY}"
                    return Remark("contradicted", "compliance", unit.line, unit.cells[1], right="exception", why=why)
        return None

    def _of(self, unit: Block, *, by_itself: bool = False) -> tuple[bool, Sequence[Scope]]:
        """Whether a row tells what it speaks of, by an item's number, a model, a kind of goods or the position that
        it stands under, and these items; all where it does not. ``by_itself``: it opens a position.
        """
        items = {number: scope for number, scope in self.scopes.items() if number}
        named = [items[int(each[1])] for each in ITEM.finditer(unit.text) if int(each[1]) in items]
        key = key_of(unit.text)
        named = named or [scope for scope in items.values() if scope.machine and scope.machine.key in key]
        models = [each for each in self.evidence.machines if each.key in key]
        if not named and models:  # offered in the table alone
            return True, [replace(self.scopes[0], machines=(each,), machine=each) for each in models[:MOST_TRIED]]
        kinds = meant(unit.cells[0], self.evidence.reading.vocabulary, of=("family",))
        of_kind = [scope for scope in items.values() if scope.machine and scope.machine.family in kinds]
        # A row below a position is of its item, unless it names the kind of another.
        above = {scope.item for scope in self.current}
        if not (named or by_itself) and above.issuperset(scope.item for scope in of_kind) and above:
            return True, self.current
        named = named or of_kind
        if named:
            return True, named[:MOST_TRIED]
        return False, list(items.values())[:MOST_TRIED] or [self.scopes[0]]

    def _proof(self, scope: Scope) -> Proof:
        """Made once for each item, and each machine that is offered in a table alone."""
        place = (scope.item, scope.machine.key if scope.machine else "")
        if place not in self._proofs:
            own = tuple(each for each in scope.sources if each.origin != "request")
            texts = [*(machine.row for machine in scope.machines), *(each for each in own if each.origin in BINDING)]
            vocabulary = self.evidence.reading.vocabulary
            self._proofs[place] = Proof(
                replace(scope, sources=own),
                frozenset().union(*(telling(fold(each.flat)) for each in texts)),
                frozenset().union(*(meant(each.flat, vocabulary, of=TRAITS) for each in texts)),
                [key_of(each.flat) for each in texts],
            )
        return self._proofs[place]

    def _held_against(self, unit: Block, proof: Proof, *, told: bool) -> list[Remark]:
        offered, scope = unit.cells[1], proof.scope
        remarks = list(self.statements.of(offered, unit.line, scope, binding="all"))
        who = "any item" if not told else scope.machine.model if scope.machine else "the item"
        off = next((each for each in self.met(unit.cells[0], scope) if each.verdict == "contradicted"), None)
        if off is not None:
            why = f"{who} has {off.has} where {off.need.words} is required: {REMEDY}"
            return [*remarks, Remark("contradicted", "compliance", unit.line, offered, right=off.has, why=why)]
        lacking = _longest(chain(self._lacking(unit, proof), self._untold(unit, proof)))
        numbers = [each for each in remarks if each.kind == "number" and each.verdict == "unsupported"]
        lacking += [each.text for each in numbers if not any(each.text in text for text in lacking)]
        remarks = [each for each in remarks if each not in numbers]
        if lacking:
            quoted = ", ".join(f'"{text}"' for text in lacking)
            why = f"no source of {who} says {quoted}: {REMEDY}"
            remarks.append(Remark("unsupported", "compliance", unit.line, offered, right=UNSURE, why=why))
        return remarks

    def _untold(self, unit: Block, proof: Proof) -> Iterator[str]:
        """How a row has its machine lubricated or cooled, or from where it is heard, where no source tells."""
        texts = [*(machine.row for machine in proof.scope.machines), *proof.scope.sources]
        vocabulary = self.evidence.reading.vocabulary
        values = proof.scope.machine.values if proof.scope.machine is not None else {}
        for need in (each.need for each in self.met(unit.cells[0], proof.scope)):
            of = (need.attribute,)
            untold = need.attribute in BUILT and not values.get(need.attribute)
            if untold and not any(need.values & meant(text.flat, vocabulary, of=of) for text in texts):
                yield need.words
        heard = DISTANCE.search(fold(unit.text))
        if heard is not None and not any(DISTANCE.search(fold(text.flat)) for text in texts):
            yield heard["distance"]

    def _required(self, text: str) -> Sequence[Item]:
        """What a requirement asks for, read once."""
        if text not in self._read and len(self._read) < MOST_READ:
            reading = self.evidence.reading
            self._read[text] = understand(text, words=reading.vocabulary, names=reading.names).items
        return self._read.get(text, ())

    def met(self, requirement: str, scope: Scope) -> Iterator[Finding]:
        """How the scope's machine answers what the requirement measures."""
        if scope.machine is None:
            return
        for item in self._required(requirement):
            if not item.families or scope.machine.family in item.families:
                yield from (
                    fit(need, scope.machine.values, traits=scope.machine.traits)
                    for need in item.needs
                    if need.attribute in ANSWERED
                )

    def _lacking(self, unit: Block, proof: Proof) -> Iterator[str]:
        """The words, features and fractions of a row that no source of its item has. Words are compared in the
        catalogue's language, the rest in any.
        """
        said = " ".join(unit.cells[:2])
        words, vocabulary = tokens(fold(said)), self.evidence.reading.vocabulary
        facts = [each for each in self.evidence.reading.facts(said, language="en") if each.kind in STATED]
        spans = [(each.start, each.start + len(each.text)) for each in facts]
        known = {place for place, word in enumerate(words) if any(a <= word.start < b for a, b in spans)}
        for place in range(len(words)):
            count, meanings = vocabulary.match(words, place)
            known |= set(range(place, place + count))
            if any(each.attribute in TRAITS and each.value not in proof.traits for each in meanings):
                yield said[words[place].start : words[place + count - 1].end]
        english = (self.evidence.reading.language(unit.cells[0]) if len(unit.cells[0].split()) >= TOLD_BY
                   else self.evidence.language) == "en"  # fmt: skip
        for place, word in enumerate(words if english else ()):
            counted = place > 0 and words[place - 1].number  # a unit, or what a number counts
            telling_word = len(word.text) >= TELLING and word.text.isalpha() and word.text not in PLAIN
            if telling_word and not counted and place not in known and word.text[:STEM] not in proof.words:
                yield said[word.start : word.end]
        for match in FRACTION.finditer(unit.cells[0]):
            if not any(key_of(match[0]) in key for key in proof.keys):
                yield match[0].strip()


def _within(value: float, need: Need) -> bool:
    low = need.low if need.low is not None else value
    high = need.high if need.high is not None else value
    return low - OFF * abs(low) <= value <= high + OFF * abs(high)


def _longest(texts: Iterator[str]) -> list[str]:
    """Each once, and none that is a part of another."""
    found = list({fold(text): text for text in texts}.values())
    return [text for text in found if not any(fold(text) in fold(other) for other in found if other is not text)]
