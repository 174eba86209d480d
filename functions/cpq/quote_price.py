"""quote_price: prices a quote and holds its discounts against policy."""

from typing import Annotated, Literal

from pydantic import Field

from cpq import idempotency, pricing_answer, pricing_run
from cpq.model import (
    EXPECTED_VERSION,
    IDEMPOTENCY_KEY,
    QUOTE_ID,
    IdempotencyKey,
    PercentArgument,
    PolicyEvaluation,
    QuoteId,
)
from cpq.pricing_answer import LinePricing, Pricing
from cpq.pricing_run import Request, Run
from quarry.data import database
from quarry.data.database import Connection
from quarry.tool.contract import Args, Result, Tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

NextAction = Literal["request_approval", "reduce_discount", "edit_quote", "generate_pdf"]

TOOL = Tool(
    name="quote_price",
    title="Price a quote",
    toolset="cpq",
    description="Prices a quote: price book, volume tiers, discounts, tax, then the segment's discount policy. A "
    "version that somebody was asked to approve, or that was printed, stays as it is: a new one is priced and the "
    "approval void. A discount above the hard maximum is POLICY_VIOLATION and changes nothing.",
    read_only=False,
    destructive=False,
    idempotent=False,
    open_world=False,
)


class QuotePriceArgs(Args):
    quote_id: Annotated[QuoteId, Field(description=QUOTE_ID)]
    requested_discount_pct: Annotated[
        PercentArgument,
        Field(
            default=0,
            validate_default=True,
            description="Discount on the whole quote in percent, off what the lines' discounts leave; this run only.",
        ),
    ]
    price_book_id: str | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="Unset: the best fit for account, currency and day. One named here has to fit.",
    )
    explain: bool = Field(default=False, description="Also return each line's arithmetic step by step.")
    expected_version: int | None = Field(default=None, ge=1, description=EXPECTED_VERSION)
    expected_trace_id: str | None = Field(
        default=None,
        max_length=100,
        description="The pricing_trace_id you have read: priced again since then is a CONFLICT.",
    )
    idempotency_key: IdempotencyKey | None = Field(default=None, description=IDEMPOTENCY_KEY)


class QuotePriceResult(Result):
    quote_id: str = Field(description="Quote.")
    version: int = Field(description="Version that was priced.")
    status: Literal["priced"] = Field(description="Status of the version.")
    pricing: Pricing = Field(description="Totals.")
    line_pricing: list[LinePricing] = Field(description="Line by line.")
    policy_evaluation: PolicyEvaluation = Field(description="What the segment's discount policy says.")
    approval_required: bool = Field(description="True: approval_request before it goes to the customer.")
    next_actions: list[NextAction] = Field(
        description="What can follow. request_approval: approval_request; reduce_discount: quote_price with less; "
        "edit_quote: quote_create with revises; generate_pdf: quote_pdf."
    )
    notice: str | None = Field(
        description="What else this run did: a new version, void approvals, another total than before."
    )


def run(args: QuotePriceArgs, caller: Caller) -> QuotePriceResult:
    with database.transaction(caller.tenant) as connection:
        return idempotency.once(
            connection,
            caller=caller,
            tool=TOOL.name,
            key=args.idempotency_key,
            args=args,
            answer=QuotePriceResult,
            write=lambda: _priced(connection, args, caller=caller),
        )


def _priced(connection: Connection, args: QuotePriceArgs, *, caller: Caller) -> QuotePriceResult:
    request = Request(
        quote_id=args.quote_id,
        discount_pct=args.requested_discount_pct,
        price_book_id=args.price_book_id,
        expected_version=args.expected_version,
        expected_trace_id=args.expected_trace_id,
    )
    outcome = pricing_run.price_quote(connection, request, caller=caller)
    return _shape(outcome, explain=args.explain)


def _shape(run: Run, *, explain: bool) -> QuotePriceResult:
    required = run.evaluation.status == "APPROVAL_REQUIRED"
    return QuotePriceResult(
        quote_id=run.before.quote_id,
        version=run.version,
        status="priced",
        pricing=pricing_answer.totals(run),
        line_pricing=[pricing_answer.line(line, explain=explain) for line in run.trace.lines],
        policy_evaluation=run.evaluation,
        approval_required=required,
        next_actions=["request_approval", "reduce_discount", "edit_quote"]
        if required
        else ["generate_pdf", "edit_quote"],
        notice=pricing_answer.notice(run),
    )


handler = serve(TOOL, QuotePriceArgs, run)
