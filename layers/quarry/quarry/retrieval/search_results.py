"""What every search answers: hits with their worth, and what the reader should know of the whole."""

from typing import Self

from pydantic import Field

from quarry.retrieval import Confidence, Hit
from quarry.retrieval.explanation import Explanation, explanation_of
from quarry.retrieval.vocabulary import APPLIED_FILTERS, CONFIDENCE, DEGRADED, LEGS, NOTICE, SCORE, Leg
from quarry.tool.contract import Part


class SearchHit(Part):
    """Listed first among a hit's bases, so that what was found comes before what it is worth."""

    score: float | None = Field(description=SCORE)
    confidence: Confidence | None = Field(description=CONFIDENCE)
    legs: list[Leg] = Field(description=LEGS)
    explanation: Explanation | None = Field(description="Only with explain, else null.")

    @classmethod
    def of(cls, hit: Hit, **found: object) -> Self:
        """The hit with the fields of what was found."""
        return cls.model_validate(
            {
                **found,
                "score": hit.score,
                "confidence": hit.confidence,
                "legs": list(hit.legs),
                "explanation": explanation_of(hit),
            }
        )


class SearchResult[H: SearchHit](Part):
    """A base of a tool's own result, behind PagedTexts."""

    results: list[H] = Field(description="Best first; empty when nothing matches.")
    degraded: bool = Field(description=DEGRADED)
    notice: str | None = Field(description=NOTICE)
    omitted: int = Field(default=0, description="Results left to the next pages.")


class FilteredSearchResult[H: SearchHit, F](SearchResult[H]):
    applied_filters: F = Field(description=APPLIED_FILTERS)
