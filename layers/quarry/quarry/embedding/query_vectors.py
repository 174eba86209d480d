"""Vectors of queries: from this process, from Postgres, or from the provider, which fills both."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pgvector import Vector
from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.data import database
from quarry.data.environment import kept
from quarry.data.settings import settings
from quarry.embedding import provider
from quarry.observation import metrics
from quarry.observation.metrics import Metric

ENTRIES = 1024

CACHED = SQL("""
    SELECT embedding FROM quarry.embedding_cache
    WHERE tenant = %(tenant)s AND model = %(model)s AND text_hash = %(text_hash)s
""")
"""Runs by itself, and as a part of the search statement that needs the vector."""

STORE = SQL("""
    INSERT INTO quarry.embedding_cache (tenant, model, text_hash, embedding)
    SELECT %(tenant)s, %(model)s, %(text_hash)s, %(embedding)s
    WHERE NOT EXISTS (SELECT FROM quarry.tenant_settings WHERE tenant = %(tenant)s AND NOT store_queries)
    ON CONFLICT DO NOTHING
""")

PRUNE = SQL("DELETE FROM quarry.embedding_cache WHERE created_at < now() - interval '30 days'")


@dataclass(frozen=True, slots=True)
class Key:
    """What the caches know a query by, never its text; ``model`` has the length too, as a model may have several."""

    tenant: str
    model: str
    text_hash: bytes

    @property
    def parameters(self) -> dict[str, object]:
        return {"tenant": self.tenant, "model": self.model, "text_hash": self.text_hash}


type Read = Callable[[Sequence[database.Query], Mapping[str, object]], tuple[list[list[DictRow]], list[DictRow]]]
"""Runs some queries and a search in one transaction; gives their rows, and the search's under these parameters."""


@kept
def recent() -> OrderedDict[Key, Vector]:
    """Vectors that this process remembers, the least lately used first."""
    return OrderedDict()


def vector_of(text: str, *, tenant: str) -> Vector:
    """Raises EmbeddingsDown when the provider fails, Unavailable when it is not the database's model."""
    provider.refuse_other_model(settings())
    key = _key(text, tenant=tenant)
    if (vector := _recalled(key)) is not None:
        return vector
    rows = database.fetch(tenant, CACHED, key.parameters)
    if rows:
        metrics.note(Metric.CACHE_HITS)
        return _remember(key, rows[0]["embedding"])
    vector = _embedded(text)
    with database.transaction(tenant) as connection:
        connection.execute(STORE, {**key.parameters, "embedding": vector})
    return _remember(key, vector)


def search(text: str, read: Read, *, tenant: str) -> tuple[list[DictRow], str | None]:
    """Rows of a search that reads %(vector)s, or where that is NULL looks CACHED up, and why they lack a vector.

    One round trip when the vector is known here or in Postgres. Otherwise a second one brings the rows and stores the
    vector; with the provider down, the first one's rows, found by text only, are the answer, and it says so.
    Raises Unavailable when the provider's model is not the database's.
    """
    provider.refuse_other_model(settings())
    key = _key(text, tenant=tenant)
    vector = _recalled(key)
    if vector is not None:
        return read([], {**key.parameters, "vector": vector})[1], None
    [cached], by_text = read([(CACHED, key.parameters)], {**key.parameters, "vector": None})
    if cached:
        metrics.note(Metric.CACHE_HITS)
        _remember(key, cached[0]["embedding"])
        return by_text, None
    try:
        vector = _embedded(text)
    except provider.EmbeddingsDown as error:
        return by_text, error.reason
    stored = (STORE, {**key.parameters, "embedding": vector})
    _, rows = read([stored], {**key.parameters, "vector": vector})
    _remember(key, vector)
    return rows, None


def given(vector: Vector | None) -> dict[str, object]:
    """Parameters of a search whose vector is in hand, or cannot be had: the cache is not asked."""
    return {"vector": vector, "model": None, "text_hash": None}


def prune(connection: database.Connection) -> int:
    """Forgets query vectors of a month ago, of all tenants, as the worker's role may; returns how many."""
    return connection.execute(PRUNE).rowcount


def _key(text: str, *, tenant: str) -> Key:
    configuration = settings()
    model = f"{configuration.embedding_model}/{configuration.embedding_dimensions}"
    return Key(tenant, model, hashlib.sha256(" ".join(text.split()).encode()).digest())


def _recalled(key: Key) -> Vector | None:
    if (vector := recent().get(key)) is not None:
        metrics.note(Metric.CACHE_HITS)
        recent().move_to_end(key)
    return vector


def _remember(key: Key, vector: Vector) -> Vector:
    remembered = recent()
    remembered[key] = vector
    while len(remembered) > ENTRIES:
        remembered.popitem(last=False)
    return vector


def _embedded(text: str) -> Vector:
    metrics.note(Metric.CACHE_HITS, 0)
    # The client tries twice, and both tries together have to fit.
    return provider.embed([text], timeout_s=settings().embedding_timeout_s / 2)[0]
