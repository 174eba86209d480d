"""All SQL over the catalogue: search by words, one product, its relationships."""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.rows import DictRow
from psycopg.sql import SQL

from cpq.typos import Ends
from quarry.data import database
from quarry.spelling import alike

MOST_NEIGHBOURS = 4000
LAST = "\U0010ffff"
"""No letter: nothing that begins with a text sorts behind the text followed by it."""

TERMS = SQL("""
    SELECT t.term, EXISTS (
        SELECT FROM cpq.product_words w WHERE w.tenant = %(tenant)s AND w.word = t.term) AS known
    FROM search.query_terms(%(query)s) AS t ORDER BY t.term
""")

NEIGHBOURS = SQL("""
    (SELECT w.word FROM cpq.words w
     WHERE w.tenant = %(tenant)s AND w.word >= %(start)s::text AND w.word < %(start)s::text || %(last)s::text
       AND length(w.word) >= %(shortest)s::integer AND length(w.word) <= %(longest)s::integer
     ORDER BY w.word LIMIT %(most)s)
    UNION
    (SELECT w.word FROM cpq.words w
     WHERE w.tenant = %(tenant)s AND w.backwards >= %(end)s::text AND w.backwards < %(end)s::text || %(last)s::text
       AND length(w.word) >= %(shortest)s::integer AND length(w.word) <= %(longest)s::integer
     ORDER BY w.word LIMIT %(most)s)
    UNION
    (SELECT w.word FROM cpq.words w
     WHERE w.tenant = %(tenant)s AND w.word >= %(term)s::text AND w.word < %(term)s::text || %(last)s::text
     ORDER BY w.word LIMIT 50)
""")

BEARER = SQL("""
    SELECT FROM cpq.products p WHERE p.tenant = %(tenant)s AND p.id = lower(%(query)s::text)
    UNION ALL SELECT FROM cpq.products p WHERE p.tenant = %(tenant)s AND p.sku_key = %(key)s AND %(key)s::text <> ''
    UNION ALL SELECT FROM cpq.products p WHERE p.tenant = %(tenant)s AND p.model_key = %(key)s AND %(key)s::text <> ''
    LIMIT 1
""")

# The price to show where no account is known: of the most general book in the currency that is valid today.
LIST_PRICE = SQL("""
    LEFT JOIN LATERAL (
        SELECT e.price, e.unit, e.tiers, e.version, b.id AS price_book_id, b.name AS price_book_name, b.currency
        FROM cpq.price_book_entries e
        JOIN cpq.price_books b ON b.tenant = e.tenant AND b.id = e.price_book_id
        WHERE e.tenant = p.tenant AND e.product_id = p.id AND e.superseded_at IS NULL
          AND b.active AND b.currency = %(currency)s
          AND (b.valid_from IS NULL OR b.valid_from <= %(today)s) AND (b.valid_to IS NULL OR b.valid_to >= %(today)s)
        ORDER BY b.segment IS NOT NULL, b.country IS NOT NULL, b.priority DESC, b.valid_from DESC NULLS LAST, b.id
        LIMIT 1) AS listed ON true
""")

# Members match most of the query's words; whoever bears the query as its id, SKU, model or name comes first.
SEARCH = SQL("""
    WITH wanted AS (
        SELECT * FROM unnest(%(words)s::text[], %(slots)s::integer[], %(factors)s::real[]) AS w (word, slot, factor)),
    hits AS (
        SELECT w.product_id AS id, x.slot, max(w.weight * x.factor) AS weight
        FROM wanted x JOIN cpq.product_words w ON w.tenant = %(tenant)s AND w.word = x.word
        GROUP BY w.product_id, x.slot),
    spread AS (SELECT slot, count(*) AS products FROM hits GROUP BY slot),
    scored AS (
        SELECT h.id, count(*) AS covered, sum(h.weight / ln(2 + s.products::float8)) AS score
        FROM hits h JOIN spread s ON s.slot = h.slot GROUP BY h.id),
    named AS (
        SELECT id, min(closeness) AS closeness FROM (
            SELECT p.id, 0 AS closeness FROM cpq.products p
            WHERE p.tenant = %(tenant)s AND p.id = lower(%(query)s::text)
            UNION ALL
            SELECT p.id, CASE WHEN p.sku_key = %(key)s::text THEN 0 ELSE 1 END FROM cpq.products p
            WHERE p.tenant = %(tenant)s AND p.sku_key >= %(key)s::text
              AND p.sku_key < %(key)s::text || %(last)s::text AND length(%(key)s::text) >= 3
            UNION ALL
            SELECT p.id, CASE WHEN p.model_key = %(key)s::text THEN 0 ELSE 1 END FROM cpq.products p
            WHERE p.tenant = %(tenant)s AND p.model_key >= %(key)s::text
              AND p.model_key < %(key)s::text || %(last)s::text AND length(%(key)s::text) >= 3) AS found
        GROUP BY id),
    eligible AS (
        SELECT p.id, p.name, coalesce(s.covered, 0) AS covered, coalesce(s.score, 0) AS score,
            CASE WHEN lower(p.name) = lower(%(query)s::text) THEN 0 ELSE coalesce(n.closeness, 2) END AS closeness
        FROM (SELECT id FROM scored UNION SELECT id FROM named UNION
              SELECT p.id FROM cpq.products p WHERE p.tenant = %(tenant)s AND %(query)s::text = '') AS candidate
        JOIN cpq.products p ON p.tenant = %(tenant)s AND p.id = candidate.id
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
    SELECT counted.total, p.id, p.sku, p.name, p.description, p.product_type, p.category, p.attributes, p.active,
        p.manufacturer, p.model, listed.price AS base_price, listed.currency, listed.unit
    FROM (SELECT count(*) AS total FROM matched) AS counted
    LEFT JOIN page ON true
    LEFT JOIN cpq.products p ON p.tenant = %(tenant)s AND p.id = page.id
    {list_price}
    ORDER BY page.closeness, page.covered DESC, page.score DESC, page.name COLLATE "C", page.id
""").format(list_price=LIST_PRICE)

