"""The outcome of a search: hits with score, confidence, the legs that found them, and why they rank there."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from quarry.needs.model import Judgement, Need, Unread
from quarry.retrieval.ranking import Ranked
from quarry.retrieval.weights import Confidence, confidence_of
from quarry.tool.contract import OpaquePart

EXPLAIN = "Say why each ranks there."

Leg = Literal["vector", "text"]
Query = Annotated[str, Field(min_length=1, max_length=4000)]


class Explanation(OpaquePart):
    """Ranks count from 1; vector_part and text_part add up to the relevance, which with what was asked and met makes
    the score.
    """

    cosine: float | None = Field(description="Cosine similarity to the query, null without a vector.")
    vector_rank: int | None = Field(description="Rank by cosine, null beyond the candidates.")
    text_rank: int | None = Field(description="Rank by words, null when no word matched.")
    vector_part: float = Field(description="Weighted, normalised share of the vector search.")
    text_part: float = Field(description="Weighted, normalised share of the text search.")
    named: bool = Field(description="The query names its model.")
    bm25: float | None = Field(description="Raw text score: BM25 times the root of coverage.")
    coverage: float | None = Field(description="Share of the query's idf that matched, 0 to 1.")
    terms: list[str] = Field(description="Stemmed query terms that matched, rarest first.")


class Hit(NamedTuple):
    """A row that was found, with the corpus's columns; ``score`` is the probability in [0, 1] that it is right, None
    if words alone found it. ``copies`` other rows have the same words and satisfy the same filters. ``judgement`` is
    how it answers the needs, None where there are none.
    """

    row: dict[str, Any]
    score: float | None
    confidence: Confidence | None
    legs: tuple[Leg, ...]
    explanation: Explanation | None = None
    judgement: Judgement | None = None
    copies: int = 0

    @property
    def fit(self) -> list[str]:
        """Each need by name, with the verdict and the row's value."""
        return [str(each) for each in self.judgement.findings] if self.judgement else []


class Outcome(NamedTuple):
    """Hits, best first; ``degraded`` when the embedding provider was down and only text was searched. ``needs`` are
    those given and those read from the query, ``total`` counts rows that contradict none of them.
    """

    hits: list[Hit]
    degraded: bool = False
    notices: Sequence[str] = ()
    needs: Sequence[Need] = ()
    unread: Sequence[Unread | str] = ()
    total: int = 0

    @property
    def notice(self) -> str | None:
        return " ".join(self.notices) or None


def hit_of(item: Ranked, *, degraded: bool, explain: bool) -> Hit:
    one = item.candidate
    ranks: dict[Leg, int | None] = {"vector": one.vector_rank, "text": one.text_rank}
    # A passage is judged by its meaning alone; goods also by what they have.
    unjudged = one.cosine is None and one.judgement is None
    score = None if degraded or unjudged else round(item.score, 4)
    confidence = confidence_of(score)
    if confidence == "likely_good" and one.row.get("withdrawn"):
        confidence = "analog"  # however well it fits, nobody can have it
    return Hit(
        row=shown(one.row),
        score=score,
        confidence=confidence,
        legs=tuple(leg for leg, rank in ranks.items() if rank is not None),
        explanation=_explanation(item) if explain else None,
        judgement=one.judgement,
        copies=one.row.get("_copies", 0),
    )


def _explanation(item: Ranked) -> Explanation:
    one, match = item.candidate, item.candidate.match
    return Explanation(
        cosine=None if one.cosine is None else round(one.cosine, 4),
        vector_rank=one.vector_rank,
        text_rank=one.text_rank,
        vector_part=round(item.meaning, 4),
        text_part=round(item.words, 4),
        named=one.named,
        bm25=None if match is None else round(match.raw, 4),
        coverage=None if match is None else round(match.coverage, 4),
        terms=list(match.terms or ()) if match else [],
    )


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a row without the columns that only machines read, but for those that tables read too."""
    return {name: value for name, value in row.items() if not name.startswith("_") or name in KEPT}


KEPT = frozenset(("_catalogue", "_lines"))
