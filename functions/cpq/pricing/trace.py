"""The persisted trace of a pricing run: all that went in, all that came out, and each step between."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from pydantic import Field

from cpq.model import Tier
from cpq.pricing.arithmetic import Rate, conversion, margin_pct, rounded
from cpq.pricing.books import reason
from cpq.pricing.earlier_prices import EarlierPrice, PriceNote, notes
from cpq.pricing.engine import Order, Priced, PricedLine
from cpq.pricing.policies import Check, Policy
from cpq.pricing.rules import OF_COST, Outcome, RuleCheck
from quarry.money import Count, Money, minor_units, plainly
from quarry.tool.contract import Part


class TracedBook(Part):
    id: str = Field(description="Price book.")
    name: str = Field(description="Its name.")
    fits: bool = Field(description="Whether it may price this quote; those that do come first, in their order.")
    why: str = Field(description="What put it there, or what kept it out.")


class TracedTax(Part):
    id: str = Field(description="Tax rule.")
    name: str = Field(description="Its name.")
    rate_pct: Money = Field(description="Rate in percent.")


class TracedLine(Part):
    line_id: str = Field(description="Line of the quote.")
    product_id: str = Field(description="Product.")
    product_name: str = Field(description="Its name.")
    quantity: Count = Field(description="Units.")
    price_book_id: str = Field(description="Book the price was taken from.")
    price_version: int = Field(description="Version of the price in that book.")
    list_price: Money = Field(description="Price before tiers.")
    unit: str = Field(description="What one price buys.")
    allowance: list[Money] | None = Field(default=None, description="From what to what the price may come.")
    tiers: list[Tier] = Field(description="All volume tiers of the price.")
    net: bool = Field(default=False, description="Whether only a discount typed on the line is taken off the price.")
    tier: Tier | None = Field(description="The tier that held; null for none.")
    unit_price: Money = Field(description="Price after tiers.")
    line_discount_pct: Money = Field(description="Discount of the line, else what the customer always has.")
    discount_pct: Money = Field(description="Discount of the line compounded with the quote's.")
    tax: TracedTax | None = Field(description="The rule that held; null for none.")
    subtotal: Money = Field(description="Before discount.")
    discount_amount: Money = Field(description="Discount.")
    line_total: Money = Field(description="After discount, before tax.")
    tax_amount: Money | None = Field(description="Tax; null where it is not determined.")
    margin_pct: Money | None = Field(default=None, description="Margin; null when the cost is unknown.")
    list_margin_pct: Money | None = Field(default=None, description="Margin at list price, before tier and discount.")
    steps: list[str] = Field(description="The arithmetic in words.")


class Trace(Part):
    """Everything a pricing run read and made, so that each amount can be computed anew without the database."""

    engine: Literal[1, 2, 3] = Field(default=3, description="Rules of arithmetic this trace follows.")
    currency: str = Field(description="ISO 4217 code.")
    minor_units: int = Field(description="Digits that amounts are rounded to, half-up.")
    segment: str = Field(description="Account's segment.")
    country: str = Field(description="Account's country.")
    region: str | None = Field(description="Account's region.")
    tax_exempt: bool = Field(description="Whether the account pays no tax.")
    prices_of: date = Field(description="Day whose prices hold.")
    taxes_of: date = Field(description="Day whose tax rules hold.")
    term_months: int | None = Field(description="Term that recurring prices run for.")
    quote_discount_pct: Money = Field(description="Discount asked for the whole quote.")
    price_books: list[TracedBook] = Field(description="Every book that was looked at.")
    lines: list[TracedLine] = Field(description="In the order of the quote.")
    subtotal: Money = Field(description="Sum of the lines before discount.")
    discount_total: Money = Field(description="Sum of the discounts.")
    tax_total: Money | None = Field(description="Sum of the taxes; null where no rule of the country is on record.")
    total: Money = Field(description="subtotal - discount_total + tax_total; before tax where that is null.")
    margin_pct: Money | None = Field(description="Margin before tax; null when a cost is unknown.")
    list_margin_pct: Money | None = Field(default=None, description="Margin at list prices.")
    margin_note: str | None = Field(default=None, description="Why the margin is unknown.")
    exchange_rates: list[Rate] = Field(
        default_factory=list,
        description="Rates that amounts were converted by, in the order of need.",
    )
    cost_rates: list[Rate] = Field(default_factory=list, description="Rates that costs were converted by, likewise.")
    policy: Policy = Field(description="Policy as it stood.")
    checks: list[Check] = Field(description="Every discount it was held against.")
    rule_checks: list[RuleCheck] = Field(default_factory=list, description="Every other rule, likewise.")
    reviewed: list[str] = Field(default_factory=list, description="What a person looks at, whatever came of it.")
    price_notes: list[PriceNote] = Field(default_factory=list, description="Lines beside what was charged before.")
    outcome: Outcome = Field(description="The strictest of the checks; those of costs are left to approvers.")


def trace_of(priced: Priced, *, earlier: Iterable[EarlierPrice] = ()) -> Trace:
    order, code = priced.order, priced.order.currency
    return Trace(
        currency=code,
        minor_units=minor_units(code),
        segment=order.buyer.segment,
        country=order.buyer.country,
        region=order.buyer.region,
        tax_exempt=order.buyer.tax_exempt,
        prices_of=order.on,
        taxes_of=order.tax_on,
        term_months=order.term_months,
        quote_discount_pct=order.requested_discount_pct,
        price_books=_books(priced),
        lines=[_line(line, priced) for line in priced.lines],
        subtotal=priced.totals.gross,
        discount_total=priced.totals.discount,
        tax_total=priced.tax_total,
        total=priced.totals.total,
        margin_pct=priced.margin_pct,
        list_margin_pct=priced.list_margin_pct,
        margin_note=priced.margin_note,
        exchange_rates=_rates(order, [(code, rule.currency) for rule in priced.policy.rules if rule.currency]),
        cost_rates=_rates(order, [(item.cost_currency, code) for item in order.items if item.cost_currency]),
        policy=priced.policy,
        checks=list(priced.evaluation.checks),
        rule_checks=[*priced.evaluation.rule_checks, *priced.evaluation.cost_checks],
        reviewed=priced.evaluation.reviewed,
        price_notes=notes(priced, earlier),
        outcome=priced.evaluation.outcome,
    )


OF_COSTS = ("margin_pct", "list_margin_pct", "margin_note", "cost_rates")
"""The fields of a trace or of its lines that tell a cost."""


def without_costs(trace: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a stored trace as if costs were neither known nor looked at, for callers who do not approve."""
    policy = trace["policy"]
    return {
        **_shown(trace),
        "lines": [_shown(line) for line in trace["lines"]],
        "rule_checks": [each for each in trace["rule_checks"] if each["rule"]["measure"] not in OF_COST],
        "policy": {**policy, "rules": [rule for rule in policy["rules"] if rule["measure"] not in OF_COST]},
    }


