"""SQL of what a draft is made of: what is for sale, what went with the like, lead times, a customer's past."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

from psycopg.rows import DictRow
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from quarry.data import database
from quarry.precedents import accounts, references

MOST_REFERENCES = 8
"""Read, of which the customer itself is left out."""

FOR_SALE = SQL("""
    SELECT p.id, p.model_key, p.manufacturer, ARRAY(
            SELECT o.name || ' (' || o.id || ')' FROM cpq.product_relationships r
            JOIN cpq.products o ON o.tenant = r.tenant AND o.id = r.related_id
            WHERE r.tenant = p.tenant AND r.product_id = p.id AND r.kind = 'requires' AND r.active
            ORDER BY o.id) AS requires
    FROM cpq.products p
    WHERE p.tenant = %(tenant)s AND p.model_key = ANY (%(keys)s::text[]) AND p.active ORDER BY p.id
""")

SERVICES_FOR_SALE = SQL("""
    SELECT p.id, p.name FROM cpq.products p
    WHERE p.tenant = %(tenant)s AND p.product_type = 'service' AND p.model_key IS NULL AND p.active
    ORDER BY p.id LIMIT 200
""")

# The archive grows for years; what went with the like is read from its newest quotes.
LIKE = SQL("""
    WITH asked AS (SELECT * FROM jsonb_to_recordset(%(sizes)s) AS s (family text, hp float8)),
    newest AS (
        SELECT q.id, q.quote_number, q.quote_date FROM quotes.past_quotes q
        WHERE q.tenant = %(tenant)s ORDER BY q.quote_date DESC LIMIT 2000),
    alike AS (
        SELECT n.* FROM newest n WHERE EXISTS (
            SELECT FROM quotes.line_items l JOIN asked a ON l.family = a.family
            WHERE l.tenant = %(tenant)s AND l.quote_id = n.id AND NOT l.optional
                AND (a.hp IS NULL OR l.hp IS NULL OR l.hp BETWEEN a.hp / 2 AND a.hp * 2)))
""")

SERVICES = SQL("""
    {like}
    SELECT l.category, count(DISTINCT a.id) AS quotes, (SELECT count(*) FROM alike) AS of_quotes, l.currency,
        min(l.unit_price) AS low, max(l.unit_price) AS high,
        (array_agg(a.quote_number || '/' || l.position ORDER BY a.quote_date DESC, l.position))[1] AS newest
    FROM alike a JOIN quotes.line_items l ON l.tenant = %(tenant)s AND l.quote_id = a.id AND l.family = 'service'
    GROUP BY l.category, l.currency ORDER BY quotes DESC, l.category LIMIT 20
""").format(like=LIKE)

LEAD_TIMES = SQL("""
    SELECT q.quote_number, l.position, q.quote_date, l.manufacturer, l.model, l.description
    FROM quotes.line_items l JOIN quotes.past_quotes q ON q.tenant = l.tenant AND q.id = l.quote_id
    WHERE l.tenant = %(tenant)s AND l.model_key = ANY (%(keys)s::text[])
        AND l.description
            ~* '(deliver|ship|lead|liefer|entrega|plazo|livr|délai)[^\n]{0,60}(week|wk|woche|seman|semain)'
    ORDER BY q.quote_date DESC, q.quote_number, l.position LIMIT 40
""")

CUSTOMERS = SQL("""
    SELECT d.customer, count(*) AS quotes, max(d.quote_date) AS newest FROM quotes.past_quotes d
    WHERE d.tenant = %(tenant)s AND strpos(search.name_key(d.customer), %(part)s) > 0
    GROUP BY d.customer ORDER BY newest DESC LIMIT 50
""")

ALL_CUSTOMERS = SQL("""
    SELECT d.customer FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s
    GROUP BY d.customer ORDER BY max(d.quote_date) DESC LIMIT 5000
""")

NEWEST = SQL("""
    SELECT d.* FROM quotes.past_quotes d
    WHERE d.tenant = %(tenant)s AND d.customer = ANY (%(customers)s::text[]) ORDER BY d.quote_date DESC LIMIT 8
