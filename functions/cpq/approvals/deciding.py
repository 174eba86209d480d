"""Decisions on requests: who may decide with a link, and whether the quote is still what was asked about."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from psycopg.sql import SQL

from cpq import audit
from cpq.approvals import links, queries, questions
from cpq.approvals.links import Claim
from cpq.approvals.model import Approval, broken
from cpq.approvals.queries import Link
from cpq.pricing.trace import Trace
from cpq.quotes import queries as quotes
from cpq.quotes import versions
from quarry.data.database import Connection, row_of, rows_of
from quarry.tool.identity import Caller

COLLEAGUES = SQL("""
    SELECT id, name, role FROM cpq.approvers
    WHERE tenant = quarry.current_tenant() AND active AND lower(email) <> (
        SELECT lower(o.email) FROM cpq.approvers o
        WHERE o.tenant = quarry.current_tenant() AND o.id = %(approver_id)s)
        AND NOT cpq.is_person(%(requested_by)s, email)
    ORDER BY role, name, id
""")
DELEGATE = SQL("""
    INSERT INTO cpq.approval_delegations (tenant, approver_id, delegate_id, until)
    VALUES (quarry.current_tenant(), %(approver_id)s, %(delegate_id)s, %(until)s)
    ON CONFLICT (tenant, approver_id) DO UPDATE
    SET delegate_id = excluded.delegate_id, until = excluded.until, delegated_at = now()
""")
DELEGATION = SQL("""
    SELECT p.name, d.until FROM cpq.approval_delegations d
    JOIN cpq.approvers a ON a.tenant = d.tenant AND a.id = d.approver_id
    JOIN cpq.approvers p ON p.tenant = d.tenant AND p.id = d.delegate_id
    WHERE d.tenant = quarry.current_tenant() AND d.approver_id = %(approver_id)s
        AND (now() AT TIME ZONE coalesce(a.time_zone, 'UTC'))::date <= d.until
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Colleague:
    """An approver who may decide in another's place."""

    id: str
    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """The colleague called ``name`` may decide, too, to the end of the day ``until``."""

    name: str
    until: date


Decision = Literal["approved", "rejected"]

State = Literal[
    "open",
    "decided",
    "expired",
    "escalated",
    "void",
    "changed",
    "superseded",
    "quote_expired",
    "not_an_approver",
    "own_request",
]
"""How a request stands for who opens its link; only an open one can be decided. changed: the quote is not what was
asked about; own_request: the link's approver asked for it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestStanding:
    """How the request of a link stands. ``mine`` says that the link's approver decided it; ``others`` are the roles
    that have to decide beside this one.

    Only ``approving_role`` may approve, and nobody a second time; it is None where nobody may at these costs. Whoever
    else has a link may reject, ask and delegate.
    """

    approval: Approval
    link: Link
    state: State
    mine: bool
    role: str
    may_approve: bool
    approving_role: str | None
    others: tuple[str, ...]


def standing(connection: Connection, claim: Claim) -> RequestStanding | None:
    """Says how the request of a link stands; None for a link that is not on record."""
    approval = queries.by_id(connection, request_id=claim.request_id)
    if approval is None:
        return None
    hashed, role = links.hash_of(claim.token), approval.approver_role
    link = queries.link(connection, token_hash=hashed, role=role)
    if link is None or link.request_id != approval.id:
        return None
    approving = approving_role(connection, approval)
    if approving not in (None, role) and (above := queries.link(connection, token_hash=hashed, role=approving)):
        link, role = (above, approving) if above.may_decide else (link, role)
    undecided = queries.undecided(connection, quote_id=approval.quote_id, version=approval.version)
    return RequestStanding(
        approval=approval,
        link=link,
        state=_state(connection, approval, link),
        mine=approval.decided_by == link.approver_id,
        role=role,
        may_approve=role == approving and link.approved_before is None,
        approving_role=approving,
        others=tuple(other.approver_role for other in undecided if other.id != approval.id),
    )


def colleagues(connection: Connection, standing: RequestStanding) -> list[Colleague]:
    """Returns the active approvers except the link's own and whoever asked for the approval."""
    named = {"approver_id": standing.link.approver_id, "requested_by": standing.approval.requested_by}
    return rows_of(connection, Colleague, COLLEAGUES, named)


def delegation_of(connection: Connection, *, approver_id: str) -> Delegation | None:
    return row_of(connection, Delegation, DELEGATION, {"approver_id": approver_id})


