"""Finds the stories a context relates to: gate, overlaps, ranking, each story with its parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pgvector import Vector

from quarry import observation
from quarry.data.settings import settings
from quarry.embedding import provider, query_vectors
from quarry.retrieval.weights import noise_of
from quarry.tool.errors import Unavailable
from stories import queries
from stories.contexts import Context, read_context
from stories.model import RelatedStory, ScoreParts, SharedTag, Signal, Story
from stories.naming import names, stem
from stories.queries import NearStory
from stories.ranking import POOL, Mode, RelationCandidate, Scored, inverse_frequency, rank

LONGEST_CONTEXT = 2_000_000

SEARCHED = 4_000
"""Characters of the context whose words are looked up: those stand in where a vector is missing."""

Frequencies = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FoundStories:
    """Stories that a context relates to, best first; ``slugs`` and ``paths`` are those it names, with frequencies."""

    scored: list[Scored]
    near: Mapping[str, NearStory]
    slugs: Frequencies
    paths: Frequencies
    looks_like_code: bool
    mode: Mode
    degraded: bool
    notice: str | None

    def story(self, scored: Scored) -> RelatedStory:
        near = self.near[scored.candidate.story_key]
        row = near.row
        return RelatedStory(
            story=Story.model_validate(row, extra="ignore"),
            score=round(scored.score, 4),
            evidence=round(scored.evidence, 4),
            parts=ScoreParts(
                vector=_signal(near.coverage if near.cosine is None else near.cosine, scored.vector),
                entity=_signal(scored.candidate.entity_overlap, scored.entity),
                path=_signal(scored.candidate.path_overlap, scored.path),
            ),
            matched_slugs=_tags(row["entity_slugs"], self.slugs),
            matched_paths=_tags(row["code_paths"], self.paths),
        )


def find(context: str, *, mode: Mode, tenant: str) -> FoundStories:
    """Raises Unavailable when embeddings are down and neither words nor overlaps find anything."""
    read = read_context(context)
    used: Mode = "structural" if read.code and mode == "blended" else mode
    slugs, paths = _footprint(read, tenant=tenant)
    vector, reason = _vector(read.meaning, tenant=tenant) if read.meaning else (None, None)
    pool = _pool(read.meaning, vector, mode=used, paths=paths, tenant=tenant)
    scored = rank([_candidate(near, slugs=slugs, paths=paths) for near in pool], mode=used)
    if reason and not scored:
        raise Unavailable(
            f"Embeddings are unavailable ({reason}) and neither words nor shared files found a story, which does not "
            "mean that none fits. Try again later, or name files and entities of the product.",
            retryable=True,
        )
    observation.note_search([None] * len(scored), degraded=reason is not None)
    notice = f"Embeddings are unavailable ({reason}): words stood in for meaning." if reason else None
    by_key = {near.key: near for near in pool}
    return FoundStories(scored, by_key, slugs, paths, read.code, used, degraded=reason is not None, notice=notice)


def _footprint(context: Context, *, tenant: str) -> tuple[Frequencies, Frequencies]:
    """Entities and files that the context names and the stories know."""
    known = queries.known_slugs(tenant, slugs=sorted(context.slugs)) if context.slugs else []
    by_stem: dict[str, list[str]] = {}
    for path in context.paths:
        by_stem.setdefault(stem(path), []).append(path)
    assets = queries.known_paths(tenant, stems=sorted(by_stem)) if by_stem else []
    return (
        {row["name"]: row["doc_frequency"] for row in known},
        {
            row["name"]: row["doc_frequency"]
            for row in assets
            if any(names(path, row["name"]) for path in by_stem[stem(row["name"])])
        },
    )


def _vector(meaning: str, *, tenant: str) -> tuple[Vector | None, str | None]:
    try:
        return query_vectors.vector_of(meaning, tenant=tenant), None
    except provider.EmbeddingsDown as error:
        return None, error.reason


def _pool(meaning: str, vector: Vector | None, *, mode: Mode, paths: Frequencies, tenant: str) -> list[NearStory]:
    """The gate: overlaps are only looked at inside. For code, what shares its files passes first."""
    near = [] if not meaning else queries.nearest(tenant, text=meaning[:SEARCHED], vector=vector)
    # Without vectors there is no telling what is near, so a shared file opens the gate as well.
    if not paths or (mode != "structural" and vector is not None) or mode == "semantic":
        return near
    coverage = {one.key: one.coverage for one in near}
    sharing = queries.sharing_paths(tenant, paths=list(paths), vector=vector)
    pool = {one.key: replace(one, coverage=coverage.get(one.key)) for one in sharing}
    pool |= {one.key: one for one in near if one.key not in pool}
    return list(pool.values())[: max(POOL, len(sharing))]


def _candidate(near: NearStory, *, slugs: Frequencies, paths: Frequencies) -> RelationCandidate:
    row = near.row
    return RelationCandidate(
        story_key=near.key,
        section_key=row["section_key"],
        closeness=_closeness(near.cosine, near.coverage),
        entity_overlap=inverse_frequency(slugs[name] for name in row["entity_slugs"] if name in slugs),
        path_overlap=inverse_frequency(paths[name] for name in row["code_paths"] if name in paths),
    )


def _closeness(cosine: float | None, coverage: float | None) -> float:
    """The cosine above the model's noise, in [0, 1]; without a vector, the share of the words that matched."""
    if cosine is None:
        return float(coverage or 0.0)
    noise = noise_of(settings().embedding_model)
    return min(max((cosine - noise) / (1 - noise), 0.0), 1.0)


def _signal(raw: float | None, contribution: float) -> Signal:
    return Signal(raw=None if raw is None else round(float(raw), 4), contribution=round(contribution, 4))


def _tags(names_of_story: Sequence[str], known: Frequencies) -> list[SharedTag]:
    shared = [SharedTag(name=name, doc_frequency=known[name]) for name in names_of_story if name in known]
    return sorted(shared, key=lambda tag: (tag.doc_frequency, tag.name))
