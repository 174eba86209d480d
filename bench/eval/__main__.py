"""`make eval DATA=folder`: nDCG@10, recall@10 and MRR of both legs, RRF(60) and the fusion, with latency."""

import argparse
import os
import sys
from pathlib import Path

from bench.eval.collection import Collection
from bench.eval.metrics import mean, ndcg, p_value, percentile, recall, reciprocal_rank
from bench.eval.runs import Ranked, load, run
from bench.stack import stack_of
from local.failure import LocalError
from local.files import add_import_roots
from local.settings import read_settings

SYSTEMS = ("vector", "text", "RRF(60)", "fused")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.eval", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders with corpus.jsonl, queries.jsonl, qrels.tsv")
    arguments = parser.parse_args()
    add_import_roots()
    try:
        with stack_of(read_settings(os.environ).data_dir) as stack:
            for folder in arguments.folders:
                collection = Collection(folder)
                load(stack, collection, on_progress=lambda line: print(line, file=sys.stderr))
                print(report(collection.name, run(stack, collection)))
    except (LocalError, FileNotFoundError) as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


def report(name: str, ranked: list[Ranked]) -> str:
    """Markdown tables; p is the paired test of the fusion's nDCG against the row's."""
    scores = {system: [ndcg(item.rankings[system], item.query.grades) for item in ranked] for system in SYSTEMS}
    lines = [
        f"{name}: {len(ranked)} queries",
        "",
        "| system | nDCG@10 | recall@10 | MRR@10 | p against fused |",
        "|---|---|---|---|---|",
    ]
    for system in SYSTEMS:
        recalls = [recall(item.rankings[system], item.query.grades) for item in ranked]
        firsts = [reciprocal_rank(item.rankings[system], item.query.grades) for item in ranked]
        p = "" if system == "fused" else f"{p_value(scores['fused'], scores[system]):.4f}"
        lines.append(f"| {system} | {mean(scores[system]):.4f} | {mean(recalls):.4f} | {mean(firsts):.4f} | {p} |")
    overlap = mean([recall(item.rankings["vector"], dict.fromkeys(item.nearest, 1.0)) for item in ranked])
    lines += ["", f"Recall@10 of the vector leg against an exact scan: {overlap:.4f}", "", *_searches(ranked)]
    return "\n".join(lines) + "\n"


def _searches(ranked: list[Ranked]) -> list[str]:
    """The table of searches as tools make them: ten rows, unfiltered and through filters of several widths."""
    lines = ["| rows that qualify | ten rows (or all) came | p50 ms | p95 ms | p99 ms |", "|---|---|---|---|---|"]
    for name in ranked[0].timed:
        searches = [item.timed[name] for item in ranked]
        full = mean([float(search.rows == search.possible) for search in searches])
        times = [percentile([search.ms for search in searches], share) for share in (0.5, 0.95, 0.99)]
        lines.append(f"| {name} | {full:.2%} | {times[0]:.1f} | {times[1]:.1f} | {times[2]:.1f} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
