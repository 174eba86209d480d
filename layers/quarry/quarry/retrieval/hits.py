"""What a search gives: hits with score, confidence, legs and the way they came to their place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quarry.retrieval.confidence import Confidence, bands_of, confidence_of
from quarry.retrieval.vocabulary import Leg


@dataclass(frozen=True, slots=True)
class Trace:
    """How a hit came to its place: ranks count from 1 in each leg, the parts add up to what it was ranked by.

    ``named`` rows bear a model that the query names and come first. ``relevance`` is a reranker's score, which then
    decides; None without one. ``terms`` are the stemmed query terms that matched, rarest first; None unless they were
    asked for.
    """

    vector_rank: int | None
    text_rank: int | None
    vector_part: float
    text_part: float
    named: bool
    relevance: float | None
    bm25: float | None
    coverage: float | None
    terms: list[str] | None


@dataclass(frozen=True, slots=True)
class Hit:
    """``score`` is cosine similarity in [-1, 1], None without a vector; ``row`` has the corpus's columns.

    ``copies`` other rows have the same words and satisfy the same filters; the newest of them are in ``copied``.
    """

    row: dict[str, Any]
    score: float | None
    confidence: Confidence | None
    legs: tuple[Leg, ...]
    trace: Trace
    copies: int = 0
    copied: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hits, best first; ``degraded`` when the embedding provider was down and only text was searched.

    ``read_as`` has the part numbers that no text has, with the one that each was read as.
    """

    hits: list[Hit]
    degraded: bool
    notice: str | None
    read_as: Mapping[str, str] = field(default_factory=dict)


def hit_of(row: dict[str, Any], *, model: str) -> Hit:
    ranks: dict[Leg, int | None] = {"vector": row["_vector_rank"], "text": row["_text_rank"]}
    score = None if row["_score"] is None else round(row["_score"], 4)
    return Hit(
        row={name: value for name, value in row.items() if not name.startswith("_")},
        score=score,
        confidence=confidence_of(score, bands=bands_of(model)),
        legs=tuple(leg for leg, rank in ranks.items() if rank is not None),
        trace=Trace(
            vector_rank=row["_vector_rank"],
            text_rank=row["_text_rank"],
            vector_part=float(row["_vector_part"]),
            text_part=float(row["_text_part"]),
            named=row["_named"],
            relevance=row.get("_relevance"),
            bm25=row["_bm25"],
            coverage=None if row["_coverage"] is None else float(row["_coverage"]),
            terms=row["_terms"],
        ),
        copies=row.get("_copies", 0),
        copied=row.get("_copied", ()),
    )
