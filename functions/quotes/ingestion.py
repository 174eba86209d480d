"""Past quotes and their line items from CSV or JSON Lines."""

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated

from psycopg.sql import SQL
from pydantic import Field

from quarry.attributes.stored import Stored
from quarry.ingestion import FIRST_FIVE, Family, Kind, Row, of_the_house, or_update
from quarry.money import Currency
from quotes.model import Status

Price = Annotated[Decimal, Field(ge=0, max_digits=14, decimal_places=4, allow_inf_nan=False)]
LinePrice = Annotated[Decimal, Field(max_digits=14, decimal_places=4, allow_inf_nan=False)]
"""Below zero where something is taken in part payment."""
HALF_A_CENT = Decimal("0.005")
QuoteNumber = Annotated[str, Field(min_length=1, max_length=100)]


class PastQuoteRow(Row):
    quote_number: QuoteNumber
    customer: str = Field(min_length=1, max_length=300)
    contact: str | None = Field(default=None, max_length=300)
    quote_date: date
    project: str | None = Field(default=None, min_length=1, max_length=500)
    summary: str | None = Field(default=None, min_length=1, max_length=200_000)
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
    category: str | None = Field(default=None, min_length=1, max_length=200, description="Else that of its product.")
    family: Family | None = Field(default=None, description="Else that of its product.")
    manufacturer: str | None = Field(default=None, max_length=200)
    model: str | None = Field(default=None, max_length=200)
    sku: str | None = Field(default=None, min_length=1, max_length=100)
    description: str = Field(min_length=1, max_length=200_000)
    quantity: Annotated[Decimal, Field(gt=0, max_digits=12, decimal_places=3, allow_inf_nan=False)]
    unit: str | None = Field(default=None, min_length=1, max_length=40, description="Piece, m, kg, hour.")
    list_price: Price | None = None
    discount_pct: Annotated[Decimal, Field(ge=-1000, le=100, max_digits=8, decimal_places=4)] | None = Field(
        default=None, description="Off list_price in percent; below zero where more was charged."
    )
    unit_price: LinePrice | None = None
    extended_price: LinePrice | None = None
    currency: Currency | None = Field(default=None, description="Without one its quote's.")
    optional: bool = False
    attributes: Stored = None
    price_note: str | None = Field(default=None, max_length=5000)


def priced(row: LineItemRow) -> tuple[LineItemRow, str] | None:
    """The row with the unit price that follows from its other amounts, and which; None where it says one."""
    if row.unit_price is not None:
        return None
    off = row.discount_pct
    listed = None if row.list_price is None else row.list_price * (1 - (off or Decimal(0)) / 100)
    by_list = "unit_price is list_price" if off is None else "unit_price is list_price less discount_pct"
    price, said = listed if off is not None else None, by_list
    if row.extended_price is not None:
        price, said = row.extended_price / row.quantity, "unit_price is extended_price divided by quantity"
        is_near = listed is not None and abs(listed * row.quantity - row.extended_price) <= HALF_A_CENT
        # What the sum was rounded from was charged, not what it comes to, unless that has no parts of a cent.
        if is_near and not (off and price == round(price, 2)):
            price, said = listed, by_list
    if price is None:
        return None
    return row.model_copy(update={"unit_price": price.quantize(Decimal("0.0001"), ROUND_HALF_UP)}), said


# An amount without its currency is no price, and no currency is anybody's by default.
WITHOUT_CURRENCY = SQL("""
    SELECT (r.index - 1)::integer AS index,
           'currency: neither the row nor the house says one; add a column, say SET="currency=EUR", or give the '
           'house its currency with make setup' AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS r (value, index)
    WHERE r.value ->> 'currency' IS NULL
        AND NOT EXISTS (SELECT FROM quarry.house h WHERE h.tenant = %(tenant)s AND h.currency IS NOT NULL)
""")

OF_SKU = """p.sku_key = equipment.model_key({row}.sku) AND (
    {row}.model IS NULL AND {row}.manufacturer IS NULL
    OR coalesce(p.model_key = equipment.model_key({row}.model), true) AND NOT EXISTS (
        SELECT FROM equipment.products o WHERE o.tenant = p.tenant AND o.sku_key = p.sku_key AND o.id <> p.id))"""

