"""`make eval DATA=folder`: nDCG@10, recall@10 and MRR of both legs, RRF(60) and the fusion."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from psycopg.sql import SQL

from bench.judging import Collection, Query, mean, ndcg, recall, reciprocal_rank
from local import corpus_loader
from local.failure import run_command
from local.settings import read_settings
from local.stack import Stack, stack_of
from quarry.retrieval import search as retrieval
from quarry.retrieval.hits import Leg, Outcome
from quotes.queries import PAST_QUOTES

DEPTH = 100
PASSAGES = replace(PAST_QUOTES, kind="passages", built_in={}, columns=SQL("d.quote_number"))


@dataclass(frozen=True, slots=True)
class Ranked:
    """Document ids of one query by system, best first."""

    query: Query
    rankings: dict[str, list[str]]


def load(stack: Stack, collection: Collection, *, on_progress: Callable[[str], None]) -> None:
    """Loads the collection through S3, the ingest function and the embedding queue; a second time nothing changes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in collection.rows()), "utf-8")
        report = corpus_loader.ingest(stack, path, kind="past_quotes", tenant=collection.tenant)
    on_progress(f"{report['rows_read']} documents, {report['rejected']} rejected {report['rejects'][:3] or ''}")
    corpus_loader.drain(stack, on_progress=on_progress)


def run(stack: Stack, collection: Collection) -> list[Ranked]:
    """Sends every query through quarry.retrieval.search, as the functions call it and in their role."""
    given = json.loads((stack.data_dir / "functions-env.json").read_text())
    role = "quarry_read"
    os.environ.update(given["Parameters"], DB_USER=role, DB_PASSWORD=given["Passwords"][role], LOG_LEVEL="ERROR")
    return [_ranked(query, tenant=collection.tenant) for query in collection.queries()]


def search(query: Query, *, tenant: str, limit: int) -> Outcome:
    """As a tool searches texts: documents are past quotes only to be ingested."""
    return retrieval.search(PASSAGES, tenant=tenant, query=query.text, limit=limit)


def _ranked(query: Query, *, tenant: str) -> Ranked:
    outcome = search(query, tenant=tenant, limit=2 * DEPTH)
    fused = [str(hit.row["quote_number"]) for hit in outcome.hits]
    legs: tuple[Leg, ...] = get_args(Leg)
    rankings: dict[str, list[str]] = {
        leg: _by_rank(fused, [hit.ranks.get(leg) for hit in outcome.hits]) for leg in legs
    }
    rankings["RRF(60)"] = _reciprocal_rank_fusion(rankings["vector"], rankings["text"])
    rankings["fused"] = fused
    return Ranked(query, rankings)


def _by_rank(items: Sequence[str], ranks: Sequence[int | None]) -> list[str]:
    ranked = [(rank, item) for rank, item in zip(ranks, items, strict=True) if rank is not None]
    return [item for _, item in sorted(ranked)]


def _reciprocal_rank_fusion(*rankings: Sequence[str]) -> list[str]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (60 + place)
    return sorted(scores, key=lambda item: -scores[item])


SYSTEMS = ("vector", "text", "RRF(60)", "fused")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.eval", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders with corpus.jsonl, queries.jsonl, qrels.tsv")
    arguments = parser.parse_args()
    with stack_of(read_settings().data_dir) as stack:
        for folder in arguments.folders:
            collection = Collection(folder)
            load(stack, collection, on_progress=lambda line: print(line, file=sys.stderr))
            print(report(collection.name, run(stack, collection)))


def report(name: str, ranked: list[Ranked]) -> str:
    lines = [
        f"{name}: {len(ranked)} queries",
        "",
        "| system | nDCG@10 | recall@10 | MRR@10 |",
        "|---|---|---|---|",
    ]
    for system in SYSTEMS:
        of_each = [(item.rankings[system], item.query.grades) for item in ranked]
        means = (mean([measure(*one) for one in of_each]) for measure in (ndcg, recall, reciprocal_rank))
        lines.append(f"| {system} | {' | '.join(f'{value:.4f}' for value in means)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    run_command(main, FileNotFoundError)
