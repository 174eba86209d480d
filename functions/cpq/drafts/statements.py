"""A statement of the letter: a copy of a source, a copy with a slip, or the drafter's own words, fact by fact."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal

from cpq.drafts.asserted import NOT_SURE, asserted, denied_property, unknown
from cpq.drafts.borrowing import borrowed
from cpq.drafts.claims import DENIED
from cpq.drafts.derived import worked_out
from cpq.drafts.disclaimers import MARKED, QUOTES, quotations, tells_the_past
from cpq.drafts.evidence import MOST_COMPARED, Evidence, Machine, PastQuote, SourceText, digits_of
from cpq.drafts.facts import Fact
from cpq.drafts.findings import Remark
from cpq.drafts.house import SHORTEST_COPY
from cpq.drafts.house_terms import (
    CODES,
    DELIVERED,
    PAID,
    another_length,
    delivery_term,
    delivery_time,
    held_for,
    payment_term,
)
from cpq.drafts.judgements import lasts, not_his
from cpq.drafts.judging import judge, of_another, of_the_mail
from cpq.drafts.letter import plain
from cpq.drafts.owners import OWNED, machines_of, owners
from cpq.drafts.promises import OF_THE_CUSTOMER, UNHELD, promised, unheld
from cpq.drafts.scopes import Scope
from cpq.drafts.written_numbers import days, spelled, telling
from quarry.understanding.text import fold, key_of

Binding = Literal["nothing", "offers", "all"]
"""What of a statement's promises is asked for its source; of the house's sentences, translated, only offers."""
OPEN = re.compile(r"\$?\[[A-Z][A-Z ]{2,40}\]|\[NOT IN CATALOGUE[^\]]*\]")
"""What the template leaves to a person."""
DIALLED = re.compile(r"[+(]?\d{1,4}\)?[\s/.-]{1,2}\(?\d{2,4}\)?[\d\s/.-]{3,}\d")
"""A telephone number, perhaps."""
CUT = re.compile(r"\[\s*(?:\.{2,4}|…)\s*\]")
"""Where a part of a proven text was left out."""
FEWEST_SHARED, TELLING_LETTERS = 2, 4
"""Words of four letters and more that a copy with a slip still has of its source: "… is not included" is none."""
TELLING = 8
"""Words from which a statement tells its language."""
HIS_OWN = re.compile(
    r"\b(?:your|ihr\w{0,2}|sus?|votre|vos|replac\w+|in\s+place\s+of|instead\s+of|statt|anstelle|ersetz\w+|en\s+lugar\s+de|reemplaza\w*"
    r"|au\s+lieu\s+de|a\s+la\s+place\s+de|remplac\w+)\s+(?:[^\s;:]+\s+){0,6}?$"
)
"""Before a model that the customer has, folded."""
WORDED = re.compile(r"\w")
LIST = re.compile(r"\b(?:list|liste|listenpreis\w*|lista|tarifs?)\b")
"""Of a price, folded: what the price list says."""


@dataclass
class Statements:
    """``whole`` is the scope of the letter as a whole; ``items`` are the machines of its items, by their number."""

    evidence: Evidence
    whole: Scope
    items: Mapping[int, Machine]
    compared: int = 0
    _named: dict[str, Sequence[Machine]] = field(default_factory=dict)
    _narrowed: dict[tuple[int, frozenset[str]], Scope] = field(default_factory=dict)

    def named(self, text: str) -> Sequence[Machine]:
        """The machines of the draft that a heading or a cell names."""
        if text not in self._named:
            facts = self._facts(text) if text else ()
            found = [each for fact in facts if fact.kind == "model" for each in machines_of(fact, self.evidence)]
            self._named[text] = list({machine.key: machine for machine in found}.values())
        return self._named[text]

    def of(
        self,
        text: str,
        line: int,
        scope: Scope,
        *,
        quoted: bool = False,
        binding: Binding = "nothing",
        question: str = "",
        given: Sequence[Machine] = (),
        copied: bool = True,
    ) -> Iterator[Remark]:
        """``quoted``: it repeats what the customer wrote, as a question or a requirement, prices among it;
        ``binding``: what it promises is asked for its source; ``question``: the customer's, which it answers;
        ``given``: the machines that its row or its column names; ``copied``: it may be a copy with a slip, which a
        name is not.
        """
        if not WORDED.search(text):
            return
        bare = DIALLED.sub(self._without_ours, OPEN.sub(" ", text) if "[" in text else text)
        bare = self._without_known_days(bare)
        facts = self._facts(bare)
        if scope.machine is not None and key_of(text) == scope.machine.category:
            yield Remark(
                "supported", "heading", line, text, f"catalogue: {scope.machine.maker} {scope.machine.model}"
            )
            return
        if OPEN.sub("", text).strip() in self.evidence.house.waiting:
            yield Remark("supported", "house text", line, text, "house template")
            return
        past = None if scope.item else self._past(text)
        quoted_line = self._quotation(text, line, scope, past)
        if quoted_line is not None:
            yield quoted_line
            return
        unmarked = text.strip(QUOTES) or text
        held = _holding(scope.sources, text) or _holding(scope.sources, unmarked)
        # A figure alone in the row of a machine is that machine's, and no copy of another's.
        figure = len(facts) == 1 and facts[0].kind in ("figure", "sizes", "voltage") and facts[0].text == text
        if held is not None and not (given and figure):
            yield Remark("supported", "text", line, text, held.name)
            if held.origin == "request":  # a mail is a source of everything but of a price
                prices = [fact for fact in facts if fact.kind == "price" and not quoted]
                yield from (self._judged(fact, facts, line, scope) for fact in prices)
                if question and re.search(r"\d", text) and not OPEN.search(text):
                    yield unheld(text, line, "an answer that repeats the wish grants it, and no source does")
            yield from borrowed(facts, text, line, held, evidence=self.evidence)
            return
        if len(text.split()) >= SHORTEST_COPY:
            elsewhere = _holding(self.evidence.sources, text) if scope.item else None
            if elsewhere is not None:
                why = "these words are of another item's source"
                yield Remark("contradicted", "text", line, text, elsewhere.name, why=why)
                return
            named = sum(len(fact.text) for fact in facts if fact.kind in ("maker", "model"))
            worded = copied and named < len(text) - text.count(" ") - 1
            slip = self._slip(unmarked, line, scope) if worded else None
            if slip is not None:
                yield slip
                return
        asked = text.endswith("?")
        of_the_house = not (scope.item or quoted or asked)
        other = another_length(text, line, evidence=self.evidence) if of_the_house else None
        if other is not None:
            yield other
            return
        if question or not (scope.item or quoted or asked):
            whose_it_is = not_his(text, self._of_him)
            if whose_it_is:
                why = "neither the mail nor the account tells that he has one"
                yield Remark("unsupported", "customer", line, whose_it_is, why=why)
        codes = [delivery_term(match[0], line, evidence=self.evidence) for match in CODES.finditer(bare)]
        codes += self._spelled(bare, line, scope)
        if not (quoted or asked) and DELIVERED.search(fold(bare)):
            told = past if past is not None and tells_the_past(fold(bare), sentence=fold(bare)) else scope
            codes += delivery_time(bare.strip(), line, told, evidence=self.evidence)
        wish = quoted or OF_THE_CUSTOMER.search(fold(bare)) is not None or NOT_SURE.search(fold(bare)) is not None
        whose = owners(facts, bare, self.evidence, given=given, items={} if scope.item else self.items)
        sure_of = asserted(facts, bare, of_item=bool(scope.item)) if not quoted else [False] * len(facts)
        judged = [
            self._judged(fact, facts, line, scope, own=own, asked=asked, wish=wish, past=past, said=said)
            if not (source := self._known(fact, facts, text, bare, given, of_item=bool(scope.item), quoted=quoted))
            else Remark("supported", fact.kind, line, fact.text, source)
            for fact, own, said in zip(facts, whose, sure_of, strict=True)
        ]
        judged = worked_out(facts, judged, bare, scope, self.evidence, whose)
        terms = [
            (match.start(), payment_term(match[0], line, evidence=self.evidence)) for match in PAID.finditer(bare)
        ]
        # A wish and a question state no years, and a figure that is doubted is doubted once.
        sure = all(each.verdict in ("supported", "open") for each in judged)
        stated = () if quoted or wish or asked else held_for(text, line, scope)
        terms += [each for each in stated if sure or each[1].verdict == "supported"]
        if binding != "nothing":
            placed = [(fact.start, remark) for fact, remark in zip(facts, judged, strict=True)] + terms
            words = self.evidence.reading.vocabulary
            promise = promised(
                text,
                placed,
                line=line,
                scope=scope,
                question=question,
                vocabulary=words,
                past=past,
                only_offers=binding == "offers",
            )
            if binding == "all" and not asked and lasts(fold(bare), past=past is not None):
                promise = self._in_force(text, line)
            judged += [promise] if promise is not None else []
        yield from [*judged, *(term for _, term in terms), *codes] or [
            Remark("supported", "text", line, text, "own words")
        ]

    def _quotation(self, text: str, line: int, scope: Scope, past: Scope | None) -> Remark | None:
        """What a sentence quotes, in marks or behind words that name a past quote: one of them has it to the
        letter, or the one that is named has it not.
        """
        passages = [each for each in quotations(text) if len(each.split()) >= SHORTEST_COPY]
        own = past.history if past is not None else scope.history
        held = next((each for passage in passages if (each := _holding(own, passage)) is not None), None)
        if held is not None:
            return Remark("supported", "text", line, text, held.name)
        quoted = MARKED.search(text) if past is not None and own else None
        his = quoted is not None and OF_THE_CUSTOMER.search(fold(text[: quoted.start()])) is not None
        if quoted is None or his or _holding(scope.sources, quoted[1].strip()) is not None:
            return None
        why = "the quote that is named has no such words"
        return Remark("contradicted", "text", line, text, own[0].quote_number, why=why)

    @cached_property
    def _of_him(self) -> str:
        """What is known of the customer, as one text."""
        known = [each for each in self.whole.sources if each.origin != "past quote"]
        return " ".join(each.flat for each in (*known, *self.evidence.history))

    def _without_ours(self, dialled: re.Match[str]) -> str:
        known = any(each.origin in ("house", "request") and each.holds(dialled[0]) for each in self.whole.sources)
        return " " * len(dialled[0]) if known else dialled[0]

    def _known(
        self,
        fact: Fact,
        beside: Sequence[Fact],
        text: str,
        bare: str,
        given: Sequence[Machine],
        *,
        of_item: bool,
        quoted: bool,
    ) -> str:
        """The source of an amount that is no price of this item, or of a machine that the text calls his."""
        if fact.kind == "price":
            known = self._known_amount(fact, text, quoted=quoted) or self._alternate(fact, beside, given)
            return known or ("" if of_item else self._listed(fact, beside, given, text))
        if fact.kind != "model" or HIS_OWN.search(fold(bare[: fact.start])) is None:
            return ""
        keys = {key_of(fact.text), *map(key_of, fact.values)}
        return next((each.name for each in self.evidence.history if each.model and key_of(each.model) in keys), "")

    def _known_amount(self, price: Fact, text: str, *, quoted: bool) -> str:
        """Whose an amount is that is no price of this offer: the customer's own in his words, or the total or a price
        of a past quote to him in a sentence that names it; empty for every other.
        """
        if quoted and fold(price.text) in fold(plain(self.evidence.request)):
            return "request"
        told = ((each.number, amount) for each in self._told(text) for amount in (each.total, *each.prices))
        return next((number for number, amount in told if amount and float(amount) in price.amounts), "")

    def _alternate(self, price: Fact, beside: Sequence[Fact], given: Sequence[Machine]) -> str:
        """The quote to this customer that has the price of a machine of the letter that the letter's own quote has
        not: an alternate is priced in another version. Where the sentence or its row names machines, of one of them.
        """
        named = _machines_beside(beside, given)
        offered = self.evidence.offer.lines if self.evidence.offer is not None else ()
        keys = named or {machine.key for machine in self.evidence.machines}
        keys -= {key_of(line.model) for line in offered}
        return next((line.name for line in self.evidence.priced if key_of(line.model) in keys
                     for amount in (line.net, line.total) if amount and float(amount) in price.amounts),
                    "")  # fmt: skip

    def _listed(self, price: Fact, beside: Sequence[Fact], given: Sequence[Machine], text: str) -> str:
        """The price list, where the amount is what a machine of the sentence, its row or its column lists at: in a
        letter without a quote, such as one with candidates, and beside the word in another.
        """
        if not self.evidence.house.shows_list or (self.evidence.offer is not None and not LIST.search(fold(text))):
            return ""
        listed = (amount for key in _machines_beside(beside, given) for amount in self.evidence.lists.get(key, ()))
        return "price list" if any(float(amount) in price.amounts for amount in listed) else ""

    def _told(self, text: str) -> list[PastQuote]:
        """The past quotes to this customer of which the text names the number or the year."""
        return [each for each in self.evidence.own_past
                if each.number in text or re.search(rf"\b{each.quote_date.year}\b", text)]  # fmt: skip

    def _in_force(self, text: str, line: int) -> Remark | None:
        """What there is to say of an offer or a warranty of before that is said to hold today."""
        named = [each for each in self._told(text) if each.valid_until is not None and each.number in text]
        ended = [each for each in named if each.valid_until and each.valid_until < self.evidence.today]
        if not named:
            return unheld(text, line, UNHELD)
        if not ended:
            return None
        day = ended[0].valid_until
        return Remark("contradicted", "validity", line, text, ended[0].number, f"it ended on {day}")

    def _past(self, text: str) -> Scope | None:
        """What this customer has had, where the text names the number or the year of a past quote to him."""
        told = self._told(text)
        if not told:
            return None
        numbers = {each.number for each in told}
        lines = [each for each in self.evidence.history if each.quote_number in numbers]
        keys = {key_of(each.model) for each in lines}
        machines = tuple(each for each in (*self.evidence.machines, *self.evidence.had) if each.key in keys)
        terms = (SourceText(f"{each.number} terms", "quote", each.terms) for each in told if each.terms)
        return Scope(0, machines, (*(replace(each, origin="quote") for each in lines), *terms), history=tuple(lines))

    def _without_known_days(self, text: str) -> str:
        for start, end, read in days(text) if re.search(r"\d{4}", text) else ():
            if not set(read).isdisjoint(self.evidence.days):
                text = text[:start] + " " * (end - start) + text[end:]
        return text

    def _facts(self, text: str) -> list[Fact]:
        """A short line says too little to be told by its own words: it is in the letter's language."""
        return self.evidence.reading.facts(text, language=self.evidence.language if _is_short(text) else None)

    def _judged(
        self,
        fact: Fact,
        beside: Sequence[Fact],
        line: int,
        scope: Scope,
        *,
        own: Sequence[Machine] = (),
        asked: bool = False,
        wish: bool = True,
        past: Scope | None = None,
        said: bool = False,
    ) -> Remark:
        """``own``: the machines that it has to be of; ``asked``: it stands in a question, which states nothing;
        ``wish``: its sentence may say again what the customer wants, which is no figure of a machine; ``past``: what
        he has had, where the sentence speaks of it; ``said``: the sentence says for sure that its machine has it.
        """
        narrowed = self._of_machines(scope, own)
        remark = judge(fact, line=line, scope=narrowed, evidence=self.evidence)
        if (
            said
            and (own or scope.machine is not None)
            and (denied := self._not_known(fact, remark, line, narrowed)) is not None
        ):
            return denied
        if fact.kind in ("figure", "voltage") and narrowed is not scope and remark.source == "request" and not wish:
            remark = judge(fact, line=line, scope=_without_the_mail(narrowed), evidence=self.evidence)
        if asked and fact.kind in (*OWNED, "model", "maker") and remark.verdict != "supported":
            return Remark("supported", fact.kind, line, fact.text, "own words")
        if remark.verdict == "contradicted" and own and not scope.item:
            remark = of_the_mail(fact, beside=beside, line=line, scope=narrowed, evidence=self.evidence) or remark
        if remark.verdict not in ("supported", "open") and not (own or scope.item):
            remark = self._before(fact, beside, line, past) or remark
        if remark.verdict != "contradicted" or own:
            return remark
        return of_another(fact, beside=beside, line=line, scope=scope, evidence=self.evidence) or remark

    def _before(self, fact: Fact, beside: Sequence[Fact], line: int, past: Scope | None) -> Remark | None:
        """Where a figure is of a past quote to this customer: of the one that the sentence names; where it names none
        and no machine, of any.
        """
        before = past or self._history
        if not before.sources:
            return None
        if past is None and (fact.kind not in ("figure", "number") or any(each.kind == "model" for each in beside)):
            return None
        remark = judge(fact, line=line, scope=before, evidence=self.evidence)
        if remark.verdict == "supported":
            return remark
        number = re.search(r"\d[\d.,]*", fact.text)
        about = telling(" ".join(word.text for word in fact.among[0]))
        same = (each for each in before.sources if number and each.counted.get(number[0], frozenset()) & about)
        source = next(same, None)
        return Remark("supported", fact.kind, line, fact.text, source.name) if source is not None else None

    @cached_property
    def _history(self) -> Scope:
        """The lines of all past quotes to this customer, whose machines this letter may not offer."""
        return Scope(0, (), tuple(replace(each, origin="quote") for each in self.evidence.history))

    def _not_known(self, fact: Fact, remark: Remark, line: int, scope: Scope) -> Remark | None:
        """What there is to say of a fact that a sentence says of a machine and that the mail alone has."""
        if fact.kind == "property":
            return denied_property(fact, line, scope.machines)
        if remark.source != "request":
            return None
        bare = judge(fact, line=line, scope=_without_the_mail(scope), evidence=self.evidence)
        return None if bare.verdict == "supported" else unknown(fact, bare, scope.machines)

    def _of_machines(self, scope: Scope, own: Sequence[Machine]) -> Scope:
        """The scope with the figures and the texts of these machines and of no other."""
        keys = frozenset(machine.key for machine in own)
        if not keys or keys == {machine.key for machine in scope.machines}:
            return scope
        if (scope.item, keys) not in self._narrowed:
            texts = [each for each in self.evidence.sources if not each.model or key_of(each.model) in keys]
            texts += [each for each in scope.sources if each.origin == "translated" and key_of(each.model) in keys]
            machine = own[0] if len(keys) == 1 else None
            line = scope.line if scope.line is not None and key_of(scope.line.model) in keys else None
            self._narrowed[scope.item, keys] = replace(
                scope, machines=tuple(own), sources=tuple(texts), machine=machine, line=line
            )
        return self._narrowed[scope.item, keys]

    def _slip(self, text: str, line: int, scope: Scope) -> Remark | None:
        if self.compared >= MOST_COMPARED:
            return None
        self.compared += 1
        near = self.evidence.nearest(text)
        if near is None:
            return None
        source, passage = near
        changed = _changed(passage.split(), text.split())
        if source.origin == "house" and self.evidence.translated:
            return None
        strict = source.origin in ("past quote", "house")
        if sum(len(word) >= TELLING_LETTERS for word in set(text.split()) & set(passage.split())) < FEWEST_SHARED:
            return None
        if source.origin == "quote" and passage.rstrip(".") in text:
            return None  # the term to the letter, in a sentence of the letter's own
        if source.origin == "request" or not (strict or any(re.search(r"\d", word) for word in changed)):
            return None
        told = source in scope.history and not scope.item and _shortened(passage.split(), text.split())
        if told or _taken_out(passage.split(), text.split(), scope.notes):
            return Remark("supported", "text", line, text, source.name)
        return Remark("contradicted", "text", line, text, source.name, passage, "a copy that is not to the letter")

    def _spelled(self, text: str, line: int, scope: Scope) -> Iterator[Remark]:
        """Numbers in words that a translation has and its original has not."""
        originals = [each for each in scope.sources if each.origin == "translated" and each.text]
        if not originals:
            return
        own = [each for each in scope.stated if each.origin != "house"]
        language = self.evidence.language if _is_short(text) else self.evidence.reading.language(text)
        known = frozenset(digits_of(number) for each in own for _, _, number in spelled(each.flat)).union(
            *(each.figures for each in own)
        )
        for _, word, number in spelled(text, language):
            if digits_of(number) not in known and float(number) > scope.offered:
                why = "no source has this number here"
                right = ", ".join(each[1] for source in originals for each in spelled(source.flat))
                yield Remark("unsupported", "number", line, word, originals[0].name, right, why)


