"""Ranking of stories, areas and entangled sections: pure numbers in, pure numbers out.

Each signal is min-max normalised over the pool, overlaps weigh 1/df and saturate, the mode's weights fuse them
and an absolute floor on the unnormalised signals keeps a poor best from looking like a match.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Mode = Literal["blended", "semantic", "structural"]

POOL = 50
"""Candidates that pass the gate: nearest by vector; for code, those that share its paths first."""

MIN_SCORE = 0.15
"""Least evidence of a result; with MiniLM, a cosine of 0.4 and nothing else."""

LEAST_CLOSENESS = 0.05
"""Least closeness of a story that shares no file: below, a model's cosine is noise, and an entity's name alone says
nothing, for words like order or package are in any program."""

HALF = 0.125
"""The overlap that counts half: one tag of eight stories. A tag of 35 counts a fifth."""

AREA_SHARES = (1.0, 0.1, 0.05)
"""An area is worth its best story, a little more where a second and a third support it."""


@dataclass(frozen=True, slots=True)
class RelationWeights:
    vector: float
    entity: float
    path: float


WEIGHTS: Mapping[Mode, RelationWeights] = {
    "blended": RelationWeights(vector=0.5, entity=0.25, path=0.25),
    "semantic": RelationWeights(vector=1.0, entity=0.0, path=0.0),
    "structural": RelationWeights(vector=0.2, entity=0.2, path=0.6),
}


@dataclass(frozen=True, slots=True)
class RelationCandidate:
    """``closeness`` in [0, 1]: 0 is a stranger. Overlaps are sums of 1/df over what story and context share."""

    story_key: str
    section_key: str
    closeness: float
    entity_overlap: float = 0.0
    path_overlap: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """``vector``, ``entity`` and ``path`` add up to ``score``; ``evidence`` is what the floor is applied to."""

    candidate: RelationCandidate
    score: float
    evidence: float
    vector: float
    entity: float
    path: float


@dataclass(frozen=True, slots=True)
class Area:
    """A section with those of its stories that were found, best first."""

    section_key: str
    score: float
    members: tuple[Scored, ...]


def inverse_frequency(frequencies: Iterable[int]) -> float:
    """Sum of 1/df: a distinctive tag outweighs many hubs."""
    return sum(1 / frequency for frequency in frequencies)


def saturate(overlap: float) -> float:
    """From 0 towards 1: the fifth shared tag says less than the first."""
    return overlap / (overlap + HALF)


def normalised(values: Sequence[float]) -> list[float]:
    """Min-max over the pool; where all are alike, 1 for something and 0 for nothing."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if high == low:
        return [1.0 if value > 0 else 0.0 for value in values]
    return [(value - low) / (high - low) for value in values]


def present(weights: RelationWeights, candidates: Sequence[RelationCandidate]) -> RelationWeights:
    """``weights`` shared out among the signals that tell the candidates anything: without a known path or entity
    in the context, its weight would only make every score smaller.

    Without a path there is no structure to go by: an entity then weighs no more than blended gives it.
    """
    path = any(item.path_overlap > 0 for item in candidates)
    if not path and weights == WEIGHTS["structural"]:
        weights = WEIGHTS["blended"]
    entity = weights.entity if any(item.entity_overlap > 0 for item in candidates) else 0.0
    total = weights.vector + entity + weights.path * path
    return RelationWeights(weights.vector / total, entity / total, weights.path * path / total)


def rank(candidates: Sequence[RelationCandidate], *, mode: Mode) -> list[Scored]:
    """Best first; only those with enough evidence, so possibly none."""
    if not candidates:
        return []
    weights = present(WEIGHTS[mode], candidates)
    closeness = [item.closeness for item in candidates]
    entities = [saturate(item.entity_overlap) for item in candidates]
    paths = [saturate(item.path_overlap) for item in candidates]
    evidence = [
        weights.vector * near + weights.entity * entity + weights.path * path
        for near, entity, path in zip(closeness, entities, paths, strict=True)
    ]
    scored = [
        Scored(
            candidate,
            score=weights.vector * near + weights.entity * entity + weights.path * path,
            evidence=proof,
            vector=weights.vector * near,
            entity=weights.entity * entity,
            path=weights.path * path,
        )
        for candidate, proof, near, entity, path in zip(
            candidates, evidence, normalised(closeness), normalised(entities), normalised(paths), strict=True
        )
        if proof >= MIN_SCORE and (candidate.path_overlap > 0 or candidate.closeness >= LEAST_CLOSENESS)
    ]
    return sorted(scored, key=lambda item: (-item.score, -item.evidence, item.candidate.story_key))


def areas(scored: Sequence[Scored]) -> list[Area]:
    """Every section that a story fell into, best first; ``scored`` best first."""
    members: dict[str, list[Scored]] = {}
    for item in scored:
        members.setdefault(item.candidate.section_key, []).append(item)
    found = [Area(key, _worth(stories), tuple(stories)) for key, stories in members.items()]
    return sorted(found, key=lambda area: (-area.score, area.section_key))


def _worth(members: Sequence[Scored]) -> float:
    # Not strict: an area of one story has one share.
    best = sum(share * item.score for share, item in zip(AREA_SHARES, members, strict=False))
    return best / sum(AREA_SHARES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """Something that a section shares with the source, and the section's stories that have it."""

    section_key: str
    section: str
    kind: Literal["path", "slug"]
    name: str
    doc_frequency: int
    story_keys: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossover:
    """A section and what it shares with the source, the most distinctive first."""

    section_key: str
    section: str
    path_score: float
    slug_score: float
    paths: tuple[Tag, ...]
    slugs: tuple[Tag, ...]


def entangled(tags: Sequence[Tag]) -> list[Crossover]:
    """One per section, most entangled first; a tag counts once per section, however many stories have it."""
    sections: dict[str, list[Tag]] = {}
    for tag in sorted(tags, key=lambda tag: (tag.doc_frequency, tag.name)):
        sections.setdefault(tag.section_key, []).append(tag)
    found = [_crossover(shared) for shared in sections.values()]
    return sorted(found, key=lambda item: (-(item.path_score + item.slug_score), item.section_key))


def _crossover(shared: Sequence[Tag]) -> Crossover:
    paths = tuple(tag for tag in shared if tag.kind == "path")
    slugs = tuple(tag for tag in shared if tag.kind == "slug")
    return Crossover(
        section_key=shared[0].section_key,
        section=shared[0].section,
        path_score=inverse_frequency(tag.doc_frequency for tag in paths),
        slug_score=inverse_frequency(tag.doc_frequency for tag in slugs),
        paths=paths,
        slugs=slugs,
    )
