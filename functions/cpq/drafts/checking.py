"""Checks a whole draft: every statement of the letter against its sources, and the letter against the template."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from difflib import SequenceMatcher

from cpq.drafts.evidence import MOST_COMPARED, SHORTEST_COPY, Evidence, SourceText
from cpq.drafts.facts import Fact, readings
from cpq.drafts.findings import Remark, Report, Verdict
from cpq.drafts.house import MISSING, OPTIONAL, PLACEHOLDER, REQUIRED, House, StandingText, filled
from cpq.drafts.judging import NATIVE, judge, named, of_another, price
from cpq.drafts.letter import Block, Section, plain, sections, sentences
from cpq.drafts.scopes import Scope, attribution, scopes
from quarry.precedents.line_parts import LinePart, PartKind
from quarry.understanding.needs import Language
from quarry.understanding.text import fold, key_of

ALTERED = 0.75
"""Share of a standing text's own words that a unit has to repeat in their order to be that text with a change."""
DAYS = ("%B %d, %Y", "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d %B %Y")
KEPT_BACK: frozenset[PartKind] = frozenset(("delivery", "payment", "reference"))
"""Parts of a past line that hold for its own quote alone; its warranty may be the maker's."""
OPEN = re.compile(r"\$?\[[A-Z][A-Z ]{2,40}\]|\[NOT IN CATALOGUE[^\]]*\]")
TERMS = re.compile(
    r"(?i)\b(?:net\s+\d{1,3}(?:\s+days)?|\d{1,2}\s?%\s+(?:down|deposit|with order|on delivery)|due on receipt)"
)


def check(draft: str, evidence: Evidence, *, whole: bool = True) -> Report:
    """What there is to say of every statement; with ``whole`` also what the letter lacks of the template."""
    found = sections(draft)
    checker = _Checker(evidence, scopes(found, evidence))
    findings = [finding for section in found if not section.internal for finding in checker.section(section)]
    return Report([*findings, *(checker.missing(found) if whole else ())])


