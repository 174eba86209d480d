"""The persisted trace of a pricing run: all that went in, all that came out, and each step between."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer

from cpq.pricing.books import reason
from cpq.pricing.engine import Priced, PricedLine
from cpq.pricing.entries import Tier
from cpq.pricing.policies import Check, Outcome
from cpq.pricing.steps import steps
from quarry.tool.contract import Part

Exact = Annotated[Decimal, PlainSerializer(lambda value: format(value, "f"), return_type=str)]
"""A JSON string, digit by digit: a replay must start from the very numbers."""


class TracedBook(Part):
    id: str = Field(description="Price book.")
    name: str = Field(description="Its name.")
    fits: bool = Field(description="Whether it may price this quote; those that do come first, in their order.")
    why: str = Field(description="What put it there, or what kept it out.")


class TracedTier(Part):
    min: int = Field(description="From this quantity.")
    max: int | None = Field(description="Up to this quantity; null is open.")
    price: Exact = Field(description="Price of every unit.")


class TracedTax(Part):
    id: str = Field(description="Tax rule.")
    name: str = Field(description="Its name.")
    rate_pct: Exact = Field(description="Rate in percent.")


class TracedLine(Part):
    line_id: str = Field(description="Line of the quote.")
    product_id: str = Field(description="Product.")
    product_name: str = Field(description="Its name.")
    quantity: int = Field(description="Units.")
    price_book_id: str = Field(description="Book the price was taken from.")
    price_version: int = Field(description="Version of the price in that book.")
    list_price: Exact = Field(description="Price before tiers.")
    unit: str = Field(description="What one price buys.")
    tiers: list[TracedTier] = Field(description="All volume tiers of the price.")
    tier: TracedTier | None = Field(description="The tier that held; null for none.")
    unit_price: Exact = Field(description="Price after tiers.")
    line_discount_pct: Exact = Field(description="Discount of the line.")
    discount_pct: Exact = Field(description="Discount of the line compounded with the quote's.")
    tax: TracedTax | None = Field(description="The rule that held; null for none.")
    subtotal: Exact = Field(description="Before discount.")
    discount_amount: Exact = Field(description="Discount.")
    line_total: Exact = Field(description="After discount, before tax.")
    tax_amount: Exact = Field(description="Tax.")
    steps: list[str] = Field(description="The arithmetic in words.")


class TracedBand(Part):
    max_pct: Exact = Field(description="Up to this discount.")
    approver_role: str = Field(description="Who may approve it.")


class TracedPolicy(Part):
    id: str = Field(description="Policy.")
    name: str = Field(description="Its name.")
    segment_name: str = Field(description="Segment it is for.")
    auto_approve_pct: Exact = Field(description="Cap without approval.")
    bands: list[TracedBand] = Field(description="Who may approve up to where.")
    hard_max_pct: Exact = Field(description="Cap that nobody can lift.")
    escalation_chain: list[str] = Field(description="Roles from the lowest to the highest.")


class TracedCheck(Part):
    subject: str = Field(description="quote, or a line's id.")
    actual_pct: Exact = Field(description="Effective discount, rounded to four decimals for reading.")
    threshold_pct: Exact = Field(description="Cap it was held against.")
    outcome: Outcome = Field(description="What came of it.")
    approver_role: str | None = Field(description="Who would have to approve.")


class Trace(Part):
    """Enough to compute every amount anew without the database; see ``replay``."""

    engine: Literal[1] = Field(default=1, description="Rules of arithmetic this trace follows.")
    currency: str = Field(description="ISO 4217 code.")
    minor_units: int = Field(description="Digits that amounts are rounded to, half-up.")
    segment: str = Field(description="Account's segment.")
    country: str = Field(description="Account's country.")
    region: str | None = Field(description="Account's region.")
    tax_exempt: bool = Field(description="Whether the account pays no tax.")
    prices_of: date = Field(description="Day whose prices hold.")
    taxes_of: date = Field(description="Day whose tax rules hold.")
    term_months: int | None = Field(description="Term that recurring prices run for.")
    quote_discount_pct: Exact = Field(description="Discount asked for the whole quote.")
    price_books: list[TracedBook] = Field(description="Every book that was looked at.")
    lines: list[TracedLine] = Field(description="In the order of the quote.")
    subtotal: Exact = Field(description="Sum of the lines before discount.")
    discount_total: Exact = Field(description="Sum of the discounts.")
    tax_total: Exact = Field(description="Sum of the taxes.")
    total: Exact = Field(description="subtotal - discount_total + tax_total.")
    margin_pct: Exact | None = Field(description="Margin before tax; null when a cost is unknown.")
    policy: TracedPolicy = Field(description="Policy as it stood.")
    checks: list[TracedCheck] = Field(description="Every rule it was held against.")
    outcome: Outcome = Field(description="The strictest of the checks.")


def trace_of(priced: Priced) -> Trace:
    order = priced.order
    return Trace(
        currency=order.currency.code,
        minor_units=order.currency.minor_units,
        segment=order.buyer.segment,
        country=order.buyer.country,
        region=order.buyer.region,
        tax_exempt=order.buyer.tax_exempt,
        prices_of=order.on,
        taxes_of=order.tax_on,
        term_months=order.term_months,
        quote_discount_pct=order.discount_pct,
        price_books=_books(priced),
        lines=[_line(line, priced) for line in priced.lines],
        subtotal=priced.totals.gross,
        discount_total=priced.totals.discount,
        tax_total=priced.totals.tax,
        total=priced.totals.total,
        margin_pct=priced.margin_pct,
        policy=TracedPolicy.model_validate(priced.policy, from_attributes=True),
        checks=[_check(check) for check in priced.evaluation.checks],
        outcome=priced.evaluation.outcome,
    )


def readable_pct(value: Fraction) -> Decimal:
    """To four decimals, for people; comparisons take the exact fraction."""
    return Decimal(round(value * 10_000)).scaleb(-4).normalize()


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
        list_price=line.entry.price,
        unit=line.entry.unit,
        tiers=[_tier(tier) for tier in line.entry.tiers],
        tier=None if line.tier is None else _tier(line.tier),
        unit_price=line.unit_price,
        line_discount_pct=line.item.discount_pct,
        discount_pct=line.discount_pct,
        tax=None if rule is None else TracedTax(id=rule.id, name=rule.name, rate_pct=rule.rate_pct),
        subtotal=line.amounts.gross,
        discount_amount=line.amounts.discount,
        line_total=line.amounts.net,
        tax_amount=line.amounts.tax,
        steps=steps(line, priced.order),
    )


def _tier(tier: Tier) -> TracedTier:
    return TracedTier(min=tier.min, max=tier.max, price=tier.price)


def _check(check: Check) -> TracedCheck:
    return TracedCheck(
        subject=check.subject,
        actual_pct=readable_pct(check.actual),
        threshold_pct=check.threshold,
        outcome=check.outcome,
        approver_role=check.approver_role,
    )
