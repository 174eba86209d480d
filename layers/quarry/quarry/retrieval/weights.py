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
        -4.105,
        (
            1.335,
            1.416,
            -0.905,
            -1.023,
            0.855,
            -0.228,
            3.275,
            -0.763,
            -1.706,
            2.375,
            0.052,
            -0.201,
            -2.455,
            -1.102,
            -0.500,
            2.755,
            -2.751,
        ),
    ),
    "line_items": Weights(
        -3.453,
        (
            2.898,
            2.403,
            0.659,
            -0.045,
            0.045,
            0.028,
            1.183,
            -0.453,
            -1.427,
            0.644,
            0.426,
            -0.291,
            -0.752,
            -1.181,
            -0.500,
            1.691,
            -1.017,
        ),
    ),
    "past_quotes": Weights(
        -2.243,
        (
            2.253,
            2.760,
            -0.767,
            0.157,
            0.000,
            -0.424,
            2.457,
            -0.517,
            -0.996,
            1.222,
            0.000,
            -0.042,
            -1.604,
            -0.615,
            -0.500,
            -0.006,
            0.000,
        ),
    ),
    "passages": Weights(
        -2.501,
        (
            4.721,
            3.466,
            -0.371,
            -1.129,
            0.000,
            0.000,
            0.000,
            0.000,
            0.000,
            0.000,
            0.000,
            0.000,
            0.000,
            0.000,
            0.000,
            0.000,
            0.000,
        ),
    ),
}
