"""`make bench-scale ROWS=…`: latency, recall, sizes and build rates of search, also while rows are written, and with
CROWD=1000 tenants of a hundred rows each beside.

The rows are synthetic: product texts by Zipf's law over a trade's words and made-up names. 20,000 texts have their
own MiniLM vector; every other row's is that of a near relative, moved as far as the model moves such a text.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pgvector import Vector

from bench.judging import mean
from bench.scale import measuring
from bench.scale.catalogue import Catalogue
from bench.scale.loading import Portion, Scratch, load, scratch
from bench.scale.measuring import Case, Measured, SearchQuery, exact_neighbours, measure
from bench.scale.vectors import VectorSource
from bench.scale.writing import writing
from local.failure import run_command
from local.settings import read_settings

TENANT = "scale"
SHARES = (1.0, 0.5, 0.1, 0.01, 0.001)
LEGS = ("search", "hybrid", "vector", "text", "table", "group")
SMALL, ASKED = 100, 10
"""The rows of each tenant of the crowd, and how many of these tenants are asked."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--crowd", type=int, default=0, help=f"tenants of {SMALL} rows beside the one")
    parser.add_argument("--writes", type=int, default=500, help="rows a second that are written in a last round")
    parser.add_argument("--queries", type=int, default=150)
    parser.add_argument("--memory", default="2GB", help="maintenance_work_mem while the vector index is built")
    options = parser.parse_args()
    print(measured(read_settings().data_dir / "bench", options))


def measured(folder: Path, options: argparse.Namespace) -> str:
    catalogue = Catalogue()
    source = VectorSource(catalogue, folder=folder)
    portion = Portion(TENANT, options.rows)
    queries = _queries(catalogue, source, portion, options.queries)
    crowd = [Portion(f"crowd-{place:05}", SMALL, options.rows + SMALL * place) for place in range(options.crowd)]
    name = f"scale-{options.rows}-{options.crowd}" if crowd else f"scale-{options.rows}"
    with scratch(folder / name) as server:
        loaded = load(server, catalogue, source, [portion, *crowd], memory=options.memory)
        found = [_measured(server, portion, queries, share=share, legs=LEGS, label=_share(share)) for share in SHARES]
        if crowd:
            asked = crowd[:: max(1, len(crowd) // ASKED)]
            label = f"{SMALL} rows, of {len(crowd):,} such tenants"
            found.append([_crowd(server, asked, catalogue, source, label=label)])
        with writing(server, catalogue, portion, first=options.rows + SMALL * len(crowd), rate=options.writes):
            label = f"all, {options.writes} rows/s are written"
            found.append(_measured(server, portion, queries, share=1.0, legs=("hybrid",), label=label))
        with server.connect() as connection:
            parts = [
                f"## {options.rows:,} rows, {len(queries)} queries",
                measuring.loading(loaded, rows=options.rows),
                measuring.sizes(connection),
                measuring.latencies([item for part in found for item in part]),
            ]
    return "\n\n".join(parts) + "\n"


def _crowd(
    server: Scratch, asked: Sequence[Portion], catalogue: Catalogue, source: VectorSource, *, label: str
) -> Measured:
    """Searches of small tenants, a few each, as one table's row; a row of another tenant ends the benchmark."""
    found = []
    for portion in asked:
        queries = _queries(catalogue, source, portion, ASKED)
        found += _measured(server, portion, queries, share=1.0, legs=("hybrid",), label=label)
        case, own = found[-1].case, range(portion.start + 1, portion.start + portion.rows + 1)
        strange = [doc for query in queries for doc in measuring.found(case, query) if doc not in own]
        if strange:
            raise RuntimeError(f"{portion.tenant} was shown rows of others: {strange[:5]}")
    return replace(
        found[0],
        ms=[ms for one in found for ms in one.ms],
        cpu_ms=[ms for one in found for ms in one.cpu_ms],
        rows=mean([one.rows for one in found]),
    )


def _queries(catalogue: Catalogue, source: VectorSource, portion: Portion, count: int) -> list[SearchQuery]:
    texts = catalogue.queries(count, rows=portion.rows, start=portion.start)
    return [SearchQuery(text, Vector(vector)) for text, vector in zip(texts, source.embed(texts), strict=True)]


def _measured(
    server: Scratch, portion: Portion, queries: list[SearchQuery], *, share: float, legs: Sequence[str], label: str
) -> list[Measured]:
    server.serve("quarry_read")
    with server.connect() as connection:
        exact = exact_neighbours(connection, queries, case=Case(label, "vector", portion.tenant, share))
    found = []
    for leg in legs:
        case = Case(label, leg, portion.tenant, share)
        found.append(measure(case, queries, exact=exact if leg == "vector" else None))
        print(f"measured {label} {leg}", file=sys.stderr)
    return found


def _share(share: float) -> str:
    return f"{share:.1%}" if share < 1 else "all"


if __name__ == "__main__":
    run_command(main)
