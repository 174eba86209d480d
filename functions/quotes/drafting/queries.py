"""SQL of what a draft is made of: what is for sale, what went with the like, lead times, a customer's past."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

from psycopg.rows import DictRow
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from quarry.data import database

FOR_SALE = SQL("""
    SELECT p.id, p.model_key, p.manufacturer FROM cpq.products p
    WHERE p.tenant = %(tenant)s AND p.model_key = ANY (%(keys)s::text[]) AND p.active ORDER BY p.id
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
    {like}
    SELECT a.quote_number, l.position, a.quote_date, l.manufacturer, l.model, l.family, l.description
    FROM (SELECT * FROM alike ORDER BY quote_date DESC LIMIT 300) a
    JOIN quotes.line_items l ON l.tenant = %(tenant)s AND l.quote_id = a.id
        AND l.family IN (SELECT family FROM asked)
    WHERE l.description ~* '(deliver|ship|lead|liefer)[^\n]{{0,60}}(week|wk|woche)'
    ORDER BY a.quote_date DESC, a.quote_number, l.position LIMIT 40
""").format(like=LIKE)

CUSTOMERS = SQL("""
    SELECT d.customer, count(*) AS quotes, max(d.quote_date) AS newest FROM quotes.past_quotes d
    WHERE d.tenant = %(tenant)s AND strpos(search.name_key(d.customer), %(part)s) > 0
    GROUP BY d.customer ORDER BY newest DESC LIMIT 50
""")

ALL_CUSTOMERS = SQL("""
    SELECT d.customer FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s
    GROUP BY d.customer ORDER BY max(d.quote_date) DESC LIMIT 5000
""")

HISTORY = SQL("""
    SELECT d.quote_number, d.quote_date, d.project, d.status, d.total_price, d.currency FROM quotes.past_quotes d
    WHERE d.tenant = %(tenant)s AND d.customer = ANY (%(customers)s::text[]) ORDER BY d.quote_date DESC LIMIT 8
""")


@dataclass(frozen=True, slots=True)
class Size:
    """A kind of thing that is asked for; ``hp`` None leaves open how large."""

    family: str
    hp: float | None


def for_sale(tenant: str, *, keys: Sequence[str]) -> list[DictRow]:
    """What quote_create knows of models, by their keys."""
    return database.fetch(tenant, FOR_SALE, {"tenant": tenant, "keys": keys})


def with_the_like(tenant: str, sizes: Collection[Size]) -> tuple[list[DictRow], list[DictRow]]:
    """(services by category, lines that may state a lead time) of quotes that sold things of these sizes."""
    given = {"tenant": tenant, "sizes": Jsonb([asdict(size) for size in sizes])}
    services, lines = database.fetch_each(tenant, [(SERVICES, given), (LEAD_TIMES, given)])
    return services, lines


def customers_named(tenant: str, *, part: str) -> list[DictRow]:
    """Customers of past quotes whose name has the part, by its key, the newest first."""
    return database.fetch(tenant, CUSTOMERS, {"tenant": tenant, "part": part})


def customer_names(tenant: str) -> list[str]:
    return [row["customer"] for row in database.fetch(tenant, ALL_CUSTOMERS, {"tenant": tenant})]


def history(tenant: str, *, customers: Sequence[str]) -> list[DictRow]:
    """Their newest past quotes."""
    return database.fetch(tenant, HISTORY, {"tenant": tenant, "customers": list(customers)})
