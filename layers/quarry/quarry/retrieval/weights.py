"""Weights of ranking by kind of search; written by `make calibrate`, not by hand."""

from dataclasses import dataclass

from quarry.retrieval.corpus import Kind


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
        -3.435,
        (
            1.475, 0.228, -1.514, -1.358, 2.138, -1.477, 5.229, 0.877,
            0.453, 0.462, -0.398, -0.738, -0.803, -0.854, 0.0, 3.339,
            -4.055, 0.503, 1.127,
        ),
        1.0,
        (
            Bin(0.0, 0.05, 29634, 0.003, 0.002),
            Bin(0.05, 0.2, 1190, 0.092, 0.043),
            Bin(0.2, 0.4, 264, 0.312, 0.194),
            Bin(0.4, 0.6, 413, 0.527, 0.449),
            Bin(0.6, 0.8, 461, 0.709, 0.74),
            Bin(0.8, 0.9, 607, 0.854, 0.916),
            Bin(0.9, 1.0, 962, 0.946, 0.973),
        ),
    ),
    "line_items": Weights(
        -2.488,
        (
            2.845, 2.207, 0.077, -0.373, 1.431, -0.825, 2.865, -0.493,
            -2.035, 0.0, -0.057, -0.736, 0.0, -0.265, -1.433, 2.446,
            -2.193, 0.787, 1.378,
        ),
        1.0,
        (
            Bin(0.0, 0.05, 2869, 0.009, 0.043),
            Bin(0.05, 0.2, 353, 0.096, 0.057),
            Bin(0.2, 0.4, 186, 0.293, 0.253),
            Bin(0.4, 0.6, 157, 0.499, 0.446),
            Bin(0.6, 0.8, 150, 0.699, 0.593),
            Bin(0.8, 0.9, 109, 0.858, 0.954),
            Bin(0.9, 1.0, 165, 0.951, 1.0),
        ),
    ),
    "past_quotes": Weights(
        -2.38,
        (
            1.91, 0.802, -0.994, -0.562, 0.0, -1.413, 4.442, -0.496,
            -0.766, 0.938, -0.425, -0.485, -1.44, -0.54, 0.0, 0.606,
            -1.824, 0.0, 1.654,
        ),
        0.96,
        (
            Bin(0.0, 0.05, 4666, 0.004, 0.008),
            Bin(0.05, 0.2, 428, 0.12, 0.044),
            Bin(0.2, 0.4, 171, 0.263, 0.053),
            Bin(0.4, 0.6, 69, 0.523, 0.362),
            Bin(0.6, 0.8, 401, 0.723, 0.9),
            Bin(0.8, 0.9, 148, 0.828, 1.0),
            Bin(0.9, 1.0, 53, 0.934, 0.981),
        ),
    ),
    "passages": Weights(
        -2.727,
        (
            5.766, 3.893, -0.461, -1.575, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0,
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
