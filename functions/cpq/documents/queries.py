"""SQL of printed quotes; every statement runs in a tenant's transaction."""

from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from quarry.data.database import Connection

# Whoever prices or decides takes this lock for writing: header, lines and approvals are read as one state.
HOLD = SQL("SELECT id FROM cpq.quotes WHERE tenant = quarry.current_tenant() AND id = %(quote_id)s FOR SHARE")
HEADER = SQL("""
    q.id, q.account_id, q.deal_id, v.version, v.status, v.account, v.currency, c.minor_units, v.term_months,
    v.start_date, v.end_date, v.billing_frequency, v.payment_terms, v.valid_until, v.subtotal, v.discount_total,
    v.tax_total, v.total, v.policy_evaluation, v.content_hash, v.priced_at, t.trace
""")
JOINS = SQL("""
    FROM cpq.quotes q
    JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id
    JOIN cpq.currencies c ON c.currency = v.currency
    LEFT JOIN cpq.pricing_traces t ON t.tenant = v.tenant AND t.id = v.pricing_trace_id
""")
CURRENT = SQL("""
    SELECT {header} {joins}
    WHERE q.tenant = quarry.current_tenant() AND q.id = %(quote_id)s AND v.version = q.current_version
""").format(header=HEADER, joins=JOINS)
LINES = SQL("""
    SELECT id, sort_order, product_id, sku, product_name, description, quantity, attributes, notes, unit,
        base_unit_price, unit_price, subtotal, effective_discount_pct, discount_amount, line_total
    FROM cpq.quote_lines
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
    ORDER BY sort_order
""")
APPROVALS = SQL("""
    SELECT id, approver_name, approver_role, decided_at FROM cpq.approval_requests
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
        AND content_hash = %(content_hash)s AND status = 'approved'
    ORDER BY decided_at, id
""")
AGREED_BEFORE = SQL("""
    SELECT {header} {joins}
    WHERE q.tenant = quarry.current_tenant() AND q.account_id = %(account_id)s AND q.id <> %(quote_id)s
        AND v.status IN ('approved', 'sent') AND v.priced_at < %(priced_at)s
        AND EXISTS (
            SELECT 1 FROM cpq.quote_lines l
            WHERE l.tenant = v.tenant AND l.quote_id = v.quote_id AND l.version = v.version
                AND l.product_id = ANY(%(product_ids)s))
    ORDER BY v.priced_at DESC, q.id DESC LIMIT 1
""").format(header=HEADER, joins=JOINS)
VERSION_BEFORE = SQL("""
    SELECT {header} {joins}
    WHERE q.tenant = quarry.current_tenant() AND q.id = %(quote_id)s AND v.version < %(version)s
        AND v.priced_at IS NOT NULL
    ORDER BY v.version DESC LIMIT 1
""").format(header=HEADER, joins=JOINS)
QUOTE_IDS = SQL("""
    SELECT id FROM cpq.quotes WHERE tenant = quarry.current_tenant() ORDER BY created_at DESC, id DESC LIMIT 500
""")
STORED = SQL("""
    SELECT bucket, key, sha256, bytes, generated_at FROM cpq.documents
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
        AND template = %(template)s AND options_sha256 = %(options_sha256)s
""")
# Of two that were made at once the first stays; another object takes its place only when the first one's was lost.
STORE = SQL("""
    INSERT INTO cpq.documents AS d (tenant, quote_id, version, template, options_sha256, options, bucket, key, sha256,
        bytes, generated_by)
    VALUES (quarry.current_tenant(), %(quote_id)s, %(version)s, %(template)s, %(options_sha256)s, %(options)s,
        %(bucket)s, %(key)s, %(sha256)s, %(bytes)s, %(generated_by)s)
    ON CONFLICT (tenant, quote_id, version, template, options_sha256) DO UPDATE
    SET bucket = excluded.bucket, key = excluded.key, sha256 = excluded.sha256, bytes = excluded.bytes,
        generated_at = CASE WHEN d.key = excluded.key THEN d.generated_at ELSE excluded.generated_at END,
        generated_by = CASE WHEN d.key = excluded.key THEN d.generated_by ELSE excluded.generated_by END
    RETURNING bucket, key, sha256, bytes, generated_at, generated_at = now() AS is_new
""")


def current(connection: Connection, *, quote_id: str) -> DictRow | None:
    """The newest version with its trace; the quote cannot change before the transaction ends."""
    if connection.execute(HOLD, {"quote_id": quote_id}).fetchone() is None:
        return None
    return connection.execute(CURRENT, {"quote_id": quote_id}).fetchone()


def lines(connection: Connection, header: DictRow) -> list[DictRow]:
    return connection.execute(LINES, {"quote_id": header["id"], "version": header["version"]}).fetchall()


def approvals(connection: Connection, header: DictRow) -> list[DictRow]:
    """Only of this very content."""
    named = {"quote_id": header["id"], "version": header["version"], "content_hash": header["content_hash"]}
    return connection.execute(APPROVALS, named).fetchall()


def agreement_before(connection: Connection, header: DictRow, *, product_ids: list[str]) -> DictRow | None:
    """The customer's newest approved quote with one of these products, else this quote's version before."""
    named = {
        "quote_id": header["id"],
        "version": header["version"],
        "account_id": header["account_id"],
        "priced_at": header["priced_at"],
        "product_ids": product_ids,
    }
    agreed = connection.execute(AGREED_BEFORE, named).fetchone()
    return agreed or connection.execute(VERSION_BEFORE, named).fetchone()


def quote_ids(connection: Connection) -> list[str]:
    """Newest first."""
    return [row["id"] for row in connection.execute(QUOTE_IDS)]


def stored(
    connection: Connection, *, quote_id: str, version: int, template: str, options_sha256: str
) -> DictRow | None:
    named = {"quote_id": quote_id, "version": version, "template": template, "options_sha256": options_sha256}
    return connection.execute(STORED, named).fetchone()


def store(connection: Connection, *, options: dict[str, Any], **fields: object) -> DictRow:
    """The document that counts from now on, and whether that is_new."""
    row = connection.execute(STORE, {**fields, "options": Jsonb(options)}).fetchone()
    if row is None:
        raise LookupError("an upsert without a row")
    return row
