"""What stands where the house template has a placeholder: specifications, prices, quantities, terms, dates, names."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from cpq.drafts.claims import GIVEN, TRADE_TERMS
from cpq.drafts.evidence import Evidence, Machine
from cpq.drafts.facts import Fact
from cpq.drafts.figures import NATIVE
from cpq.drafts.findings import Remark, Verdict
from cpq.drafts.house import PLACEHOLDER, StandingText
from cpq.drafts.house_terms import delivery_time, granted
from cpq.drafts.judging import judge, own_sides, price, same_sides
from cpq.drafts.letter import Block, plain, sentences
from cpq.drafts.scopes import Scope
from cpq.drafts.statements import OPEN, Statements
from cpq.drafts.taken_up import positions
from cpq.drafts.written_numbers import days, readings, sides
from quarry.characteristics import MISSING, Metric, line_of
from quarry.understanding.reading import understand
from quarry.understanding.text import fold, key_of, tokens

RULES_OF_TRADE = frozenset(("incoterms", "incoterm", "2010", "2020"))
TERMS = frozenset(("PAYMENT TERMS", "VALIDITY", "FREIGHT"))
"""Facts of the house from which it departs for a customer or a market."""
OWN_NUMBER = re.compile(r"\bQ-\d{4}-\d{4,}\b")
WRITTEN: Sequence[Metric | None] = (None, "m3_h", "m3_min")
"""The ways in which a block has a machine's figures."""
CURRENCY = re.compile(r"[€£$]|\b[A-Z]{3}\b")
"""Beside an amount, before it or behind it."""
DAYS = ("%B %d, %Y", "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d %B %Y")


