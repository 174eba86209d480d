"""All SQL of the equipment toolset, and its look-up of models that forgives how they are spelt."""

from collections.abc import Sequence

from psycopg.rows import DictRow
from psycopg.sql import SQL

from equipment.model import Product
from quarry.data import database
from quarry.products import COLUMNS
from quarry.retrieval.part_numbers import model_key
from quarry.spelling import alike

CONFUSABLE = str.maketrans("oil", "011")
"""Letters read for digits on a name plate."""

BY_MODEL = SQL("""
    SELECT {columns}, lower(d.model) = lower(%(model)s) AS same_model
    FROM equipment.products d
    WHERE d.tenant = %(tenant)s AND d.model_key = %(exact_key)s
      AND (d.model_key <> '' OR lower(d.model) = lower(%(model)s))
      AND (%(manufacturer)s::text IS NULL OR lower(d.manufacturer) = lower(%(manufacturer)s::text))
    ORDER BY same_model DESC, d.manufacturer, d.model
""").format(columns=COLUMNS)

NEARBY_MODELS = SQL("""
    SELECT DISTINCT d.model, d.model_key,
           left(d.model_key, 2) = left(%(exact_key)s, 2) AS same_start,
           abs(length(d.model_key) - length(%(exact_key)s)) AS length_gap
    FROM equipment.products d
    WHERE d.tenant = %(tenant)s
    ORDER BY same_start DESC, length_gap, d.model LIMIT 2000
""")

QUOTED = SQL("""
    SELECT d.model_key, lower(d.manufacturer) AS maker, q.quote_number || '/' || d.position AS source, d.hp, d.cfm,
        d.psi, d.vacuum_inhg, d.lubrication
    FROM quotes.line_items d JOIN quotes.past_quotes q ON q.id = d.quote_id AND q.tenant = d.tenant
    WHERE d.tenant = %(tenant)s AND d.model_key = ANY (%(keys)s::text[])
    ORDER BY q.quote_date DESC, q.quote_number, d.position LIMIT 500
""")


def find(tenant: str, *, model: str, manufacturer: str | None = None) -> list[Product]:
    """Products whose model is ``model`` but for case, blanks and hyphens; the exact spelling wins alone."""
    asked = {"tenant": tenant, "model": model, "exact_key": model_key(model), "manufacturer": manufacturer}
    rows = database.fetch(tenant, BY_MODEL, asked)
    exact = [row for row in rows if row["same_model"]]
    return [Product.model_validate(row, extra="ignore") for row in exact or rows]


def nearest(tenant: str, *, model: str) -> list[str]:
    """Models that are spelt most alike, best first; empty when none is close."""
    rows = database.fetch(tenant, NEARBY_MODELS, {"tenant": tenant, "exact_key": model_key(model)})
    return rank_alike(model, [row["model"] for row in rows], most=5)


def rank_alike(model: str, candidates: Sequence[str], *, most: int) -> list[str]:
    """O and 0, I, L and 1 count as the same character."""
    return alike(model, candidates, most=most, key=lambda each: model_key(each).translate(CONFUSABLE))


def quoted(tenant: str, products: Sequence[Product]) -> list[DictRow]:
    """What past lines say of the products' models, the newest first."""
    keys = [model_key(product.model) for product in products]
    return database.fetch(tenant, QUOTED, {"tenant": tenant, "keys": keys}) if keys else []
