"""Asking for approval: which quotes may, whom it goes to, and passing it on to the next role."""

from datetime import date

from psycopg.rows import DictRow

from cpq import audit, counters, versions
from cpq.approvals import context, notices, queries, routing
from cpq.approvals.model import Approval
from cpq.versions import Current
from quarry.data.database import Connection
from quarry.tool.errors import Conflict, NotFound, PolicyViolation, ToolError, ValidationFailed
from quarry.tool.identity import Caller

DEFAULT_HOURS = 4
"""For a policy that was removed after the quote was priced."""


def request(
    connection: Connection,
    *,
    caller: Caller,
    quote_id: str,
    justification: str,
    escalation: bool,
    expected_version: int | None,
) -> Approval:
    """Binds a new request to the quote's current version, or passes the open one on. Raises ToolError's children."""
    current = versions.lock(connection, caller.tenant, quote_id=quote_id, expected_version=expected_version)
    version = queries.version(connection, quote_id=current.quote_id, version=current.version)
    pending = queries.open_request(connection, quote_id=current.quote_id, version=current.version)
    if pending is not None:
        return _pass_on(connection, pending, version, caller=caller, escalation=escalation)
    if (refusal := objection(version, today=queries.now(connection).date())) is not None:
        raise refusal
    return _ask(connection, current, version, caller=caller, justification=justification, escalation=escalation)


def find(connection: Connection, *, quote_id: str) -> DictRow:
    """Its id and current_version, for who only reads. Raises NotFound."""
    quote = queries.quote(connection, quote_id=quote_id)
    if quote is None:
        raise NotFound(f"No quote '{quote_id}'. Find it with quote_list.")
    return quote


def objection(version: DictRow, *, today: date) -> ToolError | None:
    """Why approval of this version cannot be asked for; None when it can."""
    evaluation, status = version["policy_evaluation"], version["status"]
    if evaluation is not None and evaluation["status"] == "BLOCKED":
        return PolicyViolation(
            f"{_named(version)} is above a hard maximum, which nobody can approve: price it with a lower discount.",
            details={"violations": evaluation["violations"]},
        )
    if status == "approved" or (evaluation is not None and evaluation["status"] == "AUTO_APPROVED"):
        return ValidationFailed(
            f"{_named(version)} needs no approval: it is within policy or approved already, and can proceed.",
            details={"status": status, "can_proceed": True},
        )
    if status != "priced":
        cure = "quote_price it first" if status == "draft" else "revise it with quote_create and price it again"
        return ValidationFailed(
            f"{_named(version)} is {status}, and only a priced quote can be approved: {cure}.",
            details={"status": status, "can_proceed": False},
        )
    if version["valid_until"] < today:
        return ValidationFailed(
            f"{_named(version)} was valid until {version['valid_until']}: revise it with quote_create and a later "
            "valid_until."
        )
    return None


def escalate(
    connection: Connection, pending: Approval, version: DictRow, *, caller: Caller, reason: str
) -> Approval | None:
    """Closes the request and opens one for the next role; None, and nothing done, at the top of the chain."""
    chain = version["trace"]["policy"]["escalation_chain"]
    role = routing.next_role(pending.approver_role, chain=chain)
    if role is None:
        return None
    queries.close(connection, request_id=pending.id, status="escalated")
    successor = queries.insert(
        connection,
        id=_next_id(connection, caller),
        quote_id=pending.quote_id,
        version=pending.version,
        content_hash=pending.content_hash,
        approver_role=role,
        level=routing.rank(role, chain=chain) + 1,
        justification=pending.justification,
        context=pending.context,
        requested_by=pending.requested_by,
        hours=version["approval_ttl_hours"] or DEFAULT_HOURS,
    )
    queries.close(connection, request_id=pending.id, status="escalated", escalated_to=successor.id)
    notices.plan(connection, successor)
    audit.record(
        connection,
        caller=caller,
        action="approval.escalated",
        subject=("quote", pending.quote_id),
        before={"approval": pending.id, "approver_role": pending.approver_role},
        after={"approval": successor.id, "approver_role": role, "version": pending.version, "reason": reason},
    )
    return successor


def _pass_on(
    connection: Connection, pending: Approval, version: DictRow, *, caller: Caller, escalation: bool
) -> Approval:
    if pending.overdue(queries.now(connection)):
        raise Conflict(
            f"{pending.id} expired unanswered and is about to be passed on or closed; ask approval_status in a few "
            "minutes.",
            retryable=True,
        )
    if not escalation:
        raise Conflict(
            f"{pending.id} is pending with {pending.approver_role} until {pending.expires_at:%Y-%m-%d %H:%M} UTC. "
            "approval_status follows it; escalation: true passes it on to the next role.",
            details={"approval_request_id": pending.id, "approver_role": pending.approver_role},
        )
    successor = escalate(connection, pending, version, caller=caller, reason="asked for")
    if successor is None:
        raise Conflict(
            f"{pending.id} is pending with {pending.approver_role}, and nobody is above them.",
            details={"approval_request_id": pending.id, "approver_role": pending.approver_role},
        )
    return successor


def _ask(
    connection: Connection,
    current: Current,
    version: DictRow,
    *,
    caller: Caller,
    justification: str,
    escalation: bool,
) -> Approval:
    trace = version["trace"]
    chain = trace["policy"]["escalation_chain"]
    role = routing.required_role(version["policy_evaluation"], chain=chain)
    if role is not None and escalation:
        role = routing.next_role(role, chain=chain)
    if role is None:
        raise ValidationFailed(f"{_named(version)}: no role is above the one that decides; leave escalation out.")
    assembled = context.assemble(
        account=queries.account(connection, account_id=current.account_id),
        version=version,
        lines=queries.lines(connection, quote_id=current.quote_id, version=current.version),
        trace=trace,
        today=queries.now(connection).date(),
    )
    approval = queries.insert(
        connection,
        id=_next_id(connection, caller),
        quote_id=current.quote_id,
        version=current.version,
        content_hash=version["content_hash"],
        approver_role=role,
        level=routing.rank(role, chain=chain) + 1,
        justification=justification,
        context=assembled.model_dump(mode="json"),
        requested_by=caller.subject,
        hours=version["approval_ttl_hours"] or DEFAULT_HOURS,
    )
    queries.set_quote_status(
        connection, quote_id=current.quote_id, version=current.version, status="pending_approval"
    )
    notices.plan(connection, approval)
    audit.record(
        connection,
        caller=caller,
        action="approval.requested",
        subject=("quote", current.quote_id),
        before={"version": version["version"], "status": version["status"]},
        after={
            "version": version["version"],
            "status": "pending_approval",
            "approval": approval.id,
            "approver_role": role,
            "content_hash": version["content_hash"],
        },
    )
    return approval


def _named(version: DictRow) -> str:
    return f"{version['quote_id']} version {version['version']}"


def _next_id(connection: Connection, caller: Caller) -> str:
    return counters.next_id(connection, caller.tenant, prefix="APR", year=queries.now(connection).year)
