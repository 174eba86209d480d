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
        -3.511,
        (
            0.972, 0.844, -1.581, -1.64, 2.672, -0.152, 3.645, -0.764,
            -1.78, 1.138, 0.18, -0.795, -0.675, -0.742, 0.0, 5.185,
            -2.055, 0.0, 0.0,
        ),
        0.94,
        (
            Bin(0.0, 0.05, 14829, 0.002, 0.003),
            Bin(0.05, 0.2, 276, 0.085, 0.047),
            Bin(0.2, 0.4, 93, 0.319, 0.086),
            Bin(0.4, 0.6, 82, 0.546, 0.476),
            Bin(0.6, 0.8, 120, 0.733, 0.633),
            Bin(0.8, 0.9, 262, 0.864, 0.916),
            Bin(0.9, 1.0, 652, 0.922, 0.959),
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
            Bin(0.0, 0.05, 2582, 0.008, 0.046),
            Bin(0.05, 0.2, 256, 0.095, 0.105),
            Bin(0.2, 0.4, 102, 0.303, 0.422),
            Bin(0.4, 0.6, 90, 0.516, 0.722),
            Bin(0.6, 0.8, 110, 0.708, 0.636),
            Bin(0.8, 0.9, 87, 0.858, 0.943),
            Bin(0.9, 1.0, 148, 0.954, 1.0),
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
            Bin(0.0, 0.05, 2844, 0.004, 0.014),
            Bin(0.05, 0.2, 259, 0.108, 0.073),
            Bin(0.2, 0.4, 132, 0.268, 0.068),
            Bin(0.4, 0.6, 66, 0.523, 0.364),
            Bin(0.6, 0.8, 246, 0.727, 0.573),
            Bin(0.8, 0.9, 98, 0.829, 0.98),
            Bin(0.9, 1.0, 39, 0.935, 0.974),
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
