"""`make bench-postgres`: the time that a warm search takes in Postgres, on the sample corpus, beside SELECT 1.

It is the processor time of the backend that serves the search, as the system's scheduler counts it: with plans kept
and pages in memory, an undisturbed backend takes as long by the clock; on a busy machine the clock would tell of its
neighbours. "Trips" are the round trips between a function and Postgres.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from unittest.mock import patch

import psycopg
from psycopg.sql import SQL

from bench.scale.measuring import server_cpu_ms
from quarry.data import database
from tests.deployment import invoke
from tests.trade.asking import sample_deployment
from tests.trade.cases import read_cases
from tests.trades.asking import HANDLERS

SELECT_1 = SQL("SELECT 1 AS one")

FILTERED: Mapping[str, Sequence[tuple[str, Mapping[str, str]]]] = {
    "search_equipment": (
        ("oilless compressor for a food plant", {"hp": "75..125", "lubrication": "oilless"}),
        ("claw vacuum pump", {"family": "vacuum_pump", "vacuum_inhg": ">= 24"}),
        ("refrigerated air dryer", {"family": "dryer", "cfm": ">= 200"}),
    ),
    "search_line_items": (
        ("oilless compressor for a food plant", {"hp": "75..125", "lubrication": "oilless"}),
        ("stainless piping and rigging", {"category": "INSTALLATION"}),
        ("screw compressor", {"manufacturer": "Quincy", "status": "won"}),
    ),
    "search_past_quotes": (
        ("oilless air", {"industry": "food"}),
        ("blowers for wastewater", {"status": "won"}),
        ("medical vacuum", {"industry": "hospital", "date": ">= 2018-01-01"}),
    ),
}
"""Requests with filters that leave enough rows: an answer that has to explain itself asks more."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds in Postgres by search, and how often it was asked."""

    label: str
    ms: list[float]
    trips: list[int]


def measure(label: str, asks: Sequence[Callable[[], object]], *, rounds: int) -> Measured:
    """Each ask is made twice before it counts."""
    for ask in [*asks, *asks]:
        ask()
    ms, trips = [], []
    for ask in list(asks) * rounds:
        with patch.object(database, "fetch_each", wraps=database.fetch_each) as asked:
            before = server_cpu_ms()
            ask()
            ms.append(server_cpu_ms() - before)
            trips.append(asked.call_count)
    return Measured(label, ms, trips)


def measured(*, queries: int, rounds: int) -> Iterator[Measured]:
    def asking(tool: str, query: str, filters: Mapping[str, str]) -> Callable[[], object]:
        rows = [{"attribute": name, "is": asked} for name, asked in filters.items()]
        return lambda: invoke(HANDLERS[tool], {"query": query, "top_k": 10, "filters": rows})

    with sample_deployment() as deployment, deployment.serving("quarry_read", LOG_LEVEL="ERROR"):
        plain = {
            tool: [
                asking(tool, case.ask, {}) for case in read_cases() if case.tool == tool and not case.given
            ][:queries]
            for tool in HANDLERS
        }  # fmt: skip
        for tool, asks in plain.items():
            yield measure(f"`{tool}`, before the tables' first statistics", asks, rounds=1)
        with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")  # as autovacuum does a minute after a load
        yield measure("SELECT 1", [lambda: database.fetch("acme", SELECT_1, {})], rounds=100)
        for tool in HANDLERS:
            yield measure(f"`{tool}`", plain[tool], rounds=rounds)
            some = [asking(tool, query, filters) for query, filters in FILTERED[tool]]
            yield measure(f"`{tool}`, filtered", some, rounds=rounds * queries // len(some))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.postgres", description=__doc__)
    parser.add_argument("--queries", type=int, default=40, help="of tests/trade, for each tool")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("| warm search, sample corpus | median ms in Postgres | mean | trips |\n|---|---:|---:|---:|")
    for one in measured(queries=options.queries, rounds=options.rounds):
        print(f"| {one.label} | {median(one.ms):.2f} | {fmean(one.ms):.2f} | {fmean(one.trips):.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
