"""Many tenants of very uneven size in one database, each beside the same tenant alone in another."""

import argparse
import sys
from pathlib import Path

from pgvector import Vector

from bench.scale import measuring
from bench.scale.catalogue import Catalogue
from bench.scale.loading import Portion, Scratch, load, scratch
from bench.scale.measuring import Case, Measured, SearchQuery, exact_neighbours, measure
from bench.scale.vectors import VectorSource

STEEPNESS = 1.7
"""The tenant of rank r has rows in proportion to 1 / r ** STEEPNESS: of fifty, the first has half of all."""

RANKS = (1, 2, 3, 4, 6, 10, 20, 50)


def portions(rows: int, *, tenants: int) -> list[Portion]:
    """The tenants' portions, largest first."""
    weights = [1 / rank**STEEPNESS for rank in range(1, tenants + 1)]
    found, start = [], 0
    for rank, weight in enumerate(weights, start=1):
        count = (
            round(rows * weight / sum(weights))
            if rank > 1
            else rows - sum(round(rows * other / sum(weights)) for other in weights[1:])
        )
        found.append(Portion(f"tenant-{rank:02}", count, start))
        start += count
    return found


def compare(folder: Path, options: argparse.Namespace) -> str:
    catalogue = Catalogue()
    source = VectorSource(catalogue, folder=folder)
    shared = portions(options.rows, tenants=options.tenants)
    chosen = [shared[rank - 1] for rank in RANKS if rank <= len(shared)]
    queries = {portion.tenant: _queries(catalogue, source, portion, options.queries) for portion in chosen}
    measured: list[Measured] = []
    with scratch(folder / f"tenants-{options.rows}-{options.tenants}") as server:
        load(server, catalogue, source, shared, memory=options.memory)
        for portion in chosen:
            measured += _measure(server, portion, queries[portion.tenant], label=f"{portion.rows:,} shared")
    for portion in chosen[1:4]:
        with scratch(folder / f"alone-{portion.rows}") as server:
            load(server, catalogue, source, [portion], memory=options.memory)
            measured += _measure(server, portion, queries[portion.tenant], label=f"{portion.rows:,} alone")
    title = f"## {options.tenants} tenants share {options.rows:,} rows"
    return f"{title}\n\n{measuring.latencies(measured, first='rows of the tenant')}\n"


def _queries(catalogue: Catalogue, source: VectorSource, portion: Portion, count: int) -> list[SearchQuery]:
    texts = catalogue.queries(count, rows=portion.rows, start=portion.start)
    return [SearchQuery(text, Vector(vector)) for text, vector in zip(texts, source.embed(texts), strict=True)]


def _measure(server: Scratch, portion: Portion, queries: list[SearchQuery], *, label: str) -> list[Measured]:
    server.serve("quarry_read")
    with server.connect() as connection:
        measured = []
        for share in (1.0, 0.1):
            exact = exact_neighbours(connection, queries, tenant=portion.tenant, share=share)
            for leg in ("hybrid", "vector"):
                name = label if share == 1 else f"{label}, {share:.0%} qualify"
                case = Case(name, leg, portion.tenant, share)
                measured.append(measure(case, queries, exact=exact if leg == "vector" else None))
                print(f"measured {name} {leg}", file=sys.stderr)
    return measured