@dataclass
class _Checker:
    evidence: Evidence
    scopes: Mapping[int, Scope]
    seen: set[str] = field(default_factory=set)
    """Sections of the template that the letter has."""
    addressed: bool = False
    quantities: dict[int, tuple[str, int]] = field(default_factory=dict)
    compared: int = 0

    @property
    def house(self) -> House:
        return self.evidence.house

    def section(self, section: Section) -> Iterator[Remark]:
        scope = self.scopes[section.item]
        for unit in section.reviews:
            yield Remark("open", "review", unit.line, unit.text.removeprefix("SALESPERSON REVIEW:").strip()[:200])
        for unit in section.attributions:
            yield attribution(unit, self.evidence)
        for unit in section.units:
            for placeholder in OPEN.findall(unit.text):
                yield Remark("open", "placeholder", unit.line, placeholder)
            yield from self._unit(unit, section, scope)

    def _unit(self, unit: Block, section: Section, scope: Scope) -> Iterator[Remark]:
        labelled = self._labelled(unit, scope)
        if labelled is not None:
            yield from labelled
            return
        for standing in self.house.standing:
            values = filled(standing, unit.text) if standing.worded else None
            if values is not None:
                self.seen.add(standing.section)
                yield Remark("supported", "house text", unit.line, standing.shown, "house template")
                for name, value in values:
                    yield from self._value(name, value, unit=unit, scope=scope)
                return
        if not section.title and unit.kind == "text":
            yield from self._preface(unit, scope)
        elif unit.kind == "row":
            yield from self._row(unit, scope)
        else:
            altered = self._altered(unit)
            if altered is not None:
                yield altered
            else:
                yield from self._prose(unit, scope)

    def _labelled(self, unit: Block, scope: Scope) -> list[Remark] | None:
        """The line of a characteristics block, whose values are the catalogue's to the letter or converted."""
        if not scope.item or (":" not in unit.text and not unit.text.startswith("Model ")):
            return None
        machine = scope.machine
        families = [machine.family] if machine and machine.family in self.house.blocks else list(self.house.blocks)
        label = unit.text.partition(":")[0]
        for family in families:
            for standing in self.house.blocks[family]:
                fields = [name for name in standing.names if name.islower()]
                if standing.label == label and fields and standing.names == tuple(fields):
                    self.seen.add("line-item")
                    return [self._specification(unit, standing, scope)]
                values = filled(standing, unit.text) if standing.names and standing.literals[0] else None
                if values is not None:
                    self.seen.add("line-item")
                    return [finding for name, value in values
                            for finding in self._value(name, value, unit=unit, scope=scope)]  # fmt: skip
        return None

    def _specification(self, unit: Block, standing: StandingText, scope: Scope) -> Remark:
        machine = scope.machine
        value = unit.text.partition(":")[2].strip()
        if value == MISSING:
            return Remark("open", "placeholder", unit.line, unit.text)
        if machine is None:
            judged = [
                finding for finding in self._statement(unit.text, unit.line, scope) if finding.verdict != "supported"
            ]
            return judged[0] if judged else Remark("supported", "specification", unit.line, unit.text)
        source = f"catalogue: {machine.maker} {machine.model}"
        right = _rendered(standing, machine.values)
        if right is None:
            return Remark(
                "unsupported", "specification", unit.line, unit.text, source, MISSING, "the catalogue has none"
            )
        if value.casefold() == right.casefold() or self._converted(value, standing, scope):
            return Remark("supported", "specification", unit.line, unit.text, source)
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
        facts = self.evidence.reading.facts(value, language=self.evidence.reading.language(value))
        figures = [fact for fact in facts if fact.kind == "figure"]
        whole = Scope(scope.item, scope.machines, ())
        return bool(figures) and len(figures) == len(facts) and all(
            judge(fact, line=0, scope=whole, evidence=self.evidence).verdict == "supported" for fact in figures
        )  # fmt: skip

    def _value(self, name: str, value: str, *, unit: Block, scope: Scope) -> Iterator[Remark]:
        """What stands where the template has a placeholder."""
        line, offer = unit.line, self.evidence.offer
        if PLACEHOLDER.fullmatch(value.strip("$ ")) or value.strip("$ ") == "" or name == "ITEM NUMBER":
            return
        fact = self.house.facts.get(name)
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
            stated = Fact("price", value, 0, amounts=readings(value.strip("$ ")))
            yield price(stated, line=line, scope=scope, evidence=self.evidence, allowed=allowed)
        elif name == "QUANTITY":
            yield self._quantity(value, line, scope)
        elif name == "PROPOSAL NUMBER":
            right = offer.id if offer is not None else ""
            verdict: Verdict = "supported" if right and value == right else "contradicted" if right else "unsupported"
            yield Remark(verdict, "quote number", line, value, right=right)
        elif name == "DATE":
            yield self._date(value, line)
        elif name == "CUSTOMER COMPANY":
            yield self._customer(value, line)
        elif name == "CATEGORY IN CAPS":
            machine = scope.machine
            right = str(machine.values.get("category", "")).upper() if machine else ""
            same = not right or value == right
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
            yield from self._statement(value, line, own)
        elif name in ("PROJECT", "REQUIREMENTS") and self.evidence.request:
            asked = Scope(0, (), tuple(each for each in scope.sources if each.origin == "request"))
            yield from (finding for part in sentences(value) for finding in self._statement(part, line, asked))
        else:
            yield from (finding for part in sentences(value) for finding in self._statement(part, line, scope))

    def _fact(self, name: str, value: str, fact: str, line: int) -> Remark:
        """A fact of the house; terms and validity may also be those of the quote."""
        offer = self.evidence.offer
        said = plain(value)
        if said == fact:
            return Remark("supported", "house fact", line, said, "house template")
        if offer is not None and name == "PAYMENT TERMS" and key_of(offer.payment) in key_of(said):
            return Remark("supported", "payment term", line, said, offer.id)
        if offer is not None and name == "VALIDITY" and (day := _day(said)) == offer.valid_until and day is not None:
            return Remark("supported", "validity", line, said, offer.id)
        theirs = next(
            (quote for quote in self.evidence.past_quotes.values() if key_of(said) in key_of(quote.terms)), None
        )
        if name == "PAYMENT TERMS" and theirs is not None:
            right = offer.payment if offer is not None else fact
            return Remark("foreign", "payment term", line, said, theirs.number, right)
        return Remark("contradicted", "house fact", line, said, "house template", fact)

    def _date(self, value: str, line: int) -> Remark:
        day = _day(value)
        near = day is not None and abs((day - self.evidence.today).days) <= 1
        if near:
            return Remark("supported", "date", line, value, "today")
        return Remark(
            "contradicted", "date", line, value, right=self.evidence.today.isoformat(), why="validity counts from it"
        )

    def _customer(self, value: str, line: int) -> Remark:
        self.addressed = True
        ours = self.evidence.customer
        if not ours or key_of(ours) == key_of(value):
            return Remark("supported", "customer", line, value, "account")
        others = {key_of(name) for name in self.evidence.reading.names.customers.values()}
        verdict: Verdict = "foreign" if key_of(value) in others else "contradicted"
        return Remark(verdict, "customer", line, value, right=ours)

    def _preface(self, unit: Block, scope: Scope) -> Iterator[Remark]:
        """Date, customer and address, which the template gives no words."""
        for line, text in unit.lines:
            if not text or PLACEHOLDER.fullmatch(text):
                self.addressed = self.addressed or text == "[CUSTOMER COMPANY]"
                continue
            if _day(text) is not None:
                yield self._date(text, line)
            elif self.evidence.customer and key_of(self.evidence.customer) == key_of(text):
                yield self._customer(text, line)
            else:
                yield from self._statement(text, line, scope)

    def _quantity(self, value: str, line: int, scope: Scope) -> Remark:
        """The quote's; without one the first that the draft gives, which every other has to repeat."""
        number = re.search(r"\d+", value)
        count = number[0] if number else value
        if scope.line is not None:
            right = str(scope.line.quantity)
            source = self.evidence.offer.id if self.evidence.offer else ""
            return Remark("supported" if count == right else "contradicted", "quantity", line, value, source,
                           "" if count == right else right)  # fmt: skip
        first, at = self.quantities.setdefault(scope.item, (count, line))
        if first != count:
            return Remark("contradicted", "quantity", line, value, right=first, why=f"line {at} says {first}")
        said = count == "1" or any(re.search(rf"(?<![\w.,]){count}(?![\w.,])", source.text)
                                   for source in scope.sources if source.origin == "request") or _spelled(
                                       count, self.evidence)  # fmt: skip
        return Remark("supported" if said else "unsupported", "quantity", line, value, "request" if said else "")

    def _row(self, unit: Block, scope: Scope) -> Iterator[Remark]:
        item = int(unit.cells[0]) if unit.cells and unit.cells[0].isdecimal() else 0
        if len(unit.cells) != 5:
            for cell in unit.cells:
                yield from self._statement(cell, unit.line, scope)
            return
        self.seen.add("totals")
        if item not in self.scopes:
            yield Remark("unsupported", "row", unit.line, unit.text, why=f"the letter has no item {item}")
            return
        own = self.scopes[item]
        yield from self._statement(unit.cells[1], unit.line, own)
        if unit.cells[2]:
            yield self._quantity(unit.cells[2], unit.line, own)
        line, offer = own.line, self.evidence.offer
        amounts: Sequence[list[Decimal | None]] = [[line.net], [line.total]] if line is not None else [[], []]
        if not item:
            amounts = [[], [offer.total if offer else None]]
        for cell, allowed in zip(unit.cells[3:], amounts, strict=True):
            if re.search(r"\d", cell):
                stated = Fact("price", cell, 0, amounts=readings(re.sub(r"[^\d.,'’]", "", cell)))
                yield price(
                    stated, line=unit.line, scope=own, evidence=self.evidence, allowed=allowed if offer else None
                )

    def _altered(self, unit: Block) -> Remark | None:
        words = unit.text.split()
        have = set(words)
        blocks = [each for lines in self.house.blocks.values() for each in lines]
        for standing in (*self.house.standing, *blocks):
            theirs = standing.words
            if len(theirs) < 4 or len(have & set(theirs)) < ALTERED * len(set(theirs)):
                continue
            matcher = SequenceMatcher(None, theirs, words, autojunk=False)
            if sum(block.size for block in matcher.get_matching_blocks()) >= ALTERED * len(theirs):
                self.seen.add(standing.section if standing in self.house.standing else "line-item")
                return Remark("contradicted", "house text", unit.line, unit.text, "house template", standing.shown)
        return None

    def _prose(self, unit: Block, scope: Scope) -> Iterator[Remark]:
        """Lines that a source has to the letter are its own; the others are read sentence by sentence."""
        run: list[tuple[int, str]] = []
        for line, text in unit.lines:
            if any(source.holds(text) for source in scope.sources) and len(text) > 3:
                yield from self._run(run, scope)
                run = []
                yield from self._statement(text, line, scope)
            else:
                run.append((line, text))
        yield from self._run(run, scope)

    def _run(self, run: Sequence[tuple[int, str]], scope: Scope) -> Iterator[Remark]:
        if run:
            starts, joined = [], ""
            for line, text in run:
                starts.append((len(joined), line))
                joined += text + " "
            at = 0
            for sentence in sentences(joined.strip()):
                at = max(at, joined.find(sentence, at))
                line = next(line for start, line in reversed(starts) if start <= at)
                yield from self._statement(sentence, line, scope)
                at += len(sentence)

    def _statement(self, text: str, line: int, scope: Scope) -> Iterator[Remark]:
        if not re.search(r"\w", text):
            return
        bare = OPEN.sub(" ", text)
        language: Language = self.evidence.reading.language(bare)
        facts = self.evidence.reading.facts(bare, language=language)
        held = next((source for source in scope.sources if _holds(source, text)), None)
        if held is not None:
            yield Remark("supported", "text", line, text, held.name)
            yield from self._borrowed(facts, text, line, held)
            return
        if len(text.split()) > 2:
            elsewhere = next((each for each in self.evidence.sources if scope.item and _holds(each, text)), None)
            if elsewhere is not None:
                why = "these words are of another item's source"
                yield Remark("contradicted", "text", line, text, elsewhere.name, why=why)
                return
            named = sum(len(fact.text) for fact in facts if fact.kind in ("maker", "model"))
            slip = self._slip(text, line) if named < len(text) - text.count(" ") - 1 else None
            if slip is not None:
                yield slip
                return
        judged = [self._judged(fact, facts, line, scope) for fact in facts]
        terms = [self._term(match[0], line) for match in TERMS.finditer(bare)]
        yield from (judged + terms) or [Remark("supported", "text", line, text, "own words")]

    def _judged(self, fact: Fact, beside: Sequence[Fact], line: int, scope: Scope) -> Remark:
        remark = judge(fact, line=line, scope=scope, evidence=self.evidence)
        if remark.verdict != "contradicted":
            return remark
        return of_another(fact, beside=beside, line=line, scope=scope, evidence=self.evidence) or remark

    def _slip(self, text: str, line: int) -> Remark | None:
        if self.compared >= MOST_COMPARED:
            return None
        self.compared += 1
        near = self.evidence.nearest(text)
        if near is None:
            return None
        source, passage = near
        changed = _changed(passage.split(), text.split())
        strict = source.origin in ("past quote", "house")
        if source.origin == "request" or not (strict or any(re.search(r"\d", word) for word in changed)):
            return None
        return Remark("contradicted", "text", line, text, source.name, passage, "a copy that is not to the letter")

    def _borrowed(self, facts: Iterable[Fact], text: str, line: int, source: SourceText) -> Iterator[Remark]:
        """What may not be copied from a past quote: another customer's names, quotes, prices and terms."""
        if source.origin != "past quote":
            return
        theirs = self.evidence.past_quotes.get(source.quote_number)
        own = theirs is not None and key_of(theirs.customer) == key_of(self.evidence.customer)
        for fact in facts:
            if fact.kind == "name" and not own:
                yield named(fact, line=line, evidence=self.evidence)
        people = [theirs.customer, *theirs.people] if theirs is not None else []
        for mention in self.evidence.reading.mentioning.of(text, theirs=people):
            said = text[mention.start : mention.end]
            if mention.kind == "price":
                yield Remark("foreign", "price", line, said, source.name, "$[PRICE]", "a price of that quote")
            elif mention.kind != "date" and not own and not self._ours(said):
                kind = mention.kind.replace("_", " ")
                yield Remark("foreign", kind, line, said, source.name, why="it belongs to that quote")
        part = next(
            (part for part in source.parts.parts if part.kind in KEPT_BACK and _inside(text, part, source)), None
        )
        if part is not None:
            kind = part.kind.replace("_", " ")
            yield Remark("foreign", kind, line, text, source.name, why="it was told that customer, then")
        for match in TERMS.finditer(text):
            yield self._term(match[0], line, source=source.name)

    def _ours(self, text: str) -> bool:
        """Whether it is of the draft's own customer, of the house or of the request."""
        own = (self.evidence.customer, self.evidence.request, self.evidence.address, *self.house.facts.values())
        quote = self.evidence.offer.id if self.evidence.offer else ""
        return text == quote or any(key_of(text) in key_of(each) for each in (*own, *self.evidence.people) if each)

    def _term(self, text: str, line: int, *, source: str = "") -> Remark:
        """A payment term is the house's, the quote's or the customer's own."""
        offer = self.evidence.offer
        ours = [*self.house.facts.values(), self.evidence.request, offer.payment if offer else ""]
        if any(key_of(text).removesuffix("days") in key_of(each) for each in ours):
            return Remark("supported", "payment term", line, text, "house template")
        theirs = next(
            (each for each in self.evidence.past_quotes.values() if key_of(text) in key_of(each.terms)), None
        )
        right = offer.payment if offer else self.house.facts.get("PAYMENT TERMS", "")
        if source or theirs is not None:
            return Remark("foreign", "payment term", line, text, source or (theirs.number if theirs else ""), right)
        return Remark("unsupported", "payment term", line, text, right=right)

    def missing(self, found: Sequence[Section]) -> Iterator[Remark]:
        """Parts of the template that a letter needs and this one has not."""
        titles = " ".join(fold(section.title) for section in found)
        have = set(self.seen) | {name for name in REQUIRED if name in titles}
        if any(section.item for section in found):
            have.add("line-item")
        last = max((unit.line for section in found for unit in section.units), default=1)
        for name in self.house.sections:
            if name in REQUIRED and name not in OPTIONAL and name not in have:
                yield Remark("missing", "section", last, name, "house template")
        if self.evidence.customer and not self.addressed:
            yield Remark(
                "missing", "customer", 1, self.evidence.customer, why="the letter does not name its customer"
            )


