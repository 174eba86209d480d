"""SQL of approval links and of the notices that carry them; every statement runs in a tenant's transaction."""

from datetime import datetime

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.data.database import Connection

LONGEST_ERROR = 300

PLAN_FOR_PEOPLE = SQL("""
    INSERT INTO cpq.approval_notices (tenant, request_id, channel, recipient)
    SELECT p.tenant, %(request_id)s, %(channel)s, p.id
    FROM cpq.approvers p
    WHERE p.tenant = quarry.current_tenant() AND p.role = %(role)s AND p.active
        AND (%(channel)s <> 'slack' OR p.slack_user_id IS NOT NULL)
    ON CONFLICT DO NOTHING
""")
PLAN_FOR_CHANNEL = SQL("""
    INSERT INTO cpq.approval_notices (tenant, request_id, channel, recipient)
    VALUES (quarry.current_tenant(), %(request_id)s, 'slack', %(recipient)s) ON CONFLICT DO NOTHING
""")
OPEN_REQUESTS = SQL("""
    SELECT id, approver_role FROM cpq.approval_requests
    WHERE tenant = quarry.current_tenant() AND status = 'pending' AND expires_at > now()
""")

# Claimed by moving the next attempt away: whoever else looks for due notices does not see these.
CLAIM = SQL("""
    UPDATE cpq.approval_notices n
    SET attempts = n.attempts + 1, next_attempt_at = now() + least(n.attempts + 1, 15) * interval '1 minute'
    FROM (
        SELECT d.tenant, d.request_id, d.channel, d.recipient
        FROM cpq.approval_notices d
        JOIN cpq.approval_requests a ON a.tenant = d.tenant AND a.id = d.request_id
        WHERE d.tenant = quarry.current_tenant() AND d.sent_at IS NULL AND d.next_attempt_at <= now()
            AND a.status = 'pending' AND a.expires_at > now()
            AND (%(request_id)s::text IS NULL OR d.request_id = %(request_id)s::text)
        ORDER BY d.next_attempt_at, d.request_id, d.channel, d.recipient LIMIT %(limit)s
        FOR UPDATE OF d SKIP LOCKED) due
    WHERE n.tenant = due.tenant AND n.request_id = due.request_id AND n.channel = due.channel
        AND n.recipient = due.recipient
    RETURNING n.request_id, n.channel, n.recipient
""")
SENT = SQL("""
    UPDATE cpq.approval_notices SET sent_at = now(), reference = %(reference)s, last_error = NULL
    WHERE tenant = quarry.current_tenant() AND request_id = %(request_id)s AND channel = %(channel)s
        AND recipient = %(recipient)s
""")
FAILED = SQL("""
    UPDATE cpq.approval_notices SET last_error = %(error)s
    WHERE tenant = quarry.current_tenant() AND request_id = %(request_id)s AND channel = %(channel)s
        AND recipient = %(recipient)s
""")
NOTICES = SQL("""
    SELECT n.channel, n.recipient, n.sent_at, n.reference, n.last_error, p.id AS approver_id
    FROM cpq.approval_notices n
    LEFT JOIN cpq.approvers p ON p.tenant = n.tenant AND p.id = n.recipient
    WHERE n.tenant = quarry.current_tenant() AND n.request_id = %(request_id)s
    ORDER BY n.channel, p.id IS NOT NULL, n.recipient
""")
FACTS = SQL("""
    SELECT a.id, a.quote_id, a.version, a.approver_role, a.justification, a.requested_by, a.expires_at, a.context,
        v.total, v.currency, v.account ->> 'name' AS account_name, v.policy_evaluation,
        p.id AS approver_id, p.name AS approver_name, p.email AS approver_email, p.slack_user_id
    FROM cpq.approval_requests a
    JOIN cpq.quote_versions v ON v.tenant = a.tenant AND v.quote_id = a.quote_id AND v.version = a.version
    LEFT JOIN cpq.approvers p ON p.tenant = a.tenant AND p.id = %(recipient)s
    WHERE a.tenant = quarry.current_tenant() AND a.id = %(request_id)s
""")

ADD_LINK = SQL("""
    INSERT INTO cpq.approval_links (tenant, token_hash, request_id, approver_id, expires_at)
    VALUES (quarry.current_tenant(), %(token_hash)s, %(request_id)s, %(approver_id)s, %(expires_at)s)
""")
LINK = SQL("""
    SELECT l.request_id, l.approver_id, l.used_at, p.name AS approver_name, p.active, p.role
    FROM cpq.approval_links l
    JOIN cpq.approvers p ON p.tenant = l.tenant AND p.id = l.approver_id
    WHERE l.tenant = quarry.current_tenant() AND l.token_hash = %(token_hash)s
""")
USE_LINK = SQL("""
    UPDATE cpq.approval_links SET used_at = now()
    WHERE tenant = quarry.current_tenant() AND token_hash = %(token_hash)s AND used_at IS NULL
""")


def plan_for_people(connection: Connection, *, request_id: str, channel: str, role: str) -> None:
    """A notice for each active approver of the role; on Slack, for those who have an account there."""
    connection.execute(PLAN_FOR_PEOPLE, {"request_id": request_id, "channel": channel, "role": role})


def plan_for_channel(connection: Connection, *, request_id: str, channel: str) -> None:
    connection.execute(PLAN_FOR_CHANNEL, {"request_id": request_id, "recipient": channel})


def open_requests(connection: Connection) -> list[DictRow]:
    return connection.execute(OPEN_REQUESTS).fetchall()


def claim(connection: Connection, *, request_id: str | None, limit: int) -> list[DictRow]:
    """Due notices, now this caller's to send; they become due again by themselves, later with every attempt."""
    return connection.execute(CLAIM, {"request_id": request_id, "limit": limit}).fetchall()


def note_sent(connection: Connection, notice: DictRow, *, reference: str) -> None:
    connection.execute(SENT, {**notice, "reference": reference})


def note_failed(connection: Connection, notice: DictRow, *, error: str) -> None:
    connection.execute(FAILED, {**notice, "error": error[:LONGEST_ERROR]})


def notices(connection: Connection, *, request_id: str) -> list[DictRow]:
    """Each with approver_id, None for a channel; the channel's first."""
    return connection.execute(NOTICES, {"request_id": request_id}).fetchall()


def facts(connection: Connection, *, request_id: str, recipient: str) -> DictRow | None:
    """What a message tells; approver columns are NULL where the recipient is a channel."""
    return connection.execute(FACTS, {"request_id": request_id, "recipient": recipient}).fetchone()


def add_link(
    connection: Connection, *, token_hash: bytes, request_id: str, approver_id: str, expires_at: datetime
) -> None:
    link = {"token_hash": token_hash, "request_id": request_id, "approver_id": approver_id, "expires_at": expires_at}
    connection.execute(ADD_LINK, link)


def link(connection: Connection, *, token_hash: bytes) -> DictRow | None:
    """The link with its approver's name, role and whether they still are one."""
    return connection.execute(LINK, {"token_hash": token_hash}).fetchone()


def use_link(connection: Connection, *, token_hash: bytes) -> None:
    connection.execute(USE_LINK, {"token_hash": token_hash})
