"""Checks a whole draft: every statement of the letter against its sources, and the letter against the template."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property

from cpq.drafts.claims import ASKED, DENIED
from cpq.drafts.compliance import COMPLIES, Compliance
from cpq.drafts.denials import denied
from cpq.drafts.evidence import Evidence, Machine
from cpq.drafts.figures import columns_of
from cpq.drafts.findings import Remark, Report
from cpq.drafts.house import BY_SHAPE, OF_AN_OFFER, PLACEHOLDER, REQUIRED, SHORTEST_COPY, House, filled
from cpq.drafts.house_terms import freight_apart
from cpq.drafts.letter import COMPLIANCE_CELLS, Block, Section, sentences
from cpq.drafts.placeholders import Placeholders, day_of
from cpq.drafts.scopes import ORIGINAL, Scope, attribution, original, scopes
from cpq.drafts.statements import OPEN, Binding, Statements
from cpq.drafts.taken_up import left_out, positions, without_a_note
from cpq.drafts.totals import REFERRING, TotalsTable, of_totals
from cpq.drafts.written_numbers import WRITTEN_FIGURE, telling
from quarry.characteristics import MISSING
from quarry.understanding.text import fold, key_of

REFERENCES = re.compile(r"referen")
"""How the heading begins in the languages of letters, folded."""

NONE = re.compile(
    r"(?:none|no|without|not?\s+(?:any|included|needed)|kein\w*|ohne|nein|ningun[oa]?|no\s+tiene|sin|aucun\w*|sans|non)\W*"
)
"""A cell, folded, that denies."""
YES = re.compile(r"(?:yes|ja|si|oui)\W*")
WISHES = re.compile(
    r"\b(?:miss\w*|lacks?|asked|requir\w*|requested|wish\w*|limits?|fehl\w*|gefordert|verlangt|anforderung\w*|grenz\w*|falta\w*"
    r"|pedido|solicitado|requerid\w*|limites?|manque\w*|demande\w*|exige\w*|souhait\w*)\b"
)
"""Heads of a column, folded, that has what the customer asks for: asked, limit, what it misses."""
ROW_NUMBER = re.compile(r"(\d{1,2})\s+(?=[^\W\d]{2})")
"""How a row begins that has the number of its position without a point: 2 max 65 dBA."""
SIZED = frozenset(("compressor", "vacuum_pump", "blower"))
"""Families that nobody can choose a machine of without its size."""
SIZES_A_MACHINE = frozenset(("cfm", "hp"))
MOST_READ = 4_000
"""Characters by which a language is told."""

ALTERED = 0.75
"""Share of a standing text's own words that a unit has to repeat in their order to be that text with a change."""


MOST_OF_A_CHANGE = 2
"""Times the words of a standing text without placeholders that a unit may have and still be that text, changed."""


def check(found: Sequence[Section], evidence: Evidence, *, whole: bool = True) -> Report:
    """What there is to say of every statement of a draft's sections; with ``whole`` also what the letter lacks of the
    template.
    """
    evidence = _in_its_language(found, evidence)
    known = scopes(found, evidence)
    machines = {item: scope.machine for item, scope in known.items() if item and scope.machine is not None}
    statements = Statements(evidence, known[0], machines)
    placeholders = Placeholders(evidence, statements)
    checker = _Checker(
        evidence,
        known,
        statements,
        placeholders,
        Compliance(evidence, known, statements),
        TotalsTable(evidence, known, statements, placeholders),
        _terms(found) if evidence.translated else frozenset(),
    )
    findings = [finding for section in found if not section.internal for finding in checker.section(section)]
    return Report([*findings, *(checker.missing(found) if whole else ())])


def _terms(found: Sequence[Section]) -> frozenset[str]:
    """The folded bullets of the letter's sections that answer no question and are about no item."""
    own = (section for section in found if not (section.item or section.internal))
    return frozenset(
        fold(unit.text) for section in own if not any(unit.bold for unit in section.units)
        for unit in section.units if unit.kind == "bullet"
    )  # fmt: skip


def _says_yes(cell: str) -> bool:
    return COMPLIES.match(fold(cell)) is not None


