"""SQL that pricing reads with: the quote, its products, and what prices, taxes and policies there are."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL

from cpq.attributes import AttributeSpec
from cpq.configuration import Offer, Relation, Wanted
from cpq.pricing.books import Buyer, PriceBook
from cpq.pricing.currency import Currency
from cpq.pricing.engine import Item
from cpq.pricing.entries import Entry, Tier
from cpq.pricing.policies import Band, Policy
from cpq.pricing.taxes import TaxRule
from quarry.data.database import Connection

# The clock, not the transaction's begin: the transaction may have waited long for the quote's lock.
VERSION = SQL("""
    SELECT v.version, v.status, v.currency, v.term_months, v.start_date, v.valid_until, v.total, v.pricing_trace_id,
        t.created_by AS priced_by, c.minor_units, (clock_timestamp() AT TIME ZONE 'UTC')::date AS today,
        a.name AS account_name, a.active AS account_active, a.segment, a.country, a.region, a.tax_exempt,
        a.owned_products,
        EXISTS (SELECT FROM cpq.approval_requests r
            WHERE r.tenant = v.tenant AND r.quote_id = v.quote_id AND r.version = v.version) AS was_requested,
        EXISTS (SELECT FROM cpq.documents d
            WHERE d.tenant = v.tenant AND d.quote_id = v.quote_id AND d.version = v.version) AS was_printed
    FROM cpq.quote_versions v
    JOIN cpq.quotes q ON q.tenant = v.tenant AND q.id = v.quote_id
    JOIN cpq.accounts a ON a.tenant = q.tenant AND a.id = q.account_id
    JOIN cpq.currencies c ON c.currency = v.currency
    LEFT JOIN cpq.pricing_traces t ON t.tenant = v.tenant AND t.id = v.pricing_trace_id
    WHERE v.tenant = %(tenant)s AND v.quote_id = %(quote_id)s AND v.version = %(version)s
""")

LINES = SQL("""
    SELECT l.id, l.product_id, l.quantity, l.attributes AS chosen, l.discount_pct, p.name, p.active, p.attributes,
        p.min_quantity, p.max_quantity, p.tax_category,
        CASE WHEN p.cost_currency = %(currency)s THEN p.cost END AS cost
    FROM cpq.quote_lines l
    JOIN cpq.products p ON p.tenant = l.tenant AND p.id = l.product_id
    WHERE l.tenant = %(tenant)s AND l.quote_id = %(quote_id)s AND l.version = %(version)s
    ORDER BY l.sort_order
""")

RELATIONS = SQL("""
    SELECT r.product_id, r.kind, r.related_id, p.name AS related_name, p.active AS related_active
    FROM cpq.product_relationships r
    JOIN cpq.products p ON p.tenant = r.tenant AND p.id = r.related_id
    WHERE r.tenant = %(tenant)s AND r.product_id = ANY(%(product_ids)s) AND r.active
    ORDER BY r.product_id, r.kind, r.related_id
""")

BOOKS = SQL("""
    SELECT id, name, currency, segment, country, valid_from, valid_to, priority, active
    FROM cpq.price_books
    WHERE tenant = %(tenant)s
        AND (id = %(price_book_id)s::text OR %(price_book_id)s::text IS NULL AND currency = %(currency)s)
""")

BOOK_IDS = SQL("SELECT id FROM cpq.price_books WHERE tenant = %(tenant)s AND active ORDER BY id LIMIT 2000")

ENTRIES = SQL("""
    SELECT price_book_id, product_id, version, price, unit, tiers
    FROM cpq.price_book_entries
    WHERE tenant = %(tenant)s AND product_id = ANY(%(product_ids)s) AND price_book_id = ANY(%(book_ids)s)
        AND superseded_at IS NULL
""")

TAX_RULES = SQL("""
    SELECT id, name, country, region, tax_category, rate_pct, valid_from, valid_to
    FROM cpq.tax_rules WHERE tenant = %(tenant)s AND country = %(country)s
""")

POLICY = SQL("""
    SELECT id, name, segment_name, auto_approve_pct, bands, hard_max_pct, escalation_chain
    FROM cpq.discount_policies WHERE tenant = %(tenant)s AND segment = %(segment)s
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A version as it stands, with its account and the day as they are now.

    ``settled``: somebody was asked about it or a document shows it, so it may not change in place.
    """

    quote_id: str
    version: int
    status: str
    settled: bool
    currency: Currency
    term_months: int | None
    start_date: date | None
    valid_until: date
    today: date
    buyer: Buyer
    account_name: str
    account_active: bool
    owned: tuple[str, ...]
    total: Decimal | None
    trace_id: str | None
    priced_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedLine:
    """A line as pricing, its product's bounds, and the configuration check see it."""

    item: Item
    wanted: Wanted
    offer: Offer


