"""SQL of pricing: what a run reads of quote, account, prices, taxes and policies, and what it writes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from cpq.catalogue.configuration import ConfigurableProduct, Wanted
from cpq.catalogue.queries import OFFER, STANDING, offered
from cpq.model import PolicyEvaluation, Tier
from cpq.pricing.arithmetic import Rate
from cpq.pricing.books import Account, PriceBook, PriceBookEntry, TaxRule
from cpq.pricing.engine import OrderItem, Priced
from cpq.pricing.policies import Policy
from cpq.pricing.trace import Trace
from cpq.quotes.versions import find, hash_of_stored, unknown
from quarry.data.database import Connection, row_of, rows_of
from quarry.money import in_currency
from quarry.precedents.list_prices import DISCOUNTS
from quarry.text import alike

OF_ACCOUNT = SQL("""
    a.id, a.name, a.active, a.currency AS usual_currency, a.segment, a.country, a.region, a.tax_exempt,
    a.owned_products, coalesce(a.payment_terms, h.payment_terms) AS agreed_terms
""")

# Today is read from the clock, because the transaction may have waited long for the quote's lock.
VERSION = SQL("""
    SELECT v.quote_id, v.version, v.status, v.currency, v.term_months, v.start_date, v.valid_until, v.payment_terms,
        v.billing_frequency, v.total, v.pricing_trace_id AS trace_id, t.created_by AS priced_by,
        (clock_timestamp() AT TIME ZONE 'UTC')::date AS today, {account},
        v.status NOT IN ('draft', 'priced') OR EXISTS (SELECT FROM cpq.approval_requests r
            WHERE r.tenant = v.tenant AND r.quote_id = v.quote_id AND r.version = v.version)
        OR EXISTS (SELECT FROM cpq.documents d
            WHERE d.tenant = v.tenant AND d.quote_id = v.quote_id AND d.version = v.version) AS settled
    FROM cpq.quote_versions v
    JOIN cpq.quotes q ON q.tenant = v.tenant AND q.id = v.quote_id
    JOIN cpq.accounts a ON a.tenant = q.tenant AND a.id = q.account_id
    LEFT JOIN quarry.house h ON h.tenant = v.tenant
    LEFT JOIN cpq.pricing_traces t ON t.tenant = v.tenant AND t.id = v.pricing_trace_id
    WHERE v.tenant = quarry.current_tenant() AND v.quote_id = %(quote_id)s
        AND v.version = coalesce(%(version)s::integer, q.current_version)
""").format(account=OF_ACCOUNT)

LINES = SQL("""
    SELECT l.id AS line_id, l.product_id, p.name AS product_name, l.quantity, l.attributes AS chosen, l.notes,
        coalesce(nullif(l.discount_pct, 0), d.discount_pct, a.discount_pct, 0) AS line_discount_pct,
        CASE WHEN l.discount_pct <> 0 OR coalesce(d.discount_pct, a.discount_pct, 0) = 0 THEN NULL
            WHEN d.own THEN 'customer''s discount on ' || d.discount_group
            WHEN NOT d.own THEN format('discount of segment %%s on %%s', a.segment, d.discount_group)
            ELSE 'customer''s discount' END AS standing_discount,
        {offer}, p.tax_category, p.category, p.cost, p.cost_currency
    FROM cpq.quote_lines l
    JOIN cpq.quotes q ON q.tenant = l.tenant AND q.id = l.quote_id
    JOIN cpq.accounts a ON a.tenant = q.tenant AND a.id = q.account_id
    JOIN cpq.products p ON p.tenant = l.tenant AND p.id = l.product_id {standing}
    LEFT JOIN LATERAL ({discounts}) d ON d.discount_group = coalesce(p.discount_group, p.category)
    WHERE l.tenant = quarry.current_tenant() AND l.quote_id = %(quote_id)s AND l.version = %(version)s
    ORDER BY l.sort_order
""").format(offer=OFFER, standing=STANDING, discounts=DISCOUNTS)

BOOKS = SQL("""
    SELECT id, name, currency, segment, country, valid_from, valid_to, priority, active
    FROM cpq.price_books
    WHERE tenant = quarry.current_tenant()
        AND (id = %(price_book_id)s::text OR %(price_book_id)s::text IS NULL AND currency = %(currency)s)
""")

BOOK_IDS = SQL(
    "SELECT id FROM cpq.price_books WHERE tenant = quarry.current_tenant() AND active ORDER BY id LIMIT 2000"
)

ENTRIES = SQL("""
    SELECT e.price_book_id, e.product_id, e.version, e.price, e.unit, e.tiers, b.currency,
        e.net OR e.allowance_from IS NOT NULL AS net,
        CASE WHEN e.allowance_from IS NOT NULL THEN ARRAY[e.allowance_from, e.allowance_to] END AS allowance
    FROM cpq.price_book_entries e
    JOIN cpq.price_books b ON b.tenant = e.tenant AND b.id = e.price_book_id
    WHERE e.tenant = quarry.current_tenant() AND e.product_id = ANY(%(product_ids)s)
        AND e.price_book_id = ANY(%(book_ids)s) AND e.superseded_at IS NULL
