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
        -5.122,
        (
            1.659, 0.141, -2.148, -1.658, 2.573, -1.816, 3.541, 1.923,
            2.503, 0.0, -0.201, -0.788, -0.527, -0.549, 0.0, 3.858,
            0.0, 2.996, 1.424, 0.354, 4.176,
        ),
        1.0,
        (
            Bin(0.0, 0.05, 44532, 0.003, 0.002),
            Bin(0.05, 0.2, 1227, 0.088, 0.052),
            Bin(0.2, 0.4, 394, 0.29, 0.209),
            Bin(0.4, 0.6, 536, 0.513, 0.461),
            Bin(0.6, 0.8, 584, 0.707, 0.743),
            Bin(0.8, 0.9, 566, 0.857, 0.893),
            Bin(0.9, 1.0, 1487, 0.957, 0.976),
        ),
    ),
    "line_items": Weights(
        -2.488,
        (
            2.845, 2.207, 0.077, -0.373, 1.431, -0.825, 2.865, -0.493,
            -2.035, 0.0, -0.057, -0.736, 0.0, -0.265, -1.433, 2.446,
            -2.193, 0.787, 1.378, 0.0, 0.0,
        ),
        1.0,
        (
            Bin(0.0, 0.05, 6218, 0.009, 0.022),
            Bin(0.05, 0.2, 939, 0.101, 0.076),
            Bin(0.2, 0.4, 268, 0.274, 0.295),
            Bin(0.4, 0.6, 200, 0.514, 0.435),
            Bin(0.6, 0.8, 229, 0.7, 0.629),
            Bin(0.8, 0.9, 190, 0.856, 0.979),
            Bin(0.9, 1.0, 346, 0.952, 1.0),
        ),
    ),
    "past_quotes": Weights(
        -2.82,
        (
            0.09, 2.129, -1.694, 0.714, 0.0, -3.757, 3.557, 0.531,
            1.953, 0.0, 0.828, -0.442, -0.006, -0.232, 0.0, 1.006,
            0.0, 4.065, 2.347, 1.493, 3.724,
        ),
        1.0,
        (
            Bin(0.0, 0.05, 15607, 0.006, 0.005),
            Bin(0.05, 0.2, 3753, 0.096, 0.046),
            Bin(0.2, 0.4, 629, 0.278, 0.238),
            Bin(0.4, 0.6, 251, 0.522, 0.462),
            Bin(0.6, 0.8, 299, 0.708, 0.719),
            Bin(0.8, 0.9, 737, 0.861, 0.953),
            Bin(0.9, 1.0, 377, 0.943, 0.991),
        ),
    ),
    "passages": Weights(
        -2.727,
        (
            5.766, 3.893, -0.461, -1.575, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0,
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
