"""The table of totals: a row is held to its item, its amounts to the quote's line, a sum to the rows above it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from cpq.drafts.evidence import Evidence, OwnLine
from cpq.drafts.facts import Fact
from cpq.drafts.figures import equals
from cpq.drafts.findings import Remark
from cpq.drafts.judging import price
from cpq.drafts.letter import Block, Section
from cpq.drafts.placeholders import Placeholders
from cpq.drafts.scopes import Scope
from cpq.drafts.statements import Statements
from cpq.drafts.written_numbers import readings
from quarry.understanding.text import fold, key_of

CELLS = 5
ITEM_NUMBER = re.compile(r"(\d{1,3})\s?[.)]?(?:\s?\([^()]{1,20}\))?")
"""How the first cell names its item, with the customer's own name for it behind: 1 (A)."""
NUMBERING = re.compile(r"(?:no|nr|num|numero|n|#)\.?")
REFERRING = re.compile(r"\b(?:items?|pos(?:ition(?:en)?)?|posten|artikel|partidas?|articulos?|postes?)\b")
"""Heads of a column that names items of the letter."""


def of_totals(unit: Block) -> bool:
    """Whether it is a row of five cells that begin with the number of an item, or is of such a table."""
    if len(unit.cells) != CELLS:
        return False
    head = fold(unit.heads[0]) if unit.heads else ""
    numbered = REFERRING.fullmatch(head.strip(" .")) is not None or NUMBERING.fullmatch(head) is not None
    return numbered or ITEM_NUMBER.fullmatch(unit.cells[0]) is not None


@dataclass
class TotalsTable:
    """``rows``: what its rows came to so far, a row without a price as none; ``since``: those since the last sum."""

    evidence: Evidence
    scopes: Mapping[int, Scope]
    statements: Statements
    placeholders: Placeholders
    rows: dict[int, Decimal] = field(default_factory=dict)
    since: Decimal = Decimal(0)
    listed: set[int] = field(default_factory=set)
    """The items that have a row."""
    summed: bool = False
    """True where a row states what they come to."""
    unsure: bool = False
    """True where a row states an amount that is of no line of the quote."""

    def row(self, unit: Block) -> Iterator[Remark]:
        told = ITEM_NUMBER.fullmatch(unit.cells[0])
        item = int(told[1]) if told is not None else 0
        self.listed |= {item} if item else {int(number) for number in re.findall(r"\d{1,3}", unit.cells[0])}
        if unit.cells == unit.heads and not item:
            return
        if item not in self.scopes:
            yield Remark("unsupported", "row", unit.line, unit.text, why=f"the letter has no item {item}")
            return
        own = self.scopes[item]
        named = self.statements.named(unit.cells[1])
        yield from self.statements.of(unit.cells[1], unit.line, own, copied=False)
        offers = bool(named) or any(re.search(r"\d", cell) for cell in unit.cells[2:])
        # What has neither model nor price is open, though its item tells which machine comes near.
        stated = bool(named) or any(re.search(r"\d", cell) for cell in unit.cells[3:])
        if own.machine is not None and stated and key_of(own.machine.model) not in key_of(unit.cells[1]):
            yield Remark("contradicted", "model", unit.line, unit.cells[1], right=own.machine.model)
        if unit.cells[2] and (own.line is not None or offers):
            yield self.placeholders.quantity(unit.cells[2], unit.line, own)
        yield from self._amounts(unit, own, item)

    def _amounts(self, unit: Block, own: Scope, item: int) -> Iterator[Remark]:
        offer = self.evidence.offer
        line = own.line
        stated = [Fact("price", cell, 0, amounts=readings(re.sub(r"[^\d.,'’]", "", cell))) if re.search(r"\d", cell)
                  else None for cell in unit.cells[3:]]  # fmt: skip
        allowed: Sequence[Sequence[Decimal | None] | None] = [None, None]
        if item:
            line = line or self._priced(stated[1])
            allowed = [[line.net], [line.total]] if line is not None else allowed
            total = line.total if line is not None else None
            self.unsure = self.unsure or (total is None and stated[1] is not None)
            if total is not None:
                self.rows[item] = total
                self.since += total
        elif offer is not None:
            sums = [self.since, sum(self.rows.values(), Decimal(0))]
            allowed = [[], [offer.total] if self.unsure or not self.rows else list(dict.fromkeys(sums))]
            self.since = Decimal(0)
        self.summed = self.summed or (not item and stated[1] is not None)
        for fact, amounts in zip(stated, allowed, strict=True):
            if fact is not None:
                yield price(
                    fact, line=unit.line, scope=own, evidence=self.evidence, allowed=amounts if offer else None
                )

    def _priced(self, stated: Fact | None) -> OwnLine | None:
        """The quote's line of an item that neither model nor service tells: the one that comes to the amount."""
        lines = self.evidence.offer.lines if self.evidence.offer is not None and stated is not None else ()
        taken = {id(scope.line) for scope in self.scopes.values()}
        amounts = stated.amounts if stated is not None else ()
        return next((each for each in lines if id(each) not in taken and each.total is not None
                     and any(abs(float(each.total) - amount) < 0.005 for amount in amounts)), None)  # fmt: skip

    def left_out(self, line: int) -> Iterator[Remark]:
        """Items that the quote prices and that have no row above a sum."""
        for number, scope in self.scopes.items() if self.summed else ():
            if number and number not in self.listed and scope.line is not None and scope.line.total:
                why = "the quote prices it, and the totals leave it out"
                yield Remark("missing", "totals row", line, f"Item {number}: {scope.line.name}", why=why)

    def too_small(self, found: Sequence[Section]) -> Iterator[Remark]:
        """A dryer that takes less than one of the compressors gives whose air it dries, of which neither its item
        nor a note of it speaks.
        """
        of_kind = {kind: [scope for number, scope in self.scopes.items() if number and scope.machine is not None
                          and scope.machine.family == kind] for kind in ("compressor", "dryer")}  # fmt: skip
        takes = sum(_flow(scope) * dict(scope.quantities).get(_key(scope), 1) for scope in of_kind["dryer"])
        largest = max(of_kind["compressor"], key=_flow, default=None)
        if largest is None or not takes or takes >= _flow(largest):
            return
        for scope in of_kind["dryer"]:
            parts = [section for section in found if section.item == scope.item]
            said = [unit.text for section in parts for unit in (*section.units, *section.reviews)]
            if scope.item in self.listed and _flow(scope) and not any(self._tells(text, largest) for text in said):
                line = next(unit.line for section in parts for unit in section.units)
                why = (f"{_model(scope)} takes {_flow(scope):g} cfm and {_model(largest)} gives {_flow(largest):g}:"
                       " say so in a review note")  # fmt: skip
                yield Remark("unsupported", "specification", line, f"Item {scope.item}", "catalogue", why=why)

    def _tells(self, text: str, compressor: Scope) -> bool:
        facts = self.evidence.reading.facts(text[:1_500], language=self.evidence.language)
        return any(fact.kind == "figure" and equals(fact, "cfm", _flow(compressor)) for fact in facts)


def _flow(scope: Scope) -> float:
    value = scope.machine.values.get("cfm") if scope.machine is not None else None
    return float(value) if isinstance(value, int | float) else 0.0


def _model(scope: Scope) -> str:
    return scope.machine.model if scope.machine is not None else ""


def _key(scope: Scope) -> str:
    return scope.machine.key if scope.machine is not None else ""
