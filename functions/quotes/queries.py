"""All SQL of the quotes toolset."""

from collections.abc import Sequence

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.data import database
from quarry.retrieval.corpus import Column, Corpus, columns
from quarry.text import part_key

# A quote that states no total has the sum of its lines, options apart, if all of them have amounts in its currency.
TOTAL = SQL("""coalesce(d.total_price, (
    SELECT CASE WHEN bool_and(l.currency = d.currency AND a.amount IS NOT NULL) THEN sum(a.amount) END
    FROM quotes.line_items l LEFT JOIN cpq.currencies c ON c.currency = l.currency
    CROSS JOIN LATERAL (
        SELECT coalesce(l.extended_price, round(l.quantity * l.unit_price, c.minor_units)) AS amount) a
    WHERE l.tenant = d.tenant AND l.quote_id = d.id AND NOT l.optional))""")

CARD = SQL("""
    d.quote_number, d.customer, d.quote_date, d.project, d.industry, d.status, {total} AS total_price, d.currency,
    d.price_rationale
""").format(total=TOTAL)

# The lines of each wanted quote, with the columns that a request can ask for. A row turned into json takes two thirds
# of the time of json_build_object, which looks up the type of each value anew, and half that of jsonb. Few texts are
# so long that left() has to count their letters. Attributes that a line lacks come from its product.
SOLD = SQL("""
    LEFT JOIN (
        SELECT l.quote_id, json_agg(line ORDER BY l.position) AS lines
        FROM (SELECT l.* FROM wanted w CROSS JOIN LATERAL (
                  SELECT * FROM quotes.line_items l WHERE l.tenant = %(tenant)s AND l.quote_id = w.doc OFFSET 0) l) l
        LEFT JOIN equipment.products p ON p.id = l.product_id
        CROSS JOIN LATERAL (
            SELECT l.family, l.category, l.manufacturer, l.model, l.optional, l.quantity, l.unit,
                   coalesce(l.sku, p.sku) AS sku, l.list_price, l.discount_pct, l.unit_price,
                   l.extended_price, l.currency,
                   CASE WHEN octet_length(l.description) <= 600 THEN l.description ELSE left(l.description, 600)
                   END AS description,
                   coalesce(p.attributes, '{}') || coalesce(l.attributes, '{}') AS attributes
            OFFSET 0) line
        GROUP BY l.quote_id) sold ON sold.quote_id = d.id
""")

A_LINE = SQL("""d.id IN (
    SELECT l.quote_id FROM quotes.line_items l WHERE l.tenant = %(tenant)s AND NOT l.optional AND {})""")

PAST_QUOTES = Corpus(
    kind="past_quotes",
    schema="quotes",
    table="past_quotes",
    columns=SQL(", ").join(
        [
            CARD,
            SQL("coalesce(d.summary, d.contents, '') AS summary, d.terms, d.salesperson, d.contact, d.reference"),
            SQL("sold.lines::text AS _lines"),
        ]
    ),
    joins=SOLD,
    built_in={
        **columns("d", "customer", texts_of="quotes.past_quotes", one_by="d.company_key"),
        **columns("d", "industry", "salesperson", "contact", "status", "project", texts_of="quotes.past_quotes"),
        **columns("d", "quote_number", "reference", "terms"),
        "description": Column(SQL("d.summary"), "summary"),
        "date": Column(SQL("d.quote_date"), "quote_date", sorted_in="quotes.past_quotes"),
        "year": Column(SQL("extract(year FROM d.quote_date)::integer"), "year"),
        "total": Column(TOTAL, "total_price"),
        "price": Column(TOTAL, "total_price"),
        "currency": Column(SQL("d.currency"), "currency"),
        **columns("l", "family", "sku", within=A_LINE),
        **columns("l", "category", "manufacturer", texts_of="quotes.line_items", indexed=True, within=A_LINE),
        "model": Column(SQL("l.model"), "model", A_LINE, part_key=SQL("l.model_key")),
    },
    holding=SQL("""d.id IN (
        SELECT l.quote_id FROM quotes.line_items l WHERE l.tenant = %(tenant)s AND NOT l.optional
            AND (l.id IN ({lines}) OR (l.product_id IN ({goods}) AND l.id NOT IN ({any_lines}))))"""),
    label="quote_number",
    dated=SQL("d.quote_date"),
    money=TOTAL,
    currency=SQL("d.currency"),
    sums={"sum": TOTAL},
    sentences=True,
    most_judged=80,
)

QUOTE = SQL("""
    SELECT {card}, d.contact, d.salesperson, d.summary, d.terms
    FROM quotes.past_quotes d
    WHERE d.tenant = %(tenant)s AND search.name_key(d.quote_number) = search.name_key(%(quote_number)s)
    ORDER BY d.quote_number = %(quote_number)s DESC, lower(d.quote_number) = lower(%(quote_number)s) DESC,
             d.quote_number LIMIT 5
""").format(card=CARD)

