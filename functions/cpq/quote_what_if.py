"""quote_what_if: variants of a quote, priced without writing."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from cpq.approvals import requesting
from cpq.model import QUOTE_ID, Percent, QuoteId
from cpq.pricing import queries, what_if
from cpq.pricing.arithmetic import readable_pct
from cpq.pricing.engine import Priced
from cpq.pricing.run import PriceSources, evaluated, market
from cpq.pricing.what_if import Variant, VariantArgs
from quarry.data import database
from quarry.money import Money
from quarry.tool.contract import Args, Part, Result, retrieval_tool
from quarry.tool.errors import NotFound, ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "quote_what_if",
    title="Price variants without writing",
    toolset="cpq",
    description="""
        Up to twenty variants of a quote, priced and held against policy without writing: totals, who would
        approve, the least cut of discounts that needs nobody. Try larger quantities: tiers (catalog_get) may
        make more cost less.
    """,
)


class QuoteWhatIfArgs(Args):
    quote_id: Annotated[QuoteId, Field(description=QUOTE_ID)]
    variants: list[VariantArgs] = Field(
        min_length=1, max_length=20, description="Each from the newest version; {} is the quote as it stands."
    )


class LeastChange(Part):
    """Discounts with which nobody has to approve."""

    requested_discount_pct: Percent = Field(description="On the whole.")
    line_discounts: dict[str, float] | None = Field(description="Lines whose own has to change, by line_id.")
    total: Money = Field(description="What it then comes to.")


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
    least_change: LeastChange | None = Field(default=None, description="Null where no discount mends it.")
    not_mended: list[str] | None = Field(default=None, description="What no smaller discount mends.")


class QuoteWhatIfResult(Result):
    """Variants in the order they were asked for."""

    lean: ClassVar[bool] = True

    quote_id: str = Field(description="Quote.")
    version: int = Field(description="Version they start from.")
    currency: str = Field(description="ISO 4217 code of every amount.")
    variants: list[VariantAnswer] = Field(description="One answer per variant, in their order.")


def run(args: QuoteWhatIfArgs, caller: Caller) -> QuoteWhatIfResult:
    with database.transaction(caller.tenant) as connection:
        newest = requesting.find(connection, quote_id=args.quote_id)
        quote = queries.quoted(connection, quote_id=newest.quote_id, version=newest.version)
        lines = queries.quoted_lines(connection, quote=quote)
        books = {variant.price_book_id for variant in args.variants}
        around = market(connection, quote, lines, price_book_ids=books)
    known = [line.item.line_id for line in lines]
    strangers = {change.line_id for variant in args.variants for change in variant.lines} - set(known)
    if strangers:
        raise NotFound(f"{quote.quote_id} has no line {', '.join(sorted(strangers))}; it has {', '.join(known)}.")
    return QuoteWhatIfResult(
        quote_id=quote.quote_id,
        version=quote.version,
        currency=quote.currency.code,
        variants=[_answer(what_if.variant_of(each, quote, lines), around) for each in args.variants],
    )


def _answer(variant: Variant, around: PriceSources) -> VariantAnswer:
    try:
        priced = variant.priced(around)
    except ValidationFailed as error:
        problems = error.details["problems"]
        return VariantAnswer(problems=[f"{problem['path']}: {problem['message']}" for problem in problems])
    evaluation = evaluated(priced)
    policy = priced.policy
    roles = requesting.required_roles(evaluation, chain=policy.escalation_chain, routing=policy.routing)
    free = None if evaluation.auto_approved else what_if.free_of_approval(variant, market=around)
    return VariantAnswer(
        problems=None,
        subtotal=priced.totals.gross,
        discount_total=priced.totals.discount,
        tax_total=priced.tax_total,
        total=priced.totals.total,
        discount_pct=readable_pct(priced.overall_discount_pct),
        price_book_id=priced.book.id,
        policy=evaluation.status,
        violations=[violation.description for violation in evaluation.violations] or None,
        approvers=roles or None if evaluation.status == "APPROVAL_REQUIRED" else None,
        least_change=_least(variant, free.variant, free.priced) if free and not free.remaining else None,
        not_mended=list(free.remaining) or None if free else None,
    )


def _least(before: Variant, after: Variant, priced: Priced) -> LeastChange:
    own = {
        new.item.line_id: float(new.item.line_discount_pct)
        for old, new in zip(before.lines, after.lines, strict=True)
        if new.item.line_discount_pct != old.item.line_discount_pct
    }
    return LeastChange(
        requested_discount_pct=after.discount_pct, line_discounts=own or None, total=priced.totals.total
    )


handler = serve(TOOL, QuoteWhatIfArgs, run)
