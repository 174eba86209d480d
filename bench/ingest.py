"""`make bench-ingest ROWS=…`: rows through S3, the ingest function, the queue and the embedding worker, with rates.

It starts a stack of its own.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import psycopg

from bench.scale.catalogue import COLUMNS, Catalogue
from local import corpus_loader
from local.failure import run_command
from local.settings import read_settings
from local.stack import Stack, start

TENANT = "bench"
WAITING = "SELECT count(*) FROM quarry.embedding_queue"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.ingest", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    rows = parser.parse_args().rows
    folder = read_settings().data_dir / "bench" / "ingest"
    with start(folder) as stack:
        print(run(stack, folder, rows=rows))


def run(stack: Stack, folder: Path, *, rows: int) -> str:
    path = folder / f"products-{rows}-{time.time_ns()}.jsonl"
    _write(path, rows=rows)
    try:
        with psycopg.connect(stack.database.dsn, autocommit=True) as connection:
            connection.execute("TRUNCATE quarry.embedding_queue")  # what an earlier run did not wait for
            for kind in ("units", "families", "attributes"):
                corpus_loader.ingest(stack, corpus_loader.CORPUS / f"{kind}.csv", kind=kind, tenant=TENANT)
            started = time.perf_counter()
            report = corpus_loader.ingest(stack, path, kind="products", tenant=TENANT)
            ingest_s = time.perf_counter() - started
            [(waiting,)] = connection.execute(WAITING).fetchall()
            corpus_loader.drain(stack, on_progress=lambda line: print(line, file=sys.stderr))
            embed_s = time.perf_counter() - started - ingest_s
    finally:
        path.unlink()
    lines = [
        f"## {rows:,} rows through the pipeline: {report['inserted']:,} inserted, {report['rejected']:,} rejected",
        "",
        "| step | seconds | rows/s |",
        "|---|---|---|",
        f"| ingest, postings included | {ingest_s:.0f} | {rows / ingest_s:,.0f} |",
        f"| embedding of what the worker had left | {embed_s:.0f} | {waiting / max(embed_s, 0.01):,.0f} |",
        f"| both | {ingest_s + embed_s:.0f} | {rows / (ingest_s + embed_s):,.0f} |",
    ]
    return "\n".join(lines) + "\n"


def _write(path: Path, *, rows: int) -> None:
    """Products whose tenant and id the product gives itself; every run has models of its own, so all are inserts."""
    catalogue, run_id = Catalogue(), path.stem.rpartition("-")[2]
    with path.open("w", encoding="utf-8") as file:
        for part in catalogue.slices(rows):
            for values in catalogue.rows(part, tenant=TENANT):
                row = dict(zip(COLUMNS, values, strict=True))
                del row["id"], row["tenant"]
                file.write(json.dumps({**row, "model": f"{row['model']}-{run_id}"}) + "\n")


if __name__ == "__main__":
    run_command(main)
