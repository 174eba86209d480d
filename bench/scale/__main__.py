"""`make bench-scale ROWS=…`: latency, recall, sizes and build rates of search; TENANTS=50 share the rows.

The rows are synthetic: product texts by Zipf's law over a trade's words and made-up names. 20,000 texts have their
own MiniLM vector; every other row's is that of a near relative, moved as far as the model moves such a text.
"""

import argparse
import os
import sys
from pathlib import Path

from pgvector import Vector

from bench.scale import measuring, tenants
from bench.scale.catalogue import Catalogue
from bench.scale.loading import Portion, load, scratch
from bench.scale.measuring import Case, Measured, SearchQuery, exact_neighbours, measure
from bench.scale.vectors import VectorSource
from local.failure import run_command
from local.files import add_import_roots
from local.settings import read_settings

TENANT = "scale"
SHARES = (1.0, 0.5, 0.1, 0.01, 0.001)
LEGS = ("hybrid", "vector", "text")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--tenants", type=int, default=1, help="more than one share the rows by Zipf's law")
    parser.add_argument("--queries", type=int, default=150)
    parser.add_argument("--memory", default="2GB", help="maintenance_work_mem while the vector index is built")
    options = parser.parse_args()
    add_import_roots()
    folder = read_settings(os.environ).data_dir / "bench"
    if options.tenants > 1:
        print(tenants.compare(folder, options))
    else:
        print(one_tenant(folder, options))


def one_tenant(folder: Path, options: argparse.Namespace) -> str:
    catalogue = Catalogue()
    source = VectorSource(catalogue, folder=folder)
    texts = catalogue.queries(options.queries, rows=options.rows)
    queries = [SearchQuery(text, Vector(vector)) for text, vector in zip(texts, source.embed(texts), strict=True)]
    with scratch(folder / f"scale-{options.rows}") as server:
        loaded = load(server, catalogue, source, [Portion(TENANT, options.rows)], memory=options.memory)
        server.serve("quarry_read")
        with server.connect() as connection:
            measured: list[Measured] = []
            for share in SHARES:
                exact = exact_neighbours(connection, queries, tenant=TENANT, share=share)
                for leg in LEGS:
                    case = Case(f"{share:.1%}" if share < 1 else "all", leg, TENANT, share)
                    measured.append(measure(case, queries, exact=exact if leg == "vector" else None))
                    print(f"measured {case.label} {leg}", file=sys.stderr)
            parts = [
                f"## {options.rows:,} rows, {len(queries)} queries",
                measuring.loading(loaded, rows=options.rows),
                measuring.sizes(connection),
                measuring.latencies(measured),
                measuring.summary(measured),
            ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    run_command(main)
