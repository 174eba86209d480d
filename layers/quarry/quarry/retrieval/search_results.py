"""What every search answers: hits with their worth, and what the reader should know of the whole."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Self, get_args

from pydantic import Field

from quarry.retrieval.confidence import Confidence
from quarry.retrieval.explanation import Explanation, explanation_of
from quarry.retrieval.hits import Hit, Outcome
from quarry.retrieval.passages import passage
from quarry.retrieval.unread_words import untold
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

PASSAGES: dict[Confidence | None, int] = {"likely_good": 220, "analog": 95, "probable_miss": 0, None: 240}
"""Most characters of a hit's text: what is worth less is read less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a search leaves out of a row unless it is asked for it in full.

    Of ``text`` a passage is shown, and the tool ``whole_in`` has the rest; a probable miss has ``of_misses`` alone.
    """

    text: str
    whole_in: str
    only_in_full: Set[str]
    of_misses: Set[str]

    def of(
        self, hit: Hit, row: Mapping[str, object], *, query: str, full: bool
    ) -> tuple[dict[str, object], str | None]:
        """The row with None for what is left out, and the tool that has more of the text that is shown."""
        if full:
            return dict(row), None
        missed = _missed(hit)
        kept = self.of_misses if missed else row.keys() - self.only_in_full
        said = {name: value if name in kept else None for name, value in row.items()}
        if missed:
            return said, None
        whole = str(row[self.text])
        said[self.text] = part = passage(whole, query=query, most=PASSAGES[hit.confidence])
        return said, self.whole_in if len(part) < len(whole) else None


def _missed(hit: Hit) -> bool:
    return hit.confidence == "probable_miss"


class SearchHit(Part):
    """Listed first among a hit's bases, so that what was found comes before what it is worth."""

    fit: str | None = Field(default=None, description=FIT, exclude_if=lambda value: value is None)
    score: float | None = Field(description=SCORE)
    confidence: Confidence | None = Field(description=CONFIDENCE)
    legs: list[Leg] | None = Field(description=LEGS)
    more: str | None = Field(default=None, description=MORE, exclude_if=lambda value: value is None)
    explanation: Explanation | None = Field(description="Only with explain.")

    @classmethod
    def of(cls, hit: Hit, *, full: bool = True, **found: object) -> Self:
        """The hit with the fields of what was found."""
        whole = full or hit.trace.terms is not None
        one_alone = len(hit.legs) < len(get_args(Leg)) and not _missed(hit)
        return cls.model_validate(
            {
                **found,
                "fit": hit.fit,
                "score": hit.score,
                "confidence": hit.confidence,
                "legs": list(hit.legs) if whole or one_alone else None,
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
        first = next((hit for hit in outcome.hits[:1] if hit.confidence != "probable_miss"), None)
        unread = untold(request, first.row) if first else list(request.not_understood)
        said = {"understood": [item for item in items if item], "not_understood": unread}
        return {name: value for name, value in said.items() if value}
