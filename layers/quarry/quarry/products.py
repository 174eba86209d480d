"""The equipment catalogue as a corpus: what the equipment toolset searches and what requests are answered from."""

from psycopg.sql import SQL

from quarry.retrieval.corpus import Column, Corpus, columns, first_value

# Today's price as tables tell it: in the house's own currency first, of the book for everybody first.
LISTED = """
    (SELECT {column} FROM cpq.products c
     JOIN cpq.price_book_entries e ON e.tenant = c.tenant AND e.product_id = c.id
     JOIN cpq.price_books b ON b.tenant = e.tenant AND b.id = e.price_book_id
     WHERE c.tenant = d.tenant AND c.model_key = d.model_key AND c.active AND e.superseded_at IS NULL AND b.active
        AND current_date BETWEEN coalesce(b.valid_from, current_date) AND coalesce(b.valid_to, current_date)
     ORDER BY b.currency = (SELECT h.currency FROM quarry.house h WHERE h.tenant = d.tenant) DESC NULLS LAST,
        b.segment IS NULL AND b.country IS NULL DESC, b.priority, b.currency, e.version DESC LIMIT 1)"""
PRICE = SQL(SQL(LISTED).format(column=SQL("e.price")).as_string())
CURRENCY = SQL(SQL(LISTED).format(column=SQL("b.currency")).as_string())
ON_REQUEST = SQL(SQL(LISTED).format(column=SQL("e.price IS NULL")).as_string())

# No longer sold: its own row says so, or that of each product for sale that it is. Makers are compared of those alone
# that are not active, for each row of an answer asks this.
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
    CASE WHEN %(priced)s THEN {price} END AS price, CASE WHEN %(priced)s THEN {currency} END AS currency,
    CASE WHEN %(priced)s THEN {on_request} END AS on_request
""").format(withdrawn=WITHDRAWN, successor=SUCCESSOR, price=PRICE, currency=CURRENCY, on_request=ON_REQUEST)

PRODUCTS = Corpus(
    kind="equipment",
    schema="equipment",
    table="products",
    columns=COLUMNS,
    built_in={
        **columns("d", "family", "category", "manufacturer", "model", "sku", "series", "description"),
        "withdrawn": Column(WITHDRAWN, "withdrawn"),
        "price": Column(PRICE, "price"),
        "currency": Column(CURRENCY, "currency"),
        "on_request": Column(ON_REQUEST, "on_request"),
    },
    holding=SQL("d.id IN ({goods})"),
    value=first_value(SQL("d")),
    label="model",
    currency=CURRENCY,
    model_key="model_key",
)
