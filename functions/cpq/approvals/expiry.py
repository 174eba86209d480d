"""Requests that nobody answered in time: passed on where the chain goes on, closed where it ends."""

from cpq import audit, versions
from cpq.approvals import queries, requesting
from cpq.approvals.model import Approval
from quarry.data import database
from quarry.data.database import Connection
from quarry.tool.identity import Caller

BATCH = 200


def settle_overdue(caller: Caller) -> dict[str, int]:
    """How many of the tenant's requests were escalated and how many expired, each in a transaction of its own."""
    counts = {"escalated": 0, "expired": 0}
    with database.transaction(caller.tenant) as connection:
        found = queries.overdue(connection, limit=BATCH)
    for row in found:
        with database.transaction(caller.tenant) as connection:
            outcome = _settle(connection, row["id"], quote_id=row["quote_id"], caller=caller)
        if outcome is not None:
            counts[outcome] += 1
    return counts


def _settle(connection: Connection, request_id: str, *, quote_id: str, caller: Caller) -> str | None:
    """None when somebody else dealt with it meanwhile."""
    versions.lock(connection, caller.tenant, quote_id=quote_id, expected_version=None)
    approval = queries.by_id(connection, request_id=request_id)
    if approval is None or not approval.overdue(queries.now(connection)):
        return None
    version = queries.version(connection, quote_id=quote_id, version=approval.version)
    if requesting.escalate(connection, approval, version, caller=caller, reason="expired unanswered"):
        return "escalated"
    expire(connection, approval, caller=caller)
    return "expired"


def expire(connection: Connection, approval: Approval, *, caller: Caller) -> None:
    """The quote is priced again, so that its writer can ask anew, with better reasons or a lower discount."""
    queries.close(connection, request_id=approval.id, status="expired")
    queries.set_quote_status(connection, quote_id=approval.quote_id, version=approval.version, status="priced")
    audit.record(
        connection,
        caller=caller,
        action="approval.expired",
        subject=("quote", approval.quote_id),
        before={"version": approval.version, "status": "pending_approval", "approval": approval.id},
        after={"version": approval.version, "status": "priced"},
    )
