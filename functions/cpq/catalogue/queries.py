"""SQL of the catalogue: search by words, a product with its list price, and what lines are checked against."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import date
from decimal import Decimal

from psycopg.rows import DictRow
from psycopg.sql import SQL

from cpq.catalogue.configuration import AttributeSpec, ConfigurableProduct, Relation
from quarry.attributes.model import model_look
from quarry.attributes.units import Units, shipped
from quarry.data.database import Connection, rows_of
from quarry.money import in_currency
from quarry.precedents.list_prices import BEST_BOOK
from quarry.text import alike, fold, part_key

LAST = "\U0010ffff"
"""The highest code point: whatever begins with a text sorts before that text followed by it."""

PRODUCT_COLUMNS = SQL("""
    p.id, p.sku, p.name, p.description, p.product_type, p.category, p.attributes, p.active, p.successor,
    p.manufacturer, p.model, p.min_quantity, p.max_quantity, p.created_at, p.updated_at, listed.price AS base_price,
    listed.currency, listed.unit, listed.tiers AS volume_tiers, listed.version AS price_version, listed.price_book_id,
    listed.price_book_name, listed.price_for
""")

LIST_PRICE = SQL("""
    LEFT JOIN LATERAL (
        SELECT e.price, e.unit, e.tiers, e.version, b.id AS price_book_id, b.name AS price_book_name, b.currency,
            nullif(concat_ws(', ', b.segment, b.country), '') AS price_for
        FROM cpq.price_book_entries e
        JOIN cpq.price_books b ON b.tenant = e.tenant AND b.id = e.price_book_id
        WHERE e.tenant = p.tenant AND e.product_id = p.id AND e.superseded_at IS NULL
          AND b.active AND b.currency = %(currency)s
          AND (b.valid_from IS NULL OR b.valid_from <= %(today)s) AND (b.valid_to IS NULL OR b.valid_to >= %(today)s)
        ORDER BY {best} LIMIT 1) AS listed ON true
""").format(best=SQL(BEST_BOOK))

# Products match that have the most words of the query, stemmed and spelt as the catalogue's are; one whose id, SKU,
# model or name is the query comes first. Where an id, SKU or model is the query, its words say nothing more.
SEARCH = SQL("""
    WITH named AS (
        SELECT id, min(closeness) AS closeness FROM (
            SELECT p.id, 0 AS closeness FROM cpq.products p
            WHERE p.tenant = quarry.current_tenant() AND p.id = lower(%(query)s::text)
            UNION ALL
            SELECT p.id, CASE WHEN p.sku_key = %(key)s::text THEN 0 ELSE 1 END FROM cpq.products p
            WHERE p.tenant = quarry.current_tenant() AND p.sku_key >= %(key)s::text
              AND p.sku_key < %(key)s::text || %(last)s::text AND length(%(key)s::text) >= 3
            UNION ALL
            SELECT p.id, CASE WHEN p.model_key = %(key)s::text THEN 0 ELSE 1 END FROM cpq.products p
            WHERE p.tenant = quarry.current_tenant() AND p.model_key >= %(key)s::text
              AND p.model_key < %(key)s::text || %(last)s::text AND length(%(key)s::text) >= 3) AS found
        GROUP BY id),
    wanted AS (
        SELECT t.term AS word FROM search.query_terms(%(query)s) AS t
        WHERE NOT EXISTS (SELECT FROM named WHERE closeness = 0)),
    hits AS (
        SELECT w.product_id AS id, w.word, w.weight
        FROM wanted x JOIN cpq.product_words w ON w.tenant = quarry.current_tenant() AND w.word = x.word),
    spread AS (SELECT word, count(*) AS products FROM hits GROUP BY word),
    scored AS (
        SELECT h.id, count(*) AS covered, sum(h.weight / ln(2 + s.products::float8)) AS score
        FROM hits h JOIN spread s ON s.word = h.word GROUP BY h.id),
    eligible AS (
        SELECT p.id, p.name, coalesce(s.covered, 0) AS covered, coalesce(s.score, 0) AS score,
            CASE WHEN lower(p.name) = lower(%(query)s::text) THEN 0 ELSE coalesce(n.closeness, 2) END AS closeness
        FROM (SELECT id FROM scored UNION SELECT id FROM named UNION
              SELECT id FROM cpq.products
              WHERE tenant = quarry.current_tenant() AND %(query)s::text = '') AS candidate
        JOIN cpq.products p ON p.tenant = quarry.current_tenant() AND p.id = candidate.id
        LEFT JOIN scored s ON s.id = p.id
        LEFT JOIN named n ON n.id = p.id
        WHERE (p.active OR NOT %(active_only)s::boolean)
          AND (%(category)s::text IS NULL OR p.category = %(category)s::text)),
    matched AS (
        SELECT e.* FROM eligible e, (SELECT max(covered) AS most FROM eligible) AS best
        WHERE e.closeness < 2 OR e.covered = best.most),
    page AS (
        SELECT * FROM matched ORDER BY closeness, covered DESC, score DESC, name COLLATE "C", id
        LIMIT %(limit)s OFFSET %(offset)s)
    SELECT counted.total, counted.covered, (SELECT count(*) FROM wanted) AS words, {product}
    FROM (SELECT count(*) AS total, coalesce(max(covered), 0) AS covered FROM matched) AS counted
    LEFT JOIN page ON true
    LEFT JOIN cpq.products p ON p.tenant = quarry.current_tenant() AND p.id = page.id
    {list_price}
    ORDER BY page.closeness, page.covered DESC, page.score DESC, page.name COLLATE "C", page.id
