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
        -3.771,
        (
            1.387, 1.569, -0.702, -1.196, 2.178, -0.1, 3.236, -0.822,
            -1.771, 1.926, -0.008, -0.377, -1.641, -0.788, 0.0, 3.15,
            -2.483,
        ),
        (
            Bin(0.0, 0.05, 9267, 0.001, 0.003),
            Bin(0.05, 0.2, 213, 0.101, 0.019),
            Bin(0.2, 0.4, 29, 0.26, 0.138),
            Bin(0.4, 0.6, 8, 0.501, 0.625),
            Bin(0.6, 0.8, 71, 0.712, 0.662),
            Bin(0.8, 0.9, 149, 0.865, 0.765),
            Bin(0.9, 1.0, 276, 0.923, 0.92),
        ),
    ),
    "line_items": Weights(
        -1.993,
        (
            2.41, 2.927, 0.916, -1.408, 2.3, 0.528, 1.312, -0.489,
            -1.504, 0.195, 0.321, -0.615, 0.0, -0.754, 0.0, 1.617,
            -1.151,
        ),
        (
            Bin(0.0, 0.05, 2158, 0.011, 0.005),
            Bin(0.05, 0.2, 231, 0.095, 0.104),
            Bin(0.2, 0.4, 61, 0.289, 0.213),
            Bin(0.4, 0.6, 27, 0.494, 0.667),
            Bin(0.6, 0.8, 59, 0.73, 0.966),
            Bin(0.8, 0.9, 45, 0.852, 1.0),
            Bin(0.9, 1.0, 13, 0.918, 1.0),
        ),
    ),
    "past_quotes": Weights(
        -2.102,
        (
            2.503, 2.663, -0.769, 0.328, 0.0, -0.309, 2.251, -0.584,
            -1.054, 0.851, 0.0, -0.35, -0.81, -0.326, 0.0, 0.0,
            0.0,
        ),
        (
            Bin(0.0, 0.05, 1828, 0.009, 0.005),
            Bin(0.05, 0.2, 237, 0.087, 0.084),
            Bin(0.2, 0.4, 50, 0.267, 0.2),
            Bin(0.4, 0.6, 51, 0.541, 0.412),
            Bin(0.6, 0.8, 60, 0.686, 0.667),
            Bin(0.8, 0.9, 32, 0.85, 0.938),
        ),
    ),
    "passages": Weights(
        -2.501,
        (
            4.721, 3.466, -0.371, -1.129, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0,
        ),
        (
        ),
    ),
}
