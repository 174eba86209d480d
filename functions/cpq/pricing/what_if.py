"""Variants of a quote as a caller asks for them, and what each would be priced from."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Annotated, Any

from pydantic import Field

from cpq.model import BillingFrequency, PercentArgument
from cpq.payment import ProposedTerms
from cpq.pricing.queries import Quoted, QuotedLine
from quarry.tool.contract import MOST_WHOLE, Args


class LineChange(Args):
    line_id: str = Field(min_length=1, max_length=40, description="As quote_get gives it.")
    quantity: int | None = Field(default=None, ge=1, le=MOST_WHOLE, description="Units.")
    discount_pct: PercentArgument | None = Field(default=None, description="The line's own, in percent.")


class VariantArgs(Args):
    requested_discount_pct: Annotated[
        PercentArgument, Field(default=0, validate_default=True, description="On the whole, as in quote_price.")
    ]
    lines: list[LineChange] = Field(default_factory=list, max_length=500, description="Changes; others stay.")
    term_months: int | None = Field(default=None, ge=1, le=600, description="Contract term.")
    start_date: date | None = Field(default=None, description="First day of the term.")
    billing_frequency: BillingFrequency | None = Field(default=None, description="Billing rhythm.")
    payment_terms: ProposedTerms | None = Field(default=None, description="When an invoice is due.")
    valid_until: date | None = Field(default=None, description="Last day to accept.")
    price_book_id: str | None = Field(default=None, min_length=1, max_length=100, description="Unset: the best fit.")


TERMS = {"term_months", "start_date", "billing_frequency", "payment_terms", "valid_until"}


def varied(quote: Quoted, lines: Sequence[QuotedLine], variant: VariantArgs) -> tuple[Quoted, list[QuotedLine]]:
    """The quote and its lines with the changes."""
    terms: dict[str, Any] = variant.model_dump(include=TERMS, exclude_none=True)
    changes = {change.line_id: change for change in variant.lines}
    return replace(quote, **terms), [_changed(line, changes.get(line.item.line_id)) for line in lines]


def _changed(line: QuotedLine, change: LineChange | None) -> QuotedLine:
    if change is not None and change.quantity is not None:
        item = replace(line.item, quantity=change.quantity)
        line = replace(line, item=item, wanted=replace(line.wanted, quantity=change.quantity))
    if change is not None and change.discount_pct is not None:
        item = replace(line.item, line_discount_pct=change.discount_pct, customers_discount=False)
        line = replace(line, item=item)
    return line