def quoted(connection: Connection, tenant: str, *, quote_id: str, version: int) -> Quoted:
    named = {"tenant": tenant, "quote_id": quote_id, "version": version}
    row = connection.execute(VERSION, named).fetchone()
    if row is None:
        raise LookupError(f"{quote_id} has no version {version}")
    return Quoted(
        quote_id=quote_id,
        version=version,
        status=row["status"],
        settled=row["was_requested"] or row["was_printed"] or row["status"] not in ("draft", "priced"),
        currency=Currency(row["currency"], row["minor_units"]),
        term_months=row["term_months"],
        start_date=row["start_date"],
        valid_until=row["valid_until"],
        today=row["today"],
        buyer=Buyer(
            segment=row["segment"], country=row["country"], region=row["region"], tax_exempt=row["tax_exempt"]
        ),
        account_name=row["account_name"],
        account_active=row["account_active"],
        owned=tuple(row["owned_products"]),
        total=row["total"],
        trace_id=row["pricing_trace_id"],
        priced_by=row["priced_by"],
    )


def lines(connection: Connection, tenant: str, *, quote: Quoted) -> list[QuotedLine]:
    named = {"tenant": tenant, "quote_id": quote.quote_id, "version": quote.version}
    rows = connection.execute(LINES, {**named, "currency": quote.currency.code}).fetchall()
    return [_line(row) for row in rows]


def relations(connection: Connection, tenant: str, *, product_ids: Collection[str]) -> list[Relation]:
    rows = connection.execute(RELATIONS, {"tenant": tenant, "product_ids": list(product_ids)}).fetchall()
    return [Relation(**row) for row in rows]


def books(connection: Connection, tenant: str, *, currency: str, price_book_id: str | None) -> list[PriceBook]:
    """All books in ``currency``, fitting or not; or just the one that was named, in whatever currency."""
    named = {"tenant": tenant, "currency": currency, "price_book_id": price_book_id}
    return [PriceBook(**row) for row in connection.execute(BOOKS, named).fetchall()]


def book_ids(connection: Connection, tenant: str) -> list[str]:
    return [row["id"] for row in connection.execute(BOOK_IDS, {"tenant": tenant}).fetchall()]


def entries(
    connection: Connection, tenant: str, *, product_ids: Collection[str], book_ids: Collection[str]
) -> list[Entry]:
    """The prices that hold now."""
    named = {"tenant": tenant, "product_ids": list(product_ids), "book_ids": list(book_ids)}
    rows = connection.execute(ENTRIES, named).fetchall()
    return [Entry(**{**row, "tiers": tuple(_tier(tier) for tier in row["tiers"])}) for row in rows]


def tax_rules(connection: Connection, tenant: str, *, country: str) -> list[TaxRule]:
    rows = connection.execute(TAX_RULES, {"tenant": tenant, "country": country}).fetchall()
    return [TaxRule(**row) for row in rows]


def policy(connection: Connection, tenant: str, *, segment: str) -> Policy | None:
    row = connection.execute(POLICY, {"tenant": tenant, "segment": segment}).fetchone()
    if row is None:
        return None
    bands = tuple(
        Band(max_pct=Decimal(band["max_pct"]), approver_role=band["approver_role"]) for band in row["bands"]
    )
    return Policy(**{**row, "bands": bands, "escalation_chain": tuple(row["escalation_chain"])})


def _line(row: DictRow) -> QuotedLine:
    return QuotedLine(
        item=Item(
            line_id=row["id"],
            product_id=row["product_id"],
            product_name=row["name"],
            quantity=row["quantity"],
            discount_pct=row["discount_pct"],
            tax_category=row["tax_category"],
            cost=row["cost"],
        ),
        wanted=Wanted(product_id=row["product_id"], quantity=row["quantity"], attributes=row["chosen"]),
        offer=Offer(
            id=row["product_id"],
            name=row["name"],
            active=row["active"],
            attributes={name: AttributeSpec.model_validate(spec) for name, spec in row["attributes"].items()},
            min_quantity=row["min_quantity"],
            max_quantity=row["max_quantity"],
        ),
    )


def _tier(tier: dict[str, Any]) -> Tier:
    return Tier(min=tier["min"], max=tier["max"], price=Decimal(str(tier["price"])))
