"""`make bench-ingest ROWS=…`: rows through S3, the ingest function, the queue and the embedding worker, with rates.

It starts a stack of its own. Memory is the largest resident set of any process of a function, looked at ten times a
second: it has to be the same whatever the number of rows.
"""

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg

from bench.scale.catalogue import COLUMNS, Catalogue
from local import corpus_loader
from local.failure import run_command
from local.settings import read_settings
from local.stack import Stack, start

TENANT = "bench"
FUNCTIONS = ("quarry-ingest", "quarry-embed_pending")
PROGRESS = "SELECT coalesce(sum(rows_read), 0) FROM quarry.ingests WHERE tenant = %s"
WAITING = "SELECT count(*) FROM quarry.embedding_queue"
_WIDTH = 40


@dataclass
class Watch:
    """What the functions' processes took at most, in MB by function."""

    peak: dict[str, float] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)

    def look(self, pid: int) -> None:
        while not self.over.wait(0.1):
            for process in psutil.Process(pid).children(recursive=True):
                try:
                    name = process.environ().get("AWS_LAMBDA_FUNCTION_NAME", "")
                    if name in FUNCTIONS:
                        self.peak[name] = max(self.peak.get(name, 0), process.memory_info().rss / 1e6)
                except psutil.Error:
                    continue  # it has just ended


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.ingest", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--no-embedding", action="store_true", help="stop when the rows are in")
    options = parser.parse_args()
    folder = read_settings(os.environ).data_dir / "bench" / "ingest"
    with start(folder) as stack, _watched(stack) as watch:
        print(run(stack, watch, folder, rows=options.rows, embed=not options.no_embedding))


def run(stack: Stack, watch: Watch, folder: Path, *, rows: int, embed: bool) -> str:
    path = folder / f"products-{rows}-{time.time_ns()}.jsonl"
    _write(path, rows=rows)
    try:
        with psycopg.connect(stack.database.dsn, autocommit=True) as connection:
            connection.execute("TRUNCATE quarry.embedding_queue")  # what an earlier run did not wait for
            ingest_s, report = _ingest(stack, connection, path, rows=rows)
            waiting = _one(connection, WAITING)
            embed_s = _embed(stack, connection, total=waiting) if embed else 0.0
    finally:
        path.unlink()
    lines = [
        f"## {rows:,} rows through the pipeline: {report['inserted']:,} inserted, {report['rejected']:,} rejected",
        "",
        "| step | seconds | rows/s |",
        "|---|---|---|",
        f"| ingest, postings included | {ingest_s:.0f} | {rows / ingest_s:,.0f} |",
    ]
    if embed:
        lines.append(
            f"| embedding of what the worker had left | {embed_s:.0f} | {waiting / max(embed_s, 0.01):,.0f} |"
        )
        lines.append(f"| both | {ingest_s + embed_s:.0f} | {rows / (ingest_s + embed_s):,.0f} |")
    memory = ", ".join(f"{name.removeprefix('quarry-')} {peak:.0f} MB" for name, peak in sorted(watch.peak.items()))
    return "\n".join([*lines, "", f"Memory at most: {memory}.", ""])


def _write(path: Path, *, rows: int) -> None:
    """Products whose tenant and id the product gives itself; every run has models of its own, so all are inserts."""
    catalogue, run_id = Catalogue(), path.stem.rpartition("-")[2]
    with path.open("w", encoding="utf-8") as file:
        for part in catalogue.slices(rows):
            for values in catalogue.rows(part, tenant=TENANT):
                row = dict(zip(COLUMNS, values, strict=True))
                del row["id"], row["tenant"]
                file.write(json.dumps({**row, "model": f"{row['model']}-{run_id}"}) + "\n")


def _ingest(
    stack: Stack, connection: psycopg.Connection[Any], path: Path, *, rows: int
) -> tuple[float, dict[str, Any]]:
    before, over = _one(connection, PROGRESS, TENANT), threading.Event()

    def show() -> None:
        while not over.wait(0.5):
            _bar("ingested", _one(connection, PROGRESS, TENANT) - before, rows)

    shower = threading.Thread(target=show)
    started = time.perf_counter()
    shower.start()
    try:
        report = corpus_loader.ingest(stack, path, kind="products", tenant=TENANT)
    finally:
        over.set()
        shower.join()
    elapsed = time.perf_counter() - started
    _bar("ingested", rows, rows, end="\n")
    return elapsed, report


def _embed(stack: Stack, connection: psycopg.Connection[Any], *, total: int) -> float:
    started = time.perf_counter()
    corpus_loader.drain(stack, on_progress=lambda _: _bar("embedded", total - _one(connection, WAITING), total))
    elapsed = time.perf_counter() - started
    _bar("embedded", total, total, end="\n")
    return elapsed


@contextmanager
def _watched(stack: Stack) -> Iterator[Watch]:
    watch = Watch()
    thread = threading.Thread(target=watch.look, args=[stack.pid])
    thread.start()
    try:
        yield watch
    finally:
        watch.over.set()
        thread.join()


def _bar(what: str, done: int, total: int, *, end: str = "") -> None:
    filled = _WIDTH * done // max(total, 1)
    print(
        f"\r{what} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done:,} of {total:,}",
        end=end,
        file=sys.stderr,
        flush=True,
    )


def _one(connection: psycopg.Connection[Any], query: str, *values: object) -> int:
    row = connection.execute(query.encode(), values).fetchone()
    return int(row[0]) if row else 0


if __name__ == "__main__":
    run_command(main)
