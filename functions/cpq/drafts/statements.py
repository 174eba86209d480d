"""A statement of the letter: a copy of a source, a copy with a slip, or the drafter's own words, fact by fact."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from cpq.drafts.evidence import MOST_COMPARED, Evidence, SourceText
from cpq.drafts.facts import Fact
from cpq.drafts.findings import Remark
from cpq.drafts.house import SHORTEST_COPY
from cpq.drafts.judging import judge, named, of_another
from cpq.drafts.letter import plain
from cpq.drafts.promises import promised, unheld
from cpq.drafts.scopes import Scope
from quarry.precedents.line_parts import LinePart, PartKind
from quarry.understanding.needs import Language
from quarry.understanding.text import key_of

KEPT_BACK: frozenset[PartKind] = frozenset(("delivery", "payment", "reference"))
"""Parts of a past line that hold for its own quote alone; its warranty may be the maker's."""
OPEN = re.compile(r"\$?\[[A-Z][A-Z ]{2,40}\]|\[NOT IN CATALOGUE[^\]]*\]")
"""What the template leaves to a person."""
TELLING = 8
"""Words from which a statement tells its language."""
TERMS = re.compile(
    r"(?i)\b(?:net\s+\d{1,3}\b(?![.,'’]\d)(?:\s+days)?"
    r"|\d{1,2}\s?%\s+(?:down|deposit|with order|on delivery)|due on receipt)"
)


@dataclass
class Statements:
    """``whole`` is the scope of the letter as a whole."""

    evidence: Evidence
    whole: Scope
    compared: int = 0

    def of(
        self, text: str, line: int, scope: Scope, *, quoted: bool = False, binding: bool = False, question: str = ""
    ) -> Iterator[Remark]:
        """``quoted``: it repeats what the customer wrote, as a question or a requirement, prices among it;
        ``binding``: what it promises is asked for its source; ``question``: the customer's, which it answers.
        """
        if not re.search(r"\w", text):
            return
        bare = OPEN.sub(" ", text)
        facts = self.evidence.reading.facts(bare, language=self._language(bare))
        if scope.machine is not None and key_of(text) == key_of(str(scope.machine.values.get("category") or "")):
            yield Remark(
                "supported", "heading", line, text, f"catalogue: {scope.machine.maker} {scope.machine.model}"
            )
            return
        held = _holding(scope.sources, text)
        if held is not None:
            yield Remark("supported", "text", line, text, held.name)
            if held.origin == "request":  # a mail is a source of everything but of a price
                prices = [fact for fact in facts if fact.kind == "price" and not quoted]
                yield from (self._judged(fact, facts, line, scope) for fact in prices)
                if question and re.search(r"\d", text) and not OPEN.search(text):
                    yield unheld(text, line, "an answer that repeats the wish grants it, and no source does")
            yield from self._borrowed(facts, text, line, held)
            return
        if len(text.split()) >= SHORTEST_COPY:
            elsewhere = _holding(self.evidence.sources, text) if scope.item else None
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
        if binding:
            promise = promised(text, [*judged, *terms], line=line, scope=scope, question=question)
            judged += [promise] if promise is not None else []
        yield from (judged + terms) or [Remark("supported", "text", line, text, "own words")]

    def _language(self, text: str) -> Language:
        """A short line says too little to be told by its own words: it is in the letter's language."""
        short = len(text.split()) < TELLING
        return self.evidence.language if short else self.evidence.reading.language(text)

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
        if source.origin == "house" and self.evidence.translated:
            return None
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
        own = (
            self.evidence.customer,
            self.evidence.request,
            self.evidence.address,
            *self.evidence.house.facts.values(),
        )
        quote = self.evidence.offer.id if self.evidence.offer else ""
        return text == quote or any(key_of(text) in key_of(each) for each in (*own, *self.evidence.people) if each)

    def _term(self, text: str, line: int, *, source: str = "") -> Remark:
        """A payment term is the house's, the quote's or the customer's own."""
        offer = self.evidence.offer
        ours = [*self.evidence.house.facts.values(), self.evidence.request, offer.payment if offer else ""]
        if any(key_of(text).removesuffix("days") in key_of(each) for each in ours):
            return Remark("supported", "payment term", line, text, "house template")
        theirs = next(
            (each for each in self.evidence.past_quotes.values() if key_of(text) in key_of(each.terms)), None
        )
        right = offer.payment if offer else self.evidence.house.facts.get("PAYMENT TERMS", "")
        if source or theirs is not None:
            return Remark("foreign", "payment term", line, text, source or (theirs.number if theirs else ""), right)
        return Remark("unsupported", "payment term", line, text, right=right)


def _inside(text: str, part: LinePart, source: SourceText) -> bool:
    """Whether the statement is of that part of the line and of no more of it."""
    return len(text.split()) >= SHORTEST_COPY and text in plain(source.text[part.start : part.end])


def _holding(sources: Sequence[SourceText], text: str) -> SourceText | None:
    """The first source that has the text, in which a placeholder stands for what was taken out."""
    pieces = [piece.strip() for piece in OPEN.split(text)]
    if len(pieces) > 1:
        return next((source for source in sources if _has_in_order(source, pieces)), None)
    # A sentence may end where the source goes on.
    open_end = text.endswith(".") and len(text.split()) >= SHORTEST_COPY
    return next((each for each in sources if each.holds(text) or (open_end and each.holds(text[:-1]))), None)


def _has_in_order(source: SourceText, pieces: Sequence[str]) -> bool:
    at = -1
    for piece in filter(None, pieces):
        found = source.flat.find(piece, at + 1)
        if found < 0 or (at >= 0 and found - at > 80):
            return False
        at = found + len(piece)
    return at >= 0


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
