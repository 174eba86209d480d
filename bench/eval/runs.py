"""Loads a collection into a scratch tenant and asks the product's search for every query."""

import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.eval.collection import Collection, Query
from local import corpus_loader
from local.stack import Stack

DEPTH = 100


@dataclass(frozen=True, slots=True)
class Ranked:
    """Document ids of one query by system, best first, and the milliseconds the fused search took."""

    query: Query
    rankings: dict[str, list[str]]
    ms: float


def load(stack: Stack, collection: Collection, *, on_progress: Callable[[str], None]) -> None:
    """Through S3, the ingest function and the embedding queue; a second time nothing changes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in collection.rows()), "utf-8")
        report = corpus_loader.ingest(stack, path, kind="past_quotes", tenant=collection.tenant)
    on_progress(f"{report['rows_read']} documents, {report['rejected']} rejected {report['rejects'][:3] or ''}")
    corpus_loader.drain(stack, on_progress=on_progress)


def run(stack: Stack, collection: Collection) -> list[Ranked]:
    """Every query through quarry.retrieval.search, as the functions call it, as the role they have."""
    variables = json.loads((stack.data_dir / "functions-env.json").read_text())["Parameters"]
    os.environ.update(variables, DB_USER="quarry_read", LOG_LEVEL="ERROR")
    return [_ranked(query, tenant=collection.tenant) for query in collection.queries()]


def _ranked(query: Query, *, tenant: str) -> Ranked:
    # Imported when the environment is set: settings are read once.
    from quarry import query_vectors, retrieval
    from quotes.queries import PAST_QUOTES

    query_vectors.vector_of(query.text, tenant=tenant)  # so that the time is the search's, not the model's
    started = time.perf_counter()
    outcome = retrieval.search(PAST_QUOTES, tenant=tenant, query=query.text, limit=2 * DEPTH, filters={})
    elapsed = (time.perf_counter() - started) * 1000
    fused = [str(hit.row["quote_number"]) for hit in outcome.hits]
    places = {
        "vector": [hit.trace.vector_rank for hit in outcome.hits],
        "text": [hit.trace.text_rank for hit in outcome.hits],
    }
    rankings = {name: _by_rank(fused, ranks) for name, ranks in places.items()}
    rankings["RRF(60)"] = _reciprocal_rank_fusion(rankings["vector"], rankings["text"])
    rankings["fused"] = fused
    return Ranked(query, rankings, elapsed)


def _by_rank(items: list[str], ranks: list[int | None]) -> list[str]:
    ranked = [(rank, item) for rank, item in zip(ranks, items, strict=True) if rank is not None]
    return [item for _, item in sorted(ranked)]


def _reciprocal_rank_fusion(*rankings: list[str], constant: int = 60) -> list[str]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (constant + place)
    return sorted(scores, key=lambda item: -scores[item])
