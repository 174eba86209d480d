"""From judged hits to a calibration, and a calibration as text: a table, and a module of the layer."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from bench.calibrate.isotonic import Judged, Step, fit, lowest_score
from quarry.retrieval.bands import Bands, Bin, Calibration

TARGETS = {"likely_good": 1 / 3, "analog": 1 / 20}
"""Least share of relevant hits from a band's lowest cosine on: one in three, one in twenty."""

EDGES = (0.0, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 1.01)


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