def _in_its_language(found: Sequence[Section], evidence: Evidence) -> Evidence:
    """The evidence with the language of the letter's own paragraphs, and whether the template's is another."""
    theirs = " ".join(literal for each in evidence.house.standing for literal in each.literals)
    ours = " ".join(unit.text for each in found if not (each.item or each.internal) for unit in each.units)
    language = evidence.reading.language
    own = language(ours[:MOST_READ])
    return replace(evidence, language=own, translated=own != language(theirs[:MOST_READ]))


TIMED = re.compile(
    r"(?<![\w.,])(\d[\d.,]*|\w+)[\s-]*(?:hours?|days?|weeks?|months?|years?|stunden?|tagen?|wochen?|monaten?|jahren?|horas?|dias?"
    r"|semanas?|mes(?:es)?|anos?|heures?|jours?|semaines?|mois|ans?)\b"
)
"""A number of a delivery or a warranty, which a note does not give; folded."""
WHOLE_FIGURE = re.compile(rf"(?<![\w.,/-]){WRITTEN_FIGURE.pattern}(?![\w/-]|[.,]\d)")


def _notes(section: Section) -> Mapping[int, Block]:
    """For each line of a section's units the review note behind it that stands before the next question."""
    found: dict[int, Block] = {}
    note: Block | None = None
    standing = sorted([*section.units, *section.reviews], key=lambda each: each.line, reverse=True)
    reviews = {id(each) for each in section.reviews}
    for each in standing:
        if id(each) in reviews:
            note = each
            continue
        if note is not None:
            found[each.line] = note
        if each.bold:
            note = None
    return found


def _noted(remarks: Iterable[Remark], note: Block | None, unit: Block) -> Iterator[Remark]:
    """The remarks on a unit; a figure without a source is open where the review note behind repeats it."""
    if note is None:
        yield from remarks
        return
    noted = frozenset(WHOLE_FIGURE.findall(note.text))
    timed = frozenset(TIMED.findall(fold(unit.text)))
    for remark in remarks:
        figures = frozenset(WRITTEN_FIGURE.findall(remark.text))
        figured = remark.kind == "specification" or (remark.kind == "number" and fold(remark.text) not in timed)
        if remark.verdict == "unsupported" and figured and figures and figures <= noted:
            remark = replace(remark, verdict="open", kind="review", right="", why="")
        yield remark


TERM = re.compile(r"[^\W\d][^:.]{2,30}:\s")
"""How a sentence begins that is a term with its label: Freight: FOB Factory."""
NUMBERS = re.compile(r"[\d\s.,&–-]*\d[a-z]?")
"""What a heading numbers its items by: "3", "4.1", "7a", "5 – 8"."""


