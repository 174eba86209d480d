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
            -2.055, 0.0,
        ),
        0.94,
        (
            Bin(0.0, 0.05, 10653, 0.002, 0.003),
            Bin(0.05, 0.2, 222, 0.088, 0.027),
            Bin(0.2, 0.4, 11, 0.297, 0.273),
            Bin(0.4, 0.6, 44, 0.536, 0.773),
            Bin(0.6, 0.8, 82, 0.75, 0.829),
            Bin(0.8, 0.9, 201, 0.863, 0.881),
            Bin(0.9, 1.0, 444, 0.921, 0.928),
        ),
    ),
    "line_items": Weights(
        -2.084,
        (
            2.2, 1.981, 1.433, -2.482, 2.591, 0.262, 2.358, -0.682,
            -0.515, 0.0, 0.779, -0.917, 0.0, -0.515, 0.0, 2.019,
            -1.87, 0.0,
        ),
        1.0,
        (
            Bin(0.0, 0.05, 2369, 0.01, 0.018),
            Bin(0.05, 0.2, 414, 0.1, 0.097),
            Bin(0.2, 0.4, 127, 0.307, 0.472),
            Bin(0.4, 0.6, 85, 0.493, 0.729),
            Bin(0.6, 0.8, 114, 0.705, 0.904),
            Bin(0.8, 0.9, 52, 0.847, 0.962),
            Bin(0.9, 1.0, 85, 0.949, 1.0),
        ),
    ),
    "past_quotes": Weights(
        -2.007,
        (
            2.676, 2.535, -1.879, 0.692, 0.0, -0.507, 2.959, -0.928,
            -1.406, 1.195, 0.0, -0.725, -0.977, -0.303, 0.0, 0.0,
            0.0, 0.0,
        ),
        0.91,
        (
            Bin(0.0, 0.05, 2140, 0.01, 0.015),
            Bin(0.05, 0.2, 242, 0.096, 0.033),
            Bin(0.2, 0.4, 140, 0.289, 0.15),
            Bin(0.4, 0.6, 64, 0.499, 0.375),
            Bin(0.6, 0.8, 146, 0.726, 0.678),
            Bin(0.8, 0.9, 126, 0.848, 0.992),
        ),
    ),
    "passages": Weights(
        -2.727,
        (
            5.766, 3.893, -0.461, -1.575, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0,
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
