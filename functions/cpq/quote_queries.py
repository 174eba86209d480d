"""All SQL that reads quotes: one version with its lines, its history, and lists that stay put while paged through."""

from collections.abc import Mapping
from dataclasses import dataclass

from psycopg.rows import DictRow
from psycopg.sql import SQL, Composed

from cpq.model import QuoteHeader, QuoteLine
from quarry.data import database
from quarry.data.database import Connection

# Header and lines in one statement: in two, a pricing run could commit in between.
STORED = SQL("""
    SELECT q.id, v.version, q.current_version, q.account_id, v.account ->> 'name' AS account_name, q.deal_id,
        cpq.status_now(v.status, v.valid_until) AS status, v.currency, v.term_months, v.start_date, v.end_date,
        v.billing_frequency, v.payment_terms, v.valid_until, v.notes, q.created_at, q.created_by, v.updated_at,
        v.finalized_at, v.sent_at, v.subtotal, v.discount_total, v.tax_total, v.total, v.price_book_id,
        b.name AS price_book_name, v.requested_discount_pct, v.priced_at, v.pricing_trace_id, v.policy_evaluation,
        l.id AS line_id, l.product_id, l.product_name, l.sku, l.quantity, l.unit, l.unit_price, l.discount_pct,
        l.discount_amount, l.subtotal AS line_subtotal, l.line_total, l.attributes, l.notes AS line_notes,
        l.sort_order
    FROM cpq.quotes q
    JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id
        AND v.version = coalesce(%(version)s::integer, q.current_version)
    LEFT JOIN cpq.price_books b ON b.tenant = v.tenant AND b.id = v.price_book_id
    LEFT JOIN cpq.quote_lines l ON l.tenant = v.tenant AND l.quote_id = v.quote_id AND l.version = v.version
    WHERE q.tenant = %(tenant)s AND q.id = %(quote_id)s
    ORDER BY l.sort_order
""")

VERSIONS = SQL("""
    SELECT v.version, cpq.status_now(v.status, v.valid_until) AS status, v.total, v.created_at, v.created_by
    FROM cpq.quote_versions v WHERE v.tenant = %(tenant)s AND v.quote_id = %(quote_id)s ORDER BY v.version
""")

TRACE = SQL("SELECT trace FROM cpq.pricing_traces WHERE tenant = %(tenant)s AND id = %(trace_id)s")

AUDIT = SQL("""
    SELECT seq, at, actor, action, before, after FROM cpq.audit
    WHERE tenant = %(tenant)s AND subject_kind = 'quote' AND subject_id = %(quote_id)s ORDER BY seq
""")

ACCOUNT_EXISTS = SQL("SELECT FROM cpq.accounts WHERE tenant = %(tenant)s AND id = %(account_id)s")

SORTS = {
    "created_at": SQL("q.created_at"),
    "updated_at": SQL("v.updated_at"),
    "total": SQL("v.total"),
    "valid_until": SQL("v.valid_until"),
    "account_name": SQL("lower(v.account ->> 'name')"),
    "id": SQL("q.id"),
}
DIRECTIONS = {"asc": SQL("ASC"), "desc": SQL("DESC")}

# A quote belongs to a pinned list when the snapshot saw its transaction; no transaction lives for an hour, so older
# ones need no look, and ids of transactions from before a restore are never asked about.
LIST = SQL("""
    WITH listed AS (
        SELECT q.id, v.version, q.account_id, v.account ->> 'name' AS account_name, q.deal_id,
            cpq.status_now(v.status, v.valid_until) AS status, v.currency, v.total, v.valid_until, q.created_at,
            q.created_by, v.updated_at,
            row_number() OVER (ORDER BY {sort} {direction} NULLS LAST, q.id {direction}) AS place
        FROM cpq.quotes q
        JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id AND v.version = q.current_version
        WHERE q.tenant = %(tenant)s
          AND (%(account_id)s::text IS NULL OR q.account_id = %(account_id)s::text)
          AND (%(status)s::text IS NULL OR cpq.status_now(v.status, v.valid_until) = %(status)s::text)
          AND (%(created_after)s::timestamptz IS NULL OR q.created_at >= %(created_after)s::timestamptz)
          AND (%(created_before)s::timestamptz IS NULL OR q.created_at < %(created_before)s::timestamptz)
          AND (%(snapshot)s::text IS NULL OR q.created_at < %(as_of)s::timestamptz - interval '1 hour'
               OR pg_visible_in_snapshot(q.created_xid, %(snapshot)s::text::pg_snapshot)))
    SELECT counted.total AS matches, pg_current_snapshot()::text AS snapshot, now() AS as_of, page.*
    FROM (SELECT count(*) AS total FROM listed) AS counted
    LEFT JOIN LATERAL (SELECT * FROM listed ORDER BY place LIMIT %(limit)s OFFSET %(offset)s) AS page ON true
    ORDER BY page.place
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A version as it is in the database; ``row`` has its pricing columns."""

    header: QuoteHeader
    lines: list[QuoteLine]
    row: DictRow


def stored(connection: Connection, tenant: str, *, quote_id: str, version: int | None) -> Stored | None:
    """The version, or the newest, inside the caller's own transaction."""
    named = {"tenant": tenant, "quote_id": quote_id, "version": version}
    return _stored(connection.execute(STORED, named).fetchall())


def fetch(tenant: str, *, quote_id: str, version: int | None) -> Stored | None:
    return _stored(
        database.fetch(tenant, STORED, {"tenant": tenant, "quote_id": quote_id.upper(), "version": version})
    )


def versions(tenant: str, *, quote_id: str) -> list[DictRow]:
    """Oldest first; empty when there is no such quote."""
    return database.fetch(tenant, VERSIONS, {"tenant": tenant, "quote_id": quote_id.upper()})


def trace(tenant: str, *, trace_id: str) -> dict[str, object] | None:
    rows = database.fetch(tenant, TRACE, {"tenant": tenant, "trace_id": trace_id})
    return rows[0]["trace"] if rows else None


def audit(tenant: str, *, quote_id: str) -> list[DictRow]:
    """Oldest first."""
    return database.fetch(tenant, AUDIT, {"tenant": tenant, "quote_id": quote_id})


def account_exists(tenant: str, *, account_id: str) -> bool:
    return bool(database.fetch(tenant, ACCOUNT_EXISTS, {"tenant": tenant, "account_id": account_id}))


def listed(tenant: str, *, sort_by: str, sort_order: str, parameters: Mapping[str, object]) -> list[DictRow]:
    """At least one row: each has matches, snapshot and as_of, and without an id it stands for an empty page."""
    query: Composed = LIST.format(sort=SORTS[sort_by], direction=DIRECTIONS[sort_order])
    return database.fetch(tenant, query, {"tenant": tenant, **parameters})


def _stored(rows: list[DictRow]) -> Stored | None:
    if not rows:
        return None
    header = QuoteHeader.model_validate({name: rows[0][name] for name in QuoteHeader.model_fields})
    return Stored(header=header, lines=[_line(row) for row in rows if row["line_id"] is not None], row=rows[0])


def _line(row: DictRow) -> QuoteLine:
    fields = {name: row[name] for name in QuoteLine.model_fields if name in row}
    own = {"id": row["line_id"], "quote_id": row["id"], "subtotal": row["line_subtotal"], "notes": row["line_notes"]}
    return QuoteLine.model_validate({**fields, **own})