def _shown(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in OF_COSTS}


def _rates(order: Order, pairs: Iterable[tuple[str, str]]) -> list[Rate]:
    """Returns the rates that amounts are converted by from one currency of each pair to the other, each once."""
    found = (conversion(order.rates, source=source, target=target) for source, target in dict.fromkeys(pairs))
    return list(dict.fromkeys(rate for each in found if each is not None for rate in each.rates))


def _books(priced: Priced) -> list[TracedBook]:
    fitting = [TracedBook(id=book.id, name=book.name, fits=True, why=reason(book)) for book in priced.ranking.fitting]
    refused = [TracedBook(id=book.id, name=book.name, fits=False, why=why) for book, why in priced.ranking.refused]
    return fitting + refused


def _line(line: PricedLine, priced: Priced) -> TracedLine:
    rule = line.tax_rule
    return TracedLine(
        line_id=line.item.line_id,
        product_id=line.item.product_id,
        product_name=line.item.product_name,
        quantity=line.item.quantity,
        price_book_id=line.book.id,
        price_version=line.entry.version,
        list_price=line.list_price,
        unit=line.entry.unit,
        allowance=list(line.entry.allowance) if line.entry.allowance else None,
        tiers=list(line.entry.tiers),
        net=line.entry.net,
        tier=line.tier,
        unit_price=line.unit_price,
        line_discount_pct=line.item.line_discount_pct,
        discount_pct=line.effective_discount_pct,
        tax=None if rule is None else TracedTax(id=rule.id, name=rule.name, rate_pct=rule.rate_pct),
        subtotal=line.amounts.gross,
        discount_amount=line.amounts.discount,
        line_total=line.amounts.net,
        tax_amount=line.amounts.tax if priced.tax_known else None,
        margin_pct=margin_pct(priced.order.terms.earned(line.amounts.net), line.cost),
        list_margin_pct=line.list_margin_pct,
        steps=steps(line, priced.order),
    )