@dataclass
class _Checker:
    evidence: Evidence
    scopes: Mapping[int, Scope]
    statements: Statements
    placeholders: Placeholders
    compliance: Compliance
    totals: TotalsTable
    terms: frozenset[str]
    """The house's own sentences as a translated letter has them outside of its items and answers."""
    seen: set[str] = field(default_factory=set)
    """Sections of the template that the letter has."""

    @property
    def house(self) -> House:
        return self.evidence.house

    @cached_property
    def positions(self) -> int:
        """How many the request lists."""
        return len(positions(self.evidence.request))

    def section(self, section: Section) -> Iterator[Remark]:
        scope = self.scopes[section.item]
        for unit in section.reviews:
            yield Remark("open", "review", unit.line, unit.text.removeprefix("SALESPERSON REVIEW:").strip()[:200])
            if ORIGINAL.search(unit.text) and original(unit, self.evidence.sources) is None:
                why = "no line that was named as a source has this original"
                yield Remark("contradicted", "original", unit.line, unit.text, why=why)
            for what in denied(unit.text):
                if model := self.evidence.present.get(what):
                    why = "the catalogue has one"
                    yield Remark("contradicted", "note", unit.line, what, f"catalogue: {model}", model, why)
        for unit in section.attributions:
            yield attribution(unit, self.evidence)
        answers = not section.item and bool(section.title)
        questions = " ".join(unit.text for unit in section.units if unit.bold) if answers else ""
        notes = _notes(section)
        question = ""
        asking = False
        for unit in section.units:
            asking = (unit.kind == "bullet" and asking) or (
                unit.text.endswith(":") and ASKED.search(fold(unit.text)) is not None
            )
            for placeholder in OPEN.findall(unit.text):
                yield Remark("open", "placeholder", unit.line, placeholder)
            if answers and unit.bold:
                question = questions
                yield from self.statements.of(unit.text, unit.line, scope, quoted=True)
            else:
                remarks = self._unit(unit, section, scope, question=question, asking=asking)
                yield from _noted(remarks, notes.get(unit.line), unit)

    def _references(self, unit: Block, scope: Scope) -> Iterator[Remark]:
        """Who may be named may be named here, and nowhere else."""
        told = sorted(self.evidence.references, key=len, reverse=True)
        companies = {key_of(company) for company in self.evidence.references.values()}
        for line, text in unit.lines:
            for reference in told:
                if reference in text:
                    yield Remark("supported", "reference", line, reference, "past quotes")
                    text = text.replace(reference, " ")
            for remark in self.statements.of(text, line, scope):
                named = remark.verdict == "foreign" and key_of(remark.text) in companies
                yield Remark("supported", "reference", line, remark.text, "past quotes") if named else remark

    def _unit(
        self, unit: Block, section: Section, scope: Scope, *, question: str = "", asking: bool = False
    ) -> Iterator[Remark]:
        """``asking``: it is of a list of what the customer is to tell or to send."""
        labelled = self._labelled(unit, scope)
        if labelled is not None:
            yield from labelled
            return
        text = unit.text
        said = list(sentences(text)) if question else []
        if len(said) > 1 and all(TERM.match(each) for each in said[:2]):
            for each in said:  # terms one behind the other, each of its own label
                yield from self._unit(replace(unit, lines=((unit.line, each),)), section, scope, question=question)
            return
        for standing in self.house.beginning(text):
            values = filled(standing, text)
            if values is not None and all(
                name != "ITEM NUMBER" or NUMBERS.fullmatch(value) for name, value in values
            ):
                self.seen.add(standing.section)
                yield Remark("supported", "house text", unit.line, standing.shown, "house template")
                for name, value in values:
                    yield from self.placeholders.value(name, value, unit=unit, scope=scope)
                return
        if REFERENCES.match(fold(section.title)) and unit.kind != "heading":
            yield from self._references(unit, scope)
        elif not section.title and unit.kind == "text":
            yield from self._preface(unit, scope)
        elif unit.kind == "row":
            yield from self._row(unit, scope)
        else:
            altered = self._altered(unit)
            if altered is not None:
                yield altered
            else:
                # The house's own promises are told by their words, which a translation has not.
                whole = bool(question or section.item) or not (self.evidence.translated and section.title)
                told = unit.kind == "bullet" and asking
                binding: Binding = "all" if whole and not told and fold(text) not in self.terms else "offers"
                yield from self._prose(unit, scope, binding=binding, question=question)

    def _labelled(self, unit: Block, scope: Scope) -> list[Remark] | None:
        """The line of a characteristics block, whose values are the catalogue's to the letter or converted."""
        if not scope.item or (":" not in unit.text and not unit.text.startswith("Model ")):
            return None
        machine = scope.machine
        families = [machine.family] if machine and machine.family in self.house.blocks else list(self.house.blocks)
        label, _, said = unit.text.partition(": ")
        known = {standing.label for family in families for standing in self.house.blocks[family]}
        if said == MISSING and "; " in label and known.issuperset(label.split("; ")):
            return [Remark("open", "placeholder", unit.line, unit.text)]
        for family in families:
            for standing in self.house.blocks[family]:
                fields = [name for name in standing.names if name.islower()]
                if standing.label == label and fields and standing.names == tuple(fields):
                    self.seen.add("line-item")
                    return [self.placeholders.specification(unit, standing, scope)]
                values = filled(standing, unit.text) if standing.names and standing.literals[0] else None
                if values is not None:
                    self.seen.add("line-item")
                    return [finding for name, value in values
                            for finding in self.placeholders.value(name, value, unit=unit, scope=scope)]  # fmt: skip
        return None

    def _preface(self, unit: Block, scope: Scope) -> Iterator[Remark]:
        """Date, customer and address, which the template gives no words."""
        rest: list[tuple[int, str]] = []
        for line, text in unit.lines:
            if not text or PLACEHOLDER.fullmatch(text):
                self.placeholders.addressed = self.placeholders.addressed or text == "[CUSTOMER COMPANY]"
                continue
            if day_of(text) is not None:
                yield self.placeholders.dated(text, line)
            elif self.evidence.is_the_customer(text):
                yield self.placeholders.customer(text, line)
            else:
                rest.append((line, text))
        if any(text.endswith((".", "!", "?")) and len(text.split()) >= SHORTEST_COPY for _, text in rest):
            yield from self._prose(replace(unit, lines=tuple(rest)), scope, binding="all")
        else:  # an address, a salutation
            for line, text in rest:
                yield from self.statements.of(text, line, scope)

    def _row(self, unit: Block, scope: Scope) -> Iterator[Remark]:
        if not of_totals(unit):
            yield from self._cells(unit, scope)
            return
        self.seen.add("totals")
        yield from self.totals.row(unit)

    def _cells(self, unit: Block, scope: Scope) -> Iterator[Remark]:
        """The cells of a row, each held to the model that heads its column or else its row."""
        of_three = len(unit.cells) == COMPLIANCE_CELLS
        body = unit.heads != unit.cells
        machines = [self.statements.named(head) for head in unit.heads] if body else []
        if of_three and not any(machines):
            self.compliance.follow(unit)
            yield from self.compliance.words(unit) if body else ()
        if of_three and body and _says_yes(unit.cells[2]) and not any(machines):
            yield from self.statements.of(unit.cells[0], unit.line, scope, quoted=True)
            yield from self.compliance.row(unit)
            return
        by_row = [] if any(machines) or of_three or not body else self.statements.named(unit.cells[0])
        for place, cell in enumerate(unit.cells):
            head = unit.heads[place] if place < len(unit.heads) else ""
            if place == 0 and body and re.fullmatch(r"\d{1,2}[.)]?", cell) and self.statements.named(head) == []:
                continue  # the number of the row
            if REFERRING.search(fold(head)) and re.fullmatch(r"[\d\W]*(?:[a-z]{1,7}[\d\W]+)*", fold(cell)):
                continue  # the items that it is for
            by_column = machines[place] if place < len(machines) else []
            answered = self._answered(unit.cells[0], cell, by_column, scope) if body and len(by_column) == 1 else None
            if answered is not None:
                yield replace(answered, line=unit.line)
                continue
            if by_column and NONE.fullmatch(fold(cell)):
                yield self._nothing(unit.cells[0], cell, by_column, unit.line)
                continue
            binding: Binding = "all" if body and (0 < place < 2 or not of_three) else "nothing"
            required = of_three and place == 0 and not any(machines)
            if required and body and (number := ROW_NUMBER.match(cell)) and int(number[1]) <= self.positions:
                cell = cell[number.end() :]
            wished = body and WISHES.search(fold(head)) is not None
            yield from self.statements.of(
                cell,
                unit.line,
                scope,
                quoted=required or wished,
                binding=binding,
                given=by_column or (by_row if place else []),
            )

    def _answered(self, label: str, cell: str, machines: Sequence[Machine], scope: Scope) -> Remark | None:
        """Yes or no to what a row asks of the machine of its column, where the catalogue's row gives that answer."""
        denied = NONE.fullmatch(fold(cell)) is not None
        if not denied and YES.fullmatch(fold(cell)) is None:
            return None
        machine = machines[0]
        of_it = replace(scope, machine=machine, machines=(machine,))
        answers = list(self.compliance.met(label, of_it))
        source = f"catalogue: {machine.maker} {machine.model}"
        against = next((each for each in answers if each.verdict == "contradicted"), None)
        if against is not None and not denied:
            return Remark("contradicted", "specification", 0, f"{label}: {cell}", source, against.has)
        if against is not None or (not denied and answers and all(each.verdict == "met" for each in answers)):
            return Remark("supported", "specification", 0, cell, source)
        return None

    def _nothing(self, label: str, cell: str, machines: Sequence[Machine], line: int) -> Remark:
        """A cell that says that a machine has none of what its row is about, which is no gap of the catalogue."""
        words = telling(fold(label))
        for source in (each for machine in machines for each in self.evidence.sources
                       if key_of(each.model) == machine.key):  # fmt: skip
            if any(words & telling(fold(said)) and DENIED.search(fold(said)) for said in sentences(source.flat)):
                return Remark("supported", "specification", line, cell, source.name)
        why = f"nothing tells that {machines[0].maker} {machines[0].model} has none"
        return Remark("unsupported", "specification", line, f"{label}: {cell}", right=MISSING, why=why)

    def _altered(self, unit: Block) -> Remark | None:
        if self.evidence.translated:  # what is alike then are names, and the words are a translation
            return None
        words = unit.text.split()
        have = set(words)
        for standing in self.house.copied:
            theirs, different = standing.words, standing.different_words
            if not standing.names and len(words) > MOST_OF_A_CHANGE * len(theirs):
                continue  # a sentence that names a heading
            least = ALTERED * len(different)
            if len(have) < least or len(have & different) < least:
                continue
            matcher = SequenceMatcher(None, theirs, words, autojunk=False)
            if sum(block.size for block in matcher.get_matching_blocks()) >= ALTERED * len(theirs):
                self.seen.add(standing.section if standing in self.house.standing else "line-item")
                return Remark("contradicted", "house text", unit.line, unit.text, "house template", standing.shown)
        return None

    def _prose(
        self, unit: Block, scope: Scope, *, binding: Binding = "nothing", question: str = ""
    ) -> Iterator[Remark]:
        """Lines that a source has to the letter are its own; the others are read sentence by sentence."""
        run: list[tuple[int, str]] = []
        for line, text in unit.lines:
            if any(source.holds(text) for source in scope.sources) and len(text) > 3:
                yield from self._run(run, scope, binding=binding, question=question)
                run = []
                yield from self.statements.of(text, line, scope)
            else:
                run.append((line, text))
        yield from self._run(run, scope, binding=binding, question=question)

    def _run(
        self, run: Sequence[tuple[int, str]], scope: Scope, *, binding: Binding, question: str
    ) -> Iterator[Remark]:
        if run:
            starts, joined = [], ""
            for line, text in run:
                starts.append((len(joined), line))
                joined += text + " "
            at = 0
            for sentence in sentences(joined.strip()):
                at = max(at, joined.find(sentence, at))
                line = next(line for start, line in reversed(starts) if start <= at)
                yield from self.statements.of(sentence, line, scope, binding=binding, question=question)
                at += len(sentence)

    def _short_form(self, found: Sequence[Section]) -> bool:
        """Whether the letter offers nothing and asks instead, or was given nothing to offer."""
        if "totals" in self.seen or self.evidence.offer is not None or any(section.item for section in found):
            return False
        # The heading of a translated letter is not the template's.
        told = (unit for section in found if not section.internal for unit in section.units)
        asks = "questions" in self.seen or any(unit.kind == "bullet" and unit.text.endswith("?") for unit in told)
        return asks or not self.evidence.machines

    def _unsized(self) -> Iterator[Remark]:
        """A price of a machine for a customer who told no size and of whom nothing is on file."""
        request = self.evidence.request
        if not request or self.evidence.own_past or self.evidence.had:
            return
        if any(fact.kind == "model" or (fact.kind == "figure" and not SIZES_A_MACHINE.isdisjoint(columns_of(fact)))
               for fact in self.evidence.reading.facts(request)):  # fmt: skip
            return
        for number, scope in self.scopes.items():
            stated = number in self.placeholders.priced or self.totals.summed
            if number and stated and scope.machine is not None and scope.machine.family in SIZED:
                why = "the request tells no flow, power or model: candidates with list prices, no net price or total"
                name = f"{scope.machine.maker} {scope.machine.model}"
                yield Remark("unsupported", "price", 1, name, "request", why=why)
                return

    def missing(self, found: Sequence[Section]) -> Iterator[Remark]:
        """Parts of the template that a letter needs and this one has not."""
        titles = " ".join(fold(section.title) for section in found)
        have = set(self.seen) | {name for name in REQUIRED if name in titles}
        if any(section.item for section in found):
            have.add("line-item")
        last = max((unit.line for section in found for unit in section.units), default=1)
        needed = frozenset(BY_SHAPE if self.evidence.translated else REQUIRED)
        if self._short_form(found):
            needed -= OF_AN_OFFER
        for name in self.house.sections:
            if name in needed and name not in have:
                yield Remark("missing", "section", last, name, "house template")
        yield from self.totals.left_out(last)
        yield from self.totals.too_small(found)
        yield from self._unsized()
        yield from left_out(found, self.evidence)
        yield from without_a_note(found)
        yield from freight_apart(found)
        if self.evidence.customer and not self.placeholders.addressed:
            yield Remark(
                "missing", "customer", 1, self.evidence.customer, why="the letter does not name its customer"
            )
