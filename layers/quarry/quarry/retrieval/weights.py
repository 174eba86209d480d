"""Weights of ranking by kind of search; written by `make calibrate`, not by hand."""

from dataclasses import dataclass

from quarry.retrieval.corpus import Kind


@dataclass(frozen=True, slots=True)
class Bin:
    """Candidates with a score from ``low`` to below ``high``: the mean of their scores, and the share that is right."""

    low: float
    high: float
    candidates: int
    said: float
    right: float


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the features in ranking.FEATURES, in their order; ``reliability`` is of searches that were not learned from."""

    bias: float
    of_features: tuple[float, ...]
    reliability: tuple[Bin, ...] = ()


# fmt: off
WEIGHTS: dict[Kind, Weights] = {
    "equipment": Weights(
        -4.375,
        (
            1.002,
            1.829,
            -0.028,
            0.735,
            1.037,
            -0.447,
            2.541,
            -0.151,
            -1.275,
            1.301,
            0.026,
            -0.007,
            -1.767,
            -1.318,
            0.000,
            3.575,
        ),
    ),
    "line_items": Weights(
        -4.229,
        (
            1.583,
            1.641,
            0.452,
            3.024,
            -0.251,
            -0.122,
            0.891,
            -0.391,
            -1.365,
            0.419,
            0.202,
            -0.189,
            -0.553,
            -1.101,
            0.359,
            1.968,
        ),
    ),
    "past_quotes": Weights(
        -2.728,
        (
            1.381,
            2.208,
            0.428,
            2.339,
            0.000,
            -0.570,
            1.434,
            -0.404,
            -0.446,
            0.834,
            0.000,
            0.005,
            -1.409,
            -0.567,
            0.000,
            0.802,
        ),
    ),
    "passages": Weights(
        -3.0, (6.0, 0.0, 1.0, 1.0, 6.0, -1.0, 3.0, 1.0, -1.0, 2.0, -1.0, -1.0, -4.0, -2.0, -0.5, 0.0)
    ),
}
