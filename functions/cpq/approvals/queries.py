"""SQL of approval requests and of what a request is made from; every statement runs in a tenant's transaction."""

from datetime import datetime
from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from cpq.approvals.model import Approval
from cpq.content import content_hash
from quarry.data.database import Connection

NOW = SQL("SELECT now() AS now")
QUOTE = SQL("""
    SELECT id, current_version FROM cpq.quotes
    WHERE tenant = quarry.current_tenant() AND id = %(quote_id)s
""")
VERSION = SQL("""
    SELECT v.*, q.current_version, t.trace, p.approval_ttl_hours
    FROM cpq.quote_versions v
    JOIN cpq.quotes q ON q.tenant = v.tenant AND q.id = v.quote_id
    LEFT JOIN cpq.pricing_traces t ON t.tenant = v.tenant AND t.id = v.pricing_trace_id
    LEFT JOIN cpq.discount_policies p ON p.tenant = v.tenant AND p.id = t.trace -> 'policy' ->> 'id'
    WHERE v.tenant = quarry.current_tenant() AND v.quote_id = %(quote_id)s AND v.version = %(version)s
""")
LINES = SQL("""
    SELECT * FROM cpq.quote_lines
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
    ORDER BY sort_order
""")
ACCOUNT = SQL("SELECT * FROM cpq.accounts WHERE tenant = quarry.current_tenant() AND id = %(account_id)s")
SET_STATUS = SQL("""
    UPDATE cpq.quote_versions SET status = %(status)s, revision = revision + 1, updated_at = now(),
        finalized_at = CASE WHEN %(status)s = 'approved' THEN now() ELSE finalized_at END
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
""")

INSERT = SQL("""
    INSERT INTO cpq.approval_requests (
        tenant, id, quote_id, version, content_hash, status, approver_role, level, justification, context,
        requested_by, expires_at)
    VALUES (quarry.current_tenant(), %(id)s, %(quote_id)s, %(version)s, %(content_hash)s, 'pending',
        %(approver_role)s, %(level)s, %(justification)s, %(context)s, %(requested_by)s,
        now() + make_interval(hours => %(hours)s))
    RETURNING *
""")
BY_ID = SQL("SELECT * FROM cpq.approval_requests WHERE tenant = quarry.current_tenant() AND id = %(id)s")
OPEN = SQL("""
    SELECT * FROM cpq.approval_requests
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
        AND status = 'pending'
""")
CLOSE = SQL("""
    UPDATE cpq.approval_requests SET status = %(status)s, escalated_to = %(escalated_to)s
    WHERE tenant = quarry.current_tenant() AND id = %(id)s
""")
DECIDE = SQL("""
    UPDATE cpq.approval_requests SET status = %(status)s, decided_at = now(), decided_by = %(approver_id)s,
        approver_name = %(approver_name)s, decision_comment = %(comment)s
    WHERE tenant = quarry.current_tenant() AND id = %(id)s
    RETURNING *
""")
OF_QUOTE = SQL("""
    SELECT * FROM cpq.approval_requests
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s
    ORDER BY created_at DESC, id DESC
""")
OVERDUE = SQL("""
    SELECT id, quote_id FROM cpq.approval_requests
    WHERE tenant = quarry.current_tenant() AND status = 'pending' AND expires_at <= now()
    ORDER BY expires_at, id LIMIT %(limit)s
""")

PENDING = SQL("""
    FROM cpq.approval_requests a
    JOIN cpq.quotes q ON q.tenant = a.tenant AND q.id = a.quote_id
    JOIN cpq.quote_versions v ON v.tenant = a.tenant AND v.quote_id = a.quote_id AND v.version = a.version
    LEFT JOIN cpq.pricing_traces t ON t.tenant = v.tenant AND t.id = v.pricing_trace_id
    WHERE a.tenant = quarry.current_tenant() AND a.status = 'pending' AND a.expires_at > now()
        AND (%(role)s::text IS NULL OR a.approver_role = %(role)s::text)
        AND (%(quote_id)s::text IS NULL OR a.quote_id = %(quote_id)s::text)
""")
PENDING_PAGE = SQL("""
    SELECT a.*, v.total, v.currency, v.account ->> 'name' AS account_name, t.trace {pending}
    ORDER BY a.expires_at, a.id LIMIT %(limit)s OFFSET %(offset)s
""").format(pending=PENDING)
PENDING_TOTAL = SQL("SELECT count(*) AS total {pending}").format(pending=PENDING)


