"""Tables of a letter's goods: what is ordered with its sums, what is offered in its place, what is in no total."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from cpq.documents.composition import StoredQuote, taxes
from cpq.documents.wording import allowance, counts, discount, months
from cpq.drafts.blocks import Block, Grid, Opening, Title
from cpq.drafts.goods import DraftedItem, Offer
from cpq.drafts.grounds import Grounds
from cpq.drafts.typed import TypedText
from cpq.drafts.value import EACH, GROSS, NET, TAX
from cpq.pricing.arithmetic import as_precise
from cpq.pricing.trace import Trace
from quarry.money import in_currency
from quarry.precedents.list_prices import recurring
from quarry.text import part_key

NONE = "–"
type Details = tuple[str, str, str]
"""What stands behind an item's name: its discount, what its price may come to, and its note."""


def sums(grounds: Grounds, quotes: Sequence[StoredQuote]) -> list[tuple[str, Decimal]]:
    """Returns (label, amount) of quotes, or of the items where there are none: net first, taxes as the quote prints
    them, the total last; empty while a price is missing.
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
    lines = [line for version in versions for line in Trace.model_validate(version.trace).lines]
    told = dict[str, Decimal]()  # rules that print alike are one row
    for tax in taxes(lines, labels=grounds.wording.labels):
        told[tax.name] = told.get(tax.name, Decimal(0)) + tax.amount
    if not told:
        return [(say("total"), total)]
    taxed = any(version.tax_total for version in versions)
    return [(say("subtotal"), net), *told.items(), (say("total_with_tax" if taxed else "total"), total)]


def span(items: Sequence[DraftedItem]) -> tuple[Decimal, Decimal] | None:
    """Returns both ends of what the items that are paid once come to, before tax; None without an allowance."""
    once = [
        (item.amount, item.quantity, item.allowance) for item in items if not item.per and item.amount is not None
    ]
    if not any(allowance for *_, allowance in once):
        return None
    ends = [[end * count for end in allowance] if allowance else [amount] * 2 for amount, count, allowance in once]
    low, high = (sum(each, Decimal(0)) for each in zip(*ends, strict=True))
    return low, high


def told_totals(grounds: Grounds) -> dict[str, str]:
    """Returns totals by what a text names them by: what is paid once, and what again each month or year, before and
    with tax; both of each quote, and what each of its lines comes to and each piece of it. They are empty while a
    price is missing.
    """

    def told(found: Sequence[tuple[str, Decimal]], *further: str) -> str:
        return " + ".join([*(grounds.money(value) for _, value in found), *further])

    again = [f"{grounds.money(value)} {grounds.wording.labels.rhythm(period)}" for period, value in grounds.recurring]
    own = dict[str, str]()
    for quote in grounds.quotes:
        found = sums(grounds, [quote])
        name = quote.version.quote_id
        own |= {f"{name}.{NET}": told(found[:1]), f"{name}.{GROSS}": told(found[-1:])}
        tax = quote.version.tax_total
        own[f"{name}.{TAX}"] = "" if tax is None else grounds.money(tax)
        for line in quote.lines:
            whole = each = ""
            if quote.version.priced_at is not None:
                # Of what runs for a term all of it, else one as the table has it.
                if recurring(line.unit):
                    exact = Fraction(line.line_total) / Fraction(line.quantity)
                    one = as_precise(exact, line.unit_price, currency=quote.version.currency)
                else:
                    price = in_currency(line.unit_price, quote.version.currency)
                    one = less(price, line.effective_discount_pct, line.line_total)
                whole, each = grounds.money(line.line_total), grounds.money(one)
            own |= {f"{name}/{line.sort_order}": whole, f"{name}/{line.sort_order}{EACH}": each}
    if any(item.amount is None for item in grounds.of_role("item")):
        return {NET: "", GROSS: "", **own}
    found = sums(grounds, grounds.ordered)
    return {NET: told(found[:1], *again), GROSS: told(found[-1:], *again), **own}


class GoodsTables:
    """Makes the tables of one letter's goods; a price that is missing becomes an open field in ``text``."""

    def __init__(self, grounds: Grounds, text: TypedText) -> None:
        self._grounds, self._text = grounds, text
        self._say, self._numbered, self._apart = grounds.wording.say, 0, grounds.apart

    def ordered(self) -> Iterator[Block]:
        items, offers = self._grounds.of_role("item"), self._grounds.offers
        if not items:
            return
        again = [self._sum(f"{self._say('total_before_tax')}, {self._grounds.wording.labels.rhythm(period)}", value)
                 for period, value in self._grounds.recurring]  # fmt: skip
        sums = self._sums(self._grounds.ordered)
        last = [*sums[:1], *self._spans(items), *sums[1:], *again]
        grid = self._side_by_side(offers) if offers else self._grid(self._rows(items), last)
        self._numbered = len(grid.rows) - grid.sums
        yield grid

    def _side_by_side(self, offers: Sequence[Offer]) -> Grid:
        """Makes a table of offers with a column of amounts for each, and its sums below."""
        of_each = [dict(sums(self._grounds, [offer.quote])) for offer in offers]
        labels = dict.fromkeys(label for each in of_each for label in each)
        last = [["", label, "", "", *(self._amount(each.get(label)) for each in of_each)] for label in labels]
        # Below the sum before tax, whose ends they are.
        last[1:1] = self._spans(*(self._goods_of(offer.quote) for offer in offers))
        ways = zip(self._grounds.ways, offers, strict=True)
        named = [f"{way} ({offer.quote.version.quote_id}, {self._grounds.currency})" for way, offer in ways]
        return self._grid(self._rows_of(offers), last, amounts=named)

    def _rows_of(self, offers: Sequence[Offer]) -> Iterator[list[str]]:
        """Yields a row for each product of several offers, machines before services and each where it stands in its
        quote. What a quote has twice has two rows.
        """
        found = dict[tuple[str, int], list[DraftedItem | None]]()
        stands = dict[tuple[str, int], tuple[bool, int]]()
        for place, offer in enumerate(offers):
            seen = Counter[str]()
            goods = sorted(self._goods_of(offer.quote), key=lambda item: item.machine is None)
            for at, item in enumerate(goods):
                seen[item.product_id] += 1
                same = (item.product_id, seen[item.product_id])
                found.setdefault(same, [None] * len(offers))[place] = item
                stands.setdefault(same, (item.machine is None, at))
        for number, same in enumerate(sorted(found, key=stands.__getitem__), 1):
            yield self._row(number, *found[same])

    def _amount(self, value: Decimal | None) -> str:
        return NONE if value is None else self._grounds.wording.amount(value, self._grounds.currency)

    @property
    def choices(self) -> list[str]:
        """What the customer may tick: offers, each of several quotes in one sum, single goods beside them that have a
        price, further quotes.
        """
        beside = [item for item in self._grounds.items if not item.quote and item.role != "item" and item.amount]
        ordered = self._grounds.ordered if len(self._grounds.ordered) > 1 else []
        each, further = (
            [f"{quote.version.quote_id}: {self._shortly(quote)}" for quote in quotes]
            for quotes in (ordered, self._apart)
        )
        return [*self._grounds.ways, *each, *(item.short for item in beside), *further]

    def beside(self) -> Iterator[Block]:
        """Yields a table of what no total has: single goods, and each further quote as a line with its total."""
        single = [item for item in self._grounds.of_role("option", "alternate") if not item.quote]
        lines = [self._line(quote) for quote in self._apart]
        if single or lines:
            yield Title(text=self._say("apart"), level=3)
            yield self._grid([*self._rows(single, first=self._numbered + 1), *lines])

    def further(self) -> Iterator[Block]:
        """Yields each further quote as a whole."""
        for quote in self._apart:
            wording = self._grounds.wording
            yield Title(text=wording.pair(quote.version.quote_id, self._shortly(quote)))
            yield self._grid(self._rows(self._goods_of(quote)), self._sums([quote]))

    def _goods_of(self, quote: StoredQuote) -> list[DraftedItem]:
        return [item for item in self._grounds.items if item.quote == quote.version.quote_id]

    def _shortly(self, quote: StoredQuote) -> str:
        """Names the first of a quote's goods and how many there are of it."""
        first = self._goods_of(quote)[0]
        return self._times(first, first.short)

    def _times(self, item: DraftedItem, name: str) -> str:
        return name if item.quantity == 1 else f"{self._count(item)} × {name}"

    def _count(self, item: DraftedItem) -> str:
        return " ".join(filter(None, [self._grounds.wording.number(item.quantity), counts(item.sold_by)]))

    def _line(self, quote: StoredQuote) -> list[str]:
        first, *others = self._goods_of(quote)
        named = self._times(first, first.name)
        where = f"{quote.version.quote_id}, {self._say('annex')}"
        goods = (item for item in others if item.machine)
        more = [self._times(item, item.short) for item in goods]
        term = quote.version.term_months if any(recurring(line.unit) for line in quote.lines) else None
        period = months(term, labels=self._grounds.wording.labels)
        said = ", ".join(filter(None, [f"{' + '.join([named, *more])} ({where})", period]))
        # Before tax, as all that stands beside it.
        for label, net in sums(self._grounds, [quote])[:1]:
            return self._sum(said if label == self._say("total") else f"{said}, {self._say('total_before_tax')}", net)
        return ["", said, "", "", ""]

    def _sum(self, label: str, value: Decimal) -> list[str]:
        return ["", label, "", "", self._amount(value)]

    def _spans(self, *goods: Sequence[DraftedItem]) -> list[list[str]]:
        """Returns a row with both ends of what each column's goods come to, where any of them has an allowance."""
        ends = [span(items) for items in goods]
        told = (f"{self._amount(each[0])} – {self._amount(each[1])}" if each else NONE for each in ends)
        return [["", self._say("with_allowances"), "", "", *told]] if any(ends) else []

    def _sums(self, quotes: Sequence[StoredQuote]) -> list[list[str]]:
        return [self._sum(label, value) for label, value in sums(self._grounds, quotes)]

    def _grid(
        self, rows: Iterable[list[str]], last: Sequence[list[str]] = (), *, amounts: Sequence[str] = ()
    ) -> Grid:
        """Makes a table of goods, whose ``last`` rows are sums; ``amounts`` are the heads of several columns."""
        amounts = amounts or [self._say("amount_in", currency=self._grounds.currency)]
        head = [*(self._say(key) for key in ("number", "description", "quantity", "unit_price")), *amounts]
        return Grid(head=head, rows=[*rows, *last], figures=[*range(2, len(head))], sums=len(last))

    def _rows(self, items: Sequence[DraftedItem], *, first: int = 1) -> list[list[str]]:
        return [self._row(number, item) for number, item in enumerate(items, first)]

    def prices(self, machines: Sequence[Mapping[str, Any]]) -> list[str]:
        """Returns what one of each machine costs this customer, as it is offered here, else as an option would be;
        else its list price, which says so beside prices with a discount; empty where none is known.
        """
        grounds, known = self._grounds, self._grounds.compared
        had = list[list[DraftedItem]]()
        for machine in machines:
            key = part_key(machine["model"])
            offered = [item for item in grounds.items if item.machine and part_key(item.short) == key]
            had.append([item for item in offered or filter(None, [known.get(key)]) if item.unit_price is not None])
        mark = self._say("list_price") if any(item.discount_pct for items in had for item in items) else ""
        listed = (grounds.list_price(machine) for machine in machines)
        marked = (grounds.wording.pair(mark, price) if mark and price else price for price in listed)
        return [" / ".join(dict.fromkeys(map(self._price, items))) or price
                for items, price in zip(had, marked, strict=True)]  # fmt: skip

    def _price(self, item: DraftedItem) -> str:
        return " ".join(filter(None, [self._grounds.money(_each(item) or Decimal(0)), item.buys]))

    def _row(self, number: int, *ways: DraftedItem | None) -> list[str]:
        """Returns the row of one of the goods, as each way of the offer has it, with an amount for each."""
        name = next(item.name for item in ways if item)
        told = [self._details(item) if item else None for item in ways]
        first, *others = {each for each in told if each is not None}
        each_has = " / ".join("; ".join(filter(None, each or ())) or NONE for each in told)
        cells = [self._cells(item) if item else (None, None, NONE) for item in ways]
        counts, prices, amounts = zip(*cells, strict=True)
        named = f"{name} ({each_has})" if others else self._named(name, first)
        return [str(number), named, _in_common(counts), _in_common(prices), *amounts]

    def _named(self, name: str, details: Details) -> str:
        less, may_be, note = details
        name += f", {less}" if less else ""
        name += f" ({may_be})" if may_be else ""
        return self._grounds.wording.pair(name, note) if note else name

    def _details(self, item: DraftedItem) -> Details:
        wording, currency, less = self._grounds.wording, self._grounds.currency, ""
        price, each = item.unit_price, _each(item)
        if item.discount_pct and price is not None and each is not None:
            told = discount(item.discount_pct, whole=price, net=each) or item.discount_pct
            percent, whole = wording.share(told, decimals=4), wording.amount(price, currency)
            less = self._say("less", share=self._say("share_of", percent=percent, amount=whole))
        may_be = allowance(item.allowance, currency, labels=wording.labels) or ""
        return less, may_be, self._text.filled(item.note, path="items.note") if item.note else ""

    def _cells(self, item: DraftedItem) -> tuple[str, str, str]:
        """Returns the item's quantity, its unit price and its amount."""
        wording, currency, each = self._grounds.wording, self._grounds.currency, _each(item)
        if each is None or item.amount is None:
            told = self._say("price_of", what=item.name)
            who = "whoever keeps the price book, or quote_create and quote_price"
            blank = self._text.blank(Opening(field=f"price of {item.product_id}", who=who, told=told))
            return self._count(item), blank, ""
        price = " ".join(filter(None, [wording.amount(each, currency), item.buys]))
        return self._count(item), price, wording.amount(item.amount, currency)


def _in_common(cells: Sequence[str | None]) -> str:
    """Returns what the cells have in common, of which None is not there, else what each has."""
    told = {each for each in cells if each is not None}
    return told.pop() if len(told) == 1 else " / ".join(each or NONE for each in cells)


def _each(item: DraftedItem) -> Decimal | None:
    """Returns what one of the goods comes to after discount."""
    if item.unit_price is None or not item.discount_pct:
        return item.unit_price
    return less(item.unit_price, item.discount_pct, item.amount)


def less(price: Decimal, discount_pct: Decimal, amount: Decimal | None) -> Decimal:
    """Returns what one comes to, with the digits of the price and as many more as it takes to come to the amount."""
    exact = price * (100 - discount_pct) / 100
    count = round(amount / exact) if amount and exact else 0
    exponent = price.as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    steps = [Decimal(1).scaleb(-each) for each in range(digits, digits + 3)]
    told = [exact.quantize(step, way) for step in steps for way in (ROUND_HALF_UP, ROUND_HALF_DOWN)]
    comes = (each for each in told if amount is None or abs(each * count - amount) < steps[0] / 2)
    return next(comes, told[-1])
