"""Past quotes' lines as a corpus: what the quotes toolset searches and what price guidance is drawn from."""

from psycopg.sql import SQL

from quarry.retrieval.corpus import QUOTES, Column, Corpus, columns, first_value

LINE = SQL("""
    q.quote_number, d.position, d.category, d.family, d.manufacturer, d.model, p.model AS catalogue_model,
    coalesce(d.sku, p.sku) AS sku, d.description, d.quantity, d.unit, d.list_price, d.discount_pct,
    d.unit_price, d.extended_price, d.currency, d.optional, d.price_note,
    d.attributes::text AS attributes, p.attributes::text AS _catalogue, q.customer, q.quote_date, q.project,
    q.status, q.contact, q.industry, q.salesperson,
    q.reference
""")

# Left out of a plan whose filters read none of it.
LINE_NARROW = SQL("""
    LEFT JOIN quotes.past_quotes q ON q.id = d.quote_id AND q.tenant = d.tenant
    LEFT JOIN equipment.products p ON p.id = d.product_id
""")

LINE_ITEMS = Corpus(
    kind="line_items",
    schema="quotes",
    table="line_items",
    columns=LINE,
    narrow=LINE_NARROW,
    joins=LINE_NARROW,
    built_in={
        **columns("d", "family", "category", "manufacturer", "model", "description", "currency", "quantity", "unit"),
        **columns("d", "list_price", "discount_pct", "extended_price", "optional"),
        **columns("q", "customer", "industry", "salesperson", "contact", "status", "project"),
        **columns("q", "quote_number", "reference"),
        **columns("p", "series"),
        "sku": Column(SQL("coalesce(d.sku, p.sku)"), "sku"),
        "price": Column(SQL("d.unit_price"), "unit_price"),
        "date": Column(SQL("q.quote_date"), "quote_date"),
        "year": Column(SQL("extract(year FROM q.quote_date)::integer"), "year"),
    },
    # What a line does not say its catalogue row may.
    holding=SQL("(d.id IN ({lines}) OR (d.product_id IN ({goods}) AND d.id NOT IN ({any_lines})))"),
    value=SQL("coalesce({}, {})").format(first_value(SQL("d")), first_value(SQL("p"))),
    label="model",
    dated=SQL("q.quote_date"),
    currency=SQL("d.currency"),
    sums={
        QUOTES: SQL("d.quote_id"),
        "quantity": SQL("CASE WHEN NOT d.optional THEN d.quantity END"),
        "sum": SQL("CASE WHEN NOT d.optional THEN coalesce(d.extended_price, d.unit_price * d.quantity) END"),
    },
    model_key="model_key",
    copies=True,
)