def _without_the_mail(scope: Scope) -> Scope:
    return replace(scope, sources=tuple(each for each in scope.sources if each.origin != "request"))


def _machines_beside(beside: Sequence[Fact], given: Sequence[Machine]) -> set[str]:
    """The keys of the models that a sentence names, and of the machines of its row or column."""
    named = {key_of(name) for fact in beside if fact.kind == "model" for name in (fact.text, *fact.values)}
    return named | {machine.key for machine in given}


def _is_short(text: str) -> bool:
    return len(text.split()) < TELLING


def _holding(sources: Sequence[SourceText], text: str) -> SourceText | None:
    """The first source that has the text, in which a placeholder stands for what was taken out."""
    parts = [[piece.strip() for piece in OPEN.split(part)] for part in CUT.split(text)] if "[" in text else [[text]]
    if len(parts) > 1:
        wanted = [part for part in parts if any(part)]
        return next((source for source in sources if wanted and _has_parts(source, wanted)), None)
    if len(parts[0]) > 1:
        return next((source for source in sources if _has_in_order(source, parts[0]) is not None), None)
    # A sentence may end where the source goes on.
    open_end = text.endswith(".") and len(text.split()) >= SHORTEST_COPY
    least = text[:-1] if open_end else text
    having = (each for each in sources if least in each.flat)
    return next((each for each in having if each.holds(text) or (open_end and each.holds(least))), None)


