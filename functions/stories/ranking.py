"""Ranking of stories and areas, from numbers alone.

Each signal is min-max normalised over the pool, overlaps weigh 1/df and saturate, the mode's weights combine them,
and an absolute floor on the unnormalised signals keeps a poor best story from looking like a match.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Mode = Literal["blended", "semantic", "structural"]

POOL = 50
"""Candidates that are ranked: the nearest by vector; for code, first those that share its paths."""

MIN_SCORE = 0.15
"""Least evidence of a result: with MiniLM, that of a cosine of 0.4 and nothing else."""

LEAST_CLOSENESS = 0.05
"""Least closeness of a story that shares no file: below it a model's cosine is noise, and an entity's name alone
says nothing, because words like order or package occur in any program."""

HALF = 0.125
"""The overlap that counts half: one tag that eight stories have. A tag that 35 have counts a fifth."""

AREA_SHARES = (1.0, 0.1, 0.05)
"""Shares of an area's best stories in its score: the best one, and a little of a second and a third."""


class Signals(NamedTuple):
    """A number for each of the three signals: its strength, its weight, or its part of a score."""

    vector: float
    entity: float
    path: float

    def weighted(self, weights: "Signals") -> "Signals":
        return Signals(self.vector * weights.vector, self.entity * weights.entity, self.path * weights.path)

    @property
    def total(self) -> float:
        return self.vector + self.entity + self.path


WEIGHTS: Mapping[Mode, Signals] = {
    "blended": Signals(vector=0.5, entity=0.25, path=0.25),
    "semantic": Signals(vector=1.0, entity=0.0, path=0.0),
    "structural": Signals(vector=0.2, entity=0.2, path=0.6),
}


@dataclass(frozen=True, slots=True)
class RelationCandidate:
    """A story to rank. ``closeness`` is in [0, 1]; overlaps are sums of 1/df over what story and context share."""

    story_key: str
    section_key: str
    closeness: float
    entity_overlap: float = 0.0
    path_overlap: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """A ranked story. ``parts`` add up to ``score``; the floor applies to ``evidence``."""

    candidate: RelationCandidate
    score: float
    evidence: float
    parts: Signals


@dataclass(frozen=True, slots=True)
class Area:
    """A section with its stories that were found, best first."""

    section_key: str
    score: float
    members: tuple[Scored, ...]


def inverse_frequency(frequencies: Iterable[int]) -> float:
    """Returns the sum of 1/df, in which a distinctive tag outweighs many common ones."""
    return sum(1 / frequency for frequency in frequencies)


def saturate(overlap: float) -> float:
    """Maps an overlap from 0 towards 1, because the fifth shared tag says less than the first."""
    return overlap / (overlap + HALF)


def normalised(values: Sequence[float]) -> list[float]:
    """Scales values to [0, 1] by their minimum and maximum; where all are equal, to 1 if positive, else to 0."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if high == low:
        return [1.0 if value > 0 else 0.0 for value in values]
    return [(value - low) / (high - low) for value in values]


def present(weights: Signals, candidates: Sequence[RelationCandidate]) -> Signals:
    """Distributes ``weights`` over the signals that any candidate has: the weight of paths or entities that the
    context does not name would only make every score smaller.

    Without a shared path, structural falls back on blended, so that entities do not weigh too much.
    """
    path = any(item.path_overlap > 0 for item in candidates)
    if not path and weights == WEIGHTS["structural"]:
        weights = WEIGHTS["blended"]
    entity = weights.entity if any(item.entity_overlap > 0 for item in candidates) else 0.0
    total = weights.vector + entity + weights.path * path
    return Signals(weights.vector / total, entity / total, weights.path * path / total)


def rank(candidates: Sequence[RelationCandidate], *, mode: Mode) -> list[Scored]:
    """Scores the candidates, best first; only those with enough evidence remain, which may be none."""
    weights = present(WEIGHTS[mode], candidates)
    raw = [Signals(item.closeness, saturate(item.entity_overlap), saturate(item.path_overlap)) for item in candidates]
    spread = [normalised(signal) for signal in zip(*raw, strict=True)]
    scored = []
    for candidate, signals, scaled in zip(candidates, raw, zip(*spread, strict=True), strict=True):
        evidence = signals.weighted(weights).total
        if evidence >= MIN_SCORE and (candidate.path_overlap > 0 or candidate.closeness >= LEAST_CLOSENESS):
            parts = Signals(*scaled).weighted(weights)
            scored.append(Scored(candidate, parts.total, evidence, parts))
    return sorted(scored, key=lambda item: (-item.score, -item.evidence, item.candidate.story_key))


def areas(scored: Sequence[Scored]) -> list[Area]:
    """Groups stories, which come best first, into their sections, best first."""
    members: dict[str, list[Scored]] = {}
    for item in scored:
        members.setdefault(item.candidate.section_key, []).append(item)
    found = []
    for key, stories in members.items():
        # Not strict, because an area may have fewer stories than there are shares.
        best = sum(share * item.score for share, item in zip(AREA_SHARES, stories, strict=False))
        found.append(Area(key, best / sum(AREA_SHARES), tuple(stories)))
    return sorted(found, key=lambda area: (-area.score, area.section_key))
