"""The one search path: vector for the query, one statement, hits with score, confidence and legs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pgvector import Vector

from quarry import database, embeddings
from quarry.errors import Unavailable
from quarry.retrieval.confidence import Confidence, bands_of, confidence_of
from quarry.retrieval.corpus import EXACT_UP_TO, POOL, Corpus, statement
from quarry.retrieval.part_numbers import part_numbers
from quarry.settings import settings
from quarry.vocabulary import Leg

VECTOR_WEIGHT = 0.5
"""Share of the vector leg in the fusion (DECISIONS.md, 2026-11-21)."""

ENOUGH_COVERAGE = 0.5
"""Share of the query's idf that must match for a text hit to count as evidence by itself."""


_large: set[tuple[str, Corpus]] = set()
"""Tenants' corpora of more than EXACT_UP_TO documents, as far as this process has met them."""


@dataclass(frozen=True, slots=True)
class Trace:
    """How a hit came to its place: ranks count from 1 in each leg, the parts add up to what it was ranked by.

    ``named`` rows bear a model that the query names and come first. ``terms`` are the stemmed query terms that
    matched, rarest first; None unless they were asked for.
    """

    vector_rank: int | None
    text_rank: int | None
    vector_part: float
    text_part: float
    named: bool
    bm25: float | None
    coverage: float | None
    terms: list[str] | None


@dataclass(frozen=True, slots=True)
class Hit:
    """``score`` is cosine similarity in [-1, 1], None without a vector; ``row`` has the corpus's columns.

    ``copies`` other rows have the same words and satisfy the same filters; the newest of them are in ``copied``.
    """

    row: dict[str, Any]
    score: float | None
    confidence: Confidence | None
    legs: tuple[Leg, ...]
    trace: Trace
    copies: int = 0
    copied: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hits, best first; ``degraded`` when the embedding provider was down and only text was searched.

    ``read_as`` has the part numbers that no text has, with the one that each was read as.
    """

    hits: list[Hit]
    degraded: bool
    notice: str | None
    read_as: Mapping[str, str] = field(default_factory=dict)


def search(
    corpus: Corpus,
    *,
    tenant: str,
    query: str,
    limit: int,
    filters: Mapping[str, object | None],
    explain: bool = False,
) -> Outcome:
    """At most ``limit`` hits; with any filter set, only and all rows that satisfy every one are eligible.

    Without a filter, a query that nothing in a gated corpus resembles gives no hit at all.
    Raises Unavailable when embeddings are down and the text leg finds nothing.
    """
    vector, reason = _vector(query, tenant=tenant)
    filtered = any(value is not None for value in filters.values())
    rows = _rows(
        corpus,
        {
            **filters,
            "tenant": tenant,
            "query": query,
            "vector": vector,
            "vector_weight": VECTOR_WEIGHT,
            "pool": max(POOL, limit),
            "exact_up_to": EXACT_UP_TO,
            "limit": limit,
            "explain": explain,
            "part_numbers": part_numbers(query),
        },
        tenant=tenant,
        filtered=filtered,
    )
    model = settings().embedding_model
    if reason is None and corpus.gated and not filtered and not _any_evidence(rows, noise=bands_of(model).noise):
        rows = []
    read_as = next((row["_read_as"] or {} for row in rows if "_read_as" in row), {})
    notices = [_degraded(rows, reason)] if reason else []
    notices += [f"No text has the part number '{typed}'; it was read as '{term}'." for typed, term in read_as.items()]
    hits = [_hit(row, model=model) for row in rows]
    return Outcome(hits, degraded=reason is not None, notice=" ".join(notices) or None, read_as=read_as)


def _rows(corpus: Corpus, parameters: Mapping[str, Any], *, tenant: str, filtered: bool) -> list[dict[str, Any]]:
    """A corpus is taken for small until its small statement has found nothing and the other one something."""
    models = bool(parameters["part_numbers"])
    if not filtered and (tenant, corpus) not in _large:
        small = statement(corpus, filtered=False, part_numbers=models, small=True)
        if rows := database.fetch(tenant, small, parameters, keep_plan=True):
            return rows
    rows = database.fetch(tenant, statement(corpus, filtered=filtered, part_numbers=models), parameters)
    if rows and not filtered:
        _large.add((tenant, corpus))
    return rows


def _vector(query: str, *, tenant: str) -> tuple[Vector | None, str | None]:
    try:
        return embeddings.query_vector(query, tenant=tenant), None
    except embeddings.EmbeddingsDown as error:
        return None, error.reason


def _degraded(rows: list[dict[str, Any]], reason: str) -> str:
    if not rows:
        raise Unavailable(
            f"Embeddings are unavailable ({reason}) and text search alone found nothing, which does not mean "
            "that nothing fits. Try again later, or name models, sizes or words that the text would contain.",
            retryable=True,
        )
    return f"Embeddings are unavailable ({reason}): ranked by text only, without scores or confidence."


def _any_evidence(rows: list[dict[str, Any]], *, noise: float) -> bool:
    return any(
        (row["_score"] is not None and row["_score"] >= noise)
        or (row["_coverage"] or 0) >= ENOUGH_COVERAGE
        or row["_named"]
        for row in rows
    )


def _hit(row: dict[str, Any], *, model: str) -> Hit:
    ranks: dict[Leg, int | None] = {"vector": row["_vector_rank"], "text": row["_text_rank"]}
    score = None if row["_score"] is None else round(row["_score"], 4)
    return Hit(
        row={name: value for name, value in row.items() if not name.startswith("_")},
        score=score,
        confidence=confidence_of(score, bands=bands_of(model)),
        legs=tuple(leg for leg, rank in ranks.items() if rank is not None),
        trace=Trace(
            vector_rank=row["_vector_rank"],
            text_rank=row["_text_rank"],
            vector_part=float(row["_vector_part"]),
            text_part=float(row["_text_part"]),
            named=row["_named"],
            bm25=row["_bm25"],
            coverage=None if row["_coverage"] is None else float(row["_coverage"]),
            terms=row["_terms"],
        ),
        copies=row.get("_copies", 0),
        copied=row.get("_copied", ()),
    )
