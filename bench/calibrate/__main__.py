"""`make calibrate DATA="folder ..."`: bands of the stack's embedding model, from the product's own answers."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.calibrate.isotonic import Judged
from bench.eval.collection import Collection
from bench.eval.runs import SHOWN, Ranked, load, run
from bench.stack import stack_of
from local.failure import LocalError
from local.files import ROOT, add_import_roots
from local.settings import read_settings

MODULE = ROOT / "layers" / "quarry" / "quarry" / "retrieval" / "calibration.py"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.calibrate", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders with corpus.jsonl, queries.jsonl, qrels.tsv")
    parser.add_argument("--write", action="store_true", help="keep the bands in the layer")
    arguments = parser.parse_args()
    settings = read_settings(os.environ)
    add_import_roots()
    # Of the layer, which is on the path only now.
    from bench.calibrate import bands
    from quarry.retrieval.calibration import CALIBRATIONS
    from quarry.retrieval.confidence import bands_of

    try:
        answers = _answers(arguments.folders, data_dir=settings.data_dir)
        calibration = bands.calibrate(
            [hit for ranked in answers for hit in judged(ranked)],
            collections=[folder.resolve().name for folder in arguments.folders],
            queries=sum(map(len, answers)),
            noise=bands_of(settings.model).noise,
        )
    except (LocalError, FileNotFoundError, ValueError) as failure:
        print(failure, file=sys.stderr)
        return 1
    print(bands.table(calibration, model=settings.model))
    if arguments.write:
        MODULE.write_text(bands.module({**CALIBRATIONS, settings.model: calibration}), "utf-8")
        print(f"Written to {MODULE.relative_to(ROOT)}.")
    return 0


def _answers(folders: Sequence[Path], *, data_dir: Path) -> list[list[Ranked]]:
    answers = []
    with stack_of(data_dir) as stack:
        for folder in folders:
            collection = Collection(folder)
            load(stack, collection, on_progress=lambda line: print(line, file=sys.stderr))
            answers.append(run(stack, collection))
    return answers


def judged(ranked: Sequence[Ranked]) -> list[Judged]:
    """The hits that a tool would show for a collection's queries, their weights adding up to 1."""
    hits = [
        (score, item in answer.query.grades)
        for answer in ranked
        for item, score in zip(answer.rankings["fused"][:SHOWN], answer.scores, strict=False)
        if score is not None
    ]
    return [Judged(score, relevant, 1 / len(hits)) for score, relevant in hits]


if __name__ == "__main__":
    sys.exit(main())
