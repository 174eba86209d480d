"""Goods that those of given families were sold with, by the headings of lines; and reference customers, whom a quote
to another may name because a won quote of theirs says so.
"""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.data import database
from quarry.money import with_code
from quarry.precedents.list_prices import in_words

MOST, MOST_REFERENCES = 10, 3
STEM = 4
"""How many first letters of a word name an industry: brewery and brewing."""

# Only the newest quotes are read, because the archive grows for years. Lines are grouped by their headings.
SOLD_WITH = SQL("""
    WITH newest AS (
        SELECT q.id, q.quote_number, q.quote_date FROM quotes.past_quotes q
        WHERE q.tenant = %(tenant)s ORDER BY q.quote_date DESC LIMIT 2000),
    alike AS (
        SELECT n.* FROM newest n WHERE EXISTS (
            SELECT FROM quotes.line_items l WHERE l.tenant = %(tenant)s AND l.quote_id = n.id AND NOT l.optional
                AND l.family = ANY (%(families)s::text[]))),
    sold AS (
        SELECT a.id, a.quote_date, a.quote_number, l.position, l.family, lower(l.category) AS what, l.currency,
            l.unit, l.unit_price
        FROM alike a JOIN quotes.line_items l ON l.tenant = %(tenant)s AND l.quote_id = a.id
        WHERE l.family <> ALL (%(families)s::text[])
            AND (%(currency)s::text IS NULL OR l.currency = %(currency)s::text))
    SELECT s.*, ARRAY(
        SELECT jsonb_build_object('unit', x.unit, 'low', min(x.unit_price)::text, 'high', max(x.unit_price)::text)
        FROM sold x WHERE (x.family, x.what, x.currency) = (s.family, s.what, s.currency) AND x.unit_price IS NOT NULL
        GROUP BY x.unit ORDER BY count(*) DESC, x.unit) AS prices, (
        SELECT p.id FROM cpq.products p WHERE p.tenant = %(tenant)s AND p.active AND p.model IS NULL
            AND lower(p.name) = s.what ORDER BY p.id LIMIT 1) AS product_id
    FROM (
        SELECT l.family, l.what, l.currency, count(DISTINCT l.id) AS quotes,
            (SELECT count(*) FROM alike) AS of_quotes,
            (array_agg(l.quote_number || '/' || l.position ORDER BY l.quote_date DESC, l.position))[1] AS newest
        FROM sold l GROUP BY l.family, l.what, l.currency ORDER BY quotes DESC, what LIMIT %(most)s) s
    ORDER BY s.quotes DESC, s.what
""")

# With a currency references in it come first, for those abroad tell somebody here less. Of each customer the quote
# counts that is nearest to what is asked for: in an industry that the request names, by its first letters, then in
# the customer's own, then with the same kind of goods. One more than is told has its models, because the customer
# may be among them.
REFERENCES = SQL("""
    SELECT r.customer, r.company_key, r.industry, r.quote_date, r.quote_number, r.currency,
        CASE WHEN place <= {told} THEN ARRAY(
        SELECT l.model FROM quotes.line_items l
        WHERE l.tenant = quarry.current_tenant() AND l.quote_id = r.id AND NOT l.optional AND l.model <> ''
        GROUP BY l.model
        ORDER BY bool_or(l.family = ANY (%(families)s::text[])) DESC, max(l.extended_price) DESC NULLS LAST, l.model
        LIMIT 2) END AS models
    FROM (
        SELECT o.*, row_number() OVER (ORDER BY o.near DESC, o.quote_date DESC) AS place FROM (
        SELECT DISTINCT ON (q.company_key) q.* FROM (
            SELECT d.id, d.customer, d.company_key, d.industry, d.quote_date, d.quote_number, d.currency,
                coalesce(d.currency = %(currency)s::text, false)::integer * 8
                + coalesce(lower(left(d.industry, {stem})) = ANY (%(stems)s::text[]), false)::integer * 4
                + coalesce(d.industry = ANY (%(industries)s::text[]), false)::integer * 2 + EXISTS (
                    SELECT FROM quotes.line_items l WHERE l.tenant = d.tenant AND l.quote_id = d.id
                        AND NOT l.optional AND l.family = ANY (%(families)s::text[]))::integer AS near
            FROM quotes.past_quotes d
            WHERE d.tenant = quarry.current_tenant() AND d.reference AND d.status = 'won') q
        ORDER BY q.company_key, q.near DESC, q.quote_date DESC) o) r
    ORDER BY r.place LIMIT 200
""").format(stem=STEM, told=MOST_REFERENCES + 1)


def parameters(families: Collection[str], *, currency: str | None) -> dict[str, object]:
    return {"families": sorted(families), "currency": currency, "most": MOST}


def prices(row: Mapping[str, Any]) -> str:
    """Formats the lowest and the highest price of a row of SOLD_WITH, those of each unit apart."""
    ends: dict[str, list[Decimal]] = {}
    for each in row["prices"]:
        ends.setdefault(in_words(each["unit"]), []).extend([Decimal(each["low"]), Decimal(each["high"])])
    return "; ".join(
        " to ".join(dict.fromkeys(with_code(end, row["currency"]) + per for end in (min(found), max(found))))
        for per, found in ends.items()
    )


def usual(tenant: str, families: Collection[str], *, currency: str) -> list[DictRow]:
    """Returns what went with such goods in at least a third of the quotes that had them."""
    rows = database.fetch(tenant, SOLD_WITH, parameters(families, currency=currency)) if families else []
    return [row for row in rows if 3 * row["quotes"] >= row["of_quotes"]]


def fitting(rows: Sequence[DictRow], *, own: str | None, currency: str | None) -> list[str]:
    """Formats the nearest references but the customer itself (key ``own``), and what industries the others are of;
    the caller judges who is like whom. Each names industry, year, quote and models, and another currency than the
    request's: "Elm Dairy (food), 2022: N-3 (QGV-100), in USD".
    """
    others = [row for row in rows if own is None or row["company_key"] != own]
    told = [
        f"{row['customer']}{f' ({row["industry"]})' if row['industry'] else ''}, {row['quote_date'].year}: "
        f"{row['quote_number']}{f' ({", ".join(row["models"])})' if row['models'] else ''}"
        f"{'' if currency in (None, row['currency']) else f', in {row["currency"]}'}"
        for row in others[:MOST_REFERENCES]
    ]
    if more := others[MOST_REFERENCES:]:
        named = ", ".join(sorted({row["industry"] for row in more if row["industry"]}))
        told.append(f"{len(more)} more{f', for items that name {named}' if named else ''}")
    return told
