"""What a cosine similarity is worth, per embedding model."""

from typing import Literal

from quarry.retrieval.bands import Bands
from quarry.retrieval.calibration import CALIBRATIONS

Confidence = Literal["likely_good", "analog", "probable_miss"]

DEFAULT_BANDS = Bands(likely_good=0.7, analog=0.4, noise=0.25)
"""Cosines that hold for common embedding models, for one that nobody has calibrated."""


def bands_of(model: str) -> Bands:
    calibration = CALIBRATIONS.get(model)
    return calibration.bands if calibration else DEFAULT_BANDS


LIKELY_GOOD = 0.8
PROBABLE_MISS = 0.2


def confidence_of(score: float | None) -> Confidence | None:
    """What a probability of being right is called; None where there is none: the search was text only."""
    if score is None:
        return None
    if score >= LIKELY_GOOD:
        return "likely_good"
    return "analog" if score >= PROBABLE_MISS else "probable_miss"
