"""The one search path: vector for the query, one statement, hits with score, confidence and legs."""

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.rows import DictRow

from quarry.data import database
from quarry.data.settings import settings
from quarry.embedding import query_vectors
from quarry.observation import metrics
from quarry.retrieval.confidence import bands_of
from quarry.retrieval.corpus import EXACT_UP_TO, POOL, Corpus, statement
from quarry.retrieval.hits import Outcome, hit_of
from quarry.retrieval.part_numbers import part_numbers
from quarry.retrieval.rerank import RerankerDown, relevances
from quarry.tool.errors import Unavailable

VECTOR_WEIGHT = 0.5
"""Share of the vector leg in the fusion (docs/decisions/retrieval.md)."""

ENOUGH_COVERAGE = 0.5
"""Share of the query's idf that must match for a text hit to count as evidence by itself."""

_large: set[tuple[str, Corpus]] = set()
"""Tenants' corpora of more than EXACT_UP_TO documents, as far as this process has met them."""


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
    configuration = settings()
    reranked = configuration.rerank_url is not None and corpus.document is not None
    wanted = max(limit, configuration.rerank_top) if reranked else limit
    parameters = {
        **filters,
        "query": query,
        "vector_weight": VECTOR_WEIGHT,
        "pool": max(POOL, wanted),
        "exact_up_to": EXACT_UP_TO,
        "limit": wanted,
        "explain": explain,
        "part_numbers": part_numbers(query),
    }
    rows, reason = query_vectors.search(
        query, _reading(corpus, parameters, tenant=tenant, filtered=filtered, texts=reranked), tenant=tenant
    )
    model = configuration.embedding_model
    if (
        reason is None
        and corpus.gated
        and not filtered
        and not _any_evidence(rows[:limit], noise=bands_of(model).noise)
    ):
        rows = []
    read_as = next((row["_read_as"] or {} for row in rows if "_read_as" in row), {})
    notices = [_degraded(rows, reason)] if reason else []
    notices += [f"No text has the part number '{typed}'; it was read as '{term}'." for typed, term in read_as.items()]
    if reranked:
        rows, trouble = _reranked(rows, query=query)
        notices += [trouble] if trouble else []
    hits = [hit_of(row, model=model) for row in rows[:limit]]
    return Outcome(hits, degraded=reason is not None, notice=" ".join(notices) or None, read_as=read_as)


def _reading(
    corpus: Corpus, parameters: Mapping[str, object], *, tenant: str, filtered: bool, texts: bool
) -> query_vectors.Read:
    """A corpus is taken for small until its small statement has found nothing and the other one something."""
    models = bool(parameters["part_numbers"])

    def read(
        before: Sequence[database.Query], of_vector: Mapping[str, object]
    ) -> tuple[list[list[DictRow]], list[DictRow]]:
        asked = {**parameters, **of_vector}
        others: list[list[DictRow]] = []
        if not filtered and (tenant, corpus) not in _large:
            small = statement(corpus, filtered=False, part_numbers=models, small=True, texts=texts)
            *others, rows = database.fetch_each(tenant, [*before, (small, asked)], keep_plans=True)
            if rows:
                return others, rows
            before = []
        whole = statement(corpus, filtered=filtered, part_numbers=models, texts=texts)
        *more, rows = database.fetch_each(tenant, [*before, (whole, asked)])
        if rows and not filtered:
            _large.add((tenant, corpus))
        return others or more, rows

    return read


def _reranked(rows: list[dict[str, Any]], *, query: str) -> tuple[list[dict[str, Any]], str | None]:
    """Rows by the reranker's judgement, but for models that the query names (first) and copies (last)."""
    configuration = settings()
    top, rest = rows[: configuration.rerank_top], rows[configuration.rerank_top :]
    try:
        scores = relevances(query, [row["_text"] for row in top], settings=configuration)
    except RerankerDown as error:
        return rows, f"Reranking is unavailable ({error.reason}): the order is that of the search itself."
    judged = [{**row, "_relevance": score} for row, score in zip(top, scores, strict=True)]
    return [*sorted(judged, key=_reranked_place), *rest], None


def _reranked_place(row: dict[str, Any]) -> tuple[bool, bool, bool, float]:
    relevance = row["_relevance"]
    return row.get("_repeated", False), not row["_named"], relevance is None, -(relevance or 0.0)


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