def _inside(text: str, part: LinePart, source: SourceText) -> bool:
    """Whether the statement is of that part of the line and of no more of it."""
    return len(text.split()) >= SHORTEST_COPY and text in plain(source.text[part.start : part.end])


def _holds(source: SourceText, text: str) -> bool:
    """Whether a source has the text, in which a placeholder stands for what was taken out."""
    pieces = [piece.strip() for piece in OPEN.split(text)]
    if len(pieces) == 1:
        return source.holds(text)
    at = -1
    for piece in filter(None, pieces):
        found = source.flat.find(piece, at + 1)
        if found < 0 or (at >= 0 and found - at > 80):
            return False
        at = found + len(piece)
    return at >= 0


def _rendered(standing: StandingText, values: Mapping[str, object]) -> str | None:
    """The line's value as the catalogue has it; None where it has none. Without a series the model stands alone."""
    shown = {name: values.get(name) for name in standing.names}
    if shown.get("model") and not shown.get("series") and "series" in shown:
        return str(shown["model"])
    if any(value in (None, "") for value in shown.values()):
        return None
    said = [f"{value:g}" if isinstance(value, int | float) else str(value) for value in shown.values()]
    text = "".join(literal + filler for literal, filler in zip(standing.literals, [*said, ""], strict=True))
    return text.partition(":")[2].strip()


def _sizes(value: str, scope: Scope) -> bool:
    assert scope.machine is not None
    figures = [float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", value)]
    factor = 25.4 if re.search(r"\bmm\b", value) else 2.54 if re.search(r"\bcm\b", value) else 1.0
    ours = [scope.machine.values.get(name) for name in ("length_in", "width_in", "height_in")]
    half = 0.5 if factor > 1 else 1e-6
    return len(figures) == 3 and all(
        isinstance(our, int | float) and abs(float(our) * factor - stated) <= half
        for our, stated in zip(ours, figures, strict=True)
    )


def _changed(source: Sequence[str], words: Sequence[str]) -> list[str]:
    changes: list[str] = []
    for what, first, last, start, end in SequenceMatcher(None, source, words, autojunk=False).get_opcodes():
        if what != "equal":
            changes += [
                *source[first:last],
                *words[start:end],
                *source[max(0, first - 1) : first],
                *source[last : last + 1],
            ]
    return changes


def _day(text: str) -> date | None:
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
