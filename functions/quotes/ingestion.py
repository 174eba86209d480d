"""Past quotes and their line items from CSV or JSON Lines."""

from datetime import date
from decimal import Decimal
from typing import Annotated

from psycopg.sql import SQL
from pydantic import Field

from quarry.ingestion import Kind, Row
from quarry.retrieval.families import UNKNOWN_FAMILIES
from quarry.retrieval.vocabulary import Family, Lubrication
from quotes.model import Status

Price = Annotated[Decimal, Field(ge=0, max_digits=14, decimal_places=4, allow_inf_nan=False)]
Measure = Annotated[float, Field(gt=0, allow_inf_nan=False)]
QuoteNumber = Annotated[str, Field(min_length=1, max_length=100)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


class PastQuoteRow(Row):
    quote_number: QuoteNumber
    customer: str = Field(min_length=1, max_length=300)
    contact: str | None = Field(default=None, max_length=300)
    quote_date: date
    project: str = Field(min_length=1, max_length=500)
    summary: str = Field(min_length=1, max_length=200_000)
    industry: str | None = Field(default=None, max_length=200)
    salesperson: str | None = Field(default=None, max_length=300)
    status: Status
    total_price: Price | None = None
    currency: Currency | None = Field(default=None, description="Without one the house's.")
    terms: str | None = Field(default=None, max_length=5000)
    price_rationale: str | None = Field(default=None, max_length=5000)
    reference: bool = Field(default=False, description="True: other customers may be told of it.")


class LineItemRow(Row):
    quote_number: QuoteNumber
    position: int = Field(ge=1, le=100_000)
    category: str = Field(min_length=1, max_length=200)
    family: Family
    manufacturer: str | None = Field(default=None, max_length=200)
    model: str | None = Field(default=None, max_length=200)
    description: str = Field(min_length=1, max_length=200_000)
    quantity: Annotated[Decimal, Field(gt=0, max_digits=12, decimal_places=3, allow_inf_nan=False)]
    unit_price: Price | None = None
    extended_price: Price | None = None
    currency: Currency | None = Field(default=None, description="Without one its quote's.")
    optional: bool = False
    hp: Measure | None = None
    cfm: Measure | None = None
    psi: Measure | None = None
    vacuum_inhg: Measure | None = None
    lubrication: Lubrication | None = None
    price_note: str | None = Field(default=None, max_length=5000)


# An amount without its currency is no price, and no currency is anybody's by default.
WITHOUT_CURRENCY = SQL("""
    SELECT (r.index - 1)::integer AS index,
           'currency: neither the row nor the house says one; add a column, say SET="currency=EUR", or give the '
           'house its currency with make setup' AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS r (value, index)
    WHERE r.value ->> 'currency' IS NULL
        AND NOT EXISTS (SELECT FROM quarry.house h WHERE h.tenant = %(tenant)s AND h.currency IS NOT NULL)
""")

UPSERT_QUOTES = SQL("""
    INSERT INTO quotes.past_quotes AS t (
        tenant, quote_number, customer, contact, quote_date, project, summary, industry, salesperson, status,
        total_price, currency, terms, price_rationale, reference)
    SELECT %(tenant)s, r.quote_number, r.customer, r.contact, r.quote_date, r.project, r.summary, r.industry,
        r.salesperson, r.status, r.total_price, coalesce(r.currency, h.currency), r.terms, r.price_rationale,
        r.reference
    FROM jsonb_to_recordset(%(rows)s) AS r (
        quote_number text, customer text, contact text, quote_date date, project text, summary text, industry text,
        salesperson text, status text, total_price numeric, currency text, terms text, price_rationale text,
        reference boolean)
    LEFT JOIN quarry.house h ON h.tenant = %(tenant)s
    ON CONFLICT (tenant, quote_number) DO UPDATE SET
        customer = excluded.customer, contact = excluded.contact, quote_date = excluded.quote_date,
        project = excluded.project, summary = excluded.summary, industry = excluded.industry,
        salesperson = excluded.salesperson, status = excluded.status, total_price = excluded.total_price,
        currency = excluded.currency, terms = excluded.terms, price_rationale = excluded.price_rationale,
        reference = excluded.reference, updated_at = now()
    WHERE (t.customer, t.contact, t.quote_date, t.project, t.summary, t.industry, t.salesperson, t.status,
           t.total_price, t.currency, t.terms, t.price_rationale, t.reference)
        IS DISTINCT FROM
          (excluded.customer, excluded.contact, excluded.quote_date, excluded.project, excluded.summary,
           excluded.industry, excluded.salesperson, excluded.status, excluded.total_price, excluded.currency,
           excluded.terms, excluded.price_rationale, excluded.reference)
    RETURNING (t.xmax = 0) AS inserted
""")

ORPHANS = SQL("""
    SELECT (r.index - 1)::integer AS index,
           format('quote_number: no past quote %%L; ingest past_quotes first', r.value ->> 'quote_number') AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS r (value, index)
    WHERE NOT EXISTS (
        SELECT FROM quotes.past_quotes q
        WHERE q.tenant = %(tenant)s AND q.quote_number = r.value ->> 'quote_number')
""")

UPSERT_LINES = SQL("""
    INSERT INTO quotes.line_items AS t (
        tenant, quote_id, position, category, family, manufacturer, model, product_id, description, quantity,
        unit_price, extended_price, currency, optional, hp, cfm, psi, vacuum_inhg, lubrication, price_note)
    SELECT %(tenant)s, q.id, r.position, r.category, r.family, r.manufacturer, r.model, p.id, r.description,
        r.quantity, r.unit_price, r.extended_price, coalesce(r.currency, q.currency), r.optional, r.hp, r.cfm, r.psi,
        r.vacuum_inhg, r.lubrication, r.price_note
    FROM jsonb_to_recordset(%(rows)s) AS r (
        quote_number text, position integer, category text, family text, manufacturer text, model text,
        description text, quantity numeric, unit_price numeric, extended_price numeric, currency text,
        optional boolean, hp float8, cfm float8, psi float8, vacuum_inhg float8, lubrication text, price_note text)
    JOIN quotes.past_quotes q ON q.tenant = %(tenant)s AND q.quote_number = r.quote_number
    LEFT JOIN equipment.products p
        ON p.tenant = %(tenant)s AND p.manufacturer = r.manufacturer AND p.model = r.model
    ON CONFLICT (tenant, quote_id, position) DO UPDATE SET
        category = excluded.category, family = excluded.family, manufacturer = excluded.manufacturer,
        model = excluded.model, product_id = excluded.product_id, description = excluded.description,
        quantity = excluded.quantity, unit_price = excluded.unit_price, extended_price = excluded.extended_price,
        currency = excluded.currency, optional = excluded.optional, hp = excluded.hp, cfm = excluded.cfm,
        psi = excluded.psi, vacuum_inhg = excluded.vacuum_inhg, lubrication = excluded.lubrication,
        price_note = excluded.price_note, updated_at = now()
    WHERE (t.category, t.family, t.manufacturer, t.model, t.product_id, t.description, t.quantity, t.unit_price,
           t.extended_price, t.currency, t.optional, t.hp, t.cfm, t.psi, t.vacuum_inhg, t.lubrication, t.price_note)
        IS DISTINCT FROM
          (excluded.category, excluded.family, excluded.manufacturer, excluded.model, excluded.product_id,
           excluded.description, excluded.quantity, excluded.unit_price, excluded.extended_price, excluded.currency,
           excluded.optional, excluded.hp, excluded.cfm, excluded.psi, excluded.vacuum_inhg, excluded.lubrication,
           excluded.price_note)
    RETURNING (t.xmax = 0) AS inserted
""")

# Products may arrive after the lines that quote them.
LINK_PRODUCTS = SQL("""
    UPDATE quotes.line_items t SET product_id = p.id
    FROM equipment.products p
    WHERE t.tenant = %(tenant)s AND p.tenant = %(tenant)s AND t.product_id IS NULL
      AND p.manufacturer = t.manufacturer AND p.model = t.model
""")

PAST_QUOTES = Kind(
    name="past_quotes",
    row=PastQuoteRow,
    key=("quote_number",),
    upsert=UPSERT_QUOTES,
    table="quotes.past_quotes",
    missing=WITHOUT_CURRENCY,
)

STORED_LINES = SQL("""
    SELECT to_jsonb(l) || jsonb_build_object('quote_number', q.quote_number) AS content
    FROM quotes.line_items l JOIN quotes.past_quotes q ON q.tenant = l.tenant AND q.id = l.quote_id
    WHERE l.tenant = %(tenant)s ORDER BY q.quote_number, l.position
""")

LINE_ITEMS = Kind(
    name="line_items",
    row=LineItemRow,
    key=("quote_number", "position"),
    upsert=UPSERT_LINES,
    table="quotes.line_items",
    stored=STORED_LINES,
    whole_of="quote_number",
    missing=ORPHANS + SQL(" UNION ALL ") + UNKNOWN_FAMILIES,
)
