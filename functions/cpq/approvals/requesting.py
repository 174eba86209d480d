"""Requests for approval: which quotes may ask, which roles decide, how a request is passed on, and how it expires."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from cpq import audit, house
from cpq.approvals import notices, queries, questions
from cpq.approvals.model import (
    OPEN,
    Approval,
    ApprovalContext,
    CompetitorClaim,
    RequestStatus,
    annual_value,
    months_between,
    payment_history,
    quote_discount,
)
from cpq.model import QuoteVersion
from cpq.pricing.outdated import asked_today, outdated
from cpq.pricing.queries import Quoted, quoted
from cpq.pricing.trace import Trace
from cpq.quotes import queries as quotes
from cpq.quotes import versions
from cpq.quotes.queries import CurrentVersion
from quarry.data import database
from quarry.data.database import Connection
from quarry.money import plainly
from quarry.tool.errors import Conflict, PolicyViolation, ToolError, ValidationFailed
from quarry.tool.identity import Caller

BATCH = 200
"""How many overdue requests one run of the schedule settles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plea:
    """What ``caller`` asks for and says in favour of it; with ``escalation`` the next higher role is asked."""

    caller: Caller
    quote_id: str
    justification: str
    escalation: bool = False
    competitor: CompetitorClaim | None = None
    account_id: str | None = None
    expected_version: int | None = None


def request(connection: Connection, plea: Plea) -> list[Approval]:
    """Asks for approval of the quote's current version, once for each role that has to approve; where requests are
    open, answers their questions or passes the first on. The first one returned is decided next. Raises ToolError.
    """
    current = versions.lock(
        connection, quote_id=plea.quote_id, expected_version=plea.expected_version, account_id=plea.account_id
    )
    version = versions.find(connection, quote_id=current.quote_id)
    undecided = queries.undecided(connection, quote_id=version.quote_id, version=version.version)
    text, caller = plea.justification, plea.caller
    if not plea.escalation and questions.answer(connection, undecided, text=text, caller=caller):
        return undecided
    if undecided:
        passed_on = _pass_on(connection, undecided[0], version, plea=plea)
        others = queries.undecided(connection, quote_id=version.quote_id, version=version.version)
        return [passed_on, *(other for other in others if other.id != passed_on.id)]
    quote = quoted(connection, quote_id=version.quote_id, version=version.version)
    if (old := outdated(connection, version, quote=quote)) is not None:
        raise Conflict(f"{version.name} needs no approval as it was priced. {old}")
    if (refusal := objection(version, today=quotes.today(connection))) is not None:
        raise refusal
    return _ask(connection, version, quote, plea=plea)


def objection(version: QuoteVersion, *, today: date) -> ToolError | None:
    """Says why approval of this version cannot be asked for; None when it can."""
    evaluation, status = version.evaluation, version.status
    if evaluation is not None and evaluation.status == "BLOCKED":
        return PolicyViolation(
            f"{version.name} is above a hard maximum, which nobody can approve: price it with a lower discount.",
            details={"violations": [each.model_dump(mode="json") for each in evaluation.violations]},
        )
    if status == "approved" or (evaluation is not None and evaluation.status == "AUTO_APPROVED"):
        if (missing := version.tax_missing) is not None:
            return ValidationFailed(f"{version.name}: {missing}", details={"status": status, "can_proceed": False})
        return ValidationFailed(
            f"{version.name} needs no approval: it is within policy or approved already, and can proceed.",
            details={"status": status, "can_proceed": True},
        )
    if status != "priced":
        cures = {"draft": "quote_price it first", "discarded": "draft another with quote_create"}
        cure = cures.get(status, "revise it with quote_create and price it again")
        return ValidationFailed(
            f"{version.name} is {status}, and only a priced quote can be approved: {cure}.",
            details={"status": status, "can_proceed": False},
        )
    if version.valid_until < today:
        return ValidationFailed(
            f"{version.name} was valid until {version.valid_until}: revise it with quote_create and a later "
            "valid_until."
        )
    return None