PRODUCT = SQL("""
    SELECT p.id, p.sku, p.name, p.description, p.product_type, p.category, p.attributes, p.active, p.manufacturer,
        p.model, p.min_quantity, p.max_quantity, p.created_at, p.updated_at, listed.price, listed.currency,
        listed.unit, listed.tiers, listed.version, listed.price_book_id, listed.price_book_name,
        ARRAY(
            SELECT DISTINCT b.currency FROM cpq.price_book_entries e
            JOIN cpq.price_books b ON b.tenant = e.tenant AND b.id = e.price_book_id AND b.active
            WHERE e.tenant = p.tenant AND e.product_id = p.id AND e.superseded_at IS NULL ORDER BY 1) AS currencies
    FROM cpq.products p {list_price}
    WHERE p.tenant = %(tenant)s AND p.id = %(product_id)s
""").format(list_price=LIST_PRICE)

# Excludes holds in both directions, so it is read from both sides.
RELATED = SQL("""
    SELECT r.kind, p.id AS product_id, p.name, p.active
    FROM cpq.product_relationships r
    JOIN cpq.products p ON p.tenant = r.tenant
        AND p.id = CASE WHEN r.product_id = %(product_id)s THEN r.related_id ELSE r.product_id END
    WHERE r.tenant = %(tenant)s AND r.active
      AND (r.product_id = %(product_id)s OR (r.related_id = %(product_id)s AND r.kind = 'excludes'))
    GROUP BY r.kind, p.id, p.name, p.active ORDER BY r.kind, p.name, p.id
""")

CATEGORIES = SQL("SELECT DISTINCT category FROM cpq.products WHERE tenant = %(tenant)s ORDER BY category")

NAMES = SQL("""
    SELECT p.id, p.sku, p.name, p.model FROM cpq.products p
    WHERE p.tenant = %(tenant)s ORDER BY p.active DESC, abs(length(p.id) - length(%(product_id)s)), p.id LIMIT 5000
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of the catalogue that stands for the query's term number ``slot``; ``factor`` says how well."""

    word: str
    slot: int
    factor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    offset: int
    limit: int


def terms(tenant: str, *, query: str) -> list[tuple[str, bool]]:
    """(term, whether a product has it) of the query, stemmed and spelt as the catalogue's words are."""
    rows = database.fetch(tenant, TERMS, {"tenant": tenant, "query": query})
    return [(row["term"], row["known"]) for row in rows]


def is_borne(tenant: str, *, query: str, key: str) -> bool:
    """Whether a product has it as id, SKU or model."""
    return bool(database.fetch(tenant, BEARER, {"tenant": tenant, "query": query, "key": key}))


def neighbours(tenant: str, *, term: str, ends: Ends) -> list[str]:
    """Words of the catalogue that may be meant by ``term``: they begin with it, or share an end with it."""
    parameters = {
        "tenant": tenant,
        "term": term,
        "start": ends.start,
        "end": ends.end[::-1],
        "shortest": len(term) - ends.slips,
        "longest": len(term) + ends.slips,
        "most": MOST_NEIGHBOURS,
        "last": LAST,
    }
    return [row["word"] for row in database.fetch(tenant, NEIGHBOURS, parameters)]


def search(
    tenant: str, *, words: Sequence[Word], page: Page, filters: dict[str, object]
) -> tuple[int, list[DictRow]]:
    """(how many match, the rows of the page); ``filters`` are query, key, active_only, category, currency, today."""
    parameters = {
        "tenant": tenant,
        "words": [item.word for item in words],
        "slots": [item.slot for item in words],
        "factors": [item.factor for item in words],
        "limit": page.limit,
        "offset": page.offset,
        "last": LAST,
        **filters,
    }
    rows = database.fetch(tenant, SEARCH, parameters)
    return (rows[0]["total"] if rows else 0), [row for row in rows if row["id"] is not None]


def product(tenant: str, *, product_id: str, currency: str, today: object) -> DictRow | None:
    parameters = {"tenant": tenant, "product_id": product_id, "currency": currency, "today": today}
    rows = database.fetch(tenant, PRODUCT, parameters)
    return rows[0] if rows else None


def related(tenant: str, *, product_id: str) -> list[DictRow]:
    return database.fetch(tenant, RELATED, {"tenant": tenant, "product_id": product_id})


def categories(tenant: str) -> list[str]:
    return [row["category"] for row in database.fetch(tenant, CATEGORIES, {"tenant": tenant})]


def names(tenant: str, *, product_id: str) -> list[DictRow]:
    """id, sku, name and model of those products whose id is about as long as ``product_id``."""
    return database.fetch(tenant, NAMES, {"tenant": tenant, "product_id": product_id})


def nearest(product_id: str, known: Sequence[DictRow]) -> list[str]:
    """Ids of the products that bear it as SKU, model or name, or are spelt most alike, best first."""
    ids = {text: row["id"] for row in known for text in (row["name"], row["model"], row["sku"], row["id"]) if text}
    return list(dict.fromkeys(ids[text] for text in alike(product_id, ids, most=5)))