# The stored product that a line r is of: by maker and model, by SKU, which no new name of its maker changes, or by
# a model that one maker alone has, which may stand where others have the SKU.
OF_PRODUCT = SQL("""
    LEFT JOIN LATERAL (
        SELECT p.id, p.manufacturer, p.model, p.category, p.family FROM equipment.products p
        WHERE p.tenant = %(tenant)s AND p.manufacturer = r.manufacturer AND p.model = r.model
        UNION ALL
        SELECT p.id, p.manufacturer, p.model, p.category, p.family FROM equipment.products p
        WHERE p.tenant = %(tenant)s AND {of_sku}
        UNION ALL
        SELECT p.id, p.manufacturer, p.model, p.category, p.family FROM equipment.products p
        WHERE p.tenant = %(tenant)s AND r.manufacturer IS NULL AND p.model = coalesce(r.model, r.sku)
            AND NOT EXISTS (SELECT FROM equipment.products o
                            WHERE o.tenant = %(tenant)s AND o.model = p.model AND o.id <> p.id)
        LIMIT 1) p ON true
""").format(of_sku=SQL(OF_SKU.format(row="r")))

ORPHANS = SQL("""
    SELECT (r.index - 1)::integer AS index,
        CASE WHEN q.id IS NULL
             THEN format('quote_number: no past quote %%L; ingest past_quotes first', r.quote_number)
             ELSE 'category, family: the row says none, and no stored product has its SKU or model; name a column, '
                  'or ingest products first' END AS reason
    FROM ROWS FROM (jsonb_to_recordset(%(rows)s) AS (
        quote_number text, category text, family text, manufacturer text, model text, sku text))
        WITH ORDINALITY AS r (quote_number, category, family, manufacturer, model, sku, index)
    LEFT JOIN quotes.past_quotes q ON q.tenant = %(tenant)s AND q.quote_number = r.quote_number
    {of_product}
    WHERE q.id IS NULL OR coalesce(r.category, p.category) IS NULL OR coalesce(r.family, p.family) IS NULL
""").format(of_product=OF_PRODUCT)

UPSERT_LINES = SQL("""
    INSERT INTO quotes.line_items AS t (
        tenant, quote_id, position, category, family, manufacturer, model, sku, product_id, description, quantity,
        unit, list_price, discount_pct, unit_price, extended_price, currency, optional, attributes, price_note)
    SELECT %(tenant)s, q.id, r.position, coalesce(r.category, p.category), coalesce(r.family, p.family),
        coalesce(p.manufacturer, r.manufacturer), coalesce(r.model, p.model), r.sku, p.id, r.description, r.quantity,
        r.unit, r.list_price, r.discount_pct, r.unit_price, r.extended_price, coalesce(r.currency, q.currency),
        r.optional, r.attributes, r.price_note
    FROM jsonb_to_recordset(%(rows)s) AS r (
        quote_number text, position integer, category text, family text, manufacturer text, model text, sku text,
        description text, quantity numeric, unit text, list_price numeric, discount_pct numeric,
        unit_price numeric, extended_price numeric, currency text, optional boolean, attributes jsonb,
        price_note text)
    JOIN quotes.past_quotes q ON q.tenant = %(tenant)s AND q.quote_number = r.quote_number
    {of_product}
""").format(of_product=OF_PRODUCT) + or_update(
    ("quote_id", "position"), (*(name for name in LineItemRow.model_fields if name != "quote_number"), "product_id")
)

# Products may arrive after the lines that quote them, and their makers get other names.
LINK_PRODUCTS = SQL("""
    WITH by_model AS (
        UPDATE quotes.line_items t SET product_id = p.id
        FROM equipment.products p
        WHERE t.tenant = %(tenant)s AND p.tenant = %(tenant)s AND t.product_id IS NULL
          AND p.manufacturer = t.manufacturer AND p.model = t.model
        RETURNING t.id)
    UPDATE quotes.line_items t
    SET product_id = p.id, model = coalesce(t.model, p.model), manufacturer = p.manufacturer
    FROM equipment.products p
    WHERE t.tenant = %(tenant)s AND p.tenant = %(tenant)s AND t.product_id IS NULL
      AND t.sku IS NOT NULL AND {of_sku} AND t.id NOT IN (SELECT id FROM by_model)
""").format(of_sku=SQL(OF_SKU.format(row="t")))