""")

TAX_RULES = SQL("""
    SELECT id, name, region, tax_category, rate_pct, valid_from, valid_to
    FROM cpq.tax_rules WHERE tenant = quarry.current_tenant() AND country = %(country)s
""")

POLICY = SQL("""
    SELECT id, name, segment_name, auto_approve_pct, bands, hard_max_pct, escalation_chain, routing, rules
    FROM cpq.discount_policies WHERE tenant = quarry.current_tenant() AND segment = %(segment)s
""")

RATES = SQL("""
    SELECT DISTINCT ON (from_currency, to_currency) from_currency, to_currency, rate, as_of, source
    FROM cpq.exchange_rates WHERE tenant = quarry.current_tenant() AND as_of <= %(on)s
    ORDER BY from_currency, to_currency, as_of DESC, source DESC
""")


ACCOUNT = SQL("""
    SELECT {account} FROM cpq.accounts a LEFT JOIN quarry.house h ON h.tenant = a.tenant
    WHERE a.tenant = quarry.current_tenant() AND a.id = %(account_id)s
""").format(account=OF_ACCOUNT)
ACCOUNT_NAMES = SQL("""
    SELECT id, name FROM cpq.accounts WHERE tenant = quarry.current_tenant() AND active
    ORDER BY abs(length(id) - length(%(account_id)s)), id LIMIT 5000
""")

CURRENCIES = SQL("SELECT currency FROM cpq.currencies")

# Name, SKU and description are refreshed too: a priced quote sells the product as it is now.
STORE_LINES = SQL("""
    UPDATE cpq.quote_lines l SET sku = p.sku, product_name = p.name, description = p.description, unit = r.unit,
        allowance = r.allowance, base_unit_price = r.list_price, volume_tier = r.tier, unit_price = r.unit_price,
        subtotal = r.subtotal,
        effective_discount_pct = r.discount_pct, discount_amount = r.discount_amount,
        tax_rate_pct = CASE WHEN r.tax_amount IS NOT NULL THEN coalesce((r.tax ->> 'rate_pct')::numeric, 0) END,
        tax_amount = r.tax_amount, line_total = r.line_total
    FROM jsonb_to_recordset(%(trace)s -> 'lines') AS r (
        line_id text, unit text, allowance numeric[], list_price numeric, tier jsonb, unit_price numeric,
        subtotal numeric, discount_pct numeric, discount_amount numeric, tax jsonb, tax_amount numeric,
        line_total numeric),
        cpq.products p
    WHERE l.tenant = quarry.current_tenant() AND l.quote_id = %(quote_id)s AND l.version = %(version)s
        AND l.id = r.line_id
        AND p.tenant = l.tenant AND p.id = l.product_id
""")

INSERT_TRACE = SQL("""
    INSERT INTO cpq.pricing_traces (tenant, id, quote_id, version, trace, created_by)
    VALUES (quarry.current_tenant(), %(trace_id)s, %(quote_id)s, %(version)s, %(trace)s, %(created_by)s)
""")

STORE_VERSION = SQL("""
    UPDATE cpq.quote_versions v SET status = 'priced', account = to_jsonb(a) - 'tenant' - 'updated_at',
        requested_discount_pct = %(requested_discount_pct)s, subtotal = %(subtotal)s,
        discount_total = %(discount_total)s, tax_total = %(tax_total)s, total = %(total)s,
        price_book_id = %(price_book_id)s, pricing_trace_id = %(trace_id)s, policy_evaluation = %(evaluation)s,
        priced_at = clock_timestamp(), updated_at = clock_timestamp(), revision = v.revision + 1,
        finalized_at = CASE WHEN %(final)s THEN clock_timestamp() END
    FROM cpq.quotes q JOIN cpq.accounts a ON a.tenant = q.tenant AND a.id = q.account_id
    WHERE v.tenant = quarry.current_tenant() AND v.quote_id = %(quote_id)s AND v.version = %(version)s
        AND q.tenant = v.tenant AND q.id = v.quote_id
    RETURNING v.priced_at
""")

STORE_HASH = SQL("""
    UPDATE cpq.quote_versions SET content_hash = %(content_hash)s
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
""")


STORED_POLICY = TypeAdapter(Policy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A version that is to be priced, with its account and the day as they are now.

    ``settled`` says that somebody was asked about it or a document shows it, so it may not change in place.
    """

    quote_id: str
    version: int
    status: str
    settled: bool
    currency: str
    term_months: int | None
    start_date: date | None
    valid_until: date
    payment_terms: str
    billing_frequency: str
    today: date
    account: Account
    total: Decimal | None
    trace_id: str | None
    priced_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedLine:
    """A line for the engine, its configuration, what its product allows, and what is printed below it."""

    item: OrderItem
    attributes: Mapping[str, object]
    offer: ConfigurableProduct
    notes: str | None

    @property
    def wanted(self) -> Wanted:
        return Wanted(product_id=self.item.product_id, quantity=self.item.quantity, attributes=self.attributes)


