"""The product's search, one leg or both: quarry.retrieval's statement as its search function runs it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pgvector import Vector
from psycopg.sql import SQL

from equipment.queries import PRODUCTS
from quarry.data import database
from quarry.embedding import query_vectors
from quarry.retrieval.corpus import EXACT_UP_TO, FEEDBACK, POOL, statement
from quarry.retrieval.part_numbers import part_numbers
from quarry.retrieval.search import VECTOR_WEIGHT

CORPUS = replace(PRODUCTS, columns=SQL("").join([PRODUCTS.columns, SQL(", d.id AS doc")]))


def rows(
    tenant: str, *, query: str, vector: Vector | None, filters: Mapping[str, object], limit: int
) -> list[dict[str, Any]]:
    models = part_numbers(query)
    filtered = any(value is not None for value in filters.values())
    return database.fetch(
        tenant,
        # Of the vector leg alone its own order is wanted, not that by the best hit.
        statement(CORPUS, filtered=filtered, part_numbers=bool(models), feedback=FEEDBACK if query else 0),
        {
            **filters,
            **query_vectors.given(vector),
            "tenant": tenant,
            "query": query,
            "part_numbers": models,
            "vector_weight": VECTOR_WEIGHT,
            "pool": POOL,
            "exact_up_to": EXACT_UP_TO,
            "limit": limit,
            "explain": False,
        },
    )
