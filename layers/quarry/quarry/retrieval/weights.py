"""Weights of ranking by kind of search; written by `make calibrate`, not by hand."""

from dataclasses import dataclass

from quarry.retrieval.corpus import Kind


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the features in ranking.FEATURES, in their order."""

    bias: float
    of_features: tuple[float, ...]


WEIGHTS: dict[Kind, Weights] = {
    "equipment": Weights(-3.972, (1.128, 2.965, 0.369, 0.758, 0.666, -0.317, 3.219, -0.275, -0.970, 1.758, 0.476, -0.791, -1.760, -1.550, 0.000)),
    "line_items": Weights(-4.083, (1.568, 1.929, 0.297, 3.075, -0.376, -0.071, 1.311, -0.526, -1.591, 0.909, -0.001, -0.238, -0.741, -1.103, 0.326)),
    "past_quotes": Weights(-2.761, (1.413, 2.154, 0.482, 2.367, 0.000, -0.573, 1.495, -0.438, -0.590, 1.052, -0.113, -0.048, -1.463, -0.648, 0.000)),
    "passages": Weights(-3.0, (6.0, 0.0, 1.0, 1.0, 6.0, -1.0, 3.0, 1.0, -1.0, 2.0, -1.0, -1.0, -4.0, -2.0, -0.5)),
}
