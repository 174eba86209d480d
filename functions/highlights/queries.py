"""All SQL of the highlights toolset, and suggestions for filter values that no chunk has."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pgvector import Vector
from psycopg.rows import DictRow
from psycopg.sql import SQL
from pydantic import Field, TypeAdapter

from quarry.data import database
from quarry.paging.pages import Key, Number, Text
from quarry.retrieval.condition import Condition
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.legs import EXACT_UP_TO
from quarry.text import alike

Facet = Literal["document", "source", "author", "tag"]

Moment = Annotated[int, Field(strict=True, ge=-62_135_596_800_000_000, lt=253_402_300_800_000_000)]
"""Microseconds since 1970, from year 1 to 9999."""

NEWEST_KEY: TypeAdapter[Key] = TypeAdapter(tuple[Number, Moment, Text])
"""Cursor key of a list of the newest chunks: how many came before, and ``_moment`` and id of the last of these."""

CONSIDERED = 2000
"""How many of the most frequent values are compared; more would cost more than a hint is worth."""

CARD = SQL("""
    d.chunk_id, d.parent_doc_id, d.chunk_index, d.total_chunks, d.title, d.author, d.source, d.category, d.tags,
    d.created_at
""")

BEGINNING = SQL("""
    CASE WHEN length(d.content) > 240 THEN left(d.content, 239) || '…' ELSE d.content END AS snippet,
    d.content AS full_content
""")

FILTERS: Mapping[str, SQL] = {
    "tags": SQL("d.tag_keys && highlights.keys(%(tags)s::text[])"),
    "author": SQL("d.author_key = highlights.author_key(%(author)s::text)"),
    "source": SQL("d.source_key = lower(%(source)s::text)"),
}

CHUNKS = Corpus(
    schema="highlights",
    table="chunks",
    columns=SQL(", ").join([CARD, SQL("d.content AS full_content")]),
)

# Microseconds since 1970 are as exact as the column and fit into a cursor.
NEWEST = SQL("""
    SELECT {card}, {beginning}, (extract(epoch FROM d.created_at) * 1000000)::bigint AS _moment
    FROM highlights.chunks d
    WHERE d.tenant = %(tenant)s AND {condition}
      AND (%(moment)s::bigint IS NULL
           OR (d.created_at, d.chunk_id) < ('epoch'::timestamptz + %(moment)s::bigint * interval '1 microsecond',
                                            %(chunk_id)s::text))
    ORDER BY d.created_at DESC, d.chunk_id DESC LIMIT %(limit)s
""")

CHUNK = SQL("""
    SELECT {card}, {beginning}, d.id, d.updated_at, v.embedding
    FROM highlights.chunks d LEFT JOIN highlights.chunks_vectors v ON v.doc = d.id
    WHERE d.tenant = %(tenant)s AND d.chunk_id = %(chunk_id)s
""").format(card=CARD, beginning=BEGINNING)

NEIGHBOURS = SQL("""
    SELECT max(n.chunk_id) FILTER (WHERE n.chunk_index = %(chunk_index)s - 1) AS previous,
           max(n.chunk_id) FILTER (WHERE n.chunk_index = %(chunk_index)s + 1) AS next
    FROM highlights.chunks n WHERE n.tenant = %(tenant)s AND n.parent_doc_id = %(parent_doc_id)s
""")

RELATED = SQL("""
    WITH few AS MATERIALIZED (
        SELECT documents <= %(exact_up_to)s AS yes FROM highlights.chunks_totals WHERE tenant = %(tenant)s),
    nearest AS MATERIALIZED (
        (SELECT v.doc, v.embedding <=> %(vector)s::vector AS distance FROM highlights.chunks_vectors v
         WHERE (SELECT yes FROM few) AND v.tenant = %(tenant)s AND v.doc <> %(id)s
         ORDER BY distance, v.doc LIMIT %(limit)s)
        UNION ALL
        (SELECT v.doc, v.embedding <=> %(vector)s::vector AS distance FROM highlights.chunks_vectors v
         WHERE NOT (SELECT yes FROM few) AND v.tenant = %(tenant)s AND v.doc <> %(id)s
         ORDER BY distance LIMIT %(limit)s))
    SELECT {card}, {beginning}, 1 - n.distance AS score
    FROM nearest n JOIN highlights.chunks d ON d.id = n.doc
    ORDER BY n.distance, n.doc
""").format(card=CARD, beginning=BEGINNING)

STATISTICS = SQL("""
    SELECT coalesce(s.chunks, 0) AS total_chunks, coalesce(s.documents, 0) AS total_documents,
           coalesce(s.sources, 0) AS unique_sources, coalesce(s.authors, 0) AS unique_authors,
           coalesce(s.tags, 0) AS unique_tags, coalesce(s.characters, 0) AS characters,
           (SELECT d.created_at FROM highlights.chunks d WHERE d.tenant = t.tenant
            ORDER BY d.created_at DESC, d.chunk_id DESC LIMIT 1) AS newest,
           (SELECT d.created_at FROM highlights.chunks d WHERE d.tenant = t.tenant
            ORDER BY d.created_at, d.chunk_id LIMIT 1) AS oldest
    FROM (VALUES (%(tenant)s::text)) t (tenant) LEFT JOIN highlights.statistics s ON s.tenant = t.tenant
