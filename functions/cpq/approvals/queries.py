"""SQL of approvals: requests, the people who decide, their links, and the notices that carry these."""

from dataclasses import asdict, dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from cpq.approvals.model import Approval
from cpq.model import QuoteVersion
from quarry.data.database import Connection, row_of, rows_of

CUSTOMER_RECORD = SQL("""
    SELECT customer_since, invoices_paid, invoices_paid_on_time, competitor_discount_pct
    FROM cpq.accounts WHERE tenant = quarry.current_tenant() AND id = %(account_id)s
""")
OVERDUE = SQL("(status = 'pending' AND expires_at <= now())")
COLUMNS = SQL("{stored}, {overdue} AS overdue").format(
    stored=SQL(", ").join(Identifier(name) for name in Approval.__slots__ if name != "overdue"), overdue=OVERDUE
)
REQUESTS = SQL("SELECT {columns} FROM cpq.approval_requests WHERE tenant = quarry.current_tenant()").format(
    columns=COLUMNS
)
# The policy says how many hours a request stays open; where it is gone, it is four.
INSERT = SQL("""
    INSERT INTO cpq.approval_requests (
        tenant, id, quote_id, version, content_hash, status, approver_role, level, justification, context,
        requested_by, hours, expires_at)
    SELECT quarry.current_tenant(), %(id)s, %(quote_id)s, %(version)s, %(content_hash)s, %(status)s,
        %(approver_role)s, %(level)s, %(justification)s, %(context)s, %(requested_by)s, p.hours,
        cpq.deadline(%(approver_role)s, %(requested_by)s, p.hours)
    FROM (SELECT coalesce(max(approval_ttl_hours), 4) AS hours FROM cpq.discount_policies
          WHERE tenant = quarry.current_tenant() AND id = %(policy_id)s) p
    RETURNING {columns}
""").format(columns=COLUMNS)
BY_ID = SQL("{requests} AND id = %(id)s").format(requests=REQUESTS)
UNDECIDED = SQL("""
    {requests} AND quote_id = %(quote_id)s AND version = %(version)s AND status IN ('pending', 'waiting')
    ORDER BY status, level, id
""").format(requests=REQUESTS)
CLOSE = SQL("""
    UPDATE cpq.approval_requests SET status = %(status)s, escalated_to = %(escalated_to)s
    WHERE tenant = quarry.current_tenant() AND id = %(id)s
""")
DECIDE = SQL("""
    UPDATE cpq.approval_requests SET status = %(status)s, decided_at = now(), decided_by = %(approver_id)s,
        approver_name = %(approver_name)s, decision_comment = %(comment)s,
        approved_up_to_pct = %(up_to)s
    WHERE tenant = quarry.current_tenant() AND id = %(id)s
""")
OF_QUOTE = SQL("{requests} AND quote_id = %(quote_id)s ORDER BY created_at DESC, id DESC").format(requests=REQUESTS)
ALL_OVERDUE = SQL("{requests} AND {overdue} ORDER BY expires_at, id LIMIT %(limit)s").format(
    requests=REQUESTS, overdue=OVERDUE
)

