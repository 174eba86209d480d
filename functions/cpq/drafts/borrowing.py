"""What may not be copied from a past quote: what belongs to its customer, his site, his trade and his terms."""

import re
from collections.abc import Iterable, Iterator

from cpq.drafts.evidence import PURPOSES, Evidence, SourceText
from cpq.drafts.facts import Fact, meant
from cpq.drafts.findings import Remark
from cpq.drafts.house import SHORTEST_COPY
from cpq.drafts.house_terms import PAID, payment_term
from cpq.drafts.judging import named
from cpq.drafts.letter import plain
from quarry.precedents.line_parts import LinePart, PartKind
from quarry.precedents.sites import of_one_site
from quarry.understanding.text import fold, key_of

KEPT_BACK: frozenset[PartKind] = frozenset(("delivery", "payment", "reference"))
"""Parts of a past line that hold for its own quote alone; its warranty may be the maker's."""
PURPOSE = re.compile(r"\b(?:for|fur|para|pour)\s+((?:[^\W\d][\w-]*[\s&]*){1,5})")
OF_ANY_PLANT = frozenset(
    (
        "base-load",
        "trim",
        "shop-air",
        "instrument-air",
        "heat-recovery",
        "nitrogen",
        "metal",
        "paper",
        "glass",
        "rubber",
    )
)
"""What goods are for in any plant, and what is a material as well: for base load, for wetted steel."""


def borrowed(
    facts: Iterable[Fact], text: str, line: int, source: SourceText, *, evidence: Evidence
) -> Iterator[Remark]:
    """What may not be copied from a past quote: another customer's names, quotes, prices and terms."""
    if source.origin != "past quote":
        return
    theirs = evidence.past_quotes.get(source.quote_number)
    own = theirs is not None and evidence.is_the_customer(theirs.customer)
    for fact in facts:
        if fact.kind == "name" and not own:
            yield named(fact, line=line, evidence=evidence)
    people = [theirs.customer, *theirs.people] if theirs is not None else []
    for mention in evidence.reading.mentioning.of(text, theirs=people):
        said = text[mention.start : mention.end]
        if mention.kind == "price":
            yield Remark("foreign", "price", line, said, source.name, "$[PRICE]", "a price of that quote")
        elif mention.kind != "date" and not own and not _is_ours(said, evidence):
            kind = mention.kind.replace("_", " ")
            yield Remark("foreign", kind, line, said, source.name, why="it belongs to that quote")
    if not own and of_one_site(text, folded=fold(text)):
        why = "it speaks of that customer's site, crew, building or arrangement: take it out, with a review note"
        yield Remark("foreign", "site", line, text, source.name, why=why)
    if not own and (use := _another_use(text, evidence)):
        why = "it is what another customer has it for: take it out, or say what yours has it for"
        yield Remark("foreign", "use", line, use, source.name, why=why)
    part = next((part for part in source.parts.parts if part.kind in KEPT_BACK and _inside(text, part, source)), None)
    if part is not None:
        kind = part.kind.replace("_", " ")
        yield Remark("foreign", kind, line, text, source.name, why="it was told that customer, then")
    for match in PAID.finditer(text):
        yield payment_term(match[0], line, evidence=evidence, source=source.name)


def _another_use(text: str, evidence: Evidence) -> str:
    """For which trade or work the goods of a past line were, where that is not the draft's; empty where it is."""
    for match in PURPOSE.finditer(fold(text)):
        named = meant(match[1], evidence.reading.vocabulary, of=PURPOSES)
        if named and not named & (evidence.purposes | OF_ANY_PLANT):
            return text[match.start() : match.end()].strip()
    return ""


def _is_ours(text: str, evidence: Evidence) -> bool:
    """Whether it is of the draft's own customer, of the house or of the request."""
    own = (
        evidence.customer,
        evidence.request,
        evidence.address,
        *evidence.house.facts.values(),
    )
    quote = evidence.offer.id if evidence.offer else ""
    return text == quote or any(key_of(text) in key_of(each) for each in (*own, *evidence.people) if each)


def _inside(text: str, part: LinePart, source: SourceText) -> bool:
    """Whether the statement is of that part of the line and of no more of it."""
    return len(text.split()) >= SHORTEST_COPY and text in plain(source.text[part.start : part.end])
