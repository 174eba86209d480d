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
    """A Markdown table; p is the paired test of the fusion's nDCG against the row's."""
    scores = {system: [ndcg(item.rankings[system], item.query.grades) for item in ranked] for system in SYSTEMS}
    lines = [
        f"{name}: {len(ranked)} queries, search p50 {percentile([item.ms for item in ranked], 0.5):.1f} ms, "
        f"p95 {percentile([item.ms for item in ranked], 0.95):.1f} ms",
        "",
        "| system | nDCG@10 | recall@10 | MRR@10 | p against fused |",
        "|---|---|---|---|---|",
    ]
    for system in SYSTEMS:
        recalls = [recall(item.rankings[system], item.query.grades) for item in ranked]
        firsts = [reciprocal_rank(item.rankings[system], item.query.grades) for item in ranked]
        p = "" if system == "fused" else f"{p_value(scores['fused'], scores[system]):.4f}"
        lines.append(f"| {system} | {mean(scores[system]):.4f} | {mean(recalls):.4f} | {mean(firsts):.4f} | {p} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