def _has_parts(source: SourceText, parts: Sequence[Sequence[str]]) -> bool:
    """Whether it has each part to the letter, one behind the other, with anything between them."""
    at: int | None = 0
    for part in parts:
        at = _has_in_order(source, part, start=at) if at is not None else None
    return at is not None


def _has_in_order(source: SourceText, pieces: Sequence[str], *, start: int = 0) -> int | None:
    """Where the last of the pieces ends that follow each other closely."""
    at = -1
    for piece in filter(None, pieces):
        found = source.flat.find(piece, max(start, at))
        if found < 0 or (at >= 0 and found - at > 80):
            return None
        at = found + len(piece)
    return at if at >= 0 else None


def _shortened(source: Sequence[str], words: Sequence[str]) -> bool:
    """Whether it only leaves out words of a sentence, none of which denies."""
    changes = SequenceMatcher(None, source, words, autojunk=False).get_opcodes()
    out = " ".join(word for what, first, last, _, _ in changes if what != "equal" for word in source[first:last])
    return all(what in ("equal", "delete") for what, *_ in changes) and DENIED.search(fold(out)) is None


def _taken_out(source: Sequence[str], words: Sequence[str], notes: Sequence[str]) -> bool:
    """Whether all that a copy lacks is named in the item's review notes, and nothing in it is changed."""
    out = []
    for what, first, last, _, _ in SequenceMatcher(None, source, words, autojunk=False).get_opcodes():
        if what not in ("equal", "delete"):
            return False
        if what == "delete":
            out.append(" ".join(source[first:last]).strip(",;: "))
    return bool(out) and all(any(part in note for note in notes) for part in out)


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
