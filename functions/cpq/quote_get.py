"""quote_get: one quote in any of its versions, with pricing, policy, trace and history."""

from pydantic import AwareDatetime, Field

from cpq import quote_queries
from cpq.model import QUOTE_ID, Money, Percent, PolicyEvaluation, QuoteHeader, QuoteId, QuoteLine, Status
from cpq.quote_queries import Stored
from quarry.tool.contract import Args, Part, Result, retrieval_tool
from quarry.tool.errors import NotFound
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "quote_get",
    title="Get one quote",
    toolset="cpq",
    description="""
        A quote of ours with its lines and, once priced, totals and what the discount policies say. Older versions
        stay readable; include_trace explains every number. Past quotes of the archive are get_quote's.
    """,
)


class QuoteGetArgs(Args):
    quote_id: QuoteId = Field(description=QUOTE_ID)
    version: int | None = Field(default=None, ge=1, description="An older version; unset: the newest.")
    include_pricing: bool = Field(default=True, description="False: without pricing and policy_evaluation.")
    include_trace: bool = Field(default=False, description="True: how each number came about, step by step.")
    include_audit: bool = Field(default=False, description="True: who did what to it, oldest first.")


class Pricing(Part):
    subtotal: Money = Field(description="Before discount and tax.")
    discount_total: Money = Field(description="Taken off.")
    tax_total: Money = Field(description="Tax on top.")
    total: Money = Field(description="To pay.")
    currency: str = Field(description="ISO 4217 code.")
    requested_discount_pct: Percent = Field(
        description="Discount asked for the whole quote, on top of the lines' own."
    )
    price_book_id: str | None = Field(description="Price book.")
    price_book_name: str | None = Field(description="Its name.")
    priced_at: AwareDatetime = Field(description="When it happened.")
    pricing_trace_id: str = Field(description="Record of this pricing run; include_trace shows it.")


class VersionCard(Part):
    version: int = Field(description="Version.")
    status: Status = Field(description="Its status.")
    total: Money | None = Field(description="Its total; null when it was never priced.")
    created_at: AwareDatetime = Field(description="When it was made.")
    created_by: str = Field(description="By whom.")


class AuditEntry(Part):
    seq: int = Field(description="Place in the tenant's chain of records.")
    at: AwareDatetime = Field(description="When it happened.")
    actor: str = Field(description="Who did it.")
    action: str = Field(description="What was done, e.g. quote.priced.")
    before: dict[str, object] | None = Field(description="State before.")
    after: dict[str, object] | None = Field(description="State after.")


class QuoteGetResult(Result):
    quote: QuoteHeader = Field(description="The version's header.")
    line_items: list[QuoteLine] = Field(description="In the order of the quote.")
    pricing: Pricing | None = Field(description="Totals; null until quote_price has run.")
    policy_evaluation: PolicyEvaluation | None = Field(
        description="What the discount policies say; null until priced."
    )
    versions: list[VersionCard] = Field(description="All versions, oldest first.")
    pricing_trace: dict[str, object] | None = Field(description="Only with include_trace, else null.")
    audit: list[AuditEntry] | None = Field(description="Only with include_audit, else null.")


def run(args: QuoteGetArgs, caller: Caller) -> QuoteGetResult:
    found = quote_queries.fetch(caller.tenant, quote_id=args.quote_id, version=args.version)
    history = quote_queries.versions(caller.tenant, quote_id=args.quote_id)
    if found is None:
        raise _not_found(args, versions=[row["version"] for row in history])
    trace_id = found.row["pricing_trace_id"]
    priced = trace_id is not None and args.include_pricing
    return QuoteGetResult(
        quote=found.header,
        line_items=found.lines,
        pricing=_pricing(found) if priced else None,
        policy_evaluation=PolicyEvaluation.model_validate(found.row["policy_evaluation"]) if priced else None,
        versions=[VersionCard.model_validate(row) for row in history],
        pricing_trace=quote_queries.trace(caller.tenant, trace_id=trace_id)
        if trace_id is not None and args.include_trace
        else None,
        audit=_audit(found.header.id, tenant=caller.tenant) if args.include_audit else None,
    )


def _not_found(args: QuoteGetArgs, *, versions: list[int]) -> NotFound:
    if not versions:
        return NotFound(f"No quote '{args.quote_id}'. Find it with quote_list.")
    return NotFound(
        f"{args.quote_id} has no version {args.version}; it has {', '.join(map(str, versions))}.",
        details={"versions": versions},
    )


def _pricing(found: Stored) -> Pricing:
    fields = {name: found.row[name] for name in Pricing.model_fields}
    return Pricing.model_validate({**fields, "requested_discount_pct": fields["requested_discount_pct"] or 0})


def _audit(quote_id: str, *, tenant: str) -> list[AuditEntry]:
    return [AuditEntry.model_validate(row) for row in quote_queries.audit(tenant, quote_id=quote_id)]


handler = serve(TOOL, QuoteGetArgs, run)
