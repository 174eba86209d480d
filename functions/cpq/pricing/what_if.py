"""Variants of a quote priced without writing: what each comes to, who would approve it, what would do without."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field

from cpq.model import BillingFrequency, PercentArgument
from cpq.payment import PaymentTerms
from cpq.pricing import run
from cpq.pricing.engine import Priced
from cpq.pricing.queries import Quoted, QuotedLine
from cpq.pricing.run import PriceSources
from quarry.tool.contract import MOST_WHOLE, Args

STEP = Decimal("0.0001")
"""Discounts have four decimals."""


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
    payment_terms: PaymentTerms | None = Field(default=None, description="When an invoice is due.")
    valid_until: date | None = Field(default=None, description="Last day to accept.")
    price_book_id: str | None = Field(default=None, min_length=1, max_length=100, description="Unset: the best fit.")


TERMS = {"term_months", "start_date", "billing_frequency", "payment_terms", "valid_until"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A quote as it might be: header and lines with the changes, the discount on the whole and the book asked for."""

    quote: Quoted
    lines: tuple[QuotedLine, ...]
    discount_pct: Decimal
    price_book_id: str | None = None

    def priced(self, market: PriceSources) -> Priced:
        """Raises ValidationFailed with all that keeps the variant from being priced."""
        return run.computed(
            self.quote,
            self.lines,
            requested_discount_pct=self.discount_pct,
            price_book_id=self.price_book_id,
            market=market,
        )

    def with_line_caps(self, cap: Decimal) -> "Variant":
        """With no line's own discount above the cap."""
        lines = (with_discount(line, min(line.item.line_discount_pct, cap)) for line in self.lines)
        return replace(self, lines=tuple(lines))


@dataclass(frozen=True, slots=True)
class Free:
    """The variant nearest to needing nobody's approval; ``remaining`` is what no smaller discount mends."""

    variant: Variant
    priced: Priced
    remaining: Sequence[str]


def with_quantity(line: QuotedLine, quantity: int) -> QuotedLine:
    return replace(line, item=replace(line.item, quantity=quantity), wanted=replace(line.wanted, quantity=quantity))


def with_discount(line: QuotedLine, discount_pct: Decimal) -> QuotedLine:
    return replace(line, item=replace(line.item, line_discount_pct=discount_pct, customers_discount=False))


def variant_of(args: VariantArgs, quote: Quoted, lines: Sequence[QuotedLine]) -> Variant:
    terms: dict[str, Any] = args.model_dump(include=TERMS, exclude_none=True)
    changes = {change.line_id: change for change in args.lines}
    return Variant(
        quote=replace(quote, **terms),
        lines=tuple(_changed(line, changes.get(line.item.line_id)) for line in lines),
        discount_pct=args.requested_discount_pct,
        price_book_id=args.price_book_id,
    )


def _changed(line: QuotedLine, change: LineChange | None) -> QuotedLine:
    if change is not None and change.quantity is not None:
        line = with_quantity(line, change.quantity)
    if change is not None and change.discount_pct is not None:
        line = with_discount(line, change.discount_pct)
    return line


def free_of_approval(variant: Variant, *, market: PriceSources) -> Free:
    """The least reduction of discounts after which nobody is asked: of the discount on the whole, and where that is
    not enough, of the lines' own too, down to the largest cap on them that passes.
    """
    found = _largest(variant.discount_pct, lambda pct: replace(variant, discount_pct=pct), market=market)
    if _failed(found[1]):
        bare = replace(variant, discount_pct=Decimal(0))
        deepest = max((line.item.line_discount_pct for line in variant.lines), default=Decimal(0))
        capped = _largest(deepest, bare.with_line_caps, market=market)
        found = capped if len(_failed(capped[1])) < len(_failed(found[1])) else found
    evaluation = run.evaluated(found[1])
    remaining = [violation.description for violation in evaluation.violations]
    remaining += [f"a person looks at the {rule}" for rule in evaluation.reviewed]
    return Free(*found, remaining)


def _largest(
    most: Decimal, with_discount_of: Callable[[Decimal], Variant], *, market: PriceSources
) -> tuple[Variant, Priced]:
    """The variant with the largest discount up to ``most`` at which no check fails that passes without it.

    Each check only gets harder as the discount grows or only easier, so that halving finds the place where the first
    of the harder ones fails.
    """

    def at(discount_pct: Decimal) -> tuple[Variant, Priced]:
        variant = with_discount_of(discount_pct)
        return variant, variant.priced(market)

    highest = at(most)
    mended = _failed(highest[1]) - _failed(at(Decimal(0))[1])
    if not mended:
        return highest
    low, high = 0, math.ceil(most / STEP)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _failed(at(middle * STEP)[1]) & mended else (middle, high)
    return at(low * STEP)


def _failed(priced: Priced) -> set[tuple[str, str]]:
    """What does not pass by itself: (rule, subject)."""
    discounts = {("", check.subject): check.outcome for check in priced.evaluation.checks}
    others = {(repr(check.rule), check.subject): check.outcome for check in priced.evaluation.rule_checks}
    return {key for key, outcome in (discounts | others).items() if outcome != "AUTO_APPROVED"}