""")

HISTORY = SQL("""
    SELECT d.quote_number, d.quote_date, d.project, d.status, d.total_price, d.currency, d.price_rationale,
        d.industry
    FROM ({newest}) d
    ORDER BY d.quote_date DESC
""").format(newest=NEWEST)

BOUGHT = SQL("""
    SELECT d.customer, d.quote_number, d.quote_date, d.status, l.position, l.category, l.family, l.manufacturer,
        l.model, l.quantity, l.unit_price, l.extended_price, l.currency, coalesce(l.hp, p.hp) AS hp,
        coalesce(l.cfm, p.cfm) AS cfm, p.dewpoint_f, p.gallons
    FROM ({newest}) d JOIN quotes.line_items l ON l.tenant = d.tenant AND l.quote_id = d.id
    LEFT JOIN equipment.products p ON p.id = l.product_id
    WHERE NOT l.optional AND (l.family = 'service' OR (l.manufacturer IS NOT NULL AND l.model IS NOT NULL))
    ORDER BY d.quote_date DESC, l.position
""").format(newest=NEWEST)

HOUSE_CURRENCY = SQL("SELECT h.currency FROM quarry.house h WHERE h.tenant = quarry.current_tenant()")


@dataclass(frozen=True, slots=True)
class Size:
    """A kind of thing that is asked for; ``hp`` None leaves open how large."""

    family: str
    hp: float | None


def for_sale(tenant: str, *, keys: Sequence[str]) -> list[DictRow]:
    """What quote_create knows of models, by their keys."""
    return database.fetch(tenant, FOR_SALE, {"tenant": tenant, "keys": keys})


def services_for_sale(tenant: str) -> list[DictRow]:
    """What quote_create knows of services."""
    return database.fetch(tenant, SERVICES_FOR_SALE, {"tenant": tenant})


def house_currency(tenant: str) -> str | None:
    """What the house quotes in where neither customer nor past says; None where it does not say."""
    rows = database.fetch(tenant, HOUSE_CURRENCY, {})
    return rows[0]["currency"] if rows else None


def with_the_like(
    tenant: str, sizes: Collection[Size], *, keys: Sequence[str], industries: Collection[str], currency: str | None
) -> tuple[list[DictRow], list[DictRow], list[DictRow]]:
    """Services by category of quotes that sold things of these sizes, lines of the models with a lead time, and
    customers that may be named.
    """
    given = {"tenant": tenant, "sizes": Jsonb([asdict(size) for size in sizes])}
    families = {size.family for size in sizes}
    named = references.parameters(industries=industries, families=families, currency=currency, most=MOST_REFERENCES)
    services, lines, may_be_named = database.fetch_each(
        tenant,
        [(SERVICES, given), (LEAD_TIMES, {"tenant": tenant, "keys": keys}), (references.REFERENCES, named)],
    )
    return services, lines, may_be_named


def customers_named(tenant: str, *, part: str) -> list[DictRow]:
    """Customers of past quotes whose name has the part, by its key, the newest first."""
    return database.fetch(tenant, CUSTOMERS, {"tenant": tenant, "part": part})


def customer_names(tenant: str) -> list[str]:
    return [row["customer"] for row in database.fetch(tenant, ALL_CUSTOMERS, {"tenant": tenant})]


def history(tenant: str, *, customers: Sequence[str]) -> tuple[list[DictRow], list[DictRow]]:
    """(their newest past quotes, the lines of products and services on these, the newest first)."""
    given = {"tenant": tenant, "customers": list(customers)}
    quotes, lines = database.fetch_each(tenant, [(HISTORY, given), (BOUGHT, given)])
    return quotes, lines


def terms(tenant: str, *, customers: Sequence[str], currency: str | None) -> list[DictRow]:
    """The customer's own newest terms first, then the commonest of a currency."""
    return database.fetch(tenant, accounts.TERMS, {"customers": list(customers), "currency": currency})
