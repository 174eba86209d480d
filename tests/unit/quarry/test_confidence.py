"""Confidence bands of a cosine similarity."""

import pytest

from quarry.retrieval.calibration import CALIBRATIONS
from quarry.retrieval.confidence import DEFAULT_BANDS, bands_of, confidence_of


@pytest.mark.parametrize(
    ("score", "confidence"),
    [
        (1.0, "likely_good"),
        (0.7, "likely_good"),
        (0.6999, "analog"),
        (0.4, "analog"),
        (0.3999, "probable_miss"),
        (-1.0, "probable_miss"),
        (None, None),
    ],
)
def test_a_band_begins_at_its_threshold(score: float | None, confidence: str | None) -> None:
    assert confidence_of(score, bands=DEFAULT_BANDS) == confidence


def test_an_uncalibrated_model_has_the_seeds_bands() -> None:
    assert bands_of("text-embedding-9-huge") == DEFAULT_BANDS


@pytest.mark.parametrize("model", [*CALIBRATIONS, "another"])
def test_bands_are_in_order(model: str) -> None:
    bands = bands_of(model)
    assert 0 < bands.noise < bands.analog < bands.likely_good < 1


@pytest.mark.parametrize("model", CALIBRATIONS)
def test_the_reliability_table_justifies_the_bands(model: str) -> None:
    calibration = CALIBRATIONS[model]
    bins = calibration.reliability
    assert all(held.fitted >= 1 / 3 for held in bins if held.low >= calibration.bands.likely_good)
    assert all(held.fitted >= 1 / 20 for held in bins if held.low >= calibration.bands.analog)
    assert all(held.fitted < 1 / 20 for held in bins if held.high <= calibration.bands.analog)
    assert calibration.queries > 1000
