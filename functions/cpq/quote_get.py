"""quote_get: one quote in any of its versions, with pricing, policy, trace and history."""

from pydantic import Field

from cpq.model import AuditEntry, PolicyEvaluation, QuoteHeader, QuoteLine, QuotePricing, ThisQuote, VersionCard
from cpq.pricing.trace import without_costs
from cpq.quotes import queries, versions
from cpq.quotes.queries import WholeQuote
from quarry.data import database
from quarry.data.database import Connection
from quarry.tool.contract import MOST_WHOLE, Args, LeanResult, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "quote_get",
    title="Get one quote",
    toolset="cpq",
    description="""
        A quote made with quote_create (Q-2026-0042): lines and, once priced, totals and what the discount
        policies say; the archive's are get_quote's. Older versions stay readable; include_trace explains every
        number.
    """,
)


class QuoteGetArgs(Args):
    quote_id: ThisQuote
    version: int | None = Field(default=None, ge=1, le=MOST_WHOLE, description="An older version; unset: the newest.")
    include_pricing: bool = Field(default=True, description="False: without prices and policies.")
    include_trace: bool = Field(default=False, description="True: each number, step by step.")
    include_audit: bool = Field(default=False, description="True: who did what to it, oldest first.")


class QuoteGetResult(LeanResult):
    quote: QuoteHeader = Field(description="The version's header.")
    line_items: list[QuoteLine] = Field(description="In the order of the quote.")
    pricing: QuotePricing | None = Field(description="Totals, once quote_price has run.")
    policy_evaluation: PolicyEvaluation | None = Field(description="What the discount policies say, once priced.")
    versions: list[VersionCard] = Field(description="All versions, oldest first.")
    pricing_trace: dict[str, object] | None = Field(description="Only with include_trace, else null.")
    audit: list[AuditEntry] | None = Field(description="Only with include_audit, else null.")


def run(args: QuoteGetArgs, caller: Caller) -> QuoteGetResult:
    with database.transaction(caller.tenant) as connection:
        found = versions.whole(connection, quote_id=args.quote_id, version=args.version)
        return QuoteGetResult(
            quote=found.header,
            line_items=found.lines,
            pricing=found.pricing if args.include_pricing else None,
            policy_evaluation=found.evaluation if args.include_pricing else None,
            versions=queries.history(connection, quote_id=args.quote_id),
            pricing_trace=_trace(connection, found) if args.include_trace else None,
            audit=queries.audit(connection, quote_id=args.quote_id) if args.include_audit else None,
        )


def _trace(connection: Connection, found: WholeQuote) -> dict[str, object] | None:
    if found.pricing is None:
        return None
    return without_costs(queries.trace(connection, trace_id=found.pricing.pricing_trace_id))


handler = serve(TOOL, QuoteGetArgs, run)
