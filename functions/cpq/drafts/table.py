"""The tables of goods in a letter: rows with their prices, sums below, and what is offered beside the total."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from cpq.documents.composition import taxes
from cpq.documents.wording import unit
from cpq.drafts.blocks import Block, Grid, Opening, Title
from cpq.drafts.goods import DraftedItem, StoredQuote
from cpq.drafts.grounds import Grounds
from cpq.drafts.typed import TypedText
from cpq.drafts.value import NET, TOTAL
from cpq.pricing.trace import Trace


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

    def told(found: Sequence[tuple[str, Decimal]]) -> list[str]:
        return [grounds.wording.money(value, grounds.currency) for _, value in found]

    again = [f"{grounds.wording.money(value, grounds.currency)} {grounds.wording.per(period)}"
             for period, value in grounds.recurring]  # fmt: skip
    whole = all(item.amount is not None for item in grounds.of_role("item"))
    found = sums(grounds, grounds.ordered) if whole else []
    own = {f"{quote.version.quote_id}.{TOTAL}": sums(grounds, [quote]) for quote in grounds.quotes}
    return {
        TOTAL: " + ".join([*told(found[-1:]), *again]) if whole else "",
        NET: " + ".join([*told(found[:1]), *again]) if whole else "",
        **{name: "".join(told(each[-1:])) for name, each in own.items()},
    }


class GoodsTable:
    """Sets the goods of one letter; what has no price yet becomes open in ``text``."""

    def __init__(self, grounds: Grounds, text: TypedText) -> None:
        self._grounds, self._text, self._say = grounds, text, grounds.wording.say

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
            yield Title(text=self._say("options"), level=3)
            yield self._grid(single, lines, start=len(self._grounds.of_role("item")) + 1, sums=0)

    def further(self) -> Iterator[Block]:
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
        said = f"{named}{f' {self._say("and_more", count=len(others))}' if others else ''} ({where})"
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
        buys = wording.per(item.per) or unit(item.unit, term_months=item.term_months, labels=wording.labels)
        price = " ".join(filter(None, [wording.amount(item.unit_price, currency), buys]))
        return [str(number), name, str(item.quantity), price, wording.amount(item.amount, currency)]
