"""What a search gives: hits with score, confidence, legs and the way they came to their place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quarry.needs.model import Judgement, Need, Unread
from quarry.retrieval.confidence import Confidence, confidence_of
from quarry.retrieval.ranking import Ranked
from quarry.retrieval.vocabulary import Leg


@dataclass(frozen=True, slots=True)
class HitTrace:
    """How a hit came to its place: ranks count from 1 in each leg, the parts add up to its relevance.

    ``named`` rows bear a model that the query names. ``relevance`` is a reranker's score, which then decides; None
    without one. ``terms`` are the stemmed query terms that matched, rarest first; None unless they were asked for.
    """

    cosine: float | None

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
    """``score`` is the probability in [0, 1] that the row is right, None without a vector; ``row`` has the corpus's
    columns.

    ``copies`` other rows have the same words and satisfy the same filters; the newest of them are in ``copied``.
    ``judgement`` is how it answers the needs, None where there are none, ``missing`` words that it lacks.
    """

    row: dict[str, Any]
    score: float | None
    confidence: Confidence | None
    legs: tuple[Leg, ...]
    trace: HitTrace
    judgement: Judgement | None = None
    missing: Sequence[str] = ()
    copies: int = 0
    copied: Sequence[Mapping[str, Any]] = ()

    @property
    def fit(self) -> list[str]:
        """Each need by name, with the row's value."""
        return [str(each) for each in self.judgement.findings] if self.judgement else []


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hits, best first; ``degraded`` when the embedding provider was down and only text was searched.

    ``needs`` are those given and those read from the query, ``total`` counts rows that contradict none of them.
    ``read_as`` has the part numbers that no text has, with the one that each was read as.
    """

    hits: list[Hit]
    degraded: bool = False
    notices: Sequence[str] = ()
    needs: Sequence[Need] = ()
    unread: Sequence[Unread | str] = ()
    total: int = 0
    read_as: Mapping[str, str] = field(default_factory=dict)

    @property
    def notice(self) -> str | None:
        return " ".join(self.notices) or None


def hit_of(
    item: Ranked, *, relevance: float | None, degraded: bool, explain: bool, missing: Sequence[str] = ()
) -> Hit:
    one = item.candidate
    ranks: dict[Leg, int | None] = {"vector": one.vector_rank, "text": one.text_rank}
    # A passage is judged by its meaning alone; goods also by what they have.
    unjudged = one.cosine is None and one.judgement is None
    score = None if degraded or unjudged else round(item.score, 4)
    confidence = confidence_of(score)
    if confidence == "likely_good" and one.row.get("withdrawn"):
        confidence = "analog"  # however well it fits, nobody can have it
    return Hit(
        row={name: value for name, value in one.row.items() if not name.startswith("_") or name in KEPT},
        score=score,
        confidence=confidence,
        legs=tuple(leg for leg, rank in ranks.items() if rank is not None),
        trace=HitTrace(
            cosine=None if one.cosine is None else round(one.cosine, 4),
            vector_rank=one.vector_rank,
            text_rank=one.text_rank,
            vector_part=item.meaning,
            text_part=item.words,
            named=one.named,
            relevance=relevance,
            bm25=one.match.raw if one.match else None,
            coverage=one.match.coverage if one.match else None,
            terms=list(one.match.terms or () if one.match else ()) if explain else None,
        ),
        judgement=one.judgement,
        missing=missing,
        copies=one.row.get("_copies", 0),
        copied=one.row.get("_copied", ()),
    )


KEPT = frozenset(("_catalogue", "_lines"))
"""Columns for machines that tables read too."""
