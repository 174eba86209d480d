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
    """Of ranking.FEATURES, in their order; ``reliability`` is of searches that were not learned from."""

    bias: float
    of_features: tuple[float, ...]
    reliability: tuple[Bin, ...] = ()


# fmt: off
WEIGHTS: dict[Kind, Weights] = {
    "equipment": Weights(
        -3.241,
        (
            0.828, 0.536, -1.462, -1.64, 2.331, -0.023, 3.175, -0.692,
            -1.73, 1.377, 0.228, -0.202, -1.426, -0.763, 0.0, 4.382,
            -2.689,
        ),
        (
            Bin(0.0, 0.05, 9624, 0.002, 0.004),
            Bin(0.05, 0.2, 383, 0.089, 0.01),
            Bin(0.2, 0.4, 41, 0.291, 0.171),
            Bin(0.4, 0.6, 73, 0.524, 0.329),
            Bin(0.6, 0.8, 109, 0.735, 0.752),
            Bin(0.8, 0.9, 253, 0.866, 0.747),
            Bin(0.9, 1.0, 373, 0.926, 0.893),
        ),
    ),
    "line_items": Weights(
        -2.064,
        (
            2.228, 2.038, 1.357, -2.44, 2.558, 0.275, 2.395, -0.691,
            -0.492, 0.0, 0.752, -0.939, 0.0, -0.557, 0.0, 2.056,
            -1.881,
        ),
        (
            Bin(0.0, 0.05, 2259, 0.01, 0.013),
            Bin(0.05, 0.2, 384, 0.093, 0.12),
            Bin(0.2, 0.4, 149, 0.299, 0.423),
            Bin(0.4, 0.6, 96, 0.49, 0.625),
            Bin(0.6, 0.8, 122, 0.707, 0.926),
            Bin(0.8, 0.9, 79, 0.856, 0.987),
            Bin(0.9, 1.0, 41, 0.919, 1.0),
        ),
    ),
    "past_quotes": Weights(
        -1.995,
        (
            2.746, 2.648, -1.788, 0.623, 0.0, -0.483, 3.003, -0.921,
            -1.434, 1.289, 0.0, -0.773, -0.998, -0.309, 0.0, 0.0,
            0.0,
        ),
        (
            Bin(0.0, 0.05, 2258, 0.008, 0.014),
            Bin(0.05, 0.2, 355, 0.102, 0.076),
            Bin(0.2, 0.4, 135, 0.298, 0.111),
            Bin(0.4, 0.6, 35, 0.485, 0.686),
            Bin(0.6, 0.8, 121, 0.725, 0.463),
            Bin(0.8, 0.9, 95, 0.845, 0.716),
            Bin(0.9, 1.0, 40, 0.915, 0.95),
        ),
    ),
    "passages": Weights(
        -2.727,
        (
            5.766, 3.893, -0.461, -1.575, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0,
        ),
        (
            Bin(0.0, 0.05, 20940, 0.016, 0.014),
            Bin(0.05, 0.2, 4164, 0.099, 0.091),
            Bin(0.2, 0.4, 932, 0.275, 0.255),
            Bin(0.4, 0.6, 563, 0.497, 0.481),
            Bin(0.6, 0.8, 321, 0.643, 0.532),
        ),
    ),
}
