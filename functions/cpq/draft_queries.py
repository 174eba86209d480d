"""SQL that quote_create reads and writes with: account, products, numbers, versions and lines."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date

from psycopg.rows import DictRow
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from cpq import catalog_queries, pricing_queries
from cpq.attributes import AttributeSpec
from cpq.configuration import Offer
from cpq.drafting import Account, Surroundings
from cpq.pricing.books import Buyer
from quarry.data.database import Connection
from quarry.spelling import alike

TODAY = SQL("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS today")
ACCOUNT = SQL("""
    SELECT id, name, active, currency, segment, country, region, tax_exempt, owned_products
    FROM cpq.accounts WHERE tenant = %(tenant)s AND id = %(account_id)s
""")
ACCOUNT_NAMES = SQL("""
    SELECT id, name FROM cpq.accounts WHERE tenant = %(tenant)s AND active
    ORDER BY abs(length(id) - length(%(account_id)s)), id LIMIT 5000
""")
OFFERS = SQL("""
    SELECT id, name, active, attributes, min_quantity, max_quantity
    FROM cpq.products WHERE tenant = %(tenant)s AND id = ANY (%(ids)s)
""")
CURRENCIES = SQL("SELECT currency FROM cpq.currencies")
BOOKED_CURRENCIES = SQL("SELECT DISTINCT currency FROM cpq.price_books WHERE tenant = %(tenant)s AND active")

INSERT_QUOTE = SQL("""
    INSERT INTO cpq.quotes (tenant, id, account_id, deal_id, created_by)
    VALUES (%(tenant)s, %(quote_id)s, %(account_id)s, %(deal_id)s, %(created_by)s)
""")
CHANGE_DEAL = SQL("""
    UPDATE cpq.quotes SET deal_id = coalesce(%(deal_id)s, deal_id)
    WHERE tenant = %(tenant)s AND id = %(quote_id)s
""")
INSERT_VERSION = SQL("""
    INSERT INTO cpq.quote_versions (
        tenant, quote_id, version, status, account, currency, term_months, start_date, end_date, billing_frequency,
        payment_terms, valid_until, notes, created_by)
    SELECT a.tenant, %(quote_id)s, %(version)s, 'draft', to_jsonb(a) - 'tenant' - 'updated_at', %(currency)s,
        %(term_months)s, %(start_date)s, %(end_date)s, %(billing_frequency)s, %(payment_terms)s, %(valid_until)s,
        %(notes)s, %(created_by)s
    FROM cpq.accounts a WHERE a.tenant = %(tenant)s AND a.id = %(account_id)s
""")
INSERT_LINES = SQL("""
    INSERT INTO cpq.quote_lines (
        tenant, quote_id, version, id, sort_order, product_id, sku, product_name, description, quantity, attributes,
        discount_pct, notes)
    SELECT p.tenant, %(quote_id)s, %(version)s, 'ql_' || lpad(r.sort_order::text, 3, '0'), r.sort_order, p.id, p.sku,
        p.name, p.description, r.quantity, r.attributes, r.discount_pct, r.notes
    FROM jsonb_to_recordset(%(lines)s) AS r (
        sort_order integer, product_id text, quantity integer, attributes jsonb, discount_pct numeric, notes text)
    JOIN cpq.products p ON p.tenant = %(tenant)s AND p.id = r.product_id
""")


def surroundings(
    connection: Connection, tenant: str, *, account_id: str, product_ids: Collection[str], currency: str
) -> Surroundings:
    """What the draft is held against, as it is now."""
    account = _account(connection, tenant, account_id=account_id)
    offers = {row["id"]: _offer(row) for row in connection.execute(OFFERS, {"tenant": tenant, "ids": [*product_ids]})}
    books = pricing_queries.books(connection, tenant, currency=currency, price_book_id=None)
    day = connection.execute(TODAY).fetchone()
    nearest = {
        product_id: _nearest_products(connection, tenant, product_id)
        for product_id in product_ids
        if product_id not in offers
    }
    if account is None:
        nearest[account_id] = _nearest_accounts(connection, tenant, account_id)
    return Surroundings(
        today=day["today"] if day else date.min,
        account=account,
        offers=offers,
        relations=pricing_queries.relations(connection, tenant, product_ids=offers),
        books=books,
        entries=pricing_queries.entries(connection, tenant, product_ids=offers, book_ids=[book.id for book in books]),
        currencies=[row["currency"] for row in connection.execute(CURRENCIES)],
        booked_currencies=[row["currency"] for row in connection.execute(BOOKED_CURRENCIES, {"tenant": tenant})],
        nearest=nearest,
    )


def insert_quote(connection: Connection, fields: Mapping[str, object]) -> None:
    connection.execute(INSERT_QUOTE, fields)


def change_deal(connection: Connection, fields: Mapping[str, object]) -> None:
    """Keeps the deal where none is given."""
    connection.execute(CHANGE_DEAL, fields)


def insert_version(
    connection: Connection, fields: Mapping[str, object], *, lines: Sequence[Mapping[str, object]]
) -> None:
    connection.execute(INSERT_VERSION, fields)
    connection.execute(INSERT_LINES, {**fields, "lines": Jsonb(list(lines))})


def _account(connection: Connection, tenant: str, *, account_id: str) -> Account | None:
    row = connection.execute(ACCOUNT, {"tenant": tenant, "account_id": account_id}).fetchone()
    if row is None:
        return None
    return Account(
        id=row["id"],
        name=row["name"],
        active=row["active"],
        currency=row["currency"],
        owned=row["owned_products"],
        buyer=Buyer(
            segment=row["segment"], country=row["country"], region=row["region"], tax_exempt=row["tax_exempt"]
        ),
    )


def _offer(row: DictRow) -> Offer:
    specs = {name: AttributeSpec.model_validate(spec) for name, spec in row["attributes"].items()}
    return Offer(**{**row, "attributes": specs})


def _nearest_accounts(connection: Connection, tenant: str, account_id: str) -> list[str]:
    rows = connection.execute(ACCOUNT_NAMES, {"tenant": tenant, "account_id": account_id}).fetchall()
    ids = {text: row["id"] for row in rows for text in (row["name"], row["id"])}
    return list(dict.fromkeys(ids[text] for text in alike(account_id, ids)))


def _nearest_products(connection: Connection, tenant: str, product_id: str) -> list[str]:
    named = {"tenant": tenant, "product_id": product_id}
    return catalog_queries.nearest(product_id, connection.execute(catalog_queries.NAMES, named).fetchall())
