"""All SQL of the equipment toolset, and its look-up of models, which tolerates other spellings."""

from collections.abc import Sequence
from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.attributes.model import model_look
from quarry.corpora import SUCCESSOR, WITHDRAWN
from quarry.data import database
from quarry.text import alike, part_key

BY_MODEL = SQL("""
    SELECT d.model, d.manufacturer, d.sku, d.series, d.category, d.family, d.description, d.attributes, d.source,
        {withdrawn} AS withdrawn, {successor} AS successor,
        lower(%(model)s) IN (lower(d.model), lower(d.sku)) AS same_model
    FROM equipment.products d
    WHERE d.tenant = %(tenant)s AND (d.model_key = %(exact_key)s OR d.sku_key = %(exact_key)s)
      AND (%(exact_key)s::text <> '' OR lower(d.model) = lower(%(model)s))
      AND (%(manufacturer)s::text IS NULL OR d.manufacturer_key = search.name_key(%(manufacturer)s::text))
    ORDER BY same_model DESC, d.manufacturer, d.model
""").format(withdrawn=WITHDRAWN, successor=SUCCESSOR)

NEARBY_MODELS = SQL("""
    SELECT DISTINCT d.model, d.model_key,
           left(d.model_key, 2) = left(%(exact_key)s, 2) AS same_start,
           abs(length(d.model_key) - length(%(exact_key)s)) AS length_gap
    FROM equipment.products d
    WHERE d.tenant = %(tenant)s
    ORDER BY same_start DESC, length_gap, d.model LIMIT 2000
""")

QUOTED = SQL("""
    SELECT d.model_key, search.name_key(d.manufacturer) AS maker, q.quote_number || '/' || d.position AS source,
        d.attributes
    FROM quotes.line_items d JOIN quotes.past_quotes q ON q.id = d.quote_id AND q.tenant = d.tenant
    WHERE d.tenant = %(tenant)s AND d.model_key = ANY (%(keys)s::text[]) AND d.attributes IS NOT NULL
    ORDER BY q.quote_date DESC, q.quote_number, d.position LIMIT 500
""")

# A single value leaves nothing to choose.
CONFIGURABLE = SQL("""
    SELECT p.id, jsonb_object_agg(a.key, a.value ORDER BY a.key) AS choices
    FROM cpq.products p, jsonb_each(p.attributes) AS a
    WHERE p.tenant = %(tenant)s AND p.id = ANY (%(ids)s::text[])
        AND (a.value -> 'values' IS NULL OR jsonb_array_length(a.value -> 'values') > 1)
    GROUP BY p.id
""")

FAMILIES = SQL("""
    SELECT d.family, count(*) AS rows FROM equipment.products d WHERE d.tenant = %(tenant)s
    GROUP BY d.family ORDER BY rows DESC, d.family LIMIT 500
""")

# An attribute with several texts has a row for each, so products are counted and not rows.
RANGES = SQL("""
    SELECT v.attribute, v.kind, count(DISTINCT v.doc) AS rows, min(v.low) AS low, max(v.high) AS high,
        count(*) FILTER (WHERE v.flag) AS yes
    FROM equipment.products d JOIN search.attribute_values v
        ON v.tenant = %(tenant)s AND v.corpus = 'equipment.products' AND v.doc = d.id
    WHERE d.tenant = %(tenant)s AND d.family = %(family)s GROUP BY v.attribute, v.kind
""")

