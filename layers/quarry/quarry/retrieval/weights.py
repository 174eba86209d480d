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
        -3.249,
        (
            0.771, 0.405, -1.49, -1.549, 2.39, 0.001, 3.118, -0.667,
            -1.666, 1.424, 0.218, -0.21, -1.43, -0.768, 0.0, 3.887,
            -3.181,
        ),
        0.89,
        (
            Bin(0.0, 0.05, 9649, 0.002, 0.004),
            Bin(0.05, 0.2, 363, 0.086, 0.008),
            Bin(0.2, 0.4, 42, 0.274, 0.238),
            Bin(0.4, 0.6, 88, 0.499, 0.455),
            Bin(0.6, 0.8, 255, 0.735, 0.675),
            Bin(0.8, 0.9, 459, 0.849, 0.9),
        ),
    ),
    "line_items": Weights(
        -2.084,
        (
            2.2, 1.981, 1.433, -2.482, 2.591, 0.262, 2.358, -0.682,
            -0.515, 0.0, 0.779, -0.917, 0.0, -0.515, 0.0, 2.019,
            -1.87,
        ),
        1.0,
        (
            Bin(0.0, 0.05, 2260, 0.01, 0.013),
            Bin(0.05, 0.2, 381, 0.092, 0.118),
            Bin(0.2, 0.4, 148, 0.297, 0.412),
            Bin(0.4, 0.6, 96, 0.49, 0.646),
            Bin(0.6, 0.8, 104, 0.706, 0.904),
            Bin(0.8, 0.9, 60, 0.849, 0.967),
            Bin(0.9, 1.0, 81, 0.943, 1.0),
        ),
    ),
    "past_quotes": Weights(
        -2.007,
        (
            2.676, 2.535, -1.879, 0.692, 0.0, -0.507, 2.959, -0.928,
            -1.406, 1.195, 0.0, -0.725, -0.977, -0.303, 0.0, 0.0,
            0.0,
        ),
        0.91,
        (
            Bin(0.0, 0.05, 2289, 0.008, 0.017),
            Bin(0.05, 0.2, 338, 0.102, 0.071),
            Bin(0.2, 0.4, 133, 0.286, 0.143),
            Bin(0.4, 0.6, 49, 0.52, 0.633),
            Bin(0.6, 0.8, 154, 0.728, 0.494),
            Bin(0.8, 0.9, 76, 0.851, 0.934),
        ),
    ),
    "passages": Weights(
        -2.727,
        (
            5.766, 3.893, -0.461, -1.575, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0,
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
