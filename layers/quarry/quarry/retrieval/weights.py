"""Weights of ranking by kind of search; written by `make calibrate`, not by hand."""

from dataclasses import dataclass

from quarry.retrieval.corpus import Kind


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the features in ranking.FEATURES, in their order."""

    bias: float
    of_features: tuple[float, ...]


WEIGHTS: dict[Kind, Weights] = {
    "equipment": Weights(-4.712, (0.556, 1.863, -0.514, 0.813, 0.806, -0.266, 3.196, -0.727, -1.723, 2.256, 0.052, -0.158, -2.415, -1.071, -0.500, 2.938, -2.296)),
    "line_items": Weights(-4.113, (1.711, 1.695, 0.459, 2.825, -0.288, -0.051, 0.902, -0.366, -1.406, 0.486, 0.247, -0.162, -0.623, -1.116, -0.500, 1.902, -0.341)),
    "past_quotes": Weights(-2.456, (1.101, 2.574, 0.167, 1.734, 0.000, -0.460, 2.211, -0.457, -0.973, 1.324, 0.000, -0.204, -1.581, -0.610, -0.500, 0.058, -0.484)),
    "passages": Weights(-3.000, (6.000, 0.000, 1.000, 1.000, 6.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000)),
}
