"""nDCG, recall and reciprocal rank of a ranking, and a paired test between two systems."""

import math
import random
from collections.abc import Mapping, Sequence
from statistics import fmean

ROUNDS = 10_000


def ndcg(ranking: Sequence[str], grades: Mapping[str, float], *, depth: int = 10) -> float:
    """Normalised discounted cumulative gain, with linear gain; what nobody judged counts as irrelevant."""
    gained = sum(grades.get(item, 0.0) / math.log2(place + 2) for place, item in enumerate(ranking[:depth]))
    best = sorted(grades.values(), reverse=True)[:depth]
    ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(best))
    return gained / ideal if ideal else 0.0


def recall(ranking: Sequence[str], grades: Mapping[str, float], *, depth: int = 10) -> float:
    return len(set(ranking[:depth]) & set(grades)) / len(grades) if grades else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, float], *, depth: int = 10) -> float:
    return next((1 / place for place, item in enumerate(ranking[:depth], start=1) if item in grades), 0.0)


def p_value(one: Sequence[float], other: Sequence[float], *, seed: int = 0) -> float:
    """Two-sided sign-flip permutation test on the per-query differences of two systems."""
    differences = [a - b for a, b in zip(one, other, strict=True) if a != b]
    if not differences:
        return 1.0
    observed = abs(sum(differences))
    dice = random.Random(seed)  # noqa: S311 - a simulation
    at_least = 0
    for _ in range(ROUNDS):
        flips = dice.getrandbits(len(differences))
        total = sum(value if flips >> place & 1 else -value for place, value in enumerate(differences))
        at_least += abs(total) >= observed - 1e-12
    return (at_least + 1) / (ROUNDS + 1)


def percentile(values: Sequence[float], share: float) -> float:
    """Percentile by nearest rank; ``share`` is in [0, 1]."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(share * len(ordered)) - 1))]


def mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
