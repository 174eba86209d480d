"""quote_what_if: variants of a quote, priced without writing."""

from dataclasses import replace
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from cpq.model import BillingFrequency, Percent, PercentArgument, ThisQuote
from cpq.payment import ProposedTerms
from cpq.pricing import queries
from cpq.pricing.arithmetic import readable_pct
from cpq.pricing.queries import QuotedLine
from cpq.pricing.run import Priceable, evaluated, priceable
from quarry.data import database
from quarry.money import Count, Money
from quarry.tool.contract import Args, LeanResult, Part, retrieval_tool
from quarry.tool.errors import NotFound, ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "quote_what_if",
    title="Price variants without writing",
    toolset="cpq",
    description="""
        Up to twenty variants of a quote, priced and held against policy without writing: totals, and who would
        approve. Try larger quantities: tiers (catalog_get) may make more cost less.
    """,
)


TERMS = {"term_months", "start_date", "billing_frequency", "payment_terms", "valid_until"}


class LineChange(Args):
    line_id: str = Field(min_length=1, max_length=40, description="As quote_get gives it.")
    quantity: Annotated[Count, Field(gt=0)] | None = Field(default=None, description="Units.")
    discount_pct: PercentArgument | None = Field(default=None, description="The line's own, in percent.")


class Variant(Args):
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


class QuoteWhatIfArgs(Args):
    quote_id: ThisQuote
    variants: list[Variant] = Field(
        min_length=1,
        max_length=20,
        description="Each from the newest version; {} is it without a discount on the whole.",
    )


class VariantAnswer(Part):
    problems: list[str] | None = Field(description="Why it cannot be priced; then nothing else is here.")
    subtotal: Money | None = Field(default=None, description="Before discount and tax.")
    discount_total: Money | None = Field(default=None, description="Taken off.")
    tax_total: Money | None = Field(default=None, description="Tax on top; null: not determined.")
    total: Money | None = Field(default=None, description="To pay.")
    discount_pct: Percent | None = Field(default=None, description="Effective, on the whole.")
    price_book_id: str | None = Field(default=None, description="Book.")
    policy: Literal["AUTO_APPROVED", "APPROVAL_REQUIRED", "BLOCKED"] | None = Field(
        default=None, description="What the policies say."
    )
    violations: list[str] | None = Field(default=None, description="In words.")
    approvers: list[str] | None = Field(default=None, description="Roles that would be asked, the lowest first.")
    reviewed: list[str] | None = Field(default=None, description="What a person looks at, whatever the discount.")


class QuoteWhatIfResult(LeanResult):
    """Variants in the order they were asked for."""

    quote_id: str = Field(description="Quote.")
    version: int = Field(description="Version they start from.")
    currency: str = Field(description="ISO 4217 code of every amount.")
    variants: list[VariantAnswer] = Field(description="One answer per variant, in their order.")


def run(args: QuoteWhatIfArgs, caller: Caller) -> QuoteWhatIfResult:
    with database.transaction(caller.tenant) as connection:
        quote = queries.quoted(connection, quote_id=args.quote_id)
        found = priceable(connection, quote, price_book_ids={variant.price_book_id for variant in args.variants})
    known = [line.item.line_id for line in found.lines]
    strangers = {change.line_id for variant in args.variants for change in variant.lines} - set(known)
    if strangers:
        raise NotFound(f"{quote.quote_id} has no line {', '.join(sorted(strangers))}; it has {', '.join(known)}.")
    return QuoteWhatIfResult(
        quote_id=quote.quote_id,
        version=quote.version,
        currency=quote.currency,
        variants=[_answer(each, found) for each in args.variants],
    )


def _answer(variant: Variant, found: Priceable) -> VariantAnswer:
    terms: dict[str, Any] = variant.model_dump(include=TERMS, exclude_none=True)
    changes = {change.line_id: change for change in variant.lines}
    varied = replace(
        found,
        quote=replace(found.quote, **terms),
        lines=[_changed(line, changes.get(line.item.line_id)) for line in found.lines],
        # Where a book is named, no other may step in for it.
        books=[book for book in found.books if variant.price_book_id in (None, book.id)],
    )
    try:
        priced = varied.at(variant.requested_discount_pct)
    except ValidationFailed as error:
        problems = error.details["problems"]
        return VariantAnswer(problems=[f"{problem['path']}: {problem['message']}" for problem in problems])
    evaluation = evaluated(priced)
    roles = priced.policy.deciders(evaluation)
    return VariantAnswer(
        problems=None,
        subtotal=priced.totals.gross,
        discount_total=priced.totals.discount,
        tax_total=priced.tax_total,
        total=priced.totals.total,
        discount_pct=readable_pct(priced.overall_discount_pct, limits=priced.policy.caps),
        price_book_id=priced.book.id,
        policy=evaluation.status,
        violations=[violation.description for violation in evaluation.violations] or None,
        approvers=roles or None if evaluation.status == "APPROVAL_REQUIRED" else None,
        reviewed=evaluation.reviewed or None,
    )


def _changed(line: QuotedLine, change: LineChange | None) -> QuotedLine:
    item = line.item
    if change is not None and change.quantity is not None:
        item = replace(item, quantity=change.quantity)
    if change is not None and change.discount_pct is not None:
        item = replace(item, line_discount_pct=change.discount_pct, standing_discount=None)
    return replace(line, item=item)


handler = serve(TOOL, QuoteWhatIfArgs, run)
