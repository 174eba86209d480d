"""What a probability of being right is called, and from where on a cosine similarity means anything."""

from typing import Literal

Confidence = Literal["likely_good", "analog", "probable_miss"]

LIKELY_GOOD = 0.8
PROBABLE_MISS = 0.2

DEFAULT_NOISE = 0.25
NOISE = {"all-MiniLM-L6-v2": 0.3}
"""Cosines below which a query and a text have nothing to do with each other, by what nonsense scores with a model."""


def noise_of(model: str) -> float:
    return NOISE.get(model, DEFAULT_NOISE)


def confidence_of(score: float | None) -> Confidence | None:
    """What a probability of being right is called; None where there is none: the search was text only."""
    if score is None:
        return None
    if score >= LIKELY_GOOD:
        return "likely_good"
    return "analog" if score >= PROBABLE_MISS else "probable_miss"
