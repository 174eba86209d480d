"""What a probability of being right is called, and what a model's cosines are worth."""

import pytest

from quarry.retrieval.weights import DEFAULT_NOISE, confidence_of, noise_of


@pytest.mark.parametrize(
    ("score", "confidence"),
    [
        (1.0, "likely_good"),
        (0.8, "likely_good"),
        (0.7999, "analog"),
        (0.2, "analog"),
        (0.1999, "probable_miss"),
        (0.0, "probable_miss"),
        (None, None),
    ],
)
def test_a_band_begins_at_its_threshold(score: float | None, confidence: str | None) -> None:
    assert confidence_of(score) == confidence


def test_a_model_that_nobody_has_measured_has_the_usual_noise() -> None:
    assert noise_of("text-embedding-9-huge") == DEFAULT_NOISE
    assert 0 < DEFAULT_NOISE < noise_of("all-MiniLM-L6-v2") < 0.5
