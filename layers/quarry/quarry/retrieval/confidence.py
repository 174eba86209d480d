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


def confidence_of(score: float | None, *, bands: Bands) -> Confidence | None:
    """None where there is no score to judge: the search was text only."""
    if score is None:
        return None
    if score >= bands.likely_good:
        return "likely_good"
    return "analog" if score >= bands.analog else "probable_miss"
