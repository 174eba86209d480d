"""What every search answers: hits with their worth, and what the reader should know of the whole."""

from typing import Self

from pydantic import Field

from quarry.retrieval import Confidence, Hit, Outcome
from quarry.retrieval.explanation import Explanation, explanation_of
from quarry.retrieval.passages import passage
from quarry.retrieval.vocabulary import (
    APPLIED_FILTERS,
    CONFIDENCE,
    DEGRADED,
    FIT,
    LEGS,
    MORE,
    NOT_UNDERSTOOD,
    NOTICE,
    SCORE,
    UNDERSTOOD,
    Leg,
)
from quarry.tool.contract import Part

PASSAGES: dict[Confidence | None, int] = {"likely_good": 320, "analog": 160, "probable_miss": 90, None: 320}
"""Most characters of a hit's text: what is worth less is read less."""


class SearchHit(Part):
    """Listed first among a hit's bases, so that what was found comes before what it is worth."""

    fit: str | None = Field(default=None, description=FIT, exclude_if=lambda value: value is None)
    score: float | None = Field(description=SCORE)
    confidence: Confidence | None = Field(description=CONFIDENCE)
    legs: list[Leg] = Field(description=LEGS)
    more: str | None = Field(default=None, description=MORE, exclude_if=lambda value: value is None)
    explanation: Explanation | None = Field(description="Only with explain.")

    @classmethod
    def of(cls, hit: Hit, **found: object) -> Self:
        """The hit with the fields of what was found."""
        return cls.model_validate(
            {
                **found,
                "fit": hit.fit,
                "score": hit.score,
                "confidence": hit.confidence,
                "legs": list(hit.legs),
                "explanation": explanation_of(hit),
            }
        )


def shown_text(text: str, hit: Hit, *, query: str, full: bool) -> str:
    """The passage of a hit's text that an answer shows; all of it where the caller asked for that."""
    return text if full else passage(text, query=query, most=PASSAGES[hit.confidence])


class SearchResult[H: SearchHit](Part):
    """A base of a tool's own result, behind PagedTexts."""

    results: list[H] = Field(description="Best first; empty when nothing matches.")
    degraded: bool = Field(description=DEGRADED)
    notice: str | None = Field(description=NOTICE)
    omitted: int = Field(default=0, description="Results left to the next pages.")


class FilteredSearchResult[H: SearchHit, F](SearchResult[H]):
    applied_filters: F = Field(description=APPLIED_FILTERS)


class UnderstoodSearchResult[H: SearchHit, F](FilteredSearchResult[H, F]):
    """What a search says that understands its query."""

    understood: list[str] | None = Field(default=None, description=UNDERSTOOD)
    not_understood: list[str] | None = Field(default=None, description=NOT_UNDERSTOOD)

    @staticmethod
    def read_as(outcome: Outcome) -> dict[str, list[str]]:
        """The two fields, left out where there is nothing to say."""
        request = outcome.reading.request if outcome.reading else None
        if request is None:
            return {}
        items = [", ".join(need.shown or need.words for need in item.needs) for item in request.items]
        said = {"understood": [item for item in items if item], "not_understood": list(request.not_understood)}
        return {name: value for name, value in said.items() if value}
