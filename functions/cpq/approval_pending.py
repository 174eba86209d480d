"""approval_pending: approval requests that wait for a decision."""

from psycopg.rows import DictRow
from pydantic import AwareDatetime, Field

from cpq.approvals import queries, wording
from cpq.approvals.model import quote_discount
from cpq.approvals.wording import ApproverWording
from cpq.model import Key, Pagination, Percent, QuoteId
from cpq.pricing.trace import Trace
from quarry.data import database
from quarry.money import Money
from quarry.tool.contract import Args, Part, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "approval_pending",
    title="Pending approvals",
    toolset="cpq",
    description="""
        All open approval requests, the one that expires first on top, with the figures an approver looks at.
        For one quote's history and verdict use approval_status.
    """,
)


class ApprovalPendingArgs(Args):
    approver_role: Key | None = Field(default=None, description="Only what this role decides.")
    quote_id: QuoteId | None = Field(default=None, description="Only requests about this quote.")
    limit: int = Field(default=20, ge=1, le=100, description="Most requests of a page.")
    page: int = Field(default=1, ge=1, le=1_000_000, description="Page, from 1.")


class ContextSummary(Part):
    discount_pct: Percent = Field(description="Effective discount on the whole quote.")
    margin_pct: Percent | None = Field(description="The margin; null unless an approver asks, under id or e-mail.")
    cost_findings: list[str] | None = Field(description="Broken rules over costs; null likewise.")
    deal_size: Money = Field(description="The quote's total, tax included.")


class PendingApproval(Part):
    id: str = Field(description="Request id.")
    quote_id: str = Field(description="Quote.")
    version: int = Field(description="Version of the quote it is about.")
    quote_total: Money = Field(description="Total with tax.")
    currency: str = Field(description="ISO 4217 code.")
    account_name: str = Field(description="Customer.")
    status: str = Field(description="Always pending.")
    requested_by: str = Field(description="Who asked.")
    approver_role: str = Field(description="Role that decides.")
    justification: str = Field(description="As given by whoever asked.")
    context_summary: ContextSummary = Field(description="The figures at a glance.")
    created_at: AwareDatetime = Field(description="When it was asked for.")
    expires_at: AwareDatetime = Field(description="Until when it can be decided.")


class ApprovalPendingResult(Result):
    items: list[PendingApproval] = Field(description="Open requests, the most urgent first.")
    pagination: Pagination = Field(description="Where this page stands among all.")


def run(args: ApprovalPendingArgs, caller: Caller) -> ApprovalPendingResult:
    with database.transaction(caller.tenant) as connection:
        total, found = queries.pending(
            connection,
            role=args.approver_role,
            quote_id=args.quote_id,
            limit=args.limit,
            offset=(args.page - 1) * args.limit,
        )
        approver = queries.is_approver(connection, subject=caller.subject)
        words = wording.of_house(connection, tenant=caller.tenant) if approver else None
    return ApprovalPendingResult(
        items=[_shape(pending, words) for pending in found],
        pagination=Pagination.of(total=total, page=args.page, per_page=args.limit),
    )


def _shape(pending: DictRow, words: ApproverWording | None) -> PendingApproval:
    """Shapes a request; only with ``words``, which approvers alone are given, does it tell of costs."""
    trace = Trace.model_validate(pending["trace"])
    summary = ContextSummary(
        discount_pct=quote_discount(trace),
        margin_pct=trace.margin_pct if words else None,
        cost_findings=words.cost_reasons(trace) if words else None,
        deal_size=pending["total"],
    )
    shown = {**pending, "quote_total": pending["total"], "context_summary": summary}
    return PendingApproval.model_validate(shown, extra="ignore")


handler = serve(TOOL, ApprovalPendingArgs, run)
