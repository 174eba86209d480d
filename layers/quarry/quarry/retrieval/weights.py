"""Weights of ranking by kind of search; written by `make calibrate`, not by hand."""

from dataclasses import dataclass

from quarry.retrieval.corpus import Kind


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the features in ranking.FEATURES, in their order."""

    bias: float
    of_features: tuple[float, ...]


WEIGHTS: dict[Kind, Weights] = {
    "equipment": Weights(-5.131, (0.871, 1.566, -0.333, 1.397, 0.790, -0.303, 3.018, -0.655, -1.634, 2.002, 0.067, -0.123, -2.250, -1.035, 0.000, 3.121)),
    "line_items": Weights(-4.215, (1.577, 1.633, 0.450, 3.014, -0.243, -0.111, 0.875, -0.370, -1.383, 0.397, 0.204, -0.137, -0.575, -1.101, 0.363, 1.998)),
    "past_quotes": Weights(-2.727, (1.378, 2.206, 0.427, 2.337, 0.000, -0.568, 1.431, -0.405, -0.444, 0.831, 0.000, 0.006, -1.405, -0.582, 0.000, 0.807)),
    "passages": Weights(
}
