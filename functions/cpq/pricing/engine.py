"""Pricing a quote: book, tier, discount, tax and policy for every line, and the sums."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction

from cpq.pricing import policies, taxes
from cpq.pricing.arithmetic import Amounts, line_amounts, margin_pct, summed, weighted_pct
from cpq.pricing.books import Buyer, PriceBook, Ranking
from cpq.pricing.currency import Currency
from cpq.pricing.entries import Entry, Tier, periods, tier_for
from cpq.pricing.percent import compounded
from cpq.pricing.policies import Evaluation, Policy
from cpq.pricing.taxes import TaxRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A line to be priced; ``cost`` is per unit and period in the quote's currency, None where it is unknown."""

    line_id: str
    product_id: str
    product_name: str
    quantity: int
    discount_pct: Decimal = Decimal(0)
    tax_category: str | None = None
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be priced: prices are those of ``on``, taxes those of ``tax_on``."""

    currency: Currency
    buyer: Buyer
    term_months: int | None
    discount_pct: Decimal
    on: date
    tax_on: date
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedLine:
    item: Item
    book: PriceBook
    entry: Entry
    tier: Tier | None
    unit_price: Decimal
    periods: Fraction
    discount_pct: Decimal
    tax_rule: TaxRule | None
    amounts: Amounts
    cost: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """``ranking`` says why the books were taken in this order; ``discount_pct`` is of the quote as a whole."""

    order: Order
    ranking: Ranking
    policy: Policy
    lines: tuple[PricedLine, ...]
    totals: Amounts
    discount_pct: Fraction
    margin_pct: Decimal | None
    evaluation: Evaluation

    @property
    def book(self) -> PriceBook:
        """The preferred of the books that a price was taken from: the one the quote is said to be priced by."""
        used = {line.book.id for line in self.lines}
        return next(book for book in self.ranking.fitting if book.id in used)


def sources(books: Iterable[PriceBook], entries: Iterable[Entry]) -> dict[str, tuple[PriceBook, Entry]]:
    """By product, the price of the first of ``books`` that has one: so no other line has a say in it."""
    ranked = {book.id: (place, book) for place, book in enumerate(books)}
    priced = [entry for entry in entries if entry.price_book_id in ranked]
    # The preferred book last, so that its price is the one that stays.
    priced.sort(key=lambda entry: ranked[entry.price_book_id][0], reverse=True)
    return {entry.product_id: (ranked[entry.price_book_id][1], entry) for entry in priced}


def price(
    order: Order, *, ranking: Ranking, entries: Iterable[Entry], tax_rules: Iterable[TaxRule], policy: Policy
) -> Priced:
    """Every item has a price in a fitting book, and the order a term where one recurs; see ``preconditions``."""
    prices, tax_rules = sources(ranking.fitting, entries), tuple(tax_rules)
    lines = tuple(_price_line(item, order, prices[item.product_id], tax_rules) for item in order.items)
    totals = summed((line.amounts for line in lines), currency=order.currency)
    discount_pct = weighted_pct((line.amounts.gross, line.discount_pct) for line in lines)
    return Priced(
        order=order,
        ranking=ranking,
        policy=policy,
        lines=lines,
        totals=totals,
        discount_pct=discount_pct,
        margin_pct=_margin(lines, totals),
        evaluation=policies.evaluate(
            policy, quote_pct=discount_pct, line_pcts=((line.item.line_id, line.discount_pct) for line in lines)
        ),
    )


def _margin(lines: Iterable[PricedLine], totals: Amounts) -> Decimal | None:
    """Unknown as soon as one line's cost is."""
    cost = Fraction(0)
    for line in lines:
        if line.cost is None:
            return None
        cost += line.cost
    return margin_pct(totals.net, cost)


def _price_line(
    item: Item, order: Order, priced: tuple[PriceBook, Entry], tax_rules: tuple[TaxRule, ...]
) -> PricedLine:
    book, entry = priced
    tier = tier_for(entry.tiers, item.quantity)
    unit_price = tier.price if tier else entry.price
    charged = periods(entry.unit, term_months=order.term_months)
    discount_pct = compounded(item.discount_pct, order.discount_pct)
    rule = taxes.rule_for(tax_rules, buyer=order.buyer, tax_category=item.tax_category, on=order.tax_on)
    return PricedLine(
        item=item,
        book=book,
        entry=entry,
        tier=tier,
        unit_price=unit_price,
        periods=charged,
        discount_pct=discount_pct,
        tax_rule=rule,
        amounts=line_amounts(
            currency=order.currency,
            unit_price=unit_price,
            quantity=item.quantity,
            periods=charged,
            discount_pct=discount_pct,
            tax_pct=rule.rate_pct if rule else Decimal(0),
        ),
        cost=None if item.cost is None else Fraction(item.cost) * item.quantity * charged,
    )
