"""The share of relevant hits as a rising step function of their score, and where it reaches a target."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Judged:
    """One hit: its score, whether it is relevant, and its weight (collections count alike, whatever their size)."""

    score: float
    relevant: bool
    weight: float


@dataclass(slots=True)
class Step:
    """From ``low`` up to the next step the share of relevant hits is ``share``."""

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
