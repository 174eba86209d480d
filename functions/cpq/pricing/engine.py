"""The engine: price, tier, discount and tax of every line, the sums, and the policy; values in, values out."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction

from cpq.pricing import policies
from cpq.pricing.arithmetic import Amounts, Currency, compounded, line_amounts, margin_pct, summed, weighted_pct
from cpq.pricing.books import Buyer, Entry, PriceBook, Ranking, Tier, periods, tier_for
from cpq.pricing.policies import Evaluation, Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxRule:
    """A rule of sales tax: None for region or tax_category means any; validity includes both days."""

    id: str
    name: str
    country: str
    rate_pct: Decimal
    region: str | None = None
    tax_category: str | None = None
    valid_from: date | None = None
    valid_to: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A line to be priced; ``cost`` is per unit and period in the quote's currency, None where it is unknown."""

    line_id: str
    product_id: str
    product_name: str
    quantity: int
    line_discount_pct: Decimal = Decimal(0)
    tax_category: str | None = None
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be priced: prices are those of ``on``, taxes those of ``tax_on``.

    ``requested_discount_pct`` is asked for the whole quote, off what the lines' own discounts leave.
    """

    currency: Currency
    buyer: Buyer
    term_months: int | None
    requested_discount_pct: Decimal
    on: date
    tax_on: date
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedLine:
    """``effective_discount_pct`` is the line's own discount compounded with the quote's."""

    item: Item
    book: PriceBook
    entry: Entry
    tier: Tier | None
    unit_price: Decimal
    periods: Fraction
    effective_discount_pct: Decimal
    tax_rule: TaxRule | None
    amounts: Amounts
    cost: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """``ranking`` says why the books were taken in this order; ``overall_discount_pct`` is what the lines' effective
    discounts come to on the quote as a whole.
    """

    order: Order
    ranking: Ranking
    policy: Policy
    lines: tuple[PricedLine, ...]
    totals: Amounts
    overall_discount_pct: Fraction
    margin_pct: Decimal | None
    evaluation: Evaluation

    @property
    def book(self) -> PriceBook:
        """The preferred of the books that a price was taken from: the one the quote is said to be priced by."""
        used = {line.book.id for line in self.lines}
        return next(book for book in self.ranking.fitting if book.id in used)


def sources(books: Iterable[PriceBook], entries: Iterable[Entry]) -> dict[str, tuple[PriceBook, Entry]]:
    """Of each product, the price in the first of ``books`` that has one, whatever else is on the quote."""
    ranked = {book.id: (place, book) for place, book in enumerate(books)}
    priced = [entry for entry in entries if entry.price_book_id in ranked]
    # The preferred book last, so that its price is the one that stays.
    priced.sort(key=lambda entry: ranked[entry.price_book_id][0], reverse=True)
    return {entry.product_id: (ranked[entry.price_book_id][1], entry) for entry in priced}


def price(
    order: Order, *, ranking: Ranking, entries: Iterable[Entry], tax_rules: Iterable[TaxRule], policy: Policy
) -> Priced:
    """Every item has a price in a fitting book, and the order a term where one recurs; otherwise it raises."""
    prices, tax_rules = sources(ranking.fitting, entries), tuple(tax_rules)
    lines = tuple(_price_line(item, order, prices[item.product_id], tax_rules) for item in order.items)
    totals = summed((line.amounts for line in lines), currency=order.currency)
    overall = weighted_pct((line.amounts.gross, line.effective_discount_pct) for line in lines)
    return Priced(
        order=order,
        ranking=ranking,
        policy=policy,
        lines=lines,
        totals=totals,
        overall_discount_pct=overall,
        margin_pct=_margin(lines, totals),
        evaluation=policies.evaluate(
            policy, quote_pct=overall, line_pcts=((line.item.line_id, line.effective_discount_pct) for line in lines)
        ),
    )


def _margin(lines: Iterable[PricedLine], totals: Amounts) -> Decimal | None:
    """The margin of the whole; None as soon as the cost of one line is unknown."""
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
    discount_pct = compounded(item.line_discount_pct, order.requested_discount_pct)
    rule = tax_rule_for(tax_rules, buyer=order.buyer, tax_category=item.tax_category, on=order.tax_on)
    return PricedLine(
        item=item,
        book=book,
        entry=entry,
        tier=tier,
        unit_price=unit_price,
        periods=charged,
        effective_discount_pct=discount_pct,
        tax_rule=rule,
        amounts=line_amounts(
            currency=order.currency,
            unit_price=unit_price,
            quantity=item.quantity,
            periods=charged,
            effective_discount_pct=discount_pct,
            tax_pct=rule.rate_pct if rule else Decimal(0),
        ),
        cost=None if item.cost is None else Fraction(item.cost) * item.quantity * charged,
    )


def tax_rule_for(rules: Iterable[TaxRule], *, buyer: Buyer, tax_category: str | None, on: date) -> TaxRule | None:
    """The closest rule: region before category, then the newest, then the id; None for an exempt buyer.

    Rates are never added up: where a state and a county both levy, the region's rule holds their sum.
    """
    if buyer.tax_exempt:
        return None
    holding = [rule for rule in rules if _tax_holds(rule, buyer=buyer, tax_category=tax_category, on=on)]
    return min(holding, key=_tax_closeness, default=None)


def _tax_holds(rule: TaxRule, *, buyer: Buyer, tax_category: str | None, on: date) -> bool:
    return (
        rule.country == buyer.country
        and rule.region in (None, buyer.region)
        and rule.tax_category in (None, tax_category)
        and (rule.valid_from is None or rule.valid_from <= on)
        and (rule.valid_to is None or on <= rule.valid_to)
    )


def _tax_closeness(rule: TaxRule) -> tuple[bool, bool, int, str]:
    newest_first = -(rule.valid_from or date.min).toordinal()
    return (rule.region is None, rule.tax_category is None, newest_first, rule.id)
