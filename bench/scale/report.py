"""The tables of the scale benchmark, in Markdown."""

from collections.abc import Sequence
from typing import Any

import psycopg

from bench.eval.metrics import mean, percentile
from bench.scale.loading import Load
from bench.scale.measuring import Measured

SIZES = """
    SELECT c.relname, c.relkind::text AS kind, pg_relation_size(c.oid) AS bytes
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'equipment' AND c.relkind IN ('r', 'i') AND pg_relation_size(c.oid) > 1000000
    ORDER BY bytes DESC
"""


def loading(load: Load | None, *, rows: int) -> str:
    if load is None:
        return "Rows, postings and vectors are those of an earlier run."
    steps = (
        ("COPY of the rows", load.copy_s),
        ("postings, by search.index", load.terms_s),
        ("COPY of the vectors", load.vectors_s),
        ("vector index (HNSW)", load.hnsw_s),
    )
    lines = ["| bulk load | seconds | rows/s |", "|---|---|---|"]
    return "\n".join(lines + [f"| {name} | {seconds:.0f} | {rows / seconds:,.0f} |" for name, seconds in steps])


def sizes(connection: psycopg.Connection[Any]) -> str:
    lines = ["| table or index | MB |", "|---|---|"]
    return "\n".join(lines + [f"| {name} | {size / 1e6:,.0f} |" for name, _, size in connection.execute(SIZES)])


def latencies(measured: Sequence[Measured], *, first: str = "rows that qualify") -> str:
    lines = [
        f"| {first} | leg | p50 ms | p95 ms | p99 ms | server CPU p50 | p95 | rows of 10 | recall@10 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join(lines + [_latency(item) for item in measured])


def _latency(item: Measured) -> str:
    clock = " | ".join(f"{percentile(item.ms, share):.1f}" for share in (0.5, 0.95, 0.99))
    cpu = " | ".join(f"{percentile(item.cpu_ms, share):.1f}" for share in (0.5, 0.95))
    recall = "" if item.recall is None else f"{item.recall:.3f}"
    return f"| {item.case.label} | {item.case.leg} | {clock} | {cpu} | {item.rows:.1f} | {recall} |"


def summary(measured: Sequence[Measured]) -> str:
    """The figures of the goals that a single run can show."""
    hybrid = [item for item in measured if item.case.leg == "hybrid"]
    filtered = [percentile(item.ms, 0.95) for item in hybrid if item.case.share < 1]
    recalls = [item.recall for item in measured if item.recall is not None]
    return (
        f"Hybrid p95 {percentile(hybrid[0].ms, 0.95):.1f} ms unfiltered, at worst {max(filtered):.1f} ms filtered; "
        f"recall@10 of the vector leg {mean(recalls):.3f} on average, {min(recalls):.3f} at worst; "
        f"{min(item.rows for item in hybrid):.1f} of 10 rows at worst."
    )