def escalate(
    connection: Connection,
    pending: Approval,
    version: QuoteVersion,
    *,
    caller: Caller,
    reason: str,
    justification: str | None = None,
) -> Approval | None:
    """Closes the request and opens one for the next role that does not decide on the version already, so that as many
    people decide as before. That role reads ``justification`` below the first one.

    Returns None, and does nothing, where no role is left.
    """
    trace = Trace.model_validate(version.trace)
    asked = queries.counting(connection, quote_id=pending.quote_id, version=pending.version)
    role = trace.policy.above(pending.approver_role, besides=[each.approver_role for each in asked])
    if role is None:
        return None
    both = pending.justification
    if justification not in (None, both):
        both = f"{both}\n\nOn passing it on: {justification}"
    successor = _opened(
        connection,
        trace,
        role=role,
        quote_id=pending.quote_id,
        version=pending.version,
        content_hash=pending.content_hash,
        justification=both,
        context=pending.context,
        requested_by=pending.requested_by,
    )
    queries.close(connection, request_id=pending.id, status="escalated", escalated_to=successor.id)
    audit.record(
        connection,
        caller=caller,
        action="approval.escalated",
        quote_id=pending.quote_id,
        before={"approval": pending.id, "approver_role": pending.approver_role},
        after={"approval": successor.id, "approver_role": role, "version": pending.version, "reason": reason},
    )
    return successor


def withdraw(connection: Connection, current: CurrentVersion, *, reason: str, caller: Caller) -> list[str]:
    """Voids the version's open requests, makes it ``priced`` again, and returns their ids."""
    undecided = queries.undecided(connection, quote_id=current.quote_id, version=current.version)
    if undecided:
        told = f"Withdrawn by {caller.subject}: {reason}"
        quotes.void(connection, quote_id=current.quote_id, reason=told, statuses=OPEN)
        quotes.set_status(connection, quote_id=current.quote_id, version=current.version, status="priced")
        audit.record(
            connection,
            caller=caller,
            action="approval.withdrawn",
            quote_id=current.quote_id,
            before={"version": current.version, "status": current.status},
            after={
                "version": current.version,
                "status": "priced",
                "approvals": [request.id for request in undecided],
                "reason": reason,
            },
        )
    return [request.id for request in undecided]


def settle_overdue(caller: Caller) -> dict[str, int]:
    """Escalates or closes the tenant's requests that nobody answered in time, each in a transaction of its own, and
    returns how many of each.
    """
    counts = {"escalated": 0, "expired": 0}
    with database.transaction(caller.tenant) as connection:
        found = queries.overdue(connection, limit=BATCH)
    for overdue in found:
        with database.transaction(caller.tenant) as connection:
            outcome = _settle(connection, overdue.id, quote_id=overdue.quote_id, caller=caller)
        if outcome is not None:
            counts[outcome] += 1
    return counts


def _settle(connection: Connection, request_id: str, *, quote_id: str, caller: Caller) -> str | None:
    """Returns what became of the request; None when somebody else dealt with it meanwhile."""
    versions.lock(connection, quote_id=quote_id, expected_version=None)
    approval = queries.by_id(connection, request_id=request_id)
    if approval is None or not approval.overdue:
        return None
    version = versions.find(connection, quote_id=quote_id, version=approval.version)
    if escalate(connection, approval, version, caller=caller, reason="expired unanswered"):
        return "escalated"
    # The quote becomes priced again, so that its writer can ask anew.
    queries.close(connection, request_id=approval.id, status="expired")
    told = f"{approval.id} expired unanswered."
    quotes.void(connection, quote_id=quote_id, reason=told, statuses=OPEN)
    quotes.set_status(connection, quote_id=approval.quote_id, version=approval.version, status="priced")
    audit.record(
        connection,
        caller=caller,
        action="approval.expired",
        quote_id=approval.quote_id,
        before={"version": approval.version, "status": "pending_approval", "approval": approval.id},
        after={"version": approval.version, "status": "priced"},
    )
    return "expired"


def _pass_on(connection: Connection, pending: Approval, version: QuoteVersion, *, plea: Plea) -> Approval:
    if pending.overdue:
        raise Conflict(
            f"{pending.id} expired unanswered and is about to be passed on or closed: try again in a few minutes.",
            retryable=True,
        )
    if not plea.escalation:
        raise Conflict(
            f"{pending.id} is pending with {pending.approver_role} until {pending.expires_at:%Y-%m-%d %H:%M} UTC. "
            "quote_get tells its status; escalation: true passes it on to the next role.",
            details={"approval_request_id": pending.id, "approver_role": pending.approver_role},
        )
    said = plea.justification
    successor = escalate(connection, pending, version, caller=plea.caller, reason="asked for", justification=said)
    if successor is None:
        raise Conflict(
            f"{pending.id} is pending with {pending.approver_role}, and nobody is above them who is not asked "
            "already: remind them, or have them let a colleague decide, on their page.",
            details={"approval_request_id": pending.id, "approver_role": pending.approver_role},
        )
    return successor