LINES_OF_QUOTE = SQL("""
    SELECT q.quote_number, d.position, d.category, d.family, d.manufacturer, d.model, d.description, d.quantity,
        d.unit, d.list_price, d.discount_pct, d.unit_price, d.extended_price, d.currency, d.optional, d.price_note,
        d.attributes
    FROM quotes.line_items d JOIN quotes.past_quotes q ON q.tenant = d.tenant AND q.id = d.quote_id
    WHERE d.tenant = %(tenant)s AND q.quote_number = %(quote_number)s
    ORDER BY d.position
""")

QUOTE_NUMBERS = SQL(
    "SELECT quote_number FROM quotes.past_quotes WHERE tenant = %(tenant)s ORDER BY quote_date DESC LIMIT 2000"
)


def quotes_of_number(tenant: str, *, quote_number: str) -> list[DictRow]:
    """Returns the quotes of that number whatever its case, blanks and hyphens, the most exact spelling first."""
    return database.fetch(tenant, QUOTE, {"quote_number": quote_number})


def lines_of_quote(tenant: str, *, quote_number: str) -> list[DictRow]:
    return database.fetch(tenant, LINES_OF_QUOTE, {"quote_number": quote_number})


def quote_numbers(tenant: str) -> list[str]:
    """Returns the newest 2,000 numbers, newest first."""
    return [row["quote_number"] for row in database.fetch(tenant, QUOTE_NUMBERS)]


CUSTOMERS = SQL("""
    SELECT d.customer, d.company_key AS key FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s
    GROUP BY d.customer, d.company_key ORDER BY max(d.quote_date) DESC LIMIT 20000
""")

NEWEST_OF_CUSTOMERS = SQL("""
    SELECT d.*, {total} AS total FROM quotes.past_quotes d
    WHERE d.tenant = %(tenant)s AND d.customer = ANY (%(customers)s::text[]) ORDER BY d.quote_date DESC LIMIT 8
""").format(total=TOTAL)

LINES_OF_CUSTOMERS = SQL("""
    SELECT d.quote_number, l.position, l.category, l.manufacturer, l.model, l.quantity, l.unit, l.unit_price,
        l.currency
    FROM ({newest}) d JOIN quotes.line_items l ON l.tenant = d.tenant AND l.quote_id = d.id
    WHERE NOT l.optional ORDER BY d.quote_date DESC, l.position
""").format(newest=NEWEST_OF_CUSTOMERS)

HOUSE = SQL("SELECT h.currency, h.facts FROM quarry.house h WHERE h.tenant = quarry.current_tenant()")

# Attributes that the line lacks come from its product.
ONE_LINE = SQL("""
    SELECT d.family, d.category, d.manufacturer, d.model, q.customer,
        coalesce(p.attributes, '{}') || coalesce(d.attributes, '{}') AS attributes
    FROM quotes.line_items d JOIN quotes.past_quotes q ON q.tenant = d.tenant AND q.id = d.quote_id
    LEFT JOIN equipment.products p ON p.tenant = d.tenant AND p.id = d.product_id
    WHERE d.tenant = %(tenant)s AND d.position = %(position)s
        AND search.name_key(q.quote_number) = search.name_key(%(quote_number)s)
    ORDER BY q.quote_number = %(quote_number)s DESC LIMIT 1
""")

# Family and attributes of a model: those of a product of the house, else of another maker's known equivalent.
WORTH = SQL("""
    (SELECT p.family, p.category, p.manufacturer, p.model, p.attributes, 1 AS place FROM equipment.products p
     WHERE p.tenant = %(tenant)s AND p.model_key = %(key)s ORDER BY p.manufacturer LIMIT 1)
    UNION ALL
    (SELECT e.family, NULL, e.maker, e.model, e.attributes, 2 FROM search.equivalents e
     WHERE e.tenant = %(tenant)s AND e.model <> '' AND (equipment.model_key(e.model) = %(key)s
        OR equipment.model_key(e.maker || e.model) = %(key)s) ORDER BY e.maker LIMIT 1)
    ORDER BY place LIMIT 1
""")


def customers(tenant: str) -> dict[str, str | None]:
    """Returns the names in past quotes with their companies' keys, the most recently quoted customer first."""
    return {row["customer"]: row["key"] for row in database.fetch(tenant, CUSTOMERS)}


def history(tenant: str, *, customers: Sequence[str]) -> tuple[list[DictRow], list[DictRow]]:
    """Returns (the customers' newest past quotes, the lines of these), both newest first."""
    given = {"customers": list(customers)}
    quotes, lines = database.fetch_each(tenant, [(NEWEST_OF_CUSTOMERS, given), (LINES_OF_CUSTOMERS, given)])
    return quotes, lines


def house(tenant: str) -> tuple[str | None, dict[str, str]]:
    """Returns (the house's default currency, its facts by name), or (None, {}) where it has stated nothing."""
    row = database.fetch_first(tenant, HOUSE)
    return (row["currency"], row["facts"] or {}) if row else (None, {})


def line_of(tenant: str, *, quote_number: str, position: int) -> DictRow | None:
    return database.fetch_first(tenant, ONE_LINE, {"quote_number": quote_number, "position": position})


def worth_of(tenant: str, *, model: str) -> DictRow | None:
    """Returns the family and attributes of a model, ours or another maker's; None where nothing is known of it."""
    return database.fetch_first(tenant, WORTH, {"key": part_key(model)})
