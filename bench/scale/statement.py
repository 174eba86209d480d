"""The product's legs, one or both, and the rows that ranking would choose from: as a search asks for them."""

import re
from collections.abc import Mapping

from pgvector import Vector

from quarry.products import CONDITION, PRODUCTS
from quarry.retrieval import legs, ranking
from quarry.retrieval.search import LEAST_READ, POOL
from quarry.retrieval.weights import WEIGHTS

NO_FILTER: Mapping[str, object] = dict.fromkeys(re.findall(r"%\((\w+)\)s", CONDITION.as_string()))


def documents(
    tenant: str, *, query: str, vector: Vector | None, filters: Mapping[str, object], limit: int
) -> list[int]:
    """The ids of at most ``limit`` rows, best first; with one leg alone in that leg's own order."""
    filters = {**NO_FILTER, **filters}
    found = legs.find_given(PRODUCTS, query, tenant=tenant, vector=vector, pool=POOL, filters=filters, limit=limit)
    docs = ranking.shortlist(found, most=max(2 * limit, LEAST_READ))
    filtered = any(value is not None for value in filters.values())
    rows = legs.read(
        PRODUCTS,
        docs,
        tenant=tenant,
        filters=filters,
        vector=vector,
        best=next(iter(found.nearest), None),
        fill=limit if filtered and len(docs) < limit else 0,
    )
    ranked = ranking.rank(ranking.candidates(rows, found, pool=POOL), weights=WEIGHTS["equipment"])
    chosen = [item.candidate.doc for item in ranked]
    one_leg = list(found.nearest if not query else found.matches if vector is None else ())
    return [*one_leg, *(doc for doc in chosen if doc not in one_leg)][:limit]
