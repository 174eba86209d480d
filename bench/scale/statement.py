"""The product's search, one leg or both: quarry.retrieval's statement as its search function runs it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pgvector import Vector
from psycopg.sql import SQL

from equipment.queries import PRODUCTS
from quarry import database
from quarry.retrieval.corpus import EXACT_UP_TO, POOL, statement
from quarry.retrieval.search import VECTOR_WEIGHT

CORPUS = replace(PRODUCTS, columns=SQL("").join([PRODUCTS.columns, SQL(", d.id AS doc")]))


def rows(
    tenant: str, *, query: str, vector: Vector | None, filters: Mapping[str, object], limit: int
) -> list[dict[str, Any]]:
    return database.fetch(
        tenant,
        statement(CORPUS, filtered=any(value is not None for value in filters.values())),
        {
            **filters,
            "tenant": tenant,
            "query": query,
            "vector": vector,
            "vector_weight": VECTOR_WEIGHT,
            "pool": POOL,
            "exact_up_to": EXACT_UP_TO,
            "limit": limit,
            "explain": False,
        },
    )
