"""SQL of quotes: versions and their lines, locks and numbers, a version's history, and lists that can be paged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from psycopg.rows import DictRow
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from cpq import house
from cpq.model import (
    AuditEntry,
    PolicyEvaluation,
    QuoteHeader,
    QuoteLine,
    QuotePricing,
    QuoteVersion,
    Status,
    VersionCard,
    VersionLine,
)
from quarry.data.database import Connection, row_of, rows_of
from quarry.money import in_currency

TODAY = SQL("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS today")

LOCK = SQL("SELECT id FROM cpq.quotes WHERE tenant = quarry.current_tenant() AND id = %(quote_id)s FOR UPDATE")
CURRENT = SQL("""
    SELECT q.id AS quote_id, q.account_id, q.current_version AS version, v.status
    FROM cpq.quotes q
    JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id AND v.version = q.current_version
    WHERE q.tenant = quarry.current_tenant() AND q.id = %(quote_id)s
""")

# Other modules append a WHERE clause, to read a version for approval or for print.
SELECT_VERSION = SQL("""
    SELECT v.quote_id, v.version, q.current_version, q.account_id, q.deal_id, v.status,
        v.valid_until < (now() AT TIME ZONE 'UTC')::date AS ended, v.account, v.currency, v.term_months, v.start_date,
        v.end_date, v.billing_frequency, v.payment_terms, v.valid_until, v.notes, v.subtotal, v.discount_total,
        v.tax_total, v.total, v.policy_evaluation, v.content_hash, v.priced_at, t.trace
    FROM cpq.quotes q
    JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id
    LEFT JOIN cpq.pricing_traces t ON t.tenant = v.tenant AND t.id = v.pricing_trace_id
""")
VERSION = SQL("""
    {select} WHERE q.tenant = quarry.current_tenant() AND q.id = %(quote_id)s
        AND v.version = coalesce(%(version)s::integer, q.current_version)
""").format(select=SELECT_VERSION)
LINES = SQL("""
    SELECT id, sort_order, product_id, sku, product_name, description, quantity, attributes, discount_pct, notes,
        unit, allowance, base_unit_price, unit_price, subtotal, effective_discount_pct, discount_amount, tax_rate_pct,
        tax_amount, line_total
    FROM cpq.quote_lines
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
    ORDER BY sort_order
""")

# Header and lines in one statement: in two, a pricing run could commit in between.
WHOLE = SQL("""
    SELECT q.id, v.version, q.current_version, q.account_id, v.account ->> 'name' AS account_name, q.deal_id,
        cpq.status_now(v.status, v.valid_until) AS status, v.status AS stored_status, v.currency, v.term_months,
        v.start_date, v.end_date, v.billing_frequency, v.payment_terms, v.valid_until, v.notes, q.created_at,
        q.created_by, v.updated_at, v.finalized_at, v.sent_at, v.subtotal, v.discount_total, v.tax_total, v.total,
        v.price_book_id,
        b.name AS price_book_name, coalesce(v.requested_discount_pct, 0) AS requested_discount_pct, v.priced_at,
        v.pricing_trace_id, v.policy_evaluation, l.id AS line_id, l.product_id, l.product_name, l.sku, l.quantity,
        l.unit, l.allowance, l.unit_price, l.discount_pct, l.discount_amount, l.subtotal AS line_subtotal,
        l.line_total, l.attributes, l.notes AS line_notes, l.sort_order
    FROM cpq.quotes q
    JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id
        AND v.version = coalesce(%(version)s::integer, q.current_version)
    LEFT JOIN cpq.price_books b ON b.tenant = v.tenant AND b.id = v.price_book_id
    LEFT JOIN cpq.quote_lines l ON l.tenant = v.tenant AND l.quote_id = v.quote_id AND l.version = v.version
    WHERE q.tenant = quarry.current_tenant() AND q.id = %(quote_id)s
    ORDER BY l.sort_order
""")
HISTORY = SQL("""
    SELECT v.version, cpq.status_now(v.status, v.valid_until) AS status, v.total, v.created_at, v.created_by
    FROM cpq.quote_versions v
    WHERE v.tenant = quarry.current_tenant() AND v.quote_id = %(quote_id)s ORDER BY v.version
