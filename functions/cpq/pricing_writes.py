"""SQL that a pricing run writes with: the next version where one is due, amounts, trace and content hash."""

from datetime import datetime

from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from cpq.content import content_hash
from cpq.model import PolicyEvaluation
from cpq.pricing.engine import Priced, PricedLine
from cpq.pricing.trace import Trace
from quarry.data.database import Connection
from quarry.tool.identity import Caller

COPY_VERSION = SQL("""
    INSERT INTO cpq.quote_versions (
        tenant, quote_id, version, status, account, currency, term_months, start_date, end_date, billing_frequency,
        payment_terms, valid_until, notes, created_by)
    SELECT tenant, quote_id, %(version)s, 'draft', account, currency, term_months, start_date, end_date,
        billing_frequency, payment_terms, valid_until, notes, %(created_by)s
    FROM cpq.quote_versions WHERE tenant = %(tenant)s AND quote_id = %(quote_id)s AND version = %(from_version)s
""")

COPY_LINES = SQL("""
    INSERT INTO cpq.quote_lines (
        tenant, quote_id, version, id, sort_order, product_id, sku, product_name, description, quantity, attributes,
        discount_pct, notes)
    SELECT tenant, quote_id, %(version)s, id, sort_order, product_id, sku, product_name, description, quantity,
        attributes, discount_pct, notes
    FROM cpq.quote_lines WHERE tenant = %(tenant)s AND quote_id = %(quote_id)s AND version = %(from_version)s
""")

# Name, SKU and description are refreshed too: a priced quote sells the product as it is now.
STORE_LINES = SQL("""
    UPDATE cpq.quote_lines l SET sku = p.sku, product_name = p.name, description = p.description, unit = r.unit,
        base_unit_price = r.base_unit_price, volume_tier = r.volume_tier, unit_price = r.unit_price,
        subtotal = r.subtotal, effective_discount_pct = r.effective_discount_pct,
        discount_amount = r.discount_amount, tax_rate_pct = r.tax_rate_pct, tax_amount = r.tax_amount,
        line_total = r.line_total
    FROM jsonb_to_recordset(%(lines)s) AS r (
        id text, unit text, base_unit_price numeric, volume_tier jsonb, unit_price numeric, subtotal numeric,
        effective_discount_pct numeric, discount_amount numeric, tax_rate_pct numeric, tax_amount numeric,
        line_total numeric), cpq.products p
    WHERE l.tenant = %(tenant)s AND l.quote_id = %(quote_id)s AND l.version = %(version)s AND l.id = r.id
        AND p.tenant = l.tenant AND p.id = l.product_id
    RETURNING l.*
""")

INSERT_TRACE = SQL("""
    INSERT INTO cpq.pricing_traces (tenant, id, quote_id, version, trace, created_by)
    VALUES (%(tenant)s, %(trace_id)s, %(quote_id)s, %(version)s, %(trace)s, %(created_by)s)
""")

STORE_VERSION = SQL("""
    UPDATE cpq.quote_versions v SET status = 'priced', account = to_jsonb(a) - 'tenant' - 'updated_at',
        requested_discount_pct = %(requested_discount_pct)s, subtotal = %(subtotal)s,
        discount_total = %(discount_total)s, tax_total = %(tax_total)s, total = %(total)s,
        price_book_id = %(price_book_id)s, pricing_trace_id = %(trace_id)s, policy_evaluation = %(evaluation)s,
        priced_at = clock_timestamp(), updated_at = clock_timestamp(), revision = v.revision + 1,
        finalized_at = CASE WHEN %(final)s THEN clock_timestamp() END
    FROM cpq.quotes q JOIN cpq.accounts a ON a.tenant = q.tenant AND a.id = q.account_id
    WHERE v.tenant = %(tenant)s AND v.quote_id = %(quote_id)s AND v.version = %(version)s
        AND q.tenant = v.tenant AND q.id = v.quote_id
    RETURNING v.*
""")

STORE_HASH = SQL("""
    UPDATE cpq.quote_versions SET content_hash = %(content_hash)s
    WHERE tenant = %(tenant)s AND quote_id = %(quote_id)s AND version = %(version)s
""")


def copy_version(connection: Connection, *, caller: Caller, quote_id: str, from_version: int, version: int) -> None:
    """``version`` as an unpriced draft with the content of ``from_version``."""
    named = {
        "tenant": caller.tenant,
        "quote_id": quote_id,
        "from_version": from_version,
        "version": version,
        "created_by": caller.subject,
    }
    connection.execute(COPY_VERSION, named)
    connection.execute(COPY_LINES, named)


def store(
    connection: Connection,
    *,
    caller: Caller,
    quote_id: str,
    version: int,
    priced: Priced,
    trace: Trace,
    trace_id: str,
    evaluation: PolicyEvaluation,
) -> datetime:
    """Writes a run's outcome, with the hash of the rows as they were stored; returns the time of pricing."""
    named = {"tenant": caller.tenant, "quote_id": quote_id, "version": version, "trace_id": trace_id}
    connection.execute(
        INSERT_TRACE,
        {**named, "trace": Jsonb(trace.model_dump(mode="json")), "created_by": caller.subject},
    )
    lines = connection.execute(STORE_LINES, {**named, "lines": Jsonb([_row(line) for line in priced.lines])})
    header = connection.execute(
        STORE_VERSION,
        {
            **named,
            "requested_discount_pct": priced.order.discount_pct,
            "subtotal": priced.totals.gross,
            "discount_total": priced.totals.discount,
            "tax_total": priced.totals.tax,
            "total": priced.totals.total,
            "price_book_id": priced.book.id,
            "evaluation": Jsonb(evaluation.model_dump(mode="json")),
            "final": evaluation.auto_approved,
        },
    ).fetchone()
    if header is None:
        raise LookupError(f"{quote_id} has no version {version}")
    connection.execute(STORE_HASH, {**named, "content_hash": content_hash(header, lines.fetchall())})
    priced_at: datetime = header["priced_at"]
    return priced_at


def _row(line: PricedLine) -> dict[str, object]:
    """Numbers as text: JSON's own would lose digits."""
    tier = line.tier
    return {
        "id": line.item.line_id,
        "unit": line.entry.unit,
        "base_unit_price": str(line.entry.price),
        "volume_tier": None if tier is None else {"min": tier.min, "max": tier.max, "price": str(tier.price)},
        "unit_price": str(line.unit_price),
        "subtotal": str(line.amounts.gross),
        "effective_discount_pct": str(line.discount_pct),
        "discount_amount": str(line.amounts.discount),
        "tax_rate_pct": str(line.tax_rule.rate_pct if line.tax_rule else 0),
        "tax_amount": str(line.amounts.tax),
        "line_total": str(line.amounts.net),
    }
