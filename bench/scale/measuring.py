"""Latency of the product's own searches, their recall against an exact scan, and the tables that show both."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from pgvector import Vector
from psycopg.sql import SQL

from bench.judging import mean, percentile
from bench.scale.catalogue import cfm_at_least
from bench.scale.loading import Load
from quarry.corpora import PRODUCTS
from quarry.data import database
from quarry.embedding import query_vectors
from quarry.needs.grammar import read_need
from quarry.needs.model import Need
from quarry.retrieval import legs, ranking
from quarry.retrieval.clauses import of_filters
from quarry.retrieval.condition import Condition
from quarry.retrieval.here import attributes_of
from quarry.retrieval.hits import Hit
from quarry.retrieval.listing import grouped, listing
from quarry.retrieval.search import LEAST_READ, POOL, search
from quarry.retrieval.weights import WEIGHTS

DEPTH, SHOWN = 10, 25
NO_WORDS = ""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    text: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class Case:
    """``leg`` is search, hybrid, vector or text: all that a tool does in this process, or what the legs find, ranked;
    table or group: rows without words, sorted by a figure, or counted by maker.

    ``share`` of the tenant's rows satisfies the filters.
    """

    label: str
    leg: str
    tenant: str
    share: float = 1.0

    @property
    def filters(self) -> list[Need]:
        return [] if self.share == 1 else [need("cfm", f"> {cfm_at_least(self.share)!r}", tenant=self.tenant)]

    @property
    def condition(self) -> Condition:
        return of_filters(PRODUCTS, self.filters, attributes=attributes_of(self.tenant))


def need(attribute: str, asked: str, *, tenant: str) -> Need:
    """What a caller writes, read as a tool reads it."""
    found = read_need(attribute, asked, attributes=attributes_of(tenant))
    assert isinstance(found, Need), found
    return found


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
        found(case, query)
    ms, cpu_ms, rows, recalls = [], [], [], []
    for query in queries:
        before = server_cpu_ms()
        started = time.perf_counter()
        hits = found(case, query)
        ms.append((time.perf_counter() - started) * 1000)
        cpu_ms.append(server_cpu_ms() - before)
        rows.append(len(hits))
        if exact is not None and (wanted := exact[query.text]):
            recalls.append(len(wanted.intersection(hits)) / len(wanted))
    return Measured(case, ms, cpu_ms, mean(rows), mean(recalls) if recalls else None)


def server_cpu_ms() -> float:
    """CPU time of the Postgres backend that serves this process; 0 where the system does not tell."""
    try:
        counted = Path(f"/proc/{database.session().connection.info.backend_pid}/schedstat").read_text().split()
    except FileNotFoundError:
        return 0.0
    return int(counted[0]) / 1e6


def found(case: Case, query: SearchQuery) -> list[int]:
    """Returns the ids of the rows that the case finds; of groups their places."""
    if case.leg == "table":
        table = listing(PRODUCTS, tenant=case.tenant, filters=case.filters, sort="-cfm", limit=SHOWN)
        return [_number(hit) for hit in table.hits]
    if case.leg == "group":
        counted, _ = grouped(PRODUCTS, tenant=case.tenant, filters=case.filters, by="manufacturer", limit=SHOWN)
        return list(range(len(counted.rows)))
    if case.leg == "search":
        query_vectors.remember(query_vectors.key_of(query.text, tenant=case.tenant), query.vector)
        outcome = search(PRODUCTS, tenant=case.tenant, query=query.text, filters=case.filters, limit=DEPTH)
        return [_number(hit) for hit in outcome.hits]
    return documents(
        case.tenant,
        query=NO_WORDS if case.leg == "vector" else query.text,
        vector=None if case.leg == "text" else query.vector,
        condition=case.condition,
        limit=DEPTH,
    )


def _number(hit: Hit) -> int:
    return int(str(hit.row["model"]).rpartition("-")[2])


def documents(tenant: str, *, query: str, vector: Vector | None, condition: Condition, limit: int) -> list[int]:
    """What a search asks of the product's legs, one or both, and the rows that ranking would choose from.

    The ids of at most ``limit`` rows, best first; with one leg alone in that leg's own order.
    """
    found = legs.find_given(
        PRODUCTS, query, tenant=tenant, vector=vector, pool=POOL, condition=condition, limit=limit
    )
    docs = ranking.shortlist(found, most=max(2 * limit, LEAST_READ))
    rows = legs.read(
        PRODUCTS,
        docs,
        tenant=tenant,
        condition=condition,
        vector=vector,
        best=next(iter(found.nearest), None),
        fill=limit if condition and len(docs) < limit else 0,
        also={"priced": False},
    )
    ranked = ranking.rank(ranking.candidates(rows, found), weights=WEIGHTS["equipment"])
    chosen = [item.candidate.doc for item in ranked]
    one_leg = list(found.nearest if not query else found.matches if vector is None else ())
    return [*one_leg, *(doc for doc in chosen if doc not in one_leg)][:limit]


EXACT = SQL("""
    SELECT v.doc FROM equipment.products_vectors v JOIN equipment.products d ON d.id = v.doc
    WHERE v.tenant = %(tenant)s AND {condition} ORDER BY v.embedding <=> %(vector)s LIMIT %(limit)s
""")


def exact_neighbours(
    connection: psycopg.Connection[Any], queries: Sequence[SearchQuery], *, case: Case
) -> dict[str, set[int]]:
    """The true nearest rows by query, every eligible vector compared; on the superuser's connection."""
    condition = case.condition
    statement = EXACT.format(condition=condition.composed)
    nearest = {}
    with connection.transaction():
        connection.execute("SET LOCAL enable_indexscan = off")
        for query in queries:
            asked = {**condition.parameters, "tenant": case.tenant, "vector": query.vector, "limit": DEPTH}
            nearest[query.text] = {row[0] for row in connection.execute(statement, asked)}
    return nearest


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


def latencies(measured: Sequence[Measured]) -> str:
    lines = [
        "| rows that qualify | leg | p50 ms | p95 ms | p99 ms | server CPU p50 | p95 | rows of 10 | recall@10 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join(lines + [_latency(item) for item in measured])


def _latency(item: Measured) -> str:
    clock = " | ".join(f"{percentile(item.ms, share):.1f}" for share in (0.5, 0.95, 0.99))
    cpu = " | ".join(f"{percentile(item.cpu_ms, share):.1f}" for share in (0.5, 0.95))
    recall = "" if item.recall is None else f"{item.recall:.3f}"
    return f"| {item.case.label} | {item.case.leg} | {clock} | {cpu} | {item.rows:.1f} | {recall} |"