PENDING = SQL("""
    FROM cpq.approval_requests a
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

PLAN_FOR_PEOPLE = SQL("""
    INSERT INTO cpq.approval_notices (tenant, request_id, channel, recipient)
    SELECT DISTINCT ON (lower(p.email)) p.tenant, %(request_id)s, %(channel)s, p.id
    FROM cpq.deciders(%(role)s, %(requested_by)s) p
    WHERE %(channel)s <> 'slack' OR p.slack_user_id IS NOT NULL
    ORDER BY lower(p.email), p.id
    ON CONFLICT DO NOTHING
""")
PLAN_FOR_CHANNEL = SQL("""
    INSERT INTO cpq.approval_notices (tenant, request_id, channel, recipient)
    VALUES (quarry.current_tenant(), %(request_id)s, 'slack', %(recipient)s) ON CONFLICT DO NOTHING
""")
# A person signs in under an address or an id; a program under the subject of its key, which has a name.
NAME = SQL("""
    SELECT coalesce(
        (SELECT p.name FROM cpq.approvers p
         WHERE p.tenant = quarry.current_tenant() AND lower(%(subject)s) IN (lower(p.email), p.id) LIMIT 1),
        (SELECT k.name FROM quarry.api_keys k
         WHERE k.tenant = quarry.current_tenant() AND k.subject = %(subject)s
         ORDER BY k.revoked_at DESC NULLS FIRST LIMIT 1)) AS name
""")
PEOPLE = SQL("""
    SELECT count(DISTINCT lower(email)) AS people FROM cpq.approvers
    WHERE tenant = quarry.current_tenant() AND active AND NOT cpq.is_person(%(requested_by)s, email)
        AND lower(email) NOT IN (SELECT lower(b.email) FROM cpq.approvers b
            WHERE b.tenant = quarry.current_tenant() AND b.id = ANY(%(approved)s))
""")
OPEN_REQUESTS = SQL("{requests} AND status = 'pending' AND expires_at > now()").format(requests=REQUESTS)
IS_APPROVER = SQL("""
    SELECT EXISTS (
        SELECT FROM cpq.approvers
        WHERE tenant = quarry.current_tenant() AND active AND lower(%(subject)s) IN (id, lower(email))) AS found
""")

# A notice is claimed by postponing its next attempt: whoever else looks for due notices does not see it.
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
ATTEMPTED = SQL("""
    UPDATE cpq.approval_notices SET last_error = %(error)s, reference = coalesce(%(reference)s, reference),
        sent_at = CASE WHEN %(error)s::text IS NULL THEN now() ELSE sent_at END
    WHERE tenant = quarry.current_tenant() AND request_id = %(request_id)s AND channel = %(channel)s
        AND recipient = %(recipient)s
""")
# Approvers who are told only because of costs are left out: whoever asked for approval reads what these rows say.
NOTICES = SQL("""
    SELECT n.channel, n.recipient, n.sent_at, n.reference, n.last_error, p.id AS approver_id
    FROM cpq.approval_notices n
    JOIN cpq.approval_requests a ON a.tenant = n.tenant AND a.id = n.request_id
    LEFT JOIN cpq.approvers p ON p.tenant = n.tenant AND p.id = n.recipient
    WHERE n.tenant = quarry.current_tenant() AND n.request_id = %(request_id)s
        AND (p.id IS NULL OR p.id IN (SELECT d.id FROM cpq.deciders(a.approver_role, a.requested_by) d))
    ORDER BY n.channel, p.id IS NOT NULL, n.recipient
""")
# A person who is an approver twice has one address.
APPROVED_BEFORE = SQL("""
    (SELECT min(o.id) FROM cpq.approval_requests o
     JOIN cpq.approvers b ON b.tenant = o.tenant AND b.id = o.decided_by AND lower(b.email) = lower(p.email)
     WHERE o.tenant = r.tenant AND o.quote_id = r.quote_id AND o.version = r.version AND o.status = 'approved'
        AND o.content_hash = r.content_hash AND o.id <> r.id) AS approved_before
""")
RECIPIENT = SQL("""
    SELECT p.id, p.name, p.email, p.slack_user_id, coalesce(p.time_zone, 'UTC') AS time_zone,
        r.expires_at AT TIME ZONE coalesce(p.time_zone, 'UTC') AS until, {approved_before}
    FROM cpq.approval_requests r LEFT JOIN cpq.approvers p ON p.tenant = r.tenant AND p.id = %(recipient)s
    WHERE r.tenant = quarry.current_tenant() AND r.id = %(request_id)s
""").format(approved_before=APPROVED_BEFORE)

ADD_LINK = SQL("""
    INSERT INTO cpq.approval_links (tenant, token_hash, request_id, approver_id, expires_at)
    VALUES (quarry.current_tenant(), %(token_hash)s, %(request_id)s, %(approver_id)s, %(expires_at)s)
""")
LINK = SQL("""
    SELECT l.request_id, l.approver_id, p.name AS approver_name,
        cpq.is_person(r.requested_by, p.email) AS is_of_asker,
        EXISTS (SELECT FROM cpq.deciders(%(role)s, r.requested_by) d WHERE d.id = p.id) AS may_decide,
        CASE WHEN p.role <> %(role)s THEN (
            SELECT a.name FROM cpq.approval_delegations d
            JOIN cpq.approvers a ON a.tenant = d.tenant AND a.id = d.approver_id AND a.role = %(role)s
            WHERE d.tenant = l.tenant AND d.delegate_id = p.id
                AND (now() AT TIME ZONE coalesce(a.time_zone, 'UTC'))::date <= d.until
            ORDER BY a.id LIMIT 1) END AS in_place_of,
        {approved_before}
    FROM cpq.approval_links l
    JOIN cpq.approvers p ON p.tenant = l.tenant AND p.id = l.approver_id
    JOIN cpq.approval_requests r ON r.tenant = l.tenant AND r.id = l.request_id
    WHERE l.tenant = quarry.current_tenant() AND l.token_hash = %(token_hash)s
""").format(approved_before=APPROVED_BEFORE)
DEPUTIES = SQL("""
    SELECT r.id AS request_id, u.after ->> 'in_place_of' AS in_place_of
    FROM cpq.audit u JOIN cpq.approval_requests r ON r.tenant = u.tenant AND r.id = u.before ->> 'approval'
    WHERE u.tenant = quarry.current_tenant() AND u.subject_kind = 'quote' AND u.subject_id = %(quote_id)s
        -- In the place of a higher role one decides because of costs, of which whoever asked reads nothing.
        AND EXISTS (SELECT FROM cpq.approvers a WHERE a.tenant = r.tenant AND a.role = r.approver_role
            AND a.name = u.after ->> 'in_place_of')
""")
USE_LINK = SQL("""
    UPDATE cpq.approval_links SET used_at = now()
    WHERE tenant = quarry.current_tenant() AND token_hash = %(token_hash)s AND used_at IS NULL
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerRecord:
    """What is on record for a customer; a competitor's discount is in percent."""

    customer_since: date | None
    invoices_paid: int | None
    invoices_paid_on_time: int | None
    competitor_discount_pct: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A message that is due; ``recipient`` is an approver's id or a channel."""

    request_id: str
    channel: str
    recipient: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """Whom a message is for, an approver or a channel, which has no id, name and address. The request can be decided
    ``until`` then, by the clock of the ``time_zone``. ``approved_before`` is what they approved of the same version.
    """

    id: str | None
    name: str | None
    email: str | None
    slack_user_id: str | None
    time_zone: str
    until: datetime
    approved_before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link on record with its approver as of now. ``may_decide`` is about the role that was asked for;
    ``in_place_of`` names the approver whom this one stands in for, ``approved_before`` another request about the same
    content that this person approved.
    """

    request_id: str
    approver_id: str
    approver_name: str
    is_of_asker: bool
    may_decide: bool
    in_place_of: str | None
    approved_before: str | None


def customer_record(connection: Connection, *, account_id: str) -> CustomerRecord:
    return rows_of(connection, CustomerRecord, CUSTOMER_RECORD, {"account_id": account_id})[0]


def insert(connection: Connection, *, context: dict[str, Any], **fields: object) -> Approval:
    [approval] = rows_of(connection, Approval, INSERT, {**fields, "context": Jsonb(context)})
    return approval


def by_id(connection: Connection, *, request_id: str) -> Approval | None:
    return row_of(connection, Approval, BY_ID, {"id": request_id})


def undecided(connection: Connection, *, quote_id: str, version: int) -> list[Approval]:
    """Returns pending requests, overdue or not, and then those that wait for them, each from the lowest role up."""
    return rows_of(connection, Approval, UNDECIDED, {"quote_id": quote_id, "version": version})


def close(connection: Connection, *, request_id: str, status: str, escalated_to: str | None = None) -> None:
    connection.execute(CLOSE, {"id": request_id, "status": status, "escalated_to": escalated_to})


def of_quote(connection: Connection, *, quote_id: str) -> list[Approval]:
    """Returns all requests about the quote, the newest first."""
    return rows_of(connection, Approval, OF_QUOTE, {"quote_id": quote_id})


def counting(connection: Connection, *, quote_id: str, version: int) -> list[Approval]:
    """Returns the version's requests that are open or approved."""
    asked = of_quote(connection, quote_id=quote_id)
    return [each for each in asked if each.version == version and each.status in ("pending", "waiting", "approved")]


def given(connection: Connection, version: QuoteVersion, *, content_hash: str | None) -> list[Approval]:
    """Returns the approvals of exactly this content of the version, in their order."""
    asked = of_quote(connection, quote_id=version.quote_id)
    found = (each for each in asked if each.approves(version.version, content_hash=content_hash))
    return sorted(found, key=lambda each: (each.ended_at, each.id))


def deputies(connection: Connection, *, quote_id: str) -> dict[str, str]:
    """Returns by request in whose place it was decided, where it was in another's."""
    rows = connection.execute(DEPUTIES, {"quote_id": quote_id}).fetchall()
    return {row["request_id"]: row["in_place_of"] for row in rows}


def overdue(connection: Connection, *, limit: int) -> list[Approval]:
    """Returns requests that nobody answered in time, the longest overdue first."""
    return rows_of(connection, Approval, ALL_OVERDUE, {"limit": limit})


def pending(
    connection: Connection, *, role: str | None, quote_id: str | None, limit: int, offset: int
) -> tuple[int, list[DictRow]]:
    """Returns how many requests are pending and one page of them with their quotes' totals, the most urgent first."""
    chosen = {"role": role, "quote_id": quote_id}
    total = next(row["total"] for row in connection.execute(PENDING_TOTAL, chosen))
    return total, connection.execute(PENDING_PAGE, {**chosen, "limit": limit, "offset": offset}).fetchall()


def plan_for_people(connection: Connection, request: Approval, *, role: str, channel: str) -> None:
    """Plans a notice for each active approver of the role but who asked, one to each address; on Slack, for those
    who are there.
    """
    named = {"request_id": request.id, "role": role, "requested_by": request.requested_by}
    connection.execute(PLAN_FOR_PEOPLE, {**named, "channel": channel})


def is_approver(connection: Connection, *, subject: str) -> bool:
    """Whether ``subject``, as a caller's token names it, is an active approver."""
    [row] = connection.execute(IS_APPROVER, {"subject": subject}).fetchall()
    return bool(row["found"])


def people(connection: Connection, *, requested_by: str, approved: list[str | None]) -> int:
    """Returns how many people could decide, each for a role or in another's place, beside who asked or approved."""
    [row] = connection.execute(PEOPLE, {"requested_by": requested_by, "approved": approved}).fetchall()
    return int(row["people"])


def named(connection: Connection, *, subject: str) -> str:
    """Returns ``subject``, as a caller's token names it, with the name that is on record for it."""
    row = connection.execute(NAME, {"subject": subject}).fetchone()
    return f"{row['name']} ({subject})" if row and row["name"] else subject


def open_requests(connection: Connection) -> list[Approval]:
    return rows_of(connection, Approval, OPEN_REQUESTS, {})


def claim(connection: Connection, *, request_id: str | None, limit: int) -> list[Notice]:
    """Takes due notices for this caller to send; they become due again by themselves, later with every attempt."""
    return rows_of(connection, Notice, CLAIM, {"request_id": request_id, "limit": limit})


def notices(connection: Connection, *, request_id: str) -> list[DictRow]:
    """Returns how the request's messages fared; on Slack, that of the channel comes first and has no approver_id."""
    return connection.execute(NOTICES, {"request_id": request_id}).fetchall()


def recipient(connection: Connection, notice: Notice) -> Recipient:
    [found] = rows_of(connection, Recipient, RECIPIENT, asdict(notice))
    return found


def link(connection: Connection, *, token_hash: bytes, role: str) -> Link | None:
    return row_of(connection, Link, LINK, {"token_hash": token_hash, "role": role})
