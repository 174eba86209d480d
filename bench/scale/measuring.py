"""Latency of the product's own searches, their recall against an exact scan, and whether k rows come back."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from pgvector import Vector

from bench.eval.metrics import mean
from bench.scale.catalogue import cfm_at_least

DEPTH = 10
NO_WORDS = ""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    text: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class Case:
    """``leg`` is hybrid, vector or text; ``share`` of the tenant's rows satisfies the filters."""

    label: str
    leg: str
    tenant: str
    share: float = 1.0

    @property
    def filters(self) -> Mapping[str, object]:
        return {} if self.share == 1 else {"cfm_min": cfm_at_least(self.share)}


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds by query, by the clock and of the server's processor; the latter bears a busy machine.

    ``rows`` and ``recall`` are means over queries; recall is that of the vector leg alone.
    """

    case: Case
    ms: list[float]
    cpu_ms: list[float]
    rows: float
    recall: float | None


def measure(case: Case, queries: Sequence[SearchQuery], *, exact: Mapping[str, set[int]] | None) -> Measured:
    """Measures the search that every tool makes, in this process; the first round warms up."""
    for query in queries:
        _search(case, query)
    ms, cpu_ms, rows, recalls = [], [], [], []
    for query in queries:
        before = server_cpu_ms()
        started = time.perf_counter()
        found = _search(case, query)
        ms.append((time.perf_counter() - started) * 1000)
        cpu_ms.append(server_cpu_ms() - before)
        rows.append(len(found))
        if exact is not None and (wanted := exact[query.text]):
            recalls.append(len(wanted.intersection(found)) / len(wanted))
    return Measured(case, ms, cpu_ms, mean(rows), mean(recalls) if recalls else None)


def server_cpu_ms() -> float:
    """CPU time of the Postgres backend that serves this process; 0 where the system does not tell."""
    from quarry.data import database

    try:
        counted = Path(f"/proc/{database.session().connection.info.backend_pid}/schedstat").read_text().split()
    except FileNotFoundError:
        return 0.0
    return int(counted[0]) / 1e6


def _search(case: Case, query: SearchQuery) -> list[int]:
    # Imported when the environment is set: settings are read once.
    from bench.scale.statement import documents

    return documents(
        case.tenant,
        query=NO_WORDS if case.leg == "vector" else query.text,
        vector=None if case.leg == "text" else query.vector,
        filters=case.filters,
        limit=DEPTH,
    )


def exact_neighbours(
    connection: psycopg.Connection[Any], queries: Sequence[SearchQuery], *, tenant: str, share: float = 1.0
) -> dict[str, set[int]]:
    """The true nearest rows by query, every eligible vector compared; on the superuser's connection."""
    low = None if share == 1 else cfm_at_least(share)
    nearest = {}
    with connection.transaction():
        connection.execute("SET LOCAL enable_indexscan = off")
        for query in queries:
            found = connection.execute(
                "SELECT v.doc FROM equipment.products_vectors v JOIN equipment.products d ON d.id = v.doc"
                " WHERE v.tenant = %s AND (%s::float8 IS NULL OR d.cfm >= %s)"
                " ORDER BY v.embedding <=> %s LIMIT %s",
                [tenant, low, low, query.vector, DEPTH],
            )
            nearest[query.text] = {row[0] for row in found}
    return nearest
