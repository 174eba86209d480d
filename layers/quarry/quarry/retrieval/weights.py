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
        -3.0,
        (
            1.6, 1.0, -1.0, -0.8, 2.5, -1.8, 4.0, 1.9,
            1.5, 2.0, -1.0, -1.5, 0.0, -1.0, -2.5, -3.0,
            1.0,
        ),
    ),
    "line_items": Weights(
        -3.0,
        (
            1.6, 1.0, -1.0, -0.8, 2.5, -1.8, 4.0, 1.9,
            1.5, 2.0, -1.0, -1.5, 0.0, -1.0, -2.5, -3.0,
            1.0,
        ),
    ),
    "past_quotes": Weights(
        -3.0,
        (
            1.6, 1.0, -1.0, -0.8, 2.5, -1.8, 4.0, 1.9,
            1.5, 2.0, -1.0, -1.5, 0.0, -1.0, -2.5, -3.0,
            1.0,
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
