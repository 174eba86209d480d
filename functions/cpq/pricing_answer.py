"""Totals and lines of a pricing run as quote_price returns them."""

from collections.abc import Sequence

from pydantic import AwareDatetime, Field

from cpq.model import Money, Percent
from cpq.pricing.trace import TracedLine, readable_pct
from cpq.pricing_run import Run
from quarry.tool.contract import Part


class Pricing(Part):
    subtotal: Money = Field(description="Sum of the lines before discount and tax.")
    discount_total: Money = Field(description="Sum of all discounts.")
    tax_total: Money = Field(description="Sum of the lines' taxes.")
    total: Money = Field(description="subtotal - discount_total + tax_total.")
    currency: str = Field(description="ISO 4217 code of every amount.")
    discount_pct: Percent = Field(description="Effective discount on the whole quote.")
    margin_pct: Percent | None = Field(description="Margin before tax, internal; null when a cost is unknown.")
    price_book_id: str = Field(description="Book the quote is priced from.")
    price_book_name: str = Field(description="Its name.")
    priced_at: AwareDatetime = Field(description="When.")
    pricing_trace_id: str = Field(description="The record of how each number came about.")


class AppliedTier(Part):
    min: int = Field(description="From this quantity.")
    max: int | None = Field(description="Up to this quantity; null is open.")
    price: Money = Field(description="Price of every unit of the line.")


class LinePricing(Part):
    line_id: str = Field(description="Line.")
    product_id: str = Field(description="Product.")
    product_name: str = Field(description="Its name.")
    quantity: int = Field(description="Units.")
    unit: str = Field(description="What one price buys; per_…_per_month and per_…_per_year run for the term.")
    price_book_id: str = Field(description="Book the price was taken from.")
    base_unit_price: Money = Field(description="List price of one unit.")
    volume_tier_applied: AppliedTier | None = Field(description="Tier of the line's quantity; null when none holds.")
    unit_price: Money = Field(description="Price of one unit after the tier.")
    subtotal_before_discount: Money = Field(description="Units times price times periods of the term.")
    discount_pct: Percent = Field(description="The line's discount and the quote's, one after the other.")
    discount_amount: Money = Field(description="What they take off.")
    line_total: Money = Field(description="After discount, before tax.")
    tax_rate_pct: Percent = Field(description="Tax rate.")
    tax_amount: Money = Field(description="Tax on line_total.")
    steps: list[str] | None = Field(description="The arithmetic in words, when asked for.")


def totals(run: Run) -> Pricing:
    trace, book = run.trace, run.priced.book
    return Pricing(
        subtotal=trace.subtotal,
        discount_total=trace.discount_total,
        tax_total=trace.tax_total,
        total=trace.total,
        currency=trace.currency,
        discount_pct=readable_pct(run.priced.discount_pct),
        margin_pct=trace.margin_pct,
        price_book_id=book.id,
        price_book_name=book.name,
        priced_at=run.priced_at,
        pricing_trace_id=run.trace_id,
    )


def line(line: TracedLine, *, explain: bool) -> LinePricing:
    tier = line.tier
    return LinePricing(
        line_id=line.line_id,
        product_id=line.product_id,
        product_name=line.product_name,
        quantity=line.quantity,
        unit=line.unit,
        price_book_id=line.price_book_id,
        base_unit_price=line.list_price,
        volume_tier_applied=None if tier is None else AppliedTier(min=tier.min, max=tier.max, price=tier.price),
        unit_price=line.unit_price,
        subtotal_before_discount=line.subtotal,
        discount_pct=line.discount_pct,
        discount_amount=line.discount_amount,
        line_total=line.line_total,
        tax_rate_pct=line.tax.rate_pct if line.tax else 0,
        tax_amount=line.tax_amount,
        steps=line.steps if explain else None,
    )


def notice(run: Run) -> str | None:
    """What an agent would not expect of a pricing run."""
    before, total = run.before, run.priced.totals.total
    if run.version != before.version:
        return _replaced(before.version, before.status, run.version, run.voided)
    if before.total is not None and before.total != total:
        return f"This replaces the pricing of {before.priced_by}, which came to {before.total:f}."
    return None


def _replaced(old: int, status: str, new: int, voided: Sequence[str]) -> str:
    void = f" Void from now on: {', '.join(voided)}." if voided else ""
    return f"Version {old} was {status} and stays readable; this is version {new}.{void}"