""")
TRACE = SQL("SELECT trace FROM cpq.pricing_traces WHERE tenant = quarry.current_tenant() AND id = %(trace_id)s")
AUDIT = SQL("""
    SELECT seq, at, actor, action, before, after FROM cpq.audit
    WHERE tenant = quarry.current_tenant() AND subject_kind = 'quote' AND subject_id = %(quote_id)s ORDER BY seq
""")
ACCOUNT_EXISTS = SQL("SELECT FROM cpq.accounts WHERE tenant = quarry.current_tenant() AND id = %(account_id)s")

NEWEST_IDS = SQL("""
    SELECT id FROM cpq.quotes WHERE tenant = quarry.current_tenant() ORDER BY created_at DESC, id DESC LIMIT 500
""")

SORTS = {
    "created_at": SQL("q.created_at"),
    "updated_at": SQL("v.updated_at"),
    "total": SQL("v.currency, v.total"),
    "valid_until": SQL("v.valid_until"),
    "account_name": SQL("lower(v.account ->> 'name')"),
    "id": SQL("q.id"),
}
DIRECTIONS = {"asc": SQL("ASC"), "desc": SQL("DESC")}

LIST = SQL("""
    WITH listed AS (
        SELECT q.id, v.version, q.account_id, v.account ->> 'name' AS account_name, q.deal_id,
            cpq.status_now(v.status, v.valid_until) AS status, v.currency, v.total, v.valid_until, q.created_at,
            q.created_by, row_number() OVER (ORDER BY {sort} {direction} NULLS LAST, q.id {direction}) AS place
        FROM cpq.quotes q
        JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id AND v.version = q.current_version
        WHERE q.tenant = quarry.current_tenant()
          AND (%(account_id)s::text IS NULL OR q.account_id = %(account_id)s::text)
          AND (%(status)s::text IS NULL OR cpq.status_now(v.status, v.valid_until) = %(status)s::text)
          AND (%(created_after)s::timestamptz IS NULL OR q.created_at >= %(created_after)s::timestamptz)
          AND (%(created_before)s::timestamptz IS NULL OR q.created_at < %(created_before)s::timestamptz))
    SELECT counted.total AS matches, page.*, now() AS as_of
    FROM (SELECT count(*) AS total FROM listed) AS counted
    LEFT JOIN LATERAL (SELECT * FROM listed ORDER BY place LIMIT %(limit)s OFFSET %(offset)s) AS page ON true
    ORDER BY page.place
""")

INSERT_QUOTE = SQL("""
    INSERT INTO cpq.quotes (tenant, id, account_id, deal_id, created_by)
    VALUES (quarry.current_tenant(), %(quote_id)s, %(account_id)s, %(deal_id)s, %(created_by)s)
    ON CONFLICT (tenant, id) DO NOTHING RETURNING id
""")
# What a draft says; amounts come with pricing.
TERMS = SQL("currency, term_months, start_date, end_date, billing_frequency, payment_terms, valid_until, notes")
LINE = SQL("id, sort_order, product_id, sku, product_name, description, quantity, attributes, discount_pct, notes")

INSERT_VERSION = SQL("""
    INSERT INTO cpq.quote_versions (tenant, quote_id, version, status, account, {terms}, created_by)
    SELECT a.tenant, %(quote_id)s, %(version)s, 'draft', to_jsonb(a) - 'tenant' - 'updated_at', %(currency)s,
        %(term_months)s, %(start_date)s, %(end_date)s, %(billing_frequency)s, %(payment_terms)s, %(valid_until)s,
        %(notes)s, %(created_by)s
    FROM cpq.accounts a WHERE a.tenant = quarry.current_tenant() AND a.id = %(account_id)s
""").format(terms=TERMS)
INSERT_LINES = SQL("""
    INSERT INTO cpq.quote_lines (tenant, quote_id, version, {line})
    SELECT p.tenant, %(quote_id)s, %(version)s, 'ql_' || lpad(r.sort_order::text, 3, '0'), r.sort_order, p.id, p.sku,
        p.name, p.description, r.quantity, r.attributes, r.discount_pct, r.notes
    FROM jsonb_to_recordset(%(lines)s) AS r (
        sort_order integer, product_id text, quantity numeric, attributes jsonb, discount_pct numeric, notes text)
    JOIN cpq.products p ON p.tenant = quarry.current_tenant() AND p.id = r.product_id
