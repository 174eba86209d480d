"""approval_status: where a quote's approval stands, and whether the quote may go out."""

from dataclasses import asdict
from decimal import Decimal
from typing import Literal

from pydantic import AwareDatetime, Field

from cpq.approvals import queries, questions
from cpq.approvals.model import OPEN, STATUS, Approval, RequestStatus
from cpq.approvals.questions import AskedQuestion
from cpq.model import Percent, QuoteVersion, Status, ThisQuote
from cpq.pricing import counter_offer
from cpq.pricing import queries as pricing
from cpq.pricing.outdated import outdated
from cpq.pricing.trace import Trace
from cpq.quotes import versions
from quarry.data import database
from quarry.money import plainly
from quarry.tool.contract import Args, Part, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "approval_status",
    title="Approval status",
    toolset="cpq",
    description="""
        Where the approval of a quote stands: what is pending, with whom and until when, what was decided before
        and with which comment, and whether the quote can proceed to the customer.
    """,
)


class ApprovalStatusArgs(Args):
    quote_id: ThisQuote
    include_history: bool = Field(default=True, description="Include past requests of every version.")


class PendingRequest(Part):
    id: str = Field(description="Request id.")
    version: int = Field(description="Version of the quote it is about.")
    status: Literal["pending", "waiting"] = Field(description="waiting: another role decides first.")
    approver_role: str = Field(description="Role that decides.")
    approver_name: str | None = Field(description="null until somebody has decided.")
    justification: str = Field(description="As given by whoever asked.")
    created_at: AwareDatetime = Field(description="When it was asked for.")
    expires_at: AwareDatetime = Field(description="Until when it can be decided.")


class PastRequest(Part):
    id: str = Field(description="Request id.")
    version: int = Field(description="Version of the quote it was about.")
    status: RequestStatus = Field(description=STATUS)
    approver_role: str = Field(description="Role that had to decide.")
    approver_name: str | None = Field(description="Who decided.")
    decision_comment: str | None = Field(description="The decider's comment.")
    decided_at: AwareDatetime | None = Field(description="When it was decided; null when it never was.")
    approved_up_to_pct: Percent | None = Field(description="Discount that the decider would agree to instead.")
    note: str | None = Field(description="Why it was closed without a decision, or in whose place it was decided.")


class ApprovalStatusResult(Result):
    quote_id: str = Field(description="Quote.")
    version: int = Field(description="The quote's current version.")
    current_status: Status = Field(description="Status of that version.")
    pending_requests: list[PendingRequest] = Field(description="Open ones: one for each role that has to approve.")
    history: list[PastRequest] = Field(description="Closed requests, newest first; empty without include_history.")
    questions: list[AskedQuestion] = Field(description="What approvers asked, oldest first.")
    can_proceed: bool = Field(description="True when the quote may go to the customer as it is now.")
    reason: str = Field(description="Why it can or cannot proceed, and what to do.")


def run(args: ApprovalStatusArgs, caller: Caller) -> ApprovalStatusResult:
    with database.transaction(caller.tenant) as connection:
        version = versions.find(connection, quote_id=args.quote_id)
        requests = queries.of_quote(connection, quote_id=version.quote_id)
        asked = questions.of_quote(connection, quote_id=version.quote_id)
        deputies = queries.deputies(connection, quote_id=version.quote_id)
        content_hash = versions.hash_of_stored(connection, version) if version.priced_at else None
        quoted = pricing.quoted(connection, quote_id=version.quote_id, version=version.version)
        old = outdated(connection, version, quote=quoted)
    pending = [request for request in requests if request.status_now in OPEN]
    past = [request for request in requests if request not in pending] if args.include_history else []
    early_pct = quoted.account.early_pct(quoted.payment_terms)
    can_proceed, reason = verdict(version, requests, content_hash=content_hash, early_pct=early_pct)
    can_proceed, reason = (False, old) if can_proceed and old else (can_proceed, reason)
    if (missing := version.tax_missing) is not None:
        can_proceed, reason = False, missing if can_proceed else f"{reason} {missing}"
    return ApprovalStatusResult(
        quote_id=version.quote_id,
        version=version.version,
        current_status=version.status_now,
        pending_requests=[PendingRequest.model_validate(request, from_attributes=True) for request in pending],
        history=[_past(request, in_place_of=deputies.get(request.id)) for request in past],
        questions=asked,
        can_proceed=can_proceed,
        reason=" ".join([reason, *_to_answer(asked, pending)]),
    )


def _to_answer(asked: list[AskedQuestion], pending: list[Approval]) -> list[str]:
    open_ids = {request.id for request in pending}
    return [
        f"{each.approver_name} asks: '{each.question}' Answer with approval_request, as its justification."
        for each in asked
        if each.answer is None and each.request_id in open_ids
    ]


def verdict(
    version: QuoteVersion, requests: list[Approval], *, content_hash: str | None, early_pct: Decimal
) -> tuple[bool, str]:
    """Tells whether the version may go out, by policy or by an approval of exactly this content, and why;
    ``early_pct`` come off for paying early.
    """
    status, evaluation = version.status, version.evaluation
    if version.ended:
        return False, f"It was valid until {version.valid_until}: revise it with quote_create."
    if status == "discarded":
        return False, "It was discarded: draft another with quote_create."
    if status == "draft":
        return False, "It has no prices yet: quote_price it."
    if status == "approved":
        covered = any(request.approves(version.version, content_hash=content_hash) for request in requests)
        if covered:
            return True, "It was approved as it stands."
        return False, (
            "It is not what was approved: its rows were changed by something else than these tools, or by an update "
            "of Quarry. Price it again with quote_price and ask again with approval_request."
        )
    if evaluation is not None and evaluation.status == "AUTO_APPROVED":
        return True, "It is within policy and needs no approval."
    if status == "rejected":
        agreed = [each.approved_up_to_pct for each in requests if each.version == version.version]
        if limits := [pct for pct in agreed if pct is not None]:
            way = counter_offer.advice(limits[0], Trace.model_validate(version.trace), early_pct=early_pct)
            return False, (
                f"It was not approved as it is, but would be with a discount of {plainly(limits[0])}% at most on the "
                f"whole: {way}, then approval_request again."
            )
        return False, "It was rejected: read the comment, then price it with a lower discount or revise it."
    pending = [request for request in requests if request.status == "pending"]
    if not pending:
        return False, "It needs approval: approval_request asks for it."
    return False, " ".join(_waits(request) for request in pending)


def _waits(request: Approval) -> str:
    if request.overdue:
        return f"{request.id} expired unanswered; it is passed on to the next role or closed within minutes."
    return f"{request.id} waits for {request.approver_role} until {request.expires_at:%Y-%m-%d %H:%M} UTC."


def _past(request: Approval, *, in_place_of: str | None) -> PastRequest:
    passed_on = f"Passed on as {request.escalated_to}." if request.escalated_to else None
    deputy = f"Decided in the place of {in_place_of}." if in_place_of else None
    told = {"status": request.status_now, "note": request.void_reason or passed_on or deputy}
    return PastRequest.model_validate({**asdict(request), **told}, extra="ignore")


handler = serve(TOOL, ApprovalStatusArgs, run)