def steps(line: PricedLine, order: Order) -> list[str]:
    """Explains the line step by step, so that it can be checked with a pocket calculator."""
    return [
        _list_price(line),
        *_tier_step(line),
        _gross(line, order),
        *_discount(line, order),
        _tax_step(line, order),
    ]


def _list_price(line: PricedLine) -> str:
    unit = line.entry.unit.replace("_", " ")
    net = ", net of discounts" if line.entry.net else ""
    return f"{line.book.name}, version {line.entry.version}: {line.list_price:f} {line.book.currency} {unit}{net}."


def _tier_step(line: PricedLine) -> list[str]:
    if line.tier is None:
        return [f"Quantity {line.item.quantity} is in no volume tier."] if line.entry.tiers else []
    reach = f"{line.tier.min} and more" if line.tier.max is None else f"{line.tier.min} to {line.tier.max}"
    return [f"Quantity {line.item.quantity} is in the tier {reach}: {line.tier.price:f} for every unit."]


def _gross(line: PricedLine, order: Order) -> str:
    factors = [str(line.item.quantity), f"{line.unit_price:f}"]
    if line.entry.unit.endswith("_per_month"):
        factors.append(f"{order.term_months} months")
    elif line.entry.unit.endswith("_per_year"):
        factors.append(f"{order.term_months}/12 years")
    exact = Fraction(line.unit_price) * Fraction(line.item.quantity) * line.periods
    equals = "=" if exact == Fraction(line.amounts.gross) else "≈"
    return f"{' × '.join(factors)} {equals} {line.amounts.gross:f}."


def _discount(line: PricedLine, order: Order) -> list[str]:
    if not line.effective_discount_pct:
        return []
    taken = f"{plainly(line.effective_discount_pct)}% of {line.amounts.gross:f}"
    whose = line.item.standing_discount or "line's"
    asked = Decimal(0) if line.entry.net else order.requested_discount_pct
    if line.item.standing_discount and not asked:
        taken = f"the {whose}: {taken}"
    elif line.item.line_discount_pct and asked:
        taken = (
            f"the {whose} {plainly(line.item.line_discount_pct)}%, then the quote's "
            f"{plainly(asked)}% of the rest: {taken}"
        )
    return [
        f"Less {taken}: {line.amounts.net:f}.",
        f"Discount: {line.amounts.gross:f} − {line.amounts.net:f} = {line.amounts.discount:f}.",
    ]


def _tax_step(line: PricedLine, order: Order) -> str:
    if line.tax_rule is not None:
        rate = f"{line.tax_rule.name}, {plainly(line.tax_rule.rate_pct)}%"
        alone = rounded(Fraction(line.amounts.net) * Fraction(line.tax_rule.rate_pct) / 100, order.currency)
        share = "" if alone == line.amounts.tax else ", its share of the tax of all lines"
        return f"{rate} of {line.amounts.net:f}: {line.amounts.tax:f}{share}."
    if order.buyer.tax_exempt:
        return "No tax: the account is exempt."
    place = ", ".join(part for part in (order.buyer.country, order.buyer.region) if part)
    what = f" for {line.item.tax_category}" if line.item.tax_category else ""
    return f"No tax: no rule holds{what} in {place} on {order.tax_on}."
