"""`make calibrate DATA="folder ..."`: bands of the stack's embedding model, from the product's own answers.

The share of relevant hits is fitted as a rising step function of their score; a band begins at its target.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.eval.collection import Collection
from bench.eval.runs import SHOWN, Ranked, load, run
from bench.stack import stack_of
from local.failure import LocalError
from local.files import ROOT
from local.settings import read_settings
from quarry.retrieval.bands import Bands, Bin, Calibration
from quarry.retrieval.calibration import CALIBRATIONS
from quarry.retrieval.confidence import bands_of

MODULE = ROOT / "layers" / "quarry" / "quarry" / "retrieval" / "calibration.py"

TARGETS = {"likely_good": 1 / 3, "analog": 1 / 20}
"""Least share of relevant hits from a band's lowest cosine on: one in three, one in twenty."""

EDGES = (0.0, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 1.01)


@dataclass(frozen=True, slots=True)
class Judged:
    """One hit: its score, whether it is relevant, and its weight (collections count alike, whatever their size)."""

    score: float
    relevant: bool
    weight: float


@dataclass(slots=True)
class Step:
    """A step of the fit: from ``low`` up to the next step the share of relevant hits is ``share``."""

    low: float
    relevant: float
    weight: float

    @property
    def share(self) -> float:
        return self.relevant / self.weight


def fit(hits: Sequence[Judged]) -> list[Step]:
    """Isotonic regression by pooling adjacent violators: the best rising steps in the sense of least squares."""
    steps: list[Step] = []
    for hit in sorted(hits, key=lambda hit: hit.score):
        relevant = hit.weight * hit.relevant
        if steps and steps[-1].low == hit.score:
            steps[-1].relevant += relevant
            steps[-1].weight += hit.weight
        else:
            steps.append(Step(hit.score, relevant, hit.weight))
        while len(steps) > 1 and steps[-2].share >= steps[-1].share:
            last = steps.pop()
            steps[-1].relevant += last.relevant
            steps[-1].weight += last.weight
    return steps


def lowest_score(steps: Sequence[Step], *, share: float) -> float | None:
    """The lowest score from which on at least ``share`` of the hits are relevant; None when no score reaches it."""
    return next((step.low for step in steps if step.share >= share), None)


def calibrate(hits: Sequence[Judged], *, collections: Sequence[str], queries: int, noise: float) -> Calibration:
    """``noise`` is set by hand, by what nonsense scores. Raises ValueError when no score reaches a target."""
    steps = fit(hits)
    lows = {name: lowest_score(steps, share=share) for name, share in TARGETS.items()}
    if None in lows.values():
        raise ValueError(f"No score is relevant often enough: {lows}. Are these collections of the model's kind?")
    bands = Bands(**{name: round(low or 0.0, 2) for name, low in lows.items()}, noise=noise)
    bins = tuple(
        _bin([hit for hit in hits if low <= hit.score < high], low=low, high=high, steps=steps)
        for low, high in pairwise(EDGES)
    )
    return Calibration(bands, tuple(collections), queries, tuple(held for held in bins if held.hits))


def _bin(hits: Sequence[Judged], *, low: float, high: float, steps: Sequence[Step]) -> Bin:
    weight = sum(hit.weight for hit in hits)
    if not weight:
        return Bin(low, min(high, 1.0), 0, 0.0, 0.0)
    relevant = sum(hit.weight for hit in hits if hit.relevant)
    fitted = sum(hit.weight * _share(steps, hit.score) for hit in hits)
    return Bin(low, min(high, 1.0), len(hits), round(relevant / weight, 3), round(fitted / weight, 3))


def _share(steps: Sequence[Step], score: float) -> float:
    return next((step.share for step in reversed(steps) if step.low <= score), 0.0)


def table(calibration: Calibration, *, model: str) -> str:
    bands = calibration.bands
    lines = [
        f"{model}: likely_good from {bands.likely_good:.2f}, analog from {bands.analog:.2f}, "
        f"fitted to {calibration.queries} queries of {', '.join(calibration.collections)}",
        "",
        "| cosine | hits | relevant | fitted |",
        "|---|---|---|---|",
        *(
            f"| {held.low:.2f} to {held.high:.2f} | {held.hits:,} | {held.share:.1%} | {held.fitted:.1%} |"
            for held in calibration.reliability
        ),
    ]
    return "\n".join(lines) + "\n"


def module(calibrations: Mapping[str, Calibration]) -> str:
    """The source of quarry.retrieval.calibration, formatted as the project's formatter does."""
    lines = [
        '"""Bands per embedding model; written by `make calibrate`, not by hand."""',
        "",
        "from quarry.retrieval.bands import Bands, Bin, Calibration",
        "",
        "CALIBRATIONS: dict[str, Calibration] = {",
    ]
    for model, calibration in sorted(calibrations.items()):
        bands = calibration.bands
        names = "".join(f'"{name}", ' for name in calibration.collections)
        lines += [
            f'    "{model}": Calibration(',
            f"        bands=Bands(likely_good={bands.likely_good}, analog={bands.analog}, noise={bands.noise}),",
            f"        collections=({names.rstrip() if len(calibration.collections) == 1 else names.rstrip(', ')}),",
            f"        queries={calibration.queries},",
            "        reliability=(",
            *(
                f"            Bin(low={held.low}, high={held.high}, hits={held.hits}, share={held.share}, "
                f"fitted={held.fitted}),"
                for held in calibration.reliability
            ),
            "        ),",
            "    ),",
        ]
    return "\n".join([*lines, "}", ""])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.calibrate", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders with corpus.jsonl, queries.jsonl, qrels.tsv")
    parser.add_argument("--write", action="store_true", help="keep the bands in the layer")
    arguments = parser.parse_args()
    settings = read_settings(os.environ)
    try:
        answers = _answers(arguments.folders, data_dir=settings.data_dir)
        calibration = calibrate(
            [hit for ranked in answers for hit in judged(ranked)],
            collections=[folder.resolve().name for folder in arguments.folders],
            queries=sum(map(len, answers)),
            noise=bands_of(settings.model).noise,
        )
    except (LocalError, FileNotFoundError, ValueError) as failure:
        print(failure, file=sys.stderr)
        return 1
    print(table(calibration, model=settings.model))
    if arguments.write:
        MODULE.write_text(module({**CALIBRATIONS, settings.model: calibration}), "utf-8")
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
