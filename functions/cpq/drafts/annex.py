"""What of a letter the server sets itself: the tables of goods with their prices and sums; the annex, which has
characteristics and proven words of the goods, compliance, comparison, terms.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from cpq.documents.composition import taxes
from cpq.documents.wording import payment
from cpq.drafts.blocks import Block, Grid, Note, Opening, Points, Prose, Title
from cpq.drafts.goods import DraftedItem, StoredQuote
from cpq.drafts.grounds import DELIVERY, Grounds
from cpq.drafts.typed import Tested, TypedText, at_conditions
from cpq.drafts.value import NET, TOTAL
from cpq.pricing.trace import Trace
from quarry.attributes.model import Attribute, Value
from quarry.characteristics import characteristics, label_of
from quarry.corpora import PRODUCTS
from quarry.retrieval.judging import Judge
from quarry.text import part_key


def sums(grounds: Grounds, quotes: Sequence[StoredQuote]) -> list[tuple[str, Decimal]]:
    """(what a letter calls the sum, what it comes to) of quotes, or of the items without any: net first, taxes as the
    quote prints them, the total last; empty while a price is missing.
    """
    say = grounds.wording.say
    versions = [quote.version for quote in quotes]
    if not versions:
        total = grounds.sum_of("")
        return [] if total is None else [(say("total_before_tax"), total)]
    if any(version.priced_at is None for version in versions):
        return []
    net = sum((version.net for version in versions), Decimal(0))
    if any(version.tax_total is None for version in versions):
        return [(say("total_before_tax"), net)]
    total = sum((version.total for version in versions), Decimal(0))
    if not any(version.tax_total for version in versions):
        return [(say("total"), total)]
    lines = [line for version in versions for line in Trace.model_validate(version.trace).lines]
    told = [(tax.name, tax.amount) for tax in taxes(lines, labels=grounds.wording.labels)]
    return [(say("subtotal"), net), *told, (say("total_with_tax"), total)]


def told_totals(grounds: Grounds) -> dict[str, str]:
    """By what a text names them by: what is paid once, and what again each month or year; the same before tax, and
    each quote's own. Empty while a price is missing.
    """

    def told(found: Sequence[tuple[str, Decimal]], *further: str) -> str:
        return " + ".join([*(grounds.money(value) for _, value in found), *further])

    again = [f"{grounds.money(value)} {grounds.wording.per(period)}" for period, value in grounds.recurring]
    own = {f"{quote.version.quote_id}.{TOTAL}": told(sums(grounds, [quote])[-1:]) for quote in grounds.quotes}
    if any(item.amount is None for item in grounds.of_role("item")):
        return {TOTAL: "", NET: "", **own}
    found = sums(grounds, grounds.ordered)
    return {TOTAL: told(found[-1:], *again), NET: told(found[:1], *again), **own}


NONE = "–"
MOST_COLUMNS = 5
"""Attributes by which goods stand side by side."""
SMALL = Decimal("0.05")
"""Share of all items below which one has a row in place of a block."""


class LetterBlocks:
    """Sets the goods of one letter and its annex; what has no price yet becomes open in ``text``."""

    def __init__(self, grounds: Grounds, text: TypedText, tested: Sequence[Tested]) -> None:
        self._grounds, self._text, self._tested = grounds, text, tested
        self._say, self._proven_words = grounds.wording.say, set[str]()
        self._judge = Judge(PRODUCTS, (), grounds.attributes, beside=grounds.needs)

    def ordered(self) -> Iterator[Block]:
        items = self._grounds.of_role("item")
        if items:
            again = [self._sum(f"{self._say('total_before_tax')}, {self._grounds.wording.per(period)}", value)
                     for period, value in self._grounds.recurring]  # fmt: skip
            yield self._grid(items, [*self._sums(self._grounds.ordered), *again])

    def beside(self) -> Iterator[Block]:
        """What no total has: single goods, and of each further quote a line with its own total."""
        further = {quote.version.quote_id for quote in self._grounds.further}
        single = [item for item in self._grounds.of_role("option", "alternate") if item.quote not in further]
        lines = [self._line(quote) for quote in self._grounds.further]
        if single or lines:
            yield Title(text=self._say("apart"), level=3)
            yield self._grid(single, lines, start=len(self._grounds.of_role("item")) + 1, sums=0)

    def _further(self) -> Iterator[Block]:
        """The whole of each further quote."""
        for quote in self._grounds.further:
            yield Title(text=self._grounds.wording.quote(quote.version))
            yield self._grid(self._goods_of(quote), self._sums([quote]))

    def _goods_of(self, quote: StoredQuote) -> list[DraftedItem]:
        return [item for item in self._grounds.items if item.quote == quote.version.quote_id]

    def _line(self, quote: StoredQuote) -> list[str]:
        first, *others = self._goods_of(quote)
        named = first.name if first.quantity == 1 else f"{first.quantity} × {first.name}"
        where = f"{self._grounds.wording.quote(quote.version)}, {self._say('annex')}"
        goods = (item for item in others if item.machine)
        more = [f"{item.quantity} × {item.short}" if item.quantity > 1 else item.short for item in goods]
        said = f"{' + '.join([named, *more])} ({where})"
        for label, total in sums(self._grounds, [quote])[-1:]:
            return self._sum(said if label == self._say("total") else f"{said}, {label}", total)
        return ["", said, "", "", ""]

    def _sum(self, label: str, value: Decimal) -> list[str]:
        return ["", label, "", "", self._grounds.wording.amount(value, self._grounds.currency)]

    def _sums(self, quotes: Sequence[StoredQuote]) -> list[list[str]]:
        return [self._sum(label, value) for label, value in sums(self._grounds, quotes)]

    def _grid(
        self, items: Sequence[DraftedItem], last: Sequence[list[str]], *, start: int = 1, sums: int | None = None
    ) -> Grid:
        """The goods, then the ``last`` rows, which are sums where nothing else is said."""
        amount = self._say("amount_in", currency=self._grounds.currency)
        head = [*(self._say(key) for key in ("number", "description", "quantity", "unit_price")), amount]
        rows = [self._row(item, number) for number, item in enumerate(items, start)]
        return Grid(head=head, rows=[*rows, *last], figures=[2, 3, 4], sums=len(last) if sums is None else sums)

    def _row(self, item: DraftedItem, number: int) -> list[str]:
        wording, currency, name = self._grounds.wording, self._grounds.currency, item.name
        if item.discount_pct:
            name += f", {self._say('less', share=wording.share(item.discount_pct))}"
        if may_be := wording.allowance(item.allowance, currency):
            name += f" ({may_be})"
        if item.note:
            name += f": {self._text.filled(item.note, path='items.note')}"
        if item.unit_price is None or item.amount is None:
            told = self._say("price_of", what=item.name)
            who = "whoever keeps the price book, or quote_create and quote_price"
            blank = self._text.blank(Opening(field=f"price of {item.product_id}", who=who, told=told))
            return [str(number), name, str(item.quantity), blank, ""]
        price = " ".join(filter(None, [wording.amount(item.unit_price, currency), item.buys]))
        return [str(number), name, str(item.quantity), price, wording.amount(item.amount, currency)]

    def annex(self) -> Iterator[Block]:
        yield from self._goods()
        yield from self._further()
        yield from self._compliance()
        yield from self._comparison()
        yield from self._terms()

    def _goods(self) -> Iterator[Block]:
        """Of each item its characteristics and proven words; of small ones and of what stands beside the items a row.
        Nothing is told twice.
        """
        items = {item.product_id: item for item in self._grounds.of_role("item")}
        least = SMALL * sum(item.amount or 0 for item in items.values())
        small = [item for item in items.values() if item.amount is not None and item.amount < least]
        for item in items.values():
            if item not in small:
                yield from self._described(item)
        yield from self._rows(small, self._say("further_items"), sold=True)
        told = {part_key(each.model) for each in self._grounds.content.comparison}
        others = [item for item in self._grounds.of_role("option", "alternate")
                  if item.product_id not in items and part_key(item.short) not in told]  # fmt: skip
        yield from self._rows(others, self._say("options"))
        for item in self._grounds.items:
            if proven := [*self._proven(item)]:
                yield from [Title(text=item.name), *proven]

    def _described(self, item: DraftedItem) -> Iterator[Block]:
        block = characteristics(
            item.machine, attributes=self._grounds.attributes, language=self._grounds.wording.language,
            told=partial(self._also_at_conditions, item.machine),
        ) if item.machine else None  # fmt: skip
        proven = [*self._proven(item)]
        if block or proven:
            yield Title(text=item.name)
        if block and block.rows:
            yield Grid(head=[], rows=[[label, value] for label, value in block.rows])
        if block and block.missing:
            missing = ", ".join(block.missing)
            yield Note(text=f"{item.short}: the catalogue does not say {missing}; left out.")
        yield from proven

    def _also_at_conditions(self, machine: Mapping[str, Any], value: Value, attribute: Attribute) -> str:
        """A value of the catalogue, with what is left of it at the conditions of the job."""
        units = self._grounds.units
        told = units.told(value, attribute, alone=False)
        left, where = at_conditions(self._grounds, self._judge, machine, attribute)
        return f"{told}; {units.told(left, attribute)} ({', '.join(where)})" if left and left.how and where else told

    def _rows(self, items: Sequence[DraftedItem], title: str, *, sold: bool = False) -> Iterator[Block]:
        """A table for each family."""
        machines = {item.product_id: item.machine for item in items if item.machine}
        if machines:
            yield Title(text=title)
        for family in dict.fromkeys(machine["family"] for machine in machines.values()):
            of_family = [machine for machine in machines.values() if machine["family"] == family]
            yield self._side_by_side(of_family, sold=sold)

    def _proven(self, item: DraftedItem) -> Iterator[Block]:
        for passage in item.passages:
            text = " ".join(passage.texts)
            if text in self._proven_words:
                continue
            self._proven_words.add(text)
            yield Prose(text=text)
            left = f"; {passage.left_out} left out" if passage.left_out else ""
            how = "Reworded from" if passage.reworded else "Verbatim from"
            told = f"{how} {passage.source}: sentences {', '.join(map(str, passage.numbers))}{left}."
            yield Note(text=told + (f" Original: {' '.join(passage.originals)}" if passage.reworded else ""))

    def _compliance(self) -> Iterator[Block]:
        """Each must that no text answers by id."""
        left = [one for place, one in enumerate(self._tested) if place not in self._text.answered]
        if left:
            yield Title(text=self._say("requirements"))
            head = [self._say(key) for key in ("required", "offered", "verdict")]
            rows = [[cell or NONE for cell in (one.asked.text, *self._text.offered(one))] for one in left]
            shown = 3 if any(row[2] != NONE for row in rows) else 2
            yield Grid(head=head[:shown], rows=[row[:shown] for row in rows])

    def _comparison(self) -> Iterator[Block]:
        asked = self._grounds.content.comparison
        if asked:
            yield Title(text=self._say("comparison"))
        kinds = dict[str, list[tuple[Mapping[str, Any], str]]]()
        for each in asked:
            machine = self._grounds.machines[part_key(each.model)]
            remark = self._text.filled(each.remark, path="comparison.remark")
            kinds.setdefault(str(machine["family"]), []).append((machine, remark))
        for rows in kinds.values():
            yield self._side_by_side([machine for machine, _ in rows], [remark for _, remark in rows])

    def _side_by_side(
        self, machines: Sequence[Mapping[str, Any]], remarks: Sequence[str] = (), *, sold: bool = False
    ) -> Grid:
        """A row for each, with what the customer asked of such goods or tells them apart, and its price; of what is
        ``sold``, whose price is above, with what else is printed.
        """
        columns = dict(self._compared(machines, sold=sold))
        listed = [self._grounds.list_price(machine) for machine in machines] if not sold else []
        if any(listed):
            columns[self._say("price")] = [price or NONE for price in listed]
        if any(remarks):
            columns[""] = list(remarks)
        names = [f"{machine['manufacturer']} {machine['model']}" for machine in machines]
        rows = [list(cells) for cells in zip(names, *columns.values(), strict=True)]
        return Grid(head=["", *columns], rows=rows)

    def _compared(self, machines: Sequence[Mapping[str, Any]], *, sold: bool) -> list[tuple[str, list[str]]]:
        """The attributes of the requirements, at their conditions, or without any those that are printed and differ:
        (what it is called, a value a machine).
        """
        grounds, known = self._grounds, self._grounds.attributes.by_name
        families = {str(machine["family"]) for machine in machines}
        printed = [one for one in known.values() if one.position is not None and any(map(one.is_of, families))]
        printed.sort(key=lambda one: (one.position or 0, one.name))
        musts = [must.attribute for must in grounds.content.requirements if must.attribute]
        asked = [known[name] for name in musts if name in known and any(map(known[name].is_of, families))]
        found = []
        for attribute in dict.fromkeys([*asked, *printed] if sold else asked or printed):
            read = [at_conditions(grounds, self._judge, machine, attribute) for machine in machines]
            where = read[0][1]
            # What is printed of another machine says nothing of it at the conditions of the job.
            values = [value if value and (value.how or where is None) else None for value, _ in read]
            cells = [NONE if value is None else grounds.units.told(value, attribute) for value in values]
            if any(values) and (sold or asked or len(set(cells)) > 1 or len(cells) == 1):
                found.append((", ".join([label_of(attribute, grounds.wording.language), *(where or ())]), cells))
        return found[:MOST_COLUMNS]

    def _terms(self) -> Iterator[Block]:
        terms = [self._text.filled(text, path="terms") for text in self._grounds.content.terms]
        for quote in self._grounds.quotes[:1]:
            version = quote.version
            paid = payment(version.payment_terms, labels=self._grounds.wording.labels)
            until = self._grounds.wording.day(version.valid_until)
            terms = [f"{self._say('payment')}: {paid}", f"{self._say('valid_until')}: {until}", *terms]
        if delivery := self._grounds.house.get(DELIVERY):
            terms = [f"{self._say('delivery')}: {delivery}", *terms]
        if terms:
            yield Title(text=self._say("terms"))
            yield Points(items=terms)