""")

LARGEST = SQL("""
    SELECT value AS name, chunks FROM highlights.facets
    WHERE tenant = %(tenant)s AND facet = %(facet)s ORDER BY chunks DESC, key LIMIT %(limit)s
""")

ONE_VALUE = SQL("""
    SELECT value, chunks FROM highlights.facets
    WHERE tenant = %(tenant)s AND facet = %(facet)s
      AND key = CASE WHEN %(facet)s = 'author' THEN highlights.author_key(%(value)s) ELSE lower(%(value)s) END
""")

# strpos and not LIKE, because what was typed may contain % and _.
MATCHING_VALUES = SQL("""
    WITH asked AS (
        SELECT CASE WHEN %(facet)s = 'author' THEN highlights.author_key(%(typed)s) ELSE lower(%(typed)s) END AS key)
    SELECT f.value FROM highlights.facets f, asked a
    WHERE f.tenant = %(tenant)s AND f.facet = %(facet)s AND strpos(f.key, a.key) > 0
    ORDER BY strpos(f.key, a.key) > 1, f.chunks DESC, f.key LIMIT %(limit)s
""")

MATCHING_IDS = SQL("""
    SELECT chunk_id FROM highlights.chunks
    WHERE tenant = %(tenant)s AND starts_with(chunk_id, %(typed)s) ORDER BY chunk_id LIMIT %(limit)s
""")


def condition_of(filters: Mapping[str, object]) -> Condition:
    """Returns the condition of those filters that are set: a kept plan would ask every row about the others, too."""
    given = {name: value for name, value in filters.items() if value is not None}
    return Condition(SQL(" AND ").join(FILTERS[name] for name in given).as_string(), given)


def newest(
    tenant: str, *, filters: Mapping[str, object], limit: int, after: Sequence[int | str] = ()
) -> list[DictRow]:
    """Returns chunks that satisfy every filter, newest first, beginning after the (_moment, chunk_id) ``after``."""
    condition = condition_of(filters)
    statement = NEWEST.format(card=CARD, beginning=BEGINNING, condition=condition.composed)
    moment, seen = after or (None, None)
    place = {"limit": limit, "moment": moment, "chunk_id": seen}
    return database.fetch(tenant, statement, {**condition.parameters, **place})


def chunk(tenant: str, *, chunk_id: str) -> DictRow | None:
    """Returns the chunk with its ``id`` and ``embedding``, which is None until it has been embedded."""
    return database.fetch_first(tenant, CHUNK, {"chunk_id": chunk_id})


def neighbours(tenant: str, *, parent_doc_id: str, chunk_index: int) -> tuple[str | None, str | None]:
    """Returns the ids of the chunks before and after one in its document."""
    [row] = database.fetch(tenant, NEIGHBOURS, {"parent_doc_id": parent_doc_id, "chunk_index": chunk_index})
    return row["previous"], row["next"]


def related(tenant: str, *, doc: int, vector: Vector, limit: int) -> list[DictRow]:
    """Returns the chunks nearest to ``vector``, without ``doc``; their ``score`` is the cosine similarity."""
    asked = {"id": doc, "vector": vector, "limit": limit, "exact_up_to": EXACT_UP_TO}
    return database.fetch(tenant, RELATED, asked)


def statistics(tenant: str) -> DictRow:
    return database.fetch(tenant, STATISTICS)[0]


def largest(tenant: str, *, facet: Facet, limit: int) -> list[DictRow]:
    """Returns (name, number of chunks), the most frequent first."""
    return database.fetch(tenant, LARGEST, {"facet": facet, "limit": limit})


def one_value(tenant: str, *, facet: Facet, value: str) -> DictRow | None:
    """Returns (value, number of chunks) of a value in any case, or None when no chunk has it."""
    return database.fetch_first(tenant, ONE_VALUE, {"facet": facet, "value": value})


def matching_values(tenant: str, *, facet: Facet, typed: str, limit: int) -> list[str]:
    """Returns values that start with what was typed, then those that contain it, each the most frequent first."""
    rows = database.fetch(tenant, MATCHING_VALUES, {"facet": facet, "typed": typed, "limit": limit})
    return [row["value"] for row in rows]


def matching_ids(tenant: str, *, typed: str, limit: int) -> list[str]:
    return [row["chunk_id"] for row in database.fetch(tenant, MATCHING_IDS, {"typed": typed, "limit": limit})]


def nobody_has(tenant: str, *, facet: Facet, value: str) -> str:
    """Says that no chunk has the value, and names those in use that are spelt most alike."""
    near = alike(value, [row["name"] for row in largest(tenant, facet=facet, limit=CONSIDERED)], close=0.5)
    hint = f"Nearest: {', '.join(near)}." if near else "get_stats lists what there is."
    return f"No chunk has the {facet} '{value}'. {hint}"


def unknown_filters(tenant: str, *, tags: Sequence[str] | None, author: str | None, source: str | None) -> str | None:
    """Names the filter values that no chunk has; None where each has chunks and only their combination has none."""
    asked: list[tuple[Facet, str]] = [("tag", tag) for tag in tags or ()]
    asked += [("author", author)] if author else []
    asked += [("source", source)] if source else []
    missing = [one for one in asked if one_value(tenant, facet=one[0], value=one[1]) is None]
    return " ".join(nobody_has(tenant, facet=facet, value=value) for facet, value in missing) or None
