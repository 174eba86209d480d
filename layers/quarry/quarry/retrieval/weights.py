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
        -2.32,
        (
            3.484, 1.08, -1.341, -0.534, 2.655, -1.012, 3.191, -3.422,
            0.073, 0.0, 0.0, -0.64, 0.0, -3.33, -3.195, -1.403,
            0.522, 0.5, 0.5, 0.0,
        ),
        0.99,
        (
            Bin(0.0, 0.05, 118305, 0.012, 0.003),
            Bin(0.05, 0.2, 12935, 0.096, 0.055),
            Bin(0.2, 0.4, 4012, 0.283, 0.226),
            Bin(0.4, 0.6, 1616, 0.488, 0.447),
            Bin(0.6, 0.8, 618, 0.686, 0.742),
            Bin(0.8, 0.9, 35, 0.818, 0.96),
            Bin(0.9, 1.0, 41, 0.965, 0.974),
        ),
    ),
    "line_items": Weights(
        -1.772,
        (
            4.955, 0.0, -1.329, 0.149, 1.851, -0.849, 1.048, -2.109,
            -1.432, 0.842, 0.0, -0.445, 0.0, -4.399, -4.052, -2.35,
            0.939, 0.5, 0.5, 0.0,
        ),
        0.87,
        (
            Bin(0.0, 0.05, 36675, 0.018, 0.007),
            Bin(0.05, 0.2, 10067, 0.096, 0.069),
            Bin(0.2, 0.4, 2325, 0.274, 0.194),
            Bin(0.4, 0.6, 905, 0.498, 0.47),
            Bin(0.6, 0.8, 682, 0.703, 0.705),
            Bin(0.8, 0.9, 122, 0.827, 0.974),
        ),
    ),
    "past_quotes": Weights(
        -0.982,
        (
            3.835, 1.686, -0.53, 0.158, 0.0, -0.935, 1.512, -0.033,
            -0.45, 0.165, -0.865, 0.0, 0.0, -2.003, -0.015, -2.28,
            0.0, 0.5, 0.5, 0.0,
        ),
        0.89,
        (
            Bin(0.0, 0.05, 17626, 0.021, 0.011),
            Bin(0.05, 0.2, 7532, 0.094, 0.063),
            Bin(0.2, 0.4, 1111, 0.281, 0.234),
            Bin(0.4, 0.6, 457, 0.487, 0.427),
            Bin(0.6, 0.8, 228, 0.696, 0.767),
            Bin(0.8, 0.9, 9, 0.818, 1.0),
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
