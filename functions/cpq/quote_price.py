"""quote_price: prices a quote and holds its discounts against policy."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from cpq import idempotency
from cpq.catalogue.configuration import FEW, in_pieces
from cpq.drafts.figures import Reader
from cpq.model import (
    ExpectedVersion,
    IdempotencyKey,
    OwnersId,
    Percent,
    PercentArgument,
    PolicyEvaluation,
    ThisQuote,
    Tier,
)
from cpq.pricing.arithmetic import readable_pct
from cpq.pricing.engine import Priced
from cpq.pricing.policies import limits
from cpq.pricing.run import PricingRun, price_quote
from cpq.pricing.trace import TracedLine
from quarry.data import database
from quarry.money import Count, Money, plainly
from quarry.tool.contract import Args, LeanResult, OpaquePart, Part, Tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = Tool(
    name="quote_price",
    title="Price a quote",
    toolset="cpq",
    description="Prices a quote: price book, volume tiers, discounts, tax, then the segment's discount policy. Where "
    "the total changes, or the version was printed or is up for approval, only with account_id or expected_version: "
    "a new version is priced, the approval void. Above the hard maximum: POLICY_VIOLATION, nothing changes.",
    read_only=False,
    destructive=False,
    idempotent=False,
    open_world=False,
)


class QuotePriceArgs(Args):
    quote_id: ThisQuote
    requested_discount_pct: Annotated[
        PercentArgument,
        Field(
            default=0,
            validate_default=True,
            description="Percent off the whole quote, after the lines' discounts; this run only.",
        ),
    ]
    account_id: OwnersId = None
    price_book_id: str | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="Unset: the best fit. One named here has to fit.",
    )
    explain: bool = Field(default=False, description="Also each line's arithmetic step by step.")
    expected_version: ExpectedVersion = None
    idempotency_key: IdempotencyKey = None


class PricingTotals(Part):
    subtotal: Money = Field(description="Sum of the lines before discount and tax.")
    discount_total: Money = Field(description="Sum of all discounts.")
    net_total: Money = Field(description="subtotal - discount_total, before tax.")
    tax_total: Money | None = Field(description="Sum of the lines' taxes; null: not determined, see notice.")
    total: Money = Field(description="net_total + tax_total; net_total where tax is not determined.")
    currency: str = Field(description="ISO 4217 code of every amount.")
    discount_pct: Percent = Field(description="Effective discount on the whole quote.")
    price_book_id: str = Field(description="Book the quote is priced from.")
    price_book_name: str = Field(description="Its name.")
    priced_at: AwareDatetime = Field(description="When.")
    pricing_trace_id: str = Field(description="The record of how each number came about.")


class LinePricing(OpaquePart):
    line_id: str = Field(description="Line.")
    product_id: str = Field(description="Product.")
    quantity: Count = Field(description="Units.")
    unit: str = Field(
        default="per_unit", description="What one price buys; per_…_per_month and per_…_per_year run for the term."
    )
    price_book_id: str | None = Field(description="Book the price was taken from; null: the quote's.")
    base_unit_price: Money | None = Field(description="Price of one unit before the tier; null: unit_price.")
    volume_tier_applied: Tier | None = Field(description="Tier of the line's quantity; null when none holds.")
    unit_price: Money = Field(description="Price of one unit after the tier.")
    subtotal_before_discount: Money | None = Field(
        description="Units times price times periods of the term; null: line_total."
    )
    discount_pct: Percent | None = Field(
        description="The line's discount and the quote's, one after the other; null: none."
    )
    discount_amount: Money | None = Field(description="What they take off; null: nothing.")
    line_total: Money = Field(description="After discount, before tax.")
    tax_rate_pct: Percent | None = Field(description="Tax rate; null: not determined.")
    tax_amount: Money | None = Field(description="Tax on line_total.")
    steps: list[str] | None = Field(description="The arithmetic in words, when asked for.")


class QuotePriceResult(LeanResult):
    quote_id: str = Field(description="Quote.")
    account_name: str = Field(description="Its customer.")
    version: int = Field(description="Version that was priced.")
    status: Literal["priced"] = Field(description="Status of the version.")
    pricing: PricingTotals = Field(description="Totals.")
    line_pricing: list[LinePricing] = Field(description="Line by line.")
    policy_evaluation: PolicyEvaluation = Field(description="What the segment's discount policy says.")
    policy_limits: list[str] = Field(
        description="What this customer's policy lets pass, and which role decides beyond it; not for the customer."
    )
    approval_required: bool = Field(description="True: approval_request before it goes to the customer.")
    price_notes: list[str] = Field(
        description="Lines at another price than this customer had, or under the newest to anybody."
    )
    notice: str | None = Field(
        description="What to know of this run: tax that is open, a new version, void approvals, another total."
    )


def run(args: QuotePriceArgs, caller: Caller) -> QuotePriceResult:
    with database.transaction(caller.tenant) as connection:
        return idempotency.once(
            connection,
            tool=TOOL.name,
            key=args.idempotency_key,
            args=args,
            answer=QuotePriceResult,
            write=lambda: answer_of(
                price_quote(
                    connection,
                    quote_id=args.quote_id,
                    requested_discount_pct=args.requested_discount_pct,
                    price_book_id=args.price_book_id,
                    account_id=args.account_id,
                    expected_version=args.expected_version,
                    caller=caller,
                ),
                explain=args.explain,
            ),
        )


def answer_of(run: PricingRun, *, explain: bool = False) -> QuotePriceResult:
    return QuotePriceResult(
        quote_id=run.found.quote.quote_id,
        account_name=run.found.quote.account.name,
        version=run.version,
        status="priced",
        pricing=_totals(run),
        line_pricing=[_line(line, book_id=run.priced.book.id, explain=explain) for line in run.trace.lines],
        policy_evaluation=run.evaluation,
        policy_limits=limits(run.priced.evaluation, run.priced.policy, currency=run.trace.currency),
        approval_required=run.evaluation.status == "APPROVAL_REQUIRED",
        price_notes=[note.description for note in run.trace.price_notes],
        notice=" ".join(remarks(run)) or None,
    )


def _totals(run: PricingRun) -> PricingTotals:
    told = {
        "net_total": run.priced.totals.net,
        "discount_pct": readable_pct(run.priced.overall_discount_pct, limits=run.priced.policy.caps),
        "price_book_id": run.priced.book.id,
        "price_book_name": run.priced.book.name,
        "priced_at": run.priced_at,
        "pricing_trace_id": run.trace_id,
    }
    return PricingTotals.model_validate({**dict(run.trace), **told}, extra="ignore")


def _line(line: TracedLine, *, book_id: str, explain: bool) -> LinePricing:
    rate = line.tax.rate_pct if line.tax else Decimal(0)
    told = {
        "price_book_id": line.price_book_id if line.price_book_id != book_id else None,
        "base_unit_price": line.list_price if line.list_price != line.unit_price else None,
        "volume_tier_applied": line.tier,
        "subtotal_before_discount": line.subtotal if line.subtotal != line.line_total else None,
        "discount_pct": line.discount_pct or None,
        "discount_amount": line.discount_amount or None,
        "tax_rate_pct": rate if line.tax_amount is not None else None,
        "steps": line.steps if explain else None,
    }
    return LinePricing.model_validate({**dict(line), **told}, extra="ignore")


def remarks(run: PricingRun) -> list[str]:
    """Says what an agent would not expect of a pricing run."""
    before, total = run.found.quote, run.priced.totals.total
    said = [run.priced.tax_note] if run.priced.tax_note else []
    net = [line.line_id for line in run.trace.lines if line.net]
    if net and (asked := run.trace.quote_discount_pct):
        said.append(f"The {plainly(asked)}% on the whole quote is not taken off {_some(net)}: net prices.")
    said += in_pieces([(line.line_id, line.quantity, line.unit) for line in run.trace.lines], run.found.units)
    said += _of_other_books(run.priced)
    if beside := list(_beside(run)):
        said.append(
            f"Notes print amounts that this quote does not come to: {_some(beside)}. Policy does not see them."
        )
    if run.evaluation.status == "APPROVAL_REQUIRED" and not run.evaluation.violations:
        looked_at = ", ".join(run.evaluation.reviewed)
        said.append(
            f"No limit is exceeded, yet it needs approval: {run.priced.policy.first_decider} looks at {looked_at} "
            "whatever the discount."
        )
    if run.version != before.version:
        void = f" Void from now on: {', '.join(run.voided)}." if run.voided else ""
        stays = f"Version {before.version} was {before.status} and stays readable"
        said.append(f"{stays}; this is version {run.version}.{void}")
    elif before.total is not None and before.total != total:
        said.append(f"This replaces the pricing of {before.priced_by}, which came to {before.total:f}.")
    return said


def _of_other_books(priced: Priced) -> Iterator[str]:
    """Tells which lines have the price that everybody has, because the book of the customer's segment has none."""
    fitting = priced.ranking.fitting
    own = next((place for place, book in enumerate(fitting) if book.segment), len(fitting))
    for book in fitting[own:]:
        lines = [line.item.line_id for line in priced.lines if line.book == book and not book.segment]
        if lines:
            yield f"{fitting[own].name} has no price of {_some(lines)}: {book.name}'s is taken."


def _beside(run: PricingRun) -> Iterator[str]:
    """Yields the amounts in the quote's currency that notes of lines print and it does not come to anywhere."""
    priced, reader = run.priced, Reader(run.found.units, frozenset([run.trace.currency]))
    sums = [priced.totals, *(line.amounts for line in priced.lines)]
    own = {amount for each in sums for amount in (each.gross, each.discount, each.net, each.tax, each.total)}
    for line in priced.lines:
        own |= {line.list_price, line.unit_price, round(line.amounts.net / line.item.quantity, 2)}
    for noted in run.found.lines:
        for figure in reader.figures(noted.notes or ""):
            told = {round(Decimal(each.value), 4) for each in figure.readings}
            if figure.names_currency and told.isdisjoint(own):
                yield f"{figure.text} ({noted.item.line_id})"


def _some(lines: Sequence[str]) -> str:
    return ", ".join(lines[:FEW]) + (f" and {len(lines) - FEW} more" if len(lines) > FEW else "")


handler = serve(TOOL, QuotePriceArgs, run)