@dataclass
class Placeholders:
    """``addressed``: the letter named its customer; ``quantities``: what it said of each item first, and where."""

    evidence: Evidence
    statements: Statements
    addressed: bool = False
    quantities: dict[int, tuple[str, int]] = field(default_factory=dict)
    priced: set[int] = field(default_factory=set)
    """The items of which a net price is stated."""
    _positions: list[tuple[Collection[str], int | None]] | None = None

    def specification(self, unit: Block, standing: StandingText, scope: Scope) -> Remark:
        machine = scope.machine
        value = unit.text.partition(":")[2].strip()
        own = _rendered(standing, machine) if machine is not None else [MISSING]
        if value == MISSING == own[0]:
            return Remark("open", "placeholder", unit.line, unit.text)
        if machine is None:
            judged = [
                finding
                for finding in self.statements.of(unit.text, unit.line, scope)
                if finding.verdict != "supported"
            ]
            return judged[0] if judged else Remark("supported", "specification", unit.line, unit.text)
        source = f"catalogue: {machine.maker} {machine.model}"
        if own[0] == MISSING:
            return Remark(
                "unsupported", "specification", unit.line, unit.text, source, MISSING, "the catalogue has none"
            )
        if value.casefold() in map(str.casefold, own) or self._converted(value, standing, scope):
            return Remark("supported", "specification", unit.line, unit.text, source)
        right = own[0] if standing.written is None else own[2] if "/min" in value else own[1]
        return Remark("contradicted", "specification", unit.line, unit.text, source, right)

    def _converted(self, value: str, standing: StandingText, scope: Scope) -> bool:
        """Whether the value says the catalogue's in other units, or a supply that the machine is built for."""
        assert scope.machine is not None
        columns = set(standing.names)
        if columns >= {"length_in", "width_in", "height_in"}:
            return _sizes(value, scope)
        if columns == {"voltage"}:
            rated = set(re.findall(r"\d+", str(scope.machine.values["voltage"])))
            said = re.findall(r"\d+", value)
            return (
                len(said) > 2
                and set(said) <= rated
                and said[-2:] == re.findall(r"\d+", str(scope.machine.values["voltage"]))[-2:]
            )
        if not columns <= set(NATIVE):
            return False
        facts = self.evidence.reading.facts(value)
        figures = [fact for fact in facts if fact.kind == "figure"]
        whole = Scope(scope.item, scope.machines, ())
        return bool(figures) and len(figures) == len(facts) and all(
            judge(fact, line=0, scope=whole, evidence=self.evidence).verdict == "supported" for fact in figures
        )  # fmt: skip

    def value(self, name: str, value: str, *, unit: Block, scope: Scope) -> Iterator[Remark]:
        """What stands where the template has a placeholder."""
        line, offer = unit.line, self.evidence.offer
        if PLACEHOLDER.fullmatch(value.strip("$ ")) or value.strip("$ ") == "" or name == "ITEM NUMBER":
            return
        fact = self.evidence.house.facts.get(name)
        if fact is not None:
            yield self._fact(name, value, plain(fact), line)
        elif name in ("PRICE", "TOTAL", "NET PRICE"):
            allowed = (
                None
                if offer is None
                else [offer.total]
                if name == "TOTAL"
                else [scope.line.net]
                if scope.line
                else None
            )
            self.priced.add(scope.item)
            stated = Fact("price", value, 0, amounts=readings(CURRENCY.sub("", value)))
            yield price(stated, line=line, scope=scope, evidence=self.evidence, allowed=allowed)
        elif name == "QUANTITY":
            yield self.quantity(value, line, scope)
        elif name == "PROPOSAL NUMBER":
            right = offer.id if offer is not None else ""
            told = OWN_NUMBER.findall(value)
            if len(told) > 1 and self.evidence.quotes.issuperset(told):  # alternates, each of a quote of its own
                yield Remark("supported", "quote number", line, value, source=told[0])
                return
            verdict: Verdict = "supported" if right and value == right else "contradicted" if right else "unsupported"
            yield Remark(verdict, "quote number", line, value, right=right)
        elif name == "DATE":
            yield self.dated(value, line)
        elif name == "CUSTOMER COMPANY":
            yield self.customer(value, line)
        elif name == "CATEGORY IN CAPS":
            machine = scope.machine
            right = str(machine.values.get("category", "")).upper() if machine else ""
            said = {right, *(words.word(right) for words in self.evidence.house.languages)}
            same = not right or value in said
            yield Remark("supported" if same else "contradicted", "heading", line, value, right="" if same else right)
        elif name == "model" and scope.machine is not None:
            same = key_of(value) == scope.machine.key
            right = "" if same else scope.machine.model
            yield Remark("supported" if same else "contradicted", "model", line, value, "catalogue", right)
        elif name == "DELIVERY" and (old := next((one for one in self.evidence.lines if one.holds(value)), None)):
            yield Remark(
                "foreign", "delivery", line, value, old.name, "[DELIVERY]", "it was told that customer, then"
            )
        elif name == "DELIVERY":
            own = Scope(
                scope.item,
                scope.machines,
                tuple(each for each in scope.sources if each.origin != "past quote"),
                scope.line,
            )
            yield from delivery_time(value, line, own, evidence=self.evidence)
            yield from self.statements.of(value, line, own)
        elif name in ("PROJECT", "REQUIREMENTS") and self.evidence.request:
            asked = Scope(0, (), tuple(each for each in scope.sources if each.origin == "request"))
            yield from (finding for part in sentences(value) for finding in self.statements.of(part, line, asked))
        else:
            yield from (finding for part in sentences(value) for finding in self.statements.of(part, line, scope))

    def _fact(self, name: str, value: str, fact: str, line: int) -> Remark:
        """A fact of the house; terms and validity may also be those of the quote."""
        offer = self.evidence.offer
        said = plain(value)
        if OPEN.sub("", said).strip() in self.evidence.house.waiting:
            return Remark("supported", "house text", line, said, "house template")
        if said == fact:
            return Remark("supported", "house fact", line, said, "house template")
        payment = key_of(offer.payment) if offer is not None else ""
        bare = key_of(said) == payment.removesuffix("days")  # Net 30
        if offer is not None and name == "PAYMENT TERMS" and (bare or payment in key_of(said)):
            return Remark("supported", "payment term", line, said, offer.id)
        if number := granted(name, said, self.evidence) if name in TERMS else "":
            return Remark("supported", "house fact", line, said, number)
        if (
            offer is not None
            and name == "VALIDITY"
            and any(offer.valid_until in read for _, _, read in days(said))
            and not re.search(r"\d", _without_days(said))
        ):
            return Remark("supported", "validity", line, said, offer.id)
        if name == "FREIGHT" and self._is_its_term(said, fact):
            return Remark("supported", "house fact", line, said, "house template")
        theirs = next(
            (quote for quote in self.evidence.past_quotes.values() if key_of(said) in key_of(quote.terms)), None
        )
        if name == "PAYMENT TERMS" and theirs is not None:
            right = offer.payment if offer is not None else fact
            return Remark("foreign", "payment term", line, said, theirs.number, right)
        return Remark("contradicted", "house fact", line, said, "house template", fact)

    def _is_its_term(self, said: str, fact: str) -> bool:
        """Whether a freight line has the house's term of delivery and no other: in fewer words, or translated."""
        words, theirs = tokens(fold(said)), {word.text for word in tokens(fold(fact))}
        terms = {word.text for word in words} & TRADE_TERMS
        known = self.evidence.translated or all(word.text in theirs or word.text in RULES_OF_TRADE for word in words)
        return bool(terms) and terms <= theirs and known and GIVEN.search(fold(said)) is None

    def dated(self, value: str, line: int) -> Remark:
        day = day_of(value)
        near = day is not None and abs((day - self.evidence.today).days) <= 1
        if near:
            return Remark("supported", "date", line, value, "today")
        return Remark(
            "contradicted", "date", line, value, right=self.evidence.today.isoformat(), why="validity counts from it"
        )

    def customer(self, value: str, line: int) -> Remark:
        self.addressed = True
        ours = self.evidence.customer
        if not ours or self.evidence.is_the_customer(value):
            return Remark("supported", "customer", line, value, "account")
        others = {key_of(name) for name in self.evidence.reading.names.customers.values()}
        verdict: Verdict = "foreign" if key_of(value) in others else "contradicted"
        return Remark(verdict, "customer", line, value, right=ours)

    def _asked(self, scope: Scope) -> Sequence[int]:
        """How many of the item's kind of machine the positions of the request say, each number once; none where one
        of them does not tell.
        """
        if scope.machine is None:
            return ()
        if self._positions is None:
            reading = self.evidence.reading
            self._positions = [
                (item.families, item.quantity) for text in positions(self.evidence.request)
                for item in understand(text, words=reading.vocabulary, names=reading.names).items[:1]
            ]  # fmt: skip
        found = [count for families, count in self._positions if scope.machine.family in families]
        return list(dict.fromkeys(each for each in found if each)) if all(found) else ()

    def quantity(self, value: str, line: int, scope: Scope) -> Remark:
        """The quote's; without one the first that the draft gives, which every other has to repeat."""
        number = re.search(r"\d+", value)
        count = number[0] if number else value
        if scope.line is not None:
            right = str(scope.line.quantity)
            source = self.evidence.offer.id if self.evidence.offer else ""
            return Remark("supported" if count == right else "contradicted", "quantity", line, value, source,
                           "" if count == right else right)  # fmt: skip
        asked = self._asked(scope)
        noted = any(re.search(rf"(?<![\w.,]){count} ?[×x] ", note) for note in scope.notes)
        if asked and count.isdecimal() and int(count) not in asked and not noted:
            right = str(asked[0]) if len(asked) == 1 else ""
            return Remark("contradicted", "quantity", line, value, "request", right, "the customer asks for another")
        if asked and count.isdecimal():
            return Remark("supported", "quantity", line, value, "request")
        first, at = self.quantities.setdefault(scope.item, (count, line))
        if first != count:
            return Remark("contradicted", "quantity", line, value, right=first, why=f"line {at} says {first}")
        said = count == "1" or any(re.search(rf"(?<![\w.,]){count}(?![\w.,])", source.text)
                                   for source in scope.sources if source.origin == "request") or _spelled(
                                       count, self.evidence)  # fmt: skip
        # Several machines that do together what one does not: a person is told so beside them.
        said = said or any(re.search(rf"(?<![\w.,]){count} ?[×x] ", note) for note in scope.notes)
        return Remark("supported" if said else "unsupported", "quantity", line, value, "request" if said else "")


