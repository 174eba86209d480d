"""What goods of some families were sold with, by the printed headings of the lines beside them."""

from collections.abc import Collection

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.data import database

MOST = 10

# The archive grows for years; what went with goods is read from its newest quotes. A line is told by its heading.
SOLD_WITH = SQL("""
    WITH newest AS (
        SELECT q.id, q.quote_number, q.quote_date FROM quotes.past_quotes q
        WHERE q.tenant = %(tenant)s ORDER BY q.quote_date DESC LIMIT 2000),
    alike AS (
        SELECT n.* FROM newest n WHERE EXISTS (
            SELECT FROM quotes.line_items l WHERE l.tenant = %(tenant)s AND l.quote_id = n.id AND NOT l.optional
                AND l.family = ANY (%(families)s::text[])))
    SELECT s.*, (
        SELECT p.id FROM cpq.products p WHERE p.tenant = %(tenant)s AND p.active AND p.model IS NULL
            AND lower(p.name) = s.what ORDER BY p.id LIMIT 1) AS product_id
    FROM (
        SELECT l.family, lower(l.category) AS what, l.currency, count(DISTINCT a.id) AS quotes,
            (SELECT count(*) FROM alike) AS of_quotes, min(l.unit_price) AS low, max(l.unit_price) AS high,
            (array_agg(a.quote_number || '/' || l.position ORDER BY a.quote_date DESC, l.position))[1] AS newest
        FROM alike a JOIN quotes.line_items l ON l.tenant = %(tenant)s AND l.quote_id = a.id
        WHERE l.family <> ALL (%(families)s::text[])
            AND (%(currency)s::text IS NULL OR l.currency = %(currency)s::text)
        GROUP BY l.family, lower(l.category), l.currency ORDER BY quotes DESC, what LIMIT %(most)s) s
    ORDER BY s.quotes DESC, s.what
""")


def parameters(tenant: str, families: Collection[str], *, currency: str | None) -> dict[str, object]:
    return {"tenant": tenant, "families": sorted(families), "currency": currency, "most": MOST}


def usual(tenant: str, families: Collection[str], *, currency: str) -> list[DictRow]:
    """What went with such goods in at least a third of the quotes that had them."""
    rows = database.fetch(tenant, SOLD_WITH, parameters(tenant, families, currency=currency)) if families else []
    return [row for row in rows if 3 * row["quotes"] >= row["of_quotes"]]