""").format(line=LINE)
COPY_VERSION = SQL("""
    INSERT INTO cpq.quote_versions (tenant, quote_id, version, status, account, {terms}, created_by)
    SELECT tenant, quote_id, %(version)s, 'draft', account, {terms}, %(created_by)s
    FROM cpq.quote_versions
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(from_version)s
""").format(terms=TERMS)
COPY_LINES = SQL("""
    INSERT INTO cpq.quote_lines (tenant, quote_id, version, {line})
    SELECT tenant, quote_id, %(version)s, {line} FROM cpq.quote_lines
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(from_version)s
""").format(line=LINE)
SET_STATUS = SQL("""
    UPDATE cpq.quote_versions SET status = %(status)s, revision = revision + 1, updated_at = now(),
        finalized_at = CASE WHEN %(status)s = 'approved' THEN now() ELSE finalized_at END
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
""")
SUPERSEDE = SQL("""
    UPDATE cpq.quote_versions SET status = 'superseded', superseded_at = now(), updated_at = now(),
        revision = revision + 1
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
""")
VOID = SQL("""
    UPDATE cpq.approval_requests SET status = 'void', voided_at = now(), void_reason = %(reason)s
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s
        AND status = ANY(%(statuses)s)
    RETURNING id
""")
ADVANCE = SQL("""
    UPDATE cpq.quotes SET current_version = %(version)s + 1, deal_id = coalesce(%(deal_id)s, deal_id)
    WHERE tenant = quarry.current_tenant() AND id = %(quote_id)s
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentVersion:
    """The newest version of a quote, as a writer needs it."""

    quote_id: str
    account_id: str
    version: int
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeQuote:
    """A version with its lines; ``pricing`` and ``evaluation`` are None until it is priced."""

    header: QuoteHeader
    lines: list[QuoteLine]
    pricing: QuotePricing | None
    evaluation: PolicyEvaluation | None


def today(connection: Connection) -> date:
    """Returns today in UTC by the clock, because the transaction may have begun long ago."""
    [row] = connection.execute(TODAY).fetchall()
    day: date = row["today"]
    return day


def locked(connection: Connection, *, quote_id: str) -> CurrentVersion | None:
    """Locks the quote until the transaction ends and reads its newest version."""
    # In two statements: after waiting for the lock, the first would still see the version from before.
    if connection.execute(LOCK, {"quote_id": quote_id}).fetchone() is None:
        return None
    return row_of(connection, CurrentVersion, CURRENT, {"quote_id": quote_id})


def version(connection: Connection, *, quote_id: str, version: int | None = None) -> QuoteVersion | None:
    """Returns the version, or the newest."""
    return row_of(connection, QuoteVersion, VERSION, {"quote_id": quote_id, "version": version})


def lines(connection: Connection, *, quote_id: str, version: int) -> list[VersionLine]:
    """Returns the lines in the order of the quote."""
    return rows_of(connection, VersionLine, LINES, {"quote_id": quote_id, "version": version})


def whole(connection: Connection, *, quote_id: str, version: int | None) -> WholeQuote | None:
    """Returns the version, or the newest, with its lines."""
    rows = connection.execute(WHOLE, {"quote_id": quote_id, "version": version}).fetchall()
    if not rows:
        return None
    row = rows[0]
    priced = row["pricing_trace_id"] is not None
    return WholeQuote(
        header=QuoteHeader.model_validate(row, extra="ignore"),
        lines=[_line(row) for row in rows if row["line_id"] is not None],
        pricing=QuotePricing.model_validate(row, extra="ignore") if priced else None,
        evaluation=_evaluation(row) if priced else None,
    )


def _evaluation(row: DictRow) -> PolicyEvaluation:
    """Returns what the policies said; its status is APPROVED where people have given what they asked for."""
    found = PolicyEvaluation.model_validate(row["policy_evaluation"])
    return found.model_copy(update={"status": "APPROVED"}) if row["stored_status"] == "approved" else found


def history(connection: Connection, *, quote_id: str) -> list[VersionCard]:
    """Returns all versions, oldest first; empty when there is no such quote."""
    return rows_of(connection, VersionCard, HISTORY, {"quote_id": quote_id})