def _rendered(standing: StandingText, machine: Machine) -> list[str]:
    """The line's value as the catalogue has it, in US units, in m³/h and in m³/min; [MISSING] where it has none."""
    line = f"- {standing.shown}"
    said = (plain(line_of(line, machine.printed, metric=flow, words=standing.written)[2:]) for flow in WRITTEN)
    return [each.partition(":")[2].strip() for each in said]


def _sizes(value: str, scope: Scope) -> bool:
    """Whether each half of "1524 x 914 x 1397 mm (60 x 36 x 55 in)" has the machine's own sizes."""
    assert scope.machine is not None
    own = own_sides(scope.machine)
    return all(same_sides(sides(half), own) for half in re.split(r"[()\[\]]|\s/\s", value) if half.strip())


def _without_days(text: str) -> str:
    for start, end, _ in days(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def day_of(text: str) -> date | None:
    for form in DAYS:
        try:
            return datetime.strptime(text.strip(), form).date()  # a day has no zone
        except ValueError:
            continue
    return None


def _spelled(count: str, evidence: Evidence) -> bool:
    numbers = evidence.reading.vocabulary.numbers
    words = {word for word, value in numbers.items() if str(int(value)) == count}
    return any(word in words for word in re.findall(r"[a-z]+", fold(evidence.request)))
