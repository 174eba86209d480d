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
        -4.839,
        (
            0.777, 1.517, 0.0, 1.393, 2.17, -0.178, 2.94, -0.695,
            -1.68, 1.55, -0.001, -0.29, -1.436, -0.733, 0.0, 3.105,
        ),
        (
            Bin(0.0, 0.05, 9325, 0.001, 0.003),
            Bin(0.05, 0.2, 210, 0.091, 0.038),
            Bin(0.2, 0.4, 8, 0.293, 0.25),
            Bin(0.4, 0.6, 34, 0.541, 0.588),
            Bin(0.6, 0.8, 53, 0.713, 0.623),
            Bin(0.8, 0.9, 127, 0.865, 0.685),
            Bin(0.9, 1.0, 301, 0.949, 0.924),
        ),
    ),
    "line_items": Weights(
        -4.182,
        (
            2.032, 1.968, 1.02, 3.077, 2.162, 0.262, 0.916, -0.367,
            -1.46, 0.0, 0.055, -0.317, 0.0, -0.307, 0.0, 1.907,
        ),
        (
            Bin(0.0, 0.05, 2193, 0.009, 0.009),
            Bin(0.05, 0.2, 220, 0.09, 0.068),
            Bin(0.2, 0.4, 38, 0.288, 0.211),
            Bin(0.4, 0.6, 29, 0.505, 0.552),
            Bin(0.6, 0.8, 40, 0.718, 0.85),
            Bin(0.8, 0.9, 16, 0.846, 0.812),
            Bin(0.9, 1.0, 78, 0.952, 1.0),
        ),
    ),
    "past_quotes": Weights(
        -2.626,
        (
            1.382, 2.167, 0.456, 2.387, 0.0, -0.233, 1.421, -0.403,
            -0.502, 0.445, 0.0, -0.187, -0.49, -0.257, 0.0, 0.714,
        ),
        (
            Bin(0.0, 0.05, 1960, 0.008, 0.004),
            Bin(0.05, 0.2, 157, 0.088, 0.108),
            Bin(0.2, 0.4, 66, 0.282, 0.348),
            Bin(0.4, 0.6, 40, 0.496, 0.625),
            Bin(0.6, 0.8, 26, 0.693, 0.923),
            Bin(0.8, 0.9, 9, 0.836, 0.778),
            Bin(0.9, 1.0, 24, 0.935, 0.958),
        ),
    ),
    "passages": Weights(
        -3.0,
        (
            6.0, 0.0, 1.0, 1.0, 6.0, -1.0, 3.0, 1.0,
            -1.0, 2.0, -1.0, -1.0, -4.0, -2.0, -0.5, 0.0,
        ),
        (
        ),
    ),
}
