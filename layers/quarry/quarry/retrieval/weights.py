"""What a score is called, and the weights that make it, written by `make calibrate` and not by hand."""

from dataclasses import dataclass
from typing import Literal

from quarry.retrieval.corpus import Kind

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


@dataclass(frozen=True, slots=True)
class Bin:
    """Candidates that score from ``low`` to below ``high``: the mean of their scores, and the share that is right."""

    low: float
    high: float
    candidates: int
    said: float
    right: float


@dataclass(frozen=True, slots=True)
class Weights:
    """Of ranking.FEATURES, in their order.

    Scores are multiplied by ``caution``, so that what is called likely_good is right as often as it should be among
    searches that were not learned from; ``reliability`` is of those.
    """

    bias: float
    of_features: tuple[float, ...]
    caution: float = 1.0
    reliability: tuple[Bin, ...] = ()


# fmt: off
WEIGHTS: dict[Kind, Weights] = {
    "equipment": Weights(
        -2.58,
        (
            3.397, 1.034, -1.119, -1.242, 2.705, -0.48, 1.706, -2.323,
            -0.001, 0.0, 0.0, 0.0, 0.0, -3.058, -3.739, 0.0,
            1.288, 2.247, 1.056, -1.031,
        ),
        0.86,
        (
            Bin(0.0, 0.05, 123928, 0.011, 0.004),
            Bin(0.05, 0.2, 8760, 0.097, 0.072),
            Bin(0.2, 0.4, 2982, 0.282, 0.236),
            Bin(0.4, 0.6, 1126, 0.49, 0.549),
            Bin(0.6, 0.8, 704, 0.695, 0.844),
            Bin(0.8, 0.9, 62, 0.831, 0.982),
        ),
    ),
    "line_items": Weights(
        -2.172,
        (
            4.6, 0.0, -1.725, -0.069, 1.933, -0.342, 0.093, -1.498,
            -1.32, 0.0, 0.0, 0.0, 0.0, -3.782, -5.004, -1.345,
            1.532, 3.789, 1.281, 0.0,
        ),
        0.83,
        (
            Bin(0.0, 0.05, 38460, 0.018, 0.005),
            Bin(0.05, 0.2, 8546, 0.093, 0.067),
            Bin(0.2, 0.4, 1923, 0.282, 0.222),
            Bin(0.4, 0.6, 922, 0.487, 0.502),
            Bin(0.6, 0.8, 780, 0.704, 0.717),
            Bin(0.8, 0.9, 145, 0.811, 0.972),
        ),
    ),
    "past_quotes": Weights(
        -0.283,
        (
            3.668, 1.475, -0.288, -0.511, 0.0, -1.253, 1.342, -0.027,
            -0.462, 0.0, -0.827, 0.0, 0.0, -2.074, -0.013, -2.435,
            0.0, 1.307, 0.283, -1.267,
        ),
        0.89,
        (
            Bin(0.0, 0.05, 18178, 0.021, 0.01),
            Bin(0.05, 0.2, 6967, 0.094, 0.061),
            Bin(0.2, 0.4, 1150, 0.276, 0.251),
            Bin(0.4, 0.6, 423, 0.488, 0.439),
            Bin(0.6, 0.8, 265, 0.697, 0.794),
            Bin(0.8, 0.9, 17, 0.823, 1.0),
        ),
    ),
    "passages": Weights(
        -2.727,
        (
            5.766, 3.893, -0.461, -1.575, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.5, 0.5, 0.0,
        ),
        1.0,
        (
            Bin(0.0, 0.05, 20940, 0.016, 0.014),
            Bin(0.05, 0.2, 4164, 0.099, 0.091),
            Bin(0.2, 0.4, 932, 0.275, 0.255),
            Bin(0.4, 0.6, 563, 0.497, 0.481),
            Bin(0.6, 0.8, 321, 0.643, 0.532),
        ),
    ),
}
