"""The outcome of a search: hits with score, confidence and the legs that found them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from quarry.needs.model import Judgement, Need, Unread
from quarry.retrieval.ranking import Ranked
from quarry.retrieval.weights import Confidence, confidence_of

Leg = Literal["vector", "text"]
Query = Annotated[str, Field(min_length=1, max_length=4000)]


class Hit(NamedTuple):
    """A row that was found, with the corpus's columns; ``score`` is the probability in [0, 1] that it is right, None
    if words alone found it. ``ranks`` count from 1 in each leg that found it. ``copies`` other rows have the same
    words and satisfy the same filters. ``judgement`` is how it answers the needs, None where there are none;
    ``says_all`` marks one that says in its own words what is asked for.
    """

    row: dict[str, Any]
    score: float | None
    confidence: Confidence | None
    ranks: Mapping[Leg, int] = MappingProxyType({})
    judgement: Judgement | None = None
    copies: int = 0
    says_all: bool = False

    @property
    def legs(self) -> list[Leg]:
        return list(self.ranks)

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


def hit_of(item: Ranked, *, degraded: bool) -> Hit:
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
        ranks={leg: rank for leg, rank in ranks.items() if rank is not None},
        judgement=one.judgement,
        copies=one.row.get("_copies", 0),
        says_all=one.says_all,
    )


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a row without the columns that only machines read, but for those that tables read too."""
    return {name: value for name, value in row.items() if not name.startswith("_") or name in KEPT}


KEPT = frozenset(("_catalogue", "_lines"))