def approving_role(connection: Connection, approval: Approval) -> str | None:
    """Returns the role that may approve the request: the one that was asked, or a higher one that the costs require;
    None where nobody may at these costs.

    Of several requests about a version, only the one to the highest role answers for the costs.
    """
    version = versions.find(connection, quote_id=approval.quote_id, version=approval.version)
    requests = queries.counting(connection, quote_id=approval.quote_id, version=approval.version)
    if any(each.level > approval.level for each in requests):
        return approval.approver_role
    trace = Trace.model_validate(version.trace)
    needed = [check.approver_role for check in broken(trace)]
    roles = [role for role in (approval.approver_role, *needed) if role]
    if None in needed:
        return None
    return max(roles, key=trace.policy.level)


def decide(
    connection: Connection,
    claim: Claim,
    *,
    decision: Decision,
    comment: str | None,
    request_id: str,
    up_to: Decimal | None = None,
) -> None:
    """Takes the decision if the request is open to it; ``standing`` tells what became of it.

    ``up_to`` is the discount that the approver would agree to instead of the one that is rejected. Of two approvers,
    or two clicks, at once the quote's lock lets one through; the other finds it decided.
    """
    opened = _lock_open(connection, claim, request_id=request_id)
    if opened is None or not (opened[0].may_approve or decision == "rejected"):
        return
    found, caller = opened
    approval, link = found.approval, found.link
    approver = {"approver_id": link.approver_id, "approver_name": link.approver_name}
    decided = {"id": approval.id, "status": decision, "comment": comment, "up_to": up_to, **approver}
    connection.execute(queries.DECIDE, decided)
    # Another role may have to approve too: the quote then waits for it.
    others = queries.undecided(connection, quote_id=approval.quote_id, version=approval.version)
    if not others:
        quotes.set_status(connection, quote_id=approval.quote_id, version=approval.version, status=decision)
    audit.record(
        connection,
        caller=caller,
        action=f"approval.{decision}",
        quote_id=approval.quote_id,
        before={"version": approval.version, "status": "pending_approval", "approval": approval.id},
        after={
            "version": approval.version,
            "status": "pending_approval" if others else decision,
            "content_hash": approval.content_hash,
            "approver_name": link.approver_name,
            "comment": comment,
            **({"approved_up_to_pct": up_to} if up_to is not None else {}),
            **({"in_place_of": link.in_place_of} if link.in_place_of else {}),
        },
    )
    connection.execute(queries.USE_LINK, {"token_hash": links.hash_of(claim.token)})


def question(connection: Connection, claim: Claim, *, text: str, request_id: str) -> None:
    """Puts a question to whoever asked for the approval, if the request is open; request and link stay open."""
    if opened := _lock_open(connection, claim, request_id=request_id):
        found, caller = opened
        asked = {"approver_name": found.link.approver_name, "question": text}
        named = {"request_id": found.approval.id, "approver_id": found.link.approver_id, **asked}
        connection.execute(questions.ASK, named)
        audit.record(
            connection,
            caller=caller,
            action="approval.questioned",
            quote_id=found.approval.quote_id,
            after={"approval": found.approval.id, **asked},
        )


def delegate(connection: Connection, claim: Claim, *, delegate_id: str, until: date, request_id: str) -> None:
    """Lets a colleague decide in the approver's place, in all requests; the approver still may decide."""
    if opened := _lock_open(connection, claim, request_id=request_id):
        found, caller = opened
        named = {"approver_id": found.link.approver_id, "delegate_id": delegate_id, "until": until}
        connection.execute(DELEGATE, named)  # replaces the approver's earlier delegation
        audit.record(
            connection,
            caller=caller,
            action="approval.delegated",
            quote_id=found.approval.quote_id,
            after={"approval": found.approval.id, "delegate": delegate_id, "until": until},
        )


def _lock_open(connection: Connection, claim: Claim, *, request_id: str) -> tuple[RequestStanding, Caller] | None:
    """Locks the quote; returns the request's standing and the approver as caller, None where it is not open."""
    approval = queries.by_id(connection, request_id=claim.request_id)
    if approval is not None:
        versions.lock(connection, quote_id=approval.quote_id, expected_version=None)
    found = standing(connection, claim)
    if found is None or found.state != "open":
        return None
    return found, Caller(tenant=claim.tenant, request_id=request_id, subject=f"approver:{found.link.approver_id}")


def _state(connection: Connection, approval: Approval, link: Link) -> State:
    match approval.status_now:
        case "approved" | "rejected":
            return "decided"
        case "expired" | "escalated" | "void" as closed:
            return closed
        case "pending" | "waiting":
            pass
    if link.is_of_asker:
        return "own_request"
    if not link.may_decide:
        return "not_an_approver"
    version = versions.find(connection, quote_id=approval.quote_id, version=approval.version)
    if version.current_version != approval.version:
        return "superseded"
    if version.status != "pending_approval" or versions.hash_of_stored(connection, version) != approval.content_hash:
        return "changed"
    return "quote_expired" if version.ended else "open"
