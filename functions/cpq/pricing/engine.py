"""The pricing engine: price, tier, discount and tax of every line, sums and policy; values in, values out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import partial

from cpq.model import Tier
from cpq.payment import UNREAD
from cpq.pricing import policies
from cpq.pricing.arithmetic import (
    Amounts,
    Conversion,
    Rate,
    compounded,
    conversion,
    line_amounts,
    margin_pct,
    shared_tax,
    summed,
    weighted_pct,
)
from cpq.pricing.books import (
    Buyer,
    PriceBook,
    PriceBookEntry,
    Ranking,
    TaxRule,
    periods,
    tax_known,
    tax_notice,
    tax_rule_for,
    taxes_of,
    tier_for,
)
from cpq.pricing.policies import Evaluation, Policy
from cpq.pricing.rules import QUOTE, Measure, Measured, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItem:
    """A line to be priced. ``cost`` is per unit and period, None where unknown, and in the quote's currency unless
    ``cost_currency`` names another; ``standing_discount`` names the discount where it is none of the line's own, but
    what the customer always has.
    """

    line_id: str
    product_id: str
    product_name: str
    quantity: Decimal | int
    line_discount_pct: Decimal = Decimal(0)
    standing_discount: str | None = None
    tax_category: str | None = None
    category: str | None = None
    cost: Decimal | None = None
    cost_currency: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What policies look at beside prices; ``start_days`` and ``validity_days`` count from the day of pricing, and
    None is what the quote does not say. ``proposed`` are terms of payment that cannot be read whole; ``early_pct``
    is a discount for paying early that was not agreed before.
    """

    payment_days: int | None = None
    proposed: str | None = None
    early_pct: Decimal = Decimal(0)
    invoices_per_year: int | None = None
    validity_days: int | None = None
    start_days: int | None = None

    def earned(self, net: Decimal) -> Fraction:
        """Returns what is earned of an amount, whoever pays early."""
        return Fraction(net) * (1 - Fraction(self.early_pct) / 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A quote to be priced: prices are those of the day ``on``, taxes those of ``tax_on``.

    ``requested_discount_pct`` is asked for the whole quote, off what the lines' own discounts leave.
    """

    currency: str
    buyer: Buyer
    term_months: int | None
    requested_discount_pct: Decimal
    on: date
    tax_on: date
    items: tuple[OrderItem, ...]
    terms: Terms = Terms()
    rates: tuple[Rate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedLine:
    """A line with its price. ``list_price`` is the entry's; ``effective_discount_pct`` compounds the line's own
    discount and the quote's; ``cost`` is in the quote's currency, ``list_net`` is the line without tier and discount.
    """

    item: OrderItem
    book: PriceBook
    entry: PriceBookEntry
    list_price: Decimal
    tier: Tier | None
    unit_price: Decimal
    periods: Fraction
    effective_discount_pct: Decimal
    tax_rule: TaxRule | None
    amounts: Amounts
    cost: Fraction | None
    list_net: Fraction

    @property
    def list_margin_pct(self) -> Decimal | None:
        """The margin at list price, before tiers and discounts."""
        return margin_pct(self.list_net, self.cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """What pricing came to. ``ranking`` says why the books were taken in this order; ``overall_discount_pct`` is the
    effective discount on the whole quote. ``margin_note`` says why there is no margin, ``tax_note`` what to check
    without tax.
    """

    order: Order
    ranking: Ranking
    policy: Policy
    lines: tuple[PricedLine, ...]
    totals: Amounts
    overall_discount_pct: Fraction
    evaluation: Evaluation
    margin_note: str | None = None
    tax_known: bool = True
    tax_note: str | None = None

    @property
    def tax_total(self) -> Decimal | None:
        """The sum of taxes; None where tax is not determined, and the total is before tax."""
        return self.totals.tax if self.tax_known else None

    @property
    def margin_pct(self) -> Decimal | None:
        return margin_pct(self.order.terms.earned(self.totals.net), _cost(self.lines))

    @property
    def list_margin_pct(self) -> Decimal | None:
        """The margin of the whole quote at list prices."""
        return margin_pct(sum((line.list_net for line in self.lines), Fraction(0)), _cost(self.lines))

    @property
    def book(self) -> PriceBook:
        """The most preferred of the books that prices were taken from, which the quote names as its own."""
        used = {line.book.id for line in self.lines}
        return next(book for book in self.ranking.fitting if book.id in used)


def sources(
    books: Iterable[PriceBook], entries: Iterable[PriceBookEntry]
) -> dict[str, tuple[PriceBook, PriceBookEntry]]:
    """Returns by product the first of ``books`` that has a price for it, and that price, whatever else is quoted."""
    ranked = {book.id: (place, book) for place, book in enumerate(books)}
    priced = [entry for entry in entries if entry.price_book_id in ranked]
    # The preferred book last, so that its price is the one that stays.
    priced.sort(key=lambda entry: ranked[entry.price_book_id][0], reverse=True)
    return {entry.product_id: (ranked[entry.price_book_id][1], entry) for entry in priced}


def price(
    order: Order, *, ranking: Ranking, entries: Iterable[PriceBookEntry], tax_rules: Iterable[TaxRule], policy: Policy
) -> Priced:
    """Prices an order; without a price in a fitting book, or a term to recur in, it raises KeyError or ValueError."""
    prices, tax_rules = sources(ranking.fitting, entries), tuple(tax_rules)
    codes = {item.cost_currency or order.currency for item in order.items}
    into = {code: conversion(order.rates, source=code, target=order.currency) for code in codes}
    lines = _taxed(
        [_price_line(item, order, prices[item.product_id], tax_rules, into) for item in order.items], order
    )
    totals = summed((line.amounts for line in lines), currency=order.currency)
    overall = weighted_pct((line.amounts.gross, line.effective_discount_pct) for line in lines)
    readings = tuple(_readings(order, lines, totals, policy))
    return Priced(
        order=order,
        ranking=ranking,
        policy=policy,
        lines=lines,
        totals=totals,
        overall_discount_pct=overall,
        evaluation=policies.evaluate(
            policy,
            quote_pct=overall + (100 - overall) * Fraction(order.terms.early_pct) / 100,
            line_pcts=((line.item.line_id, line.effective_discount_pct) for line in lines),
            readings=readings,
            categories={item.category for item in order.items},
        ),
        margin_note=_why_unknown(order, lines),
        tax_known=tax_known(tax_rules, buyer=order.buyer),
        tax_note=tax_notice(tax_rules, buyer=order.buyer, on=order.tax_on),
    )


def _cost(lines: Iterable[PricedLine]) -> Fraction | None:
    """Returns the cost of the lines together; None as soon as that of one line is unknown."""
    costs = [line.cost for line in lines]
    known = [cost for cost in costs if cost is not None]
    return sum(known, Fraction(0)) if len(known) == len(costs) else None


def _why_unknown(order: Order, lines: Iterable[PricedLine]) -> str | None:
    """Says why lines have no margin; None where all have one."""
    unpriced = [line.item for line in lines if line.cost is None]
    foreign = sorted({item.cost_currency for item in unpriced if item.cost is not None and item.cost_currency})
    missing = [f"no exchange rate from {code} to {order.currency} is on record" for code in foreign]
    costless = [item.product_name for item in unpriced if item.cost is None]
    if costless:
        missing.append(f"no cost of {', '.join(dict.fromkeys(costless))} is on record")
    return " and ".join(missing) or None


def _readings(order: Order, lines: tuple[PricedLine, ...], totals: Amounts, policy: Policy) -> Iterator[Measured]:
    """Yields the measurements that the policy's rules may be about."""
    terms = order.terms
    counted: dict[Measure, int | None] = {
        "payment_days": terms.payment_days,
        "term_months": order.term_months,
        "validity_days": terms.validity_days,
        "start_days": terms.start_days,
        "invoices_per_year": terms.invoices_per_year,
    }
    for measure, count in counted.items():
        if count is not None:
            yield Measured(measure=measure, scope="quote", subject=QUOTE, value=Fraction(count))
    if terms.proposed is not None:
        unknown = f"'{terms.proposed}' {UNREAD}"
        yield Measured(measure="payment_days", scope="quote", subject=QUOTE, unknown=unknown)
    yield from _of_cost(order, lines, scope="quote", subject=QUOTE)
    by_category: defaultdict[str, list[PricedLine]] = defaultdict(list)
    for line in lines:
        by_category[line.item.category or ""].append(line)
        yield from _of_cost(order, (line,), scope="line", subject=line.item.line_id)
    for category, own in by_category.items():
        if category:
            yield from _of_cost(order, own, scope="category", subject=f"category:{category}")
    amounts: dict[Measure, Decimal] = {"net_amount": totals.net, "discount_amount": totals.discount}
    yield from of_money(amounts, policy, code=order.currency, rates=order.rates)


def _of_cost(order: Order, lines: Iterable[PricedLine], *, scope: Scope, subject: str) -> Iterator[Measured]:
    """Measures margin and loss of the lines together; goods given away have a loss, and a margin that is unknown."""
    lines = tuple(lines)
    net = sum((order.terms.earned(line.amounts.net) for line in lines), Fraction(0))
    cost = _cost(lines)
    if cost == 0 and net == 0:
        return
    category = None if scope == "quote" else lines[0].item.category
    reading = partial(Measured, scope=scope, subject=subject, category=category)
    if cost is None or not net:
        why = _why_unknown(order, lines) or "nothing is charged"
        yield reading(measure="margin_pct", unknown=why)
    else:
        yield reading(measure="margin_pct", value=(net - cost) / net * 100)
    if cost is None:
        yield reading(measure="loss_pct", unknown=_why_unknown(order, lines))
    elif cost:
        yield reading(measure="loss_pct", value=(cost - net) / cost * 100)


def of_money(
    amounts: Mapping[Measure, Decimal], policy: Policy, *, code: str, rates: Iterable[Rate]
) -> Iterator[Measured]:
    """Converts amounts in the currency ``code`` into each currency that a rule of the policy about them is in."""
    for measure, currency in dict.fromkeys((rule.measure, rule.currency) for rule in policy.rules):
        if measure not in amounts or currency is None:
            continue
        rate = conversion(rates, source=code, target=currency)
        yield Measured(
            measure=measure,
            scope="quote",
            subject=QUOTE,
            currency=currency,
            value=None if rate is None else Fraction(amounts[measure]) * rate.factor,
            unknown=None if rate else f"no exchange rate from {code} to {currency} is on record",
        )


def _price_line(
    item: OrderItem,
    order: Order,
    priced: tuple[PriceBook, PriceBookEntry],
    tax_rules: tuple[TaxRule, ...],
    into: Mapping[str, Conversion | None],
) -> PricedLine:
    book, entry = priced
    if entry.price is None:
        raise ValueError(f"the price of {item.product_id} is on request")
    tier = tier_for(entry.tiers, item.quantity)
    unit_price = tier.price if tier else entry.price
    charged = periods(entry.unit, term_months=order.term_months)
    if entry.net and item.standing_discount:
        item = replace(item, line_discount_pct=Decimal(0), standing_discount=None)
    discount_pct = compounded(item.line_discount_pct, Decimal(0) if entry.net else order.requested_discount_pct)
    rule = tax_rule_for(tax_rules, buyer=order.buyer, tax_category=item.tax_category, on=order.tax_on)
    return PricedLine(
        item=item,
        book=book,
        entry=entry,
        list_price=entry.price,
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
        ),
        cost=_line_cost(item, order, charged=charged, into=into),
        list_net=Fraction(entry.price) * Fraction(item.quantity) * charged,
    )


def _taxed(lines: Sequence[PricedLine], order: Order) -> tuple[PricedLine, ...]:
    found = dict(enumerate(lines))
    for rule in {line.tax_rule.id: line.tax_rule for line in lines if line.tax_rule}.values():
        own = {place: line for place, line in found.items() if line.tax_rule and line.tax_rule.id == rule.id}
        rates = [rate for _, rate in taxes_of(rule.name, rule.rate_pct)]
        due = shared_tax([line.amounts.net for line in own.values()], rates, currency=order.currency)
        for (place, line), tax in zip(own.items(), due, strict=True):
            found[place] = replace(line, amounts=replace(line.amounts, tax=tax))
    return tuple(found.values())


def _line_cost(
    item: OrderItem, order: Order, *, charged: Fraction, into: Mapping[str, Conversion | None]
) -> Fraction | None:
    """The line's cost in the quote's currency; None where the cost or an exchange rate is unknown."""
    if item.cost is None:
        return None
    rate = into[item.cost_currency or order.currency]
    return None if rate is None else Fraction(item.cost) * rate.factor * Fraction(item.quantity) * charged