""").format(product=PRODUCT_COLUMNS, list_price=LIST_PRICE)

PRODUCT = SQL("""
    SELECT {product}, ARRAY(
        SELECT DISTINCT b.currency FROM cpq.price_book_entries e
        JOIN cpq.price_books b ON b.tenant = e.tenant AND b.id = e.price_book_id AND b.active
        WHERE e.tenant = p.tenant AND e.product_id = p.id AND e.superseded_at IS NULL ORDER BY 1) AS currencies
    FROM cpq.products p {list_price}
    WHERE p.tenant = quarry.current_tenant() AND p.id = %(product_id)s
""").format(product=PRODUCT_COLUMNS, list_price=LIST_PRICE)

# Excludes holds in both directions, so it is read from both sides.
RELATED = SQL("""
    SELECT r.kind, p.id AS product_id, p.name, p.active
    FROM cpq.product_relationships r
    JOIN cpq.products p ON p.tenant = r.tenant
        AND p.id = CASE WHEN r.product_id = %(product_id)s THEN r.related_id ELSE r.product_id END
    WHERE r.tenant = quarry.current_tenant() AND r.active
      AND (r.product_id = %(product_id)s OR (r.related_id = %(product_id)s AND r.kind = 'excludes'))
    GROUP BY r.kind, p.id, p.name, p.active ORDER BY r.kind, p.name, p.id
""")

CATEGORIES = SQL(
    "SELECT DISTINCT category FROM cpq.products WHERE tenant = quarry.current_tenant() ORDER BY category"
)

BOOKED_CURRENCIES = SQL("""
    SELECT DISTINCT currency FROM cpq.price_books WHERE tenant = quarry.current_tenant() AND active
""")

UNITS = SQL("""
    SELECT h.language, u.symbol, u.spellings, u.dimension, u.factor
    FROM (VALUES (quarry.current_tenant())) t (tenant)
    LEFT JOIN quarry.house h USING (tenant) LEFT JOIN search.units u USING (tenant)
""")

NAMES = SQL("""
    SELECT p.id, p.sku, p.name, p.model FROM cpq.products p
    WHERE p.tenant = quarry.current_tenant()
    ORDER BY p.active DESC, abs(length(p.id) - length(%(product_id)s)), p.id LIMIT 5000
""")


# Tells whether a product, or its row in the technical catalogue, is no longer sold, and what takes its place.
STANDING = SQL("""
    LEFT JOIN LATERAL (
        SELECT e.withdrawn, e.successor FROM equipment.products e
        WHERE e.tenant = p.tenant AND e.model_key = p.model_key
            AND e.manufacturer_key = search.name_key(p.manufacturer)
        ORDER BY e.model = p.model DESC LIMIT 1) machine ON true
    LEFT JOIN LATERAL (
        SELECT s.id FROM cpq.products s
        WHERE s.tenant = p.tenant AND s.active AND (s.id = coalesce(p.successor, machine.successor)
            OR equipment.model_key(coalesce(p.successor, machine.successor)) IN (s.sku_key, s.model_key))
        ORDER BY s.id LIMIT 1) next ON true
""")
OFFER = SQL("""
    p.id, p.name, p.active AND NOT coalesce(machine.withdrawn, false) AS active,
    coalesce(next.id, p.successor, machine.successor) AS successor, p.attributes, p.min_quantity, p.max_quantity
""")

OFFERS = SQL("""
    SELECT {offer} FROM cpq.products p {standing} WHERE p.tenant = quarry.current_tenant() AND p.id = ANY (%(ids)s)
""").format(offer=OFFER, standing=STANDING)

# An id stays an id, and a SKU goes before a model. A model of two active products names neither; one that only
# retired products have names the only such product, so that its successor can be told.
IDS_OF_NAMES = SQL("""
    SELECT t.name, coalesce(
        (SELECT p.id FROM cpq.products p WHERE p.tenant = quarry.current_tenant() AND p.sku = t.name),
        (SELECT CASE WHEN count(*) = 1 THEN min(p.id) END FROM cpq.products p
         WHERE p.tenant = quarry.current_tenant() AND p.model_key = nullif(t.key, '')
         GROUP BY p.active ORDER BY p.active DESC LIMIT 1)) AS id
    FROM unnest(%(names)s::text[], %(keys)s::text[]) AS t (name, key)
    WHERE NOT EXISTS (SELECT FROM cpq.products o WHERE o.tenant = quarry.current_tenant() AND o.id = t.name)
