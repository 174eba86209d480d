"""All SQL of the quotes toolset."""

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.data import database
from quarry.retrieval import Copies, Corpus

CARD = SQL("""
    d.quote_number, d.customer, d.quote_date, d.project, d.industry, d.status, d.total_price, d.currency,
    d.price_rationale
""")

LINE = SQL("""
    q.quote_number, d.position, d.category, d.family, d.manufacturer, d.model, p.model AS catalogue_model,
    d.description, false AS truncated, d.quantity, d.unit_price, d.extended_price, d.currency, d.optional, d.hp,
    d.cfm, d.psi, d.vacuum_inhg, d.lubrication, d.price_note
""")

SOURCE = SQL(", q.customer, q.quote_date, q.project, q.status")

LINE_JOINS = SQL("""
    JOIN quotes.past_quotes q ON q.id = d.quote_id AND q.tenant = d.tenant
    LEFT JOIN equipment.products p ON p.id = d.product_id
""")

LINE_CONDITION = SQL("""(
    (%(category)s::text IS NULL OR d.category_key = lower(%(category)s::text)
        OR d.family = replace(replace(lower(%(category)s::text), '-', '_'), ' ', '_'))
    AND (%(hp_min)s::float8 IS NULL OR d.hp >= %(hp_min)s::float8)
    AND (%(hp_max)s::float8 IS NULL OR d.hp <= %(hp_max)s::float8)
    AND (%(cfm_min)s::float8 IS NULL OR d.cfm >= %(cfm_min)s::float8)
    AND (%(cfm_max)s::float8 IS NULL OR d.cfm <= %(cfm_max)s::float8)
    AND (%(psi_min)s::float8 IS NULL OR d.psi >= %(psi_min)s::float8)
    AND (%(psi_max)s::float8 IS NULL OR d.psi <= %(psi_max)s::float8)
    AND (%(lubrication)s::text IS NULL OR d.lubrication = %(lubrication)s::text)
)""")

QUOTE_CONDITION = SQL("""(
    (%(status)s::text IS NULL OR d.status = %(status)s::text)
    AND (%(industry)s::text IS NULL OR strpos(lower(d.industry), lower(%(industry)s::text)) > 0)
    AND (%(customer)s::text IS NULL OR strpos(lower(d.customer), lower(%(customer)s::text)) > 0)
    AND (%(date_from)s::date IS NULL OR d.quote_date >= %(date_from)s::date)
    AND (%(date_to)s::date IS NULL OR d.quote_date <= %(date_to)s::date)
)""")

PAST_QUOTES = Corpus(
    schema="quotes",
    table="past_quotes",
    columns=SQL(", ").join([CARD, SQL("d.summary")]),
    condition=QUOTE_CONDITION,
    document=SQL("quotes.past_quote_document(d)"),
)

LINE_ITEMS = Corpus(
    schema="quotes",
    table="line_items",
    columns=SQL("").join([LINE, SOURCE]),
    condition=LINE_CONDITION,
    joins=LINE_JOINS,
    model_key="model_key",
    document=SQL("quotes.line_item_document(d)"),
    copies=Copies(
        row=SQL("""
            'quote_number', q.quote_number, 'position', d.position, 'quote_date', q.quote_date,
            'customer', q.customer, 'status', q.status, 'unit_price', d.unit_price::text, 'currency', d.currency"""),
        on=SQL("q.quote_date"),
    ),
)

QUOTE = SQL("""
    SELECT {card}, d.contact, d.salesperson, d.summary, d.terms, false AS truncated
    FROM quotes.past_quotes d
    WHERE d.tenant = %(tenant)s AND lower(d.quote_number) = lower(%(quote_number)s)
    ORDER BY d.quote_number = %(quote_number)s DESC, d.quote_number LIMIT 1
""").format(card=CARD)

LINES_OF_QUOTE = SQL("""
    SELECT {line} FROM quotes.line_items d {joins}
    WHERE d.tenant = %(tenant)s AND q.tenant = %(tenant)s AND q.quote_number = %(quote_number)s
    ORDER BY d.position
""").format(line=LINE, joins=LINE_JOINS)

QUOTE_NUMBERS = SQL(
    "SELECT quote_number FROM quotes.past_quotes WHERE tenant = %(tenant)s ORDER BY quote_date DESC LIMIT 2000"
)

CATEGORIES = SQL("SELECT DISTINCT category, family FROM quotes.line_items WHERE tenant = %(tenant)s")

INDUSTRIES = SQL(
    "SELECT DISTINCT industry FROM quotes.past_quotes WHERE tenant = %(tenant)s AND industry <> '' ORDER BY industry"
)

CUSTOMERS = SQL("SELECT DISTINCT customer FROM quotes.past_quotes WHERE tenant = %(tenant)s ORDER BY customer")


def quote(tenant: str, *, quote_number: str) -> DictRow | None:
    """The quote of that number but for case; the exact spelling wins."""
    rows = database.fetch(tenant, QUOTE, {"tenant": tenant, "quote_number": quote_number})
    return rows[0] if rows else None


def lines_of_quote(tenant: str, *, quote_number: str) -> list[DictRow]:
    return database.fetch(tenant, LINES_OF_QUOTE, {"tenant": tenant, "quote_number": quote_number})


def quote_numbers(tenant: str) -> list[str]:
    """Newest first."""
    return [row["quote_number"] for row in database.fetch(tenant, QUOTE_NUMBERS, {"tenant": tenant})]


def industries(tenant: str) -> list[str]:
    return [row["industry"] for row in database.fetch(tenant, INDUSTRIES, {"tenant": tenant})]


def customers(tenant: str) -> list[str]:
    return [row["customer"] for row in database.fetch(tenant, CUSTOMERS, {"tenant": tenant})]


def categories(tenant: str) -> tuple[set[str], set[str]]:
    """(headings, families) that line items have."""
    rows = database.fetch(tenant, CATEGORIES, {"tenant": tenant})
    return {row["category"] for row in rows}, {row["family"] for row in rows}