VALUES = SQL("""
    SELECT n.attribute, n.code, n.value, n.rows, n.of FROM (
        SELECT c.attribute, c.code, min(c.value) AS value, count(*) AS rows,
            row_number() OVER (PARTITION BY c.attribute ORDER BY count(*) DESC, min(c.value)) AS place,
            count(*) OVER (PARTITION BY c.attribute) AS of
        FROM (
            SELECT v.attribute, v.code, v.raw AS value FROM equipment.products d JOIN search.attribute_values v
                ON v.tenant = %(tenant)s AND v.corpus = 'equipment.products' AND v.doc = d.id
            WHERE d.tenant = %(tenant)s AND d.family = %(family)s AND v.kind = 'text'
            UNION ALL
            SELECT 'category', lower(d.category), d.category FROM equipment.products d
            WHERE d.tenant = %(tenant)s AND d.family = %(family)s
            UNION ALL
            SELECT 'manufacturer', d.manufacturer_key, d.manufacturer FROM equipment.products d
            WHERE d.tenant = %(tenant)s AND d.family = %(family)s) c
        GROUP BY c.attribute, c.code) n
    WHERE n.place <= %(most)s ORDER BY n.attribute, n.place
""")


EQUIVALENT = SQL("""
    SELECT e.maker, e.model, e.family, e.note, e.attributes FROM search.equivalents e
    WHERE e.tenant = %(tenant)s AND e.model <> ''
        AND %(key)s IN (equipment.model_key(e.model), equipment.model_key(e.maker || e.model))
    ORDER BY e.maker LIMIT 1
""")


FOR_SALE = SQL("""
    SELECT p.name FROM cpq.products p
    WHERE p.tenant = %(tenant)s AND p.active AND %(key)s <> '' AND %(key)s IN (p.sku_key, p.model_key)
    ORDER BY p.sku LIMIT 1
""")


def find(tenant: str, *, model: str, manufacturer: str | None = None) -> list[DictRow]:
    """Returns products of a model or SKU whatever its case, blanks and hyphens; exact spellings rule out others."""
    asked = {"model": model, "exact_key": part_key(model), "manufacturer": manufacturer}
    rows = database.fetch(tenant, BY_MODEL, asked)
    exact = [row for row in rows if row["same_model"]]
    return exact or rows


def equivalent(tenant: str, *, model: str) -> DictRow | None:
    """Returns what the house knows of another maker's model, which may be asked with its maker; None without it."""
    return database.fetch_first(tenant, EQUIVALENT, {"key": part_key(model)})


def for_sale(tenant: str, *, sku: str) -> str | None:
    """Returns the name of a product for sale of that SKU or model; None where there is none."""
    row = database.fetch_first(tenant, FOR_SALE, {"key": part_key(sku)})
    return str(row["name"]) if row else None


def nearest(tenant: str, *, model: str) -> list[str]:
    """Returns the models that are spelt most alike, best first; none when none is close."""
    rows = database.fetch(tenant, NEARBY_MODELS, {"exact_key": part_key(model)})
    return rank_alike(model, [row["model"] for row in rows], most=5)


def rank_alike(model: str, candidates: Sequence[str], *, most: int) -> list[str]:
    """Ranks models by their likeness, in which characters that look the same count as one."""
    return alike(model, candidates, most=most, key=lambda each: model_look(part_key(each)))


def quoted(tenant: str, models: Sequence[str]) -> list[DictRow]:
    """Returns the attributes that past lines give for the models, newest first."""
    keys = [part_key(model) for model in models]
    return database.fetch(tenant, QUOTED, {"keys": keys}) if keys else []


def configurable(tenant: str, product_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Returns by product for sale what a quote's line may set of it: specifications by attribute."""
    rows = database.fetch(tenant, CONFIGURABLE, {"ids": list(product_ids)}) if product_ids else []
    return {row["id"]: row["choices"] for row in rows}


def families(tenant: str) -> list[DictRow]:
    """Returns (family, number of rows in the catalogue), the largest first."""
    return database.fetch(tenant, FAMILIES)


def held(tenant: str, *, family: str, most: int) -> tuple[list[DictRow], list[DictRow]]:
    """Returns (a family's attributes with row counts and ranges, the commonest values of its texts)."""
    asked = {"family": family, "most": most}
    ranges, values = database.fetch_each(tenant, [(RANGES, asked), (VALUES, asked)])
    return ranges, values