def now(connection: Connection) -> datetime:
    """The transaction's time: one clock for all functions."""
    return _only(connection.execute(NOW).fetchone())["now"]  # type: ignore[no-any-return]


def quote(connection: Connection, *, quote_id: str) -> DictRow | None:
    """Its id and current_version, without taking the lock."""
    return connection.execute(QUOTE, {"quote_id": quote_id.upper()}).fetchone()


def version(connection: Connection, *, quote_id: str, version: int) -> DictRow:
    """The row with current_version, the trace (None before pricing) and the policy's approval_ttl_hours."""
    return _only(connection.execute(VERSION, {"quote_id": quote_id, "version": version}).fetchone())


def lines(connection: Connection, *, quote_id: str, version: int) -> list[DictRow]:
    return connection.execute(LINES, {"quote_id": quote_id, "version": version}).fetchall()


def hash_now(connection: Connection, version: DictRow) -> str:
    """Of the rows as they are, not as they were when somebody last wrote down their hash."""
    return content_hash(version, lines(connection, quote_id=version["quote_id"], version=version["version"]))


def account(connection: Connection, *, account_id: str) -> DictRow:
    return _only(connection.execute(ACCOUNT, {"account_id": account_id}).fetchone())


def set_quote_status(connection: Connection, *, quote_id: str, version: int, status: str) -> None:
    connection.execute(SET_STATUS, {"quote_id": quote_id, "version": version, "status": status})


def insert(connection: Connection, *, context: dict[str, Any], **fields: object) -> Approval:
    return Approval.of(_only(connection.execute(INSERT, {**fields, "context": Jsonb(context)}).fetchone()))


def by_id(connection: Connection, *, request_id: str) -> Approval | None:
    row = connection.execute(BY_ID, {"id": request_id}).fetchone()
    return None if row is None else Approval.of(row)


def open_request(connection: Connection, *, quote_id: str, version: int) -> Approval | None:
    """The one that is pending, overdue or not."""
    row = connection.execute(OPEN, {"quote_id": quote_id, "version": version}).fetchone()
    return None if row is None else Approval.of(row)


def close(connection: Connection, *, request_id: str, status: str, escalated_to: str | None = None) -> None:
    connection.execute(CLOSE, {"id": request_id, "status": status, "escalated_to": escalated_to})


def decide(
    connection: Connection, *, request_id: str, status: str, approver_id: str, approver_name: str, comment: str | None
) -> Approval:
    decision = {"status": status, "approver_id": approver_id, "approver_name": approver_name, "comment": comment}
    return Approval.of(_only(connection.execute(DECIDE, {"id": request_id, **decision}).fetchone()))


def of_quote(connection: Connection, *, quote_id: str) -> list[Approval]:
    """Newest first."""
    return [Approval.of(row) for row in connection.execute(OF_QUOTE, {"quote_id": quote_id}).fetchall()]


def overdue(connection: Connection, *, limit: int) -> list[DictRow]:
    """id and quote_id, the longest overdue first."""
    return connection.execute(OVERDUE, {"limit": limit}).fetchall()


def pending(
    connection: Connection, *, role: str | None, quote_id: str | None, limit: int, offset: int
) -> tuple[int, list[DictRow]]:
    """(how many there are, one page of them with quote and trace), the most urgent first."""
    chosen = {"role": role, "quote_id": quote_id}
    total = _only(connection.execute(PENDING_TOTAL, chosen).fetchone())["total"]
    return total, connection.execute(PENDING_PAGE, {**chosen, "limit": limit, "offset": offset}).fetchall()


def _only(row: DictRow | None) -> DictRow:
    if row is None:
        raise LookupError("a row that has to be there is missing")
    return row
