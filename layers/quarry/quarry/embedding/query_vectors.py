"""Vectors of queries: from this process, from Postgres, or from the provider, which fills both."""

import hashlib
from collections import OrderedDict
from typing import NamedTuple

from pgvector import Vector
from psycopg.sql import SQL

from quarry import observation
from quarry.data import database
from quarry.data.settings import Settings, kept, settings
from quarry.embedding import provider
from quarry.observation import Metric
from quarry.tool.errors import Unavailable

ENTRIES = 1024

CACHED = SQL("""
    SELECT embedding FROM quarry.embedding_cache
    WHERE tenant = %(tenant)s AND model = %(embedding_model)s AND text_hash = %(text_hash)s
""")
"""Runs by itself, and as a part of the search statement that needs the vector."""

STORE = SQL("""
    INSERT INTO quarry.embedding_cache (tenant, model, text_hash, embedding)
    SELECT %(tenant)s, %(embedding_model)s, %(text_hash)s, %(embedding)s
    WHERE NOT EXISTS (SELECT FROM quarry.tenant_settings WHERE tenant = %(tenant)s AND NOT store_queries)
    ON CONFLICT DO NOTHING
""")

PRUNE = SQL("DELETE FROM quarry.embedding_cache WHERE created_at < now() - interval '30 days'")


class Key(NamedTuple):
    """What the caches know a query by, never its text; ``model`` has the length too, as a model may have several."""

    tenant: str
    model: str
    text_hash: bytes

    @property
    def parameters(self) -> dict[str, object]:
        """Named so that no filter of a search has the same name: ``model`` is one."""
        return {"tenant": self.tenant, "embedding_model": self.model, "text_hash": self.text_hash}


@kept
def recent() -> OrderedDict[Key, Vector]:
    """Vectors that this process remembers, the least lately used first."""
    return OrderedDict()


def vector_of(text: str, *, tenant: str) -> Vector:
    """Raises EmbeddingsDown when the provider fails, Unavailable when it is not the database's model."""
    key = key_of(text, tenant=tenant)
    if (vector := recalled(key)) is not None:
        return vector
    rows = database.fetch(tenant, CACHED, key.parameters)
    if rows:
        observation.note(Metric.CACHE_HITS)
        return remember(key, rows[0]["embedding"])
    vector = embed(text)
    with database.transaction(tenant) as connection:
        connection.execute(STORE, {**key.parameters, "embedding": vector})
    return remember(key, vector)


def prune(connection: database.Connection) -> int:
    """Forgets query vectors of a month ago, of all tenants, as the worker's role may; returns how many."""
    return connection.execute(PRUNE).rowcount


def key_of(text: str, *, tenant: str) -> Key:
    """Raises Unavailable when the provider's model is not the database's."""
    configuration = settings()
    refuse_other_model(configuration)
    model = f"{configuration.embedding_model}/{configuration.embedding_dimensions}"
    return Key(tenant, model, hashlib.sha256(" ".join(text.split()).encode()).digest())


def refuse_other_model(configuration: Settings) -> None:
    """Vectors of two models cannot be compared, so a mismatch stops here and says how to mend it."""
    held = database.session()
    wanted = (configuration.embedding_model, configuration.embedding_dimensions)
    if wanted != (held.model, held.dimensions):
        raise Unavailable(
            f"The database holds vectors of {held.model} ({held.dimensions} dimensions), but this function is "
            f"configured for {wanted[0]} ({wanted[1]}). Set EMBEDDING_MODEL={held.model} and "
            f"EMBEDDING_DIMENSIONS={held.dimensions}, or re-embed everything with the new model: "
            'invoke the migrate function with {"reembed": true} (locally: REEMBED=1 make serve).',
            details={
                "database": {"model": held.model, "dimensions": held.dimensions},
                "configured": {"model": wanted[0], "dimensions": wanted[1]},
            },
        )


def recalled(key: Key) -> Vector | None:
    """The vector if this process has it."""
    if (vector := recent().get(key)) is not None:
        observation.note(Metric.CACHE_HITS)
        recent().move_to_end(key)
    return vector


def remember(key: Key, vector: Vector) -> Vector:
    remembered = recent()
    remembered[key] = vector
    while len(remembered) > ENTRIES:
        remembered.popitem(last=False)
    return vector


def embed(text: str) -> Vector:
    """Asks the provider for the vector. Raises EmbeddingsDown."""
    observation.note(Metric.CACHE_HITS, 0)
    # The client tries twice, and both tries together have to fit.
    return provider.embed([text], timeout_s=settings().embedding_timeout_s / 2)[0]
