"""The names of scores, and the weights that make them, written by `make calibrate` and not by hand."""

from typing import Literal, NamedTuple

from quarry.retrieval.corpus import Kind

Confidence = Literal["likely_good", "analog", "probable_miss"]

LIKELY_GOOD = 0.8
PROBABLE_MISS = 0.2

DEFAULT_NOISE = 0.25
NOISE = {"all-MiniLM-L6-v2": 0.3}
"""Cosines up to which nonsense scores, by model: below, a query and a text have nothing in common."""


def noise_of(model: str) -> float:
    return NOISE.get(model, DEFAULT_NOISE)


def confidence_of(score: float | None) -> Confidence | None:
    """Names a probability of being right; None where there is none, because only text was searched."""
    if score is None:
        return None
    if score >= LIKELY_GOOD:
        return "likely_good"
    return "analog" if score >= PROBABLE_MISS else "probable_miss"


class Weights(NamedTuple):
    """The weights of ranking.FEATURES, in their order.

    Scores are multiplied by ``caution``, so that what is called likely_good is right as often as it should be among
    searches that were not learned from.
    """

    bias: float
    of_features: tuple[float, ...]
    caution: float = 1.0


# fmt: off
WEIGHTS: dict[Kind, Weights] = {
    "equipment": Weights(
        -2.58,
        (
            3.397, 1.034, -1.119, -1.242, 2.705, -0.48, 1.706, -2.323,
            -0.001, 0.0, -3.058, -3.739, 0.0, 1.288, 2.247, 1.056,
            -1.031,
        ),
        0.86,
    ),
    "line_items": Weights(
        -2.172,
        (
            4.6, 0.0, -1.725, -0.069, 1.933, -0.342, 0.093, -1.498,
            -1.32, 0.0, -3.782, -5.004, -1.345, 1.532, 3.789, 1.281,
            0.0,
        ),
        0.83,
    ),
    "past_quotes": Weights(
        -0.283,
        (
            3.668, 1.475, -0.288, -0.511, 0.0, -1.253, 1.342, -0.027,
            -0.462, -0.827, -2.074, -0.013, -2.435, 0.0, 1.307, 0.283,
            -1.267,
        ),
        0.89,
    ),
    "passages": Weights(
        -2.727,
        (
            5.766, 3.893, -0.461, -1.575, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.5,
            0.0,
        ),
        1.0,
    ),
}