def quoted(connection: Connection, *, quote_id: str, version: int | None = None) -> Quoted:
    """Returns the version, or the newest. Raises NotFound."""
    row = connection.execute(VERSION, {"quote_id": quote_id, "version": version}).fetchone()
    if row is None:
        raise unknown(quote_id)
    account = Account(**{field.name: row[field.name] for field in fields(Account)})
    return Quoted(**{name: row[name] for name in Quoted.__slots__ if name != "account"}, account=account)


def quoted_lines(connection: Connection, *, quote: Quoted) -> list[QuotedLine]:
    named = {"quote_id": quote.quote_id, "version": quote.version}
    return [_line(row) for row in connection.execute(LINES, named).fetchall()]


def account(connection: Connection, *, account_id: str) -> Account | None:
    return row_of(connection, Account, ACCOUNT, {"account_id": account_id})


def accounts_alike(connection: Connection, account_id: str) -> list[str]:
    """Returns ids of active accounts whose name or id, about as long as this one, is spelt alike."""
    rows = connection.execute(ACCOUNT_NAMES, {"account_id": account_id}).fetchall()
    ids = {text: row["id"] for row in rows for text in (row["name"], row["id"])}
    return list(dict.fromkeys(ids[text] for text in alike(account_id, ids)))


def currencies(connection: Connection) -> list[str]:
    """Returns the codes of all currencies of ISO 4217."""
    return [row["currency"] for row in connection.execute(CURRENCIES)]


def books(connection: Connection, *, currency: str, price_book_id: str | None = None) -> list[PriceBook]:
    """Returns all books in ``currency``, fitting or not; or just the one that was named, in whatever currency."""
    return rows_of(connection, PriceBook, BOOKS, {"currency": currency, "price_book_id": price_book_id})


def book_ids(connection: Connection) -> list[str]:
    return [row["id"] for row in connection.execute(BOOK_IDS)]


def entries(
    connection: Connection, *, product_ids: Collection[str], book_ids: Collection[str]
) -> list[PriceBookEntry]:
    """Returns the prices of the products in these books that hold now."""
    named = {"product_ids": list(product_ids), "book_ids": list(book_ids)}
    rows = connection.execute(ENTRIES, named).fetchall()
    return [_entry(row, currency=row.pop("currency")) for row in rows]


def tax_rules(connection: Connection, *, country: str) -> list[TaxRule]:
    return rows_of(connection, TaxRule, TAX_RULES, {"country": country})


def policy(connection: Connection, *, segment: str) -> Policy | None:
    row = connection.execute(POLICY, {"segment": segment}).fetchone()
    return None if row is None else STORED_POLICY.validate_python(row)


def rates(connection: Connection, *, on: date) -> tuple[Rate, ...]:
    """Returns for each pair of currencies the newest rate that was published up to the day."""
    return tuple(rows_of(connection, Rate, RATES, {"on": on}))


def store(
    connection: Connection,
    *,
    quote_id: str,
    version: int,
    priced: Priced,
    trace: Trace,
    trace_id: str,
    evaluation: PolicyEvaluation,
    by: str,
) -> datetime:
    """Writes the outcome of a run with the hash of its content, and returns the time of pricing."""
    stored = Jsonb(trace.model_dump(mode="json"))
    named = {"quote_id": quote_id, "version": version, "trace_id": trace_id}
    connection.execute(INSERT_TRACE, {**named, "trace": stored, "created_by": by})
    connection.execute(STORE_LINES, {**named, "trace": stored})
    [row] = connection.execute(
        STORE_VERSION,
        {
            **named,
            "requested_discount_pct": priced.order.requested_discount_pct,
            "subtotal": priced.totals.gross,
            "discount_total": priced.totals.discount,
            "tax_total": priced.tax_total,
            "total": priced.totals.total,
            "price_book_id": priced.book.id,
            "evaluation": Jsonb(evaluation.model_dump(mode="json")),
            "final": evaluation.auto_approved and priced.tax_known,
        },
    ).fetchall()
    # The hash is of the rows as the database keeps them, so that whoever reads them again comes to the same.
    content_hash = hash_of_stored(connection, find(connection, quote_id=quote_id, version=version))
    connection.execute(STORE_HASH, {**named, "content_hash": content_hash})
    priced_at: datetime = row["priced_at"]
    return priced_at


def _line(row: DictRow) -> QuotedLine:
    return QuotedLine(
        item=OrderItem(**{name: row[name] for name in OrderItem.__slots__}),
        attributes=row["chosen"],
        offer=offered(row),
        notes=row["notes"],
    )


def _entry(row: dict[str, Any], *, currency: str) -> PriceBookEntry:
    tiers = (Tier.model_validate(tier) for tier in row["tiers"])
    written = tuple(tier.model_copy(update={"price": in_currency(tier.price, currency)}) for tier in tiers)
    price = None if row["price"] is None else in_currency(row["price"], currency)
    allowance = row["allowance"] and [in_currency(end, currency) for end in row["allowance"]]
    return PriceBookEntry(**{**row, "price": price, "tiers": written, "allowance": allowance})