TAKEN_NUMBERS = SQL("""
    SELECT format('%%s past quotes have the number of a quote made here for another customer, or for one of another '
        'name by now: %%s. Load them under numbers of their own, or with the name of today',
        count(*), {first_five}) AS told
    FROM (SELECT format('%%s of %%s, here of %%s', q.quote_number, q.customer, a.name) AS shown,
              row_number() OVER (ORDER BY q.quote_number) AS place
          FROM quotes.past_quotes q JOIN cpq.quotes m ON m.tenant = q.tenant AND m.id = upper(q.quote_number)
          JOIN cpq.accounts a ON a.tenant = m.tenant AND a.id = m.account_id
          WHERE q.tenant = %(tenant)s AND a.company_key <> q.company_key) found
    HAVING count(*) > 0
""").format(first_five=FIRST_FIVE)

PAST_QUOTES = Kind(
    name="past_quotes",
    row=PastQuoteRow,
    key=("quote_number",),
    table="quotes.past_quotes",
    partly=True,
    values={"currency": of_the_house("currency")},
    doubts=TAKEN_NUMBERS,
    missing=WITHOUT_CURRENCY,
)

STORED_LINES = SQL("""
    SELECT to_jsonb(l) || jsonb_build_object('quote_number', q.quote_number) AS content
    FROM quotes.line_items l JOIN quotes.past_quotes q ON q.tenant = l.tenant AND q.id = l.quote_id
    WHERE l.tenant = %(tenant)s ORDER BY q.quote_number, l.position
""")

HELD_LINES = SQL("""
    SELECT (e.index - 1)::integer AS index,
        (to_jsonb(l) || jsonb_build_object('quote_number', q.quote_number))::text AS content
    FROM jsonb_array_elements(%(keys)s) WITH ORDINALITY AS e (value, index)
    JOIN quotes.past_quotes q ON q.tenant = %(tenant)s AND q.quote_number = e.value ->> 'quote_number'
    JOIN quotes.line_items l
        ON l.tenant = %(tenant)s AND l.quote_id = q.id AND l.position = (e.value ->> 'position')::integer
""")

TO_LOOK_AT = SQL("""
    SELECT format(found.told, count(*), string_agg(found.label, ', ' ORDER BY found.place)
        FILTER (WHERE found.place <= 5) || CASE WHEN count(*) > 5 THEN ' …' ELSE '' END) AS told
    FROM (SELECT '%%s past quotes have no lines: %%s' AS told, q.quote_number AS label,
              row_number() OVER (ORDER BY q.quote_date DESC, q.quote_number) AS place
          FROM quotes.past_quotes q
          WHERE q.tenant = %(tenant)s AND NOT EXISTS (
              SELECT FROM quotes.line_items l WHERE l.tenant = q.tenant AND l.quote_id = q.id)
          UNION ALL
          SELECT wrong.told, q.quote_number || '/' || l.position, row_number() OVER (
                  PARTITION BY wrong.told ORDER BY q.quote_date DESC, q.quote_number, l.position) AS place
          FROM quotes.line_items l JOIN quotes.past_quotes q ON q.tenant = l.tenant AND q.id = l.quote_id
          CROSS JOIN LATERAL (SELECT l.extended_price / nullif(l.quantity * l.unit_price, 0) AS times) AS extended
          CROSS JOIN LATERAL (VALUES
              ('the price of %%s stored lines is not their list price less the discount: %%s',
               abs(l.list_price * (1 - l.discount_pct / 100) - l.unit_price) > 0.01 * abs(l.unit_price)),
              -- A unit price that was rounded to cents is off by half of one for each piece.
              -- Lines that run for months have no field for these: they would hide those that are wrong.
              ('the extended price of %%s stored lines is '
               || CASE WHEN times > 1.5 AND abs(times - round(times)) < 0.001 * times
                       THEN 'some whole times' ELSE 'not' END || ' their quantity times their price: %%s',
               abs(l.quantity * l.unit_price - l.extended_price) > 0.01 + 0.005 * l.quantity),
              ('%%s stored lines have a list price, and neither a price nor a discount: %%s',
               l.list_price IS NOT NULL AND l.unit_price IS NULL)) AS wrong (told, so)
          WHERE l.tenant = %(tenant)s AND wrong.so) found
    GROUP BY found.told ORDER BY found.told
""")

LINE_ITEMS = Kind(
    name="line_items",
    row=LineItemRow,
    key=("quote_number", "position"),
    upsert=UPSERT_LINES,
    table="quotes.line_items",
    partly=True,
    stored=STORED_LINES,
    held=HELD_LINES,
    doubts=TO_LOOK_AT,
    whole_of="quote_number",
    attributed=True,
    missing=ORPHANS,
    derived=priced,
)
