"""The catalogue and the lines of past quotes as corpora: what tools search, and what prices are drawn from."""

from psycopg.sql import SQL

from quarry.precedents.list_prices import BEST_BOOK, PER_PIECE
from quarry.retrieval.corpus import BY_INDEX, FIRST_VALUE, QUOTES, Column, Corpus, columns

# Today's list price, first in the house's own currency.
LISTED = """
    (SELECT {columns} FROM cpq.products c
     JOIN cpq.price_book_entries e ON e.tenant = c.tenant AND e.product_id = c.id
     JOIN cpq.price_books b ON b.tenant = e.tenant AND b.id = e.price_book_id
     WHERE {asked} AND c.tenant = d.tenant AND c.model_key = d.model_key AND c.active AND e.superseded_at IS NULL
        AND b.active
        AND current_date BETWEEN coalesce(b.valid_from, current_date) AND coalesce(b.valid_to, current_date)
     ORDER BY b.currency = (SELECT h.currency FROM quarry.house h WHERE h.tenant = d.tenant) DESC NULLS LAST,
        b.segment IS NULL AND b.country IS NULL DESC, b.currency, {best} LIMIT 1)"""
PRICE, OF_ONE, CURRENCY, ON_REQUEST = (
    SQL(LISTED.format(columns=one, asked="true", best=BEST_BOOK))
    for one in ("e.price", PER_PIECE.format(amount="e.price", unit="e.unit"), "b.currency", "e.price IS NULL")
)
SHOWN = "e.price, b.currency, e.unit, e.price IS NULL AS on_request"
ALL = LISTED.format(columns=SHOWN, asked="%(priced)s", best=BEST_BOOK)
PRICED = SQL(f"LEFT JOIN LATERAL {ALL} listed ON true")

# A product is no longer sold if its own row says so, or if all products for sale of that model are inactive. Whether
# one is active is asked only where one is not, because each row of an answer asks this.
WITHDRAWN = SQL("""
    (coalesce(d.withdrawn, false) OR (EXISTS (
        SELECT FROM cpq.products c WHERE c.tenant = d.tenant AND c.model_key = d.model_key AND NOT c.active
            AND search.name_key(c.manufacturer) = d.manufacturer_key)
    AND NOT EXISTS (
        SELECT FROM cpq.products c WHERE c.tenant = d.tenant AND c.model_key = d.model_key AND c.active
            AND search.name_key(c.manufacturer) = d.manufacturer_key)))""")
SUCCESSOR = SQL("""
    coalesce(d.successor, (
        SELECT max(c.successor) FROM cpq.products c WHERE c.tenant = d.tenant AND c.model_key = d.model_key
            AND search.name_key(c.manufacturer) = d.manufacturer_key AND NOT c.active))""")

COLUMNS = SQL("""
    d.model, d.manufacturer, d.sku, d.series, d.category, d.family, d.description,
    d.attributes::text AS attributes, d.source,
    {withdrawn} AS withdrawn, {successor} AS successor,
    listed.price, listed.currency, listed.unit AS price_unit, listed.on_request
""").format(withdrawn=WITHDRAWN, successor=SUCCESSOR)

OF_FAMILY = SQL("SELECT d.id AS doc FROM equipment.products d WHERE d.tenant = %(tenant)s AND {}")
PRODUCTS = Corpus(
    kind="equipment",
    schema="equipment",
    table="products",
    columns=COLUMNS,
    joins=PRICED,
    built_in={
        **columns("d", "description"),
        "family": Column(SQL("d.family"), "family", ids=OF_FAMILY),
        **columns("d", "category", "series", texts_of="equipment.products", indexed=True),
        **columns("d", "manufacturer", texts_of="equipment.products", indexed=True, one_by="d.manufacturer_key"),
        "model": Column(SQL("d.model"), "model", part_key=SQL("d.model_key")),
        "sku": Column(SQL("d.sku"), "sku", part_key=SQL("d.sku_key")),
        "withdrawn": Column(WITHDRAWN, "withdrawn"),
        "price": Column(PRICE, "price", of_one=OF_ONE),
        "currency": Column(CURRENCY, "currency"),
        "on_request": Column(ON_REQUEST, "on_request"),
    },
    holding=SQL("d.id IN ({goods})"),
    holds_itself=True,
    value=FIRST_VALUE.format(row=SQL("d")),
    label="model",
    grouping=PRICED,
    money=SQL("listed.price"),
    currency=SQL("listed.currency"),
    unit=SQL("listed.unit"),
)


