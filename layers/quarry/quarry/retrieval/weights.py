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
            Bin(0.0, 0.05, 39798, 0.003, 0.002),
            Bin(0.05, 0.2, 1439, 0.092, 0.047),
            Bin(0.2, 0.4, 366, 0.306, 0.175),
            Bin(0.4, 0.6, 459, 0.527, 0.418),
            Bin(0.6, 0.8, 519, 0.709, 0.729),
            Bin(0.8, 0.9, 708, 0.856, 0.912),
            Bin(0.9, 1.0, 1281, 0.947, 0.969),
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
            Bin(0.0, 0.05, 5374, 0.009, 0.025),
            Bin(0.05, 0.2, 810, 0.101, 0.075),
            Bin(0.2, 0.4, 184, 0.266, 0.402),
            Bin(0.4, 0.6, 174, 0.509, 0.471),
            Bin(0.6, 0.8, 184, 0.698, 0.652),
            Bin(0.8, 0.9, 173, 0.856, 1.0),
            Bin(0.9, 1.0, 300, 0.952, 1.0),
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
            Bin(0.0, 0.05, 6184, 0.004, 0.006),
            Bin(0.05, 0.2, 1006, 0.11, 0.017),
            Bin(0.2, 0.4, 277, 0.266, 0.083),
            Bin(0.4, 0.6, 156, 0.496, 0.276),
            Bin(0.6, 0.8, 501, 0.716, 0.868),
            Bin(0.8, 0.9, 180, 0.827, 0.994),
            Bin(0.9, 1.0, 76, 0.936, 0.987),
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