""")

RELATIONS = SQL("""
    SELECT r.product_id, r.kind, r.related_id, p.name AS related_name
    FROM cpq.product_relationships r
    JOIN cpq.products p ON p.tenant = r.tenant AND p.id = r.related_id
    WHERE r.tenant = quarry.current_tenant() AND r.product_id = ANY(%(product_ids)s) AND r.active
    ORDER BY r.product_id, r.kind, r.related_id
""")


def search(
    connection: Connection, *, limit: int, offset: int, filters: Mapping[str, object]
) -> tuple[Mapping[str, int], list[DictRow]]:
    """Returns counts and a page of products. The counts are the ``total`` that match, the ``words`` of the query, and
    how many of these one product has at most, ``covered``; ``filters`` are query, active_only, category, currency and
    today.
    """
    named = {**filters, "key": part_key(str(filters["query"])), "limit": limit, "offset": offset, "last": LAST}
    rows = connection.execute(SEARCH, named).fetchall()
    return rows[0], [_for_sale(row) for row in rows if row["id"] is not None]


def product(connection: Connection, *, product_id: str, currency: str, today: date) -> DictRow | None:
    named = {"product_id": product_id, "currency": currency, "today": today}
    row = connection.execute(PRODUCT, named).fetchone()
    return None if row is None else _for_sale(row)


def related(connection: Connection, *, product_id: str) -> list[DictRow]:
    return connection.execute(RELATED, {"product_id": product_id}).fetchall()


def categories(connection: Connection) -> list[str]:
    return [row["category"] for row in connection.execute(CATEGORIES)]


def booked_currencies(connection: Connection) -> list[str]:
    """Returns the currencies that active price books are in."""
    return [row["currency"] for row in connection.execute(BOOKED_CURRENCIES)]


def units(connection: Connection) -> Units:
    """Returns the shipped units, also as the house's language calls them, and the house's own."""
    rows = connection.execute(UNITS).fetchall()
    return shipped().with_own((row for row in rows if row["symbol"]), language=rows[0]["language"])


def nearest(connection: Connection, product_id: str) -> list[str]:
    """Returns ids of products whose SKU, model, name or id is ``product_id`` or spelt most like it, best first."""
    known = connection.execute(NAMES, {"product_id": product_id}).fetchall()
    ids = defaultdict[str, list[str]](list)
    for row in known:
        for text in filter(None, (row["name"], row["model"], row["sku"], row["id"])):
            ids[text].append(row["id"])
    near = alike(product_id, ids, most=5, key=lambda text: model_look(fold(text)))
    return list(dict.fromkeys(each for text in near for each in ids[text]))[:5]


def offers(connection: Connection, *, product_ids: Collection[str]) -> dict[str, ConfigurableProduct]:
    """Returns the products with these ids, by id; those that do not exist are left out."""
    return {row["id"]: offered(row) for row in connection.execute(OFFERS, {"ids": list(product_ids)})}


def ids_of_names(connection: Connection, *, names: Collection[str]) -> dict[str, str]:
    """Returns product ids by name, for those of the names that are SKUs or models."""
    given = {"names": list(names), "keys": [part_key(name) for name in names]}
    rows = connection.execute(IDS_OF_NAMES, given).fetchall()
    return {row["name"]: row["id"] for row in rows if row["id"]}


def relations(connection: Connection, *, product_ids: Collection[str]) -> list[Relation]:
    return rows_of(connection, Relation, RELATIONS, {"product_ids": list(product_ids)})


def offered(row: DictRow) -> ConfigurableProduct:
    """Returns the product of a row that has the columns of OFFER."""
    specs = {name: AttributeSpec.model_validate(spec) for name, spec in row["attributes"].items()}
    return ConfigurableProduct(**{name: row[name] for name in ConfigurableProduct.__slots__} | {"attributes": specs})


def _for_sale(row: DictRow) -> DictRow:
    """Returns the row with amounts in the digits of their currency. Where the book names no price it is
    ``on_request``, and the row has neither currency nor unit.
    """
    if row["base_price"] is None:
        return {**row, "on_request": row["price_version"] is not None, "currency": None, "unit": None}
    currency, tiers = row["currency"], row["volume_tiers"]
    return {
        **row,
        "on_request": False,
        "base_price": in_currency(row["base_price"], currency),
        "volume_tiers": [{**tier, "price": in_currency(Decimal(str(tier["price"])), currency)} for tier in tiers],
    }
