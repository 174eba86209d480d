"""Entanglement of sections: what they share, each thing weighing 1/df; pure, as the ranking is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stories.ranking import inverse_frequency


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """Something that a section shares with the source, and the section's stories that have it."""

    section_key: str
    section: str
    kind: Literal["path", "slug"]
    name: str
    doc_frequency: int
    story_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossover:
    """``paths`` and ``slugs`` most distinctive first."""

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