# Postgres leaves these joins out of a plan whose filters read none of their columns.
LINE_NARROW = SQL("""
    LEFT JOIN quotes.past_quotes q ON q.id = d.quote_id AND q.tenant = d.tenant
    LEFT JOIN equipment.products p ON p.id = d.product_id
""")

# Lines store no key of their makers. GROUP BY tells Postgres that it may leave the join out where nothing reads it.
MAKERS = SQL("""
    LEFT JOIN (
        SELECT each.text, search.name_key(each.text) AS key FROM ({texts}) each GROUP BY each.text
    ) maker ON maker.text = d.manufacturer
""").format(texts=SQL(BY_INDEX.format(name="manufacturer", table="quotes.line_items")))

OF_ONE_LISTED, OF_ONE_SOLD = (
    SQL(PER_PIECE.format(amount=one, unit="d.unit")) for one in ("d.list_price", "d.unit_price")
)
LINE_ITEMS = Corpus(
    kind="line_items",
    schema="quotes",
    table="line_items",
    columns=SQL("""
        q.quote_number, d.position, d.category, d.family, d.manufacturer, d.model, p.model AS catalogue_model,
        coalesce(d.sku, p.sku) AS sku, d.description, d.quantity, d.unit, d.list_price, d.discount_pct,
        d.unit_price, d.extended_price, d.currency, d.optional, d.price_note,
        d.attributes::text AS attributes, p.attributes::text AS _catalogue, q.customer, q.quote_date, q.project,
        q.status, q.contact, q.industry, q.salesperson,
        q.reference
    """),
    narrow=LINE_NARROW,
    joins=LINE_NARROW,
    built_in={
        **columns("d", "family", "description", "price_note", "currency", "quantity", "unit"),
        **columns("d", "discount_pct", "extended_price", "optional"),
        **columns("d", "category", texts_of="quotes.line_items", indexed=True),
        **columns("d", "manufacturer", texts_of="quotes.line_items", indexed=True, one_by="maker.key"),
        **columns("q", "customer", texts_of="quotes.past_quotes", one_by="q.company_key"),
        **columns("q", "industry", "salesperson", "contact", "status", "project", texts_of="quotes.past_quotes"),
        **columns("q", "quote_number", "reference"),
        **columns("p", "series", texts_of="equipment.products", indexed=True),
        "model": Column(SQL("d.model"), "model", part_key=SQL("d.model_key")),
        "sku": Column(SQL("coalesce(d.sku, p.sku)"), "sku"),
        "list_price": Column(SQL("d.list_price"), "list_price", of_one=OF_ONE_LISTED),
        "price": Column(SQL("d.unit_price"), "unit_price", of_one=OF_ONE_SOLD),
        "date": Column(SQL("q.quote_date"), "quote_date", sorted_in="quotes.past_quotes"),
        "year": Column(SQL("extract(year FROM q.quote_date)::integer"), "year"),
    },
    # What a line does not state is taken from its catalogue row.
    holding=SQL("(d.id IN ({lines}) OR (d.product_id IN ({goods}) AND d.id NOT IN ({any_lines})))"),
    value=SQL("coalesce({}, {})").format(FIRST_VALUE.format(row=SQL("d")), FIRST_VALUE.format(row=SQL("p"))),
    label="model",
    dated=SQL("q.quote_date"),
    grouping=MAKERS,
    money=SQL("d.unit_price"),
    currency=SQL("d.currency"),
    unit=SQL("d.unit"),
    sums={
        QUOTES: SQL("d.quote_id"),
        "quantity": SQL("CASE WHEN NOT d.optional THEN d.quantity END"),
        "sum": SQL("CASE WHEN NOT d.optional THEN coalesce(d.extended_price, d.unit_price * d.quantity) END"),
    },
    copies=True,
)
