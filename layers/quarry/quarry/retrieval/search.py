"""The one search path: vector for the query, one statement, hits with score, confidence and legs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quarry import metrics, query_vectors
from quarry.errors import Unavailable
from quarry.retrieval.confidence import Confidence, bands_of, confidence_of
from quarry.retrieval.corpus import EXACT_UP_TO, POOL, Corpus, statement
from quarry.settings import settings
from quarry.vocabulary import Leg

VECTOR_WEIGHT = 0.5
"""Share of the vector leg in the fusion (DECISIONS.md, 2026-11-21)."""

ENOUGH_COVERAGE = 0.5
"""Share of the query's idf that must match for a text hit to count as evidence by itself."""


@dataclass(frozen=True, slots=True)
class Trace:
    """How a hit came to its place: ranks count from 1 in each leg, the parts add up to what it was ranked by.

    ``terms`` are the stemmed query terms that matched, rarest first; None unless they were asked for.
    """

    vector_rank: int | None
    text_rank: int | None
    vector_part: float
    text_part: float
    bm25: float | None
    coverage: float | None
    terms: list[str] | None


@dataclass(frozen=True, slots=True)
class Hit:
    """``score`` is cosine similarity in [-1, 1], None without a vector; ``row`` has the corpus's columns."""

    row: dict[str, Any]
    score: float | None
    confidence: Confidence | None
    legs: tuple[Leg, ...]
    trace: Trace


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hits, best first; ``degraded`` when the embedding provider was down and only text was searched."""

    hits: list[Hit]
    degraded: bool
    notice: str | None


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
    outcome = _search(corpus, tenant=tenant, query=query, limit=limit, filters=filters, explain=explain)
    metrics.note_search([hit.confidence for hit in outcome.hits], degraded=outcome.degraded)
    return outcome


def _search(
    corpus: Corpus, *, tenant: str, query: str, limit: int, filters: Mapping[str, object | None], explain: bool
) -> Outcome:
    filtered = any(value is not None for value in filters.values())
    parameters = {
        **filters,
        "query": query,
        "vector_weight": VECTOR_WEIGHT,
        "pool": max(POOL, limit),
        "exact_up_to": EXACT_UP_TO,
        "limit": limit,
        "explain": explain,
    }
    answer = query_vectors.search(query, statement(corpus, filtered=filtered), parameters, tenant=tenant)
    rows, model = answer.rows, settings().embedding_model
    if answer.reason is not None:
        return _degraded(rows, answer.reason, model=model)
    if corpus.gated and not filtered and not _any_evidence(rows, noise=bands_of(model).noise):
        rows = []
    return Outcome([_hit(row, model=model) for row in rows], degraded=False, notice=None)


def _degraded(rows: list[dict[str, Any]], reason: str, *, model: str) -> Outcome:
    if not rows:
        raise Unavailable(
            f"Embeddings are unavailable ({reason}) and text search alone found nothing, which does not mean "
            "that nothing fits. Try again later, or name models, sizes or words that the text would contain.",
            retryable=True,
        )
    notice = f"Embeddings are unavailable ({reason}): ranked by text only, without scores or confidence."
    return Outcome([_hit(row, model=model) for row in rows], degraded=True, notice=notice)


def _any_evidence(rows: list[dict[str, Any]], *, noise: float) -> bool:
    return any(
        (row["_score"] is not None and row["_score"] >= noise) or (row["_coverage"] or 0) >= ENOUGH_COVERAGE
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
            bm25=row["_bm25"],
            coverage=None if row["_coverage"] is None else float(row["_coverage"]),
            terms=row["_terms"],
        ),
    )