def _ask(connection: Connection, version: QuoteVersion, quote: Quoted, *, plea: Plea) -> list[Approval]:
    trace = Trace.model_validate(version.trace)
    roles = _roles_to_ask(connection, version, trace, today=asked_today(connection, quote, trace), plea=plea)
    context = _context(connection, version, trace, competitor=plea.competitor).model_dump(mode="json")
    approvals = [
        _opened(
            connection,
            trace,
            role=role,
            status="waiting" if place and trace.policy.routing == "serial" else "pending",
            quote_id=version.quote_id,
            version=version.version,
            content_hash=version.content_hash,
            justification=plea.justification,
            context=context,
            requested_by=plea.caller.subject,
        )
        for place, role in enumerate(roles)
    ]
    quotes.set_status(connection, quote_id=version.quote_id, version=version.version, status="pending_approval")
    for approval in approvals:
        audit.record(
            connection,
            caller=plea.caller,
            action="approval.requested",
            quote_id=approval.quote_id,
            before={"version": approval.version, "status": "priced"},
            after={
                "version": approval.version,
                "status": "pending_approval",
                "approval": approval.id,
                "approver_role": approval.approver_role,
                "content_hash": approval.content_hash,
            },
        )
    return approvals


def _roles_to_ask(
    connection: Connection, version: QuoteVersion, trace: Trace, *, today: list[str] | None, plea: Plea
) -> list[str]:
    """Returns the required roles that did not yet approve this content; with ``plea.escalation`` another one above
    decides in the place of the first. ``today`` are those that would be asked today, None where that is not known.
    """
    policy, evaluation = trace.policy, version.evaluation
    roles = policy.deciders(evaluation) if evaluation else []
    if today is None or set(today) - set(roles):
        raise Conflict(
            f"{version.name} was priced before policy or prices changed, and today others may have to decide on it: "
            "price it again with quote_price."
        )
    approvals = queries.given(connection, version, content_hash=version.content_hash)
    given = {approval.approver_role for approval in approvals}
    left = [role for role in roles if role not in given]
    if plea.escalation and left:
        above = policy.above(left[0], besides={*roles, *given})
        left = sorted((above, *left[1:]), key=policy.level) if above else []
    if not left:
        raise ValidationFailed(f"{version.name}: no role is above the one that decides; leave escalation out.")
    approved, asking = [approval.decided_by for approval in approvals], plea.caller.subject
    people = queries.people(connection, requested_by=asking, approved=approved)
    if len(roles) > 1 and len(left) > people:
        raise Conflict(
            f"{version.name} needs the approval of {' and '.join(left)}, each from another person who has neither "
            f"asked nor approved. Such approvers on record: {people}. An administrator loads more, or price it with "
            "less discount."
        )
    return left


def _context(
    connection: Connection, version: QuoteVersion, trace: Trace, *, competitor: CompetitorClaim | None
) -> ApprovalContext:
    """Assembles what an approver should know of customer and deal from rows; nothing is read out of prose."""
    record = queries.customer_record(connection, account_id=version.account_id)
    known = record.competitor_discount_pct
    lines = quotes.lines(connection, quote_id=version.quote_id, version=version.version)
    return ApprovalContext(
        customer_tenure_months=months_between(record.customer_since, quotes.today(connection)),
        payment_history=payment_history(record.invoices_paid, record.invoices_paid_on_time),
        competitor_discount=None if known is None else f"{plainly(known)}%",
        requested_discount=f"{plainly(quote_discount(trace))}%",
        annual_value=annual_value(lines, term_months=version.term_months, currency=version.currency),
        currency=version.currency,
        competitor_claim=competitor,
    )


def _opened(
    connection: Connection, trace: Trace, *, role: str, status: RequestStatus = "pending", **asked: Any
) -> Approval:
    """Inserts a request to the role and plans its notices, unless it waits for another; ``asked`` are its columns."""
    policy, year = trace.policy, quotes.today(connection).year
    request = queries.insert(
        connection,
        id=f"APR-{year}-{house.next_number(connection, kind='APR', year=year):04}",
        approver_role=role,
        status=status,
        level=policy.level(role),
        policy_id=policy.id,
        **asked,
    )
    if status == "pending":
        notices.plan(connection, request, role=role)
    return request