def trace(connection: Connection, *, trace_id: str) -> dict[str, object]:
    [row] = connection.execute(TRACE, {"trace_id": trace_id}).fetchall()
    stored: dict[str, object] = row["trace"]
    return stored


def audit(connection: Connection, *, quote_id: str) -> list[AuditEntry]:
    """Returns what was done to the quote, oldest first."""
    return rows_of(connection, AuditEntry, AUDIT, {"quote_id": quote_id})


def account_exists(connection: Connection, *, account_id: str) -> bool:
    return connection.execute(ACCOUNT_EXISTS, {"account_id": account_id}).fetchone() is not None


def newest_ids(connection: Connection) -> list[str]:
    """Returns the ids of the 500 newest quotes, the newest first."""
    return [row["id"] for row in connection.execute(NEWEST_IDS)]


def listed(
    connection: Connection, *, sort_by: str, sort_order: str, parameters: Mapping[str, object]
) -> list[DictRow]:
    """Returns a page, at least one row, which without quotes has no id; each row tells how many quotes there are in
    all and when they were read. ``parameters`` bind all names in LIST but its order.
    """
    query = LIST.format(sort=SORTS[sort_by], direction=DIRECTIONS[sort_order])
    return connection.execute(query, parameters).fetchall()


def insert_quote(connection: Connection, *, year: int, account_id: str, deal_id: str | None, by: str) -> str:
    """Inserts a quote and returns its id, which follows the pattern of the house."""
    quote = {"account_id": account_id, "deal_id": deal_id, "created_by": by}
    # Where two patterns differ only in how far numbers are padded, a quote of the other may have this number already.
    return next(
        quote_id
        for quote_id in house.quote_ids(connection, year=year)
        if connection.execute(INSERT_QUOTE, {**quote, "quote_id": quote_id}).fetchone()
    )


def insert_version(
    connection: Connection,
    *,
    quote_id: str,
    version: int,
    account_id: str,
    by: str,
    terms: Mapping[str, object],
    lines: Sequence[Mapping[str, object]],
) -> None:
    named = {"quote_id": quote_id, "version": version, "account_id": account_id, "created_by": by}
    connection.execute(INSERT_VERSION, {**named, **terms})
    connection.execute(INSERT_LINES, {**named, "lines": Jsonb(list(lines))})


def copy_version(connection: Connection, *, quote_id: str, from_version: int, version: int, by: str) -> None:
    """Makes ``version`` an unpriced draft with the content of ``from_version``."""
    named = {"quote_id": quote_id, "from_version": from_version, "version": version, "created_by": by}
    connection.execute(COPY_VERSION, named)
    connection.execute(COPY_LINES, named)


def set_status(connection: Connection, *, quote_id: str, version: int, status: Status) -> None:
    connection.execute(SET_STATUS, {"quote_id": quote_id, "version": version, "status": status})


def void(connection: Connection, *, quote_id: str, reason: str, statuses: Sequence[str]) -> list[str]:
    """Voids the quote's approval requests that have one of the ``statuses``, and returns their ids, sorted."""
    named = {"quote_id": quote_id, "reason": reason, "statuses": list(statuses)}
    return sorted(row["id"] for row in connection.execute(VOID, named))


def supersede(
    connection: Connection, current: CurrentVersion, *, reason: str, deal_id: str | None = None
) -> tuple[int, list[str]]:
    """Makes room for the next version: returns its number, and the approval requests that this made void.

    The caller inserts the version; the superseded one stays readable. Without a ``deal_id`` the quote keeps its own.
    """
    named = {"quote_id": current.quote_id, "version": current.version, "deal_id": deal_id}
    connection.execute(SUPERSEDE, named)
    voided = void(connection, quote_id=current.quote_id, reason=reason, statuses=("pending", "waiting", "approved"))
    connection.execute(ADVANCE, named)
    return current.version + 1, voided


def _line(row: DictRow) -> QuoteLine:
    own = {
        "id": row["line_id"],
        "quote_id": row["id"],
        "unit_price": row["unit_price"] and in_currency(row["unit_price"], row["currency"]),
        "subtotal": row["line_subtotal"],
        "notes": row["line_notes"],
    }
    return QuoteLine.model_validate({**row, **own}, extra="ignore")
