"""Weights of ranking by kind of search; written by `make calibrate`, not by hand."""

from dataclasses import dataclass

from quarry.retrieval.corpus import Kind


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the features in ranking.FEATURES, in their order."""

    bias: float
    of_features: tuple[float, ...]


WEIGHTS: dict[Kind, Weights] = {
    "equipment": Weights(-4.738, (0.609, 1.929, -0.429, 0.809, 0.807, -0.269, 3.174, -0.724, -1.681, 2.266, 0.023, -0.161, -2.396, -1.054, -0.500, 2.814, -2.245)),
    "line_items": Weights(-4.110, (1.703, 1.700, 0.445, 2.821, -0.290, -0.059, 0.945, -0.379, -1.397, 0.478, 0.243, -0.161, -0.619, -1.114, -0.500, 1.880, -0.348)),
    "past_quotes": Weights(-2.456, (1.101, 2.574, 0.167, 1.734, 0.000, -0.460, 2.211, -0.457, -0.973, 1.324, 0.000, -0.204, -1.581, -0.610, -0.500, 0.058, -0.484)),
    "passages": Weights(-3.000, (6.000, 0.000, 1.000, 1.000, 6.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000)),
}
