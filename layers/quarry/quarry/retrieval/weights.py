"""Weights of ranking by kind of search; written by `make calibrate`, not by hand."""

from dataclasses import dataclass

from quarry.retrieval.corpus import Kind


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the features in ranking.FEATURES, in their order."""

    bias: float
    of_features: tuple[float, ...]


WEIGHTS: dict[Kind, Weights] = {
    "equipment": Weights(-3.0, (6.0, 0.0, 1.0, 1.0, 6.0, -1.0, 3.0, 1.0, -1.0, 2.0, -1.0, -1.0, -4.0, -2.0, -0.5)),
    "line_items": Weights(-3.0, (6.0, 0.0, 1.0, 1.0, 6.0, -1.0, 3.0, 1.0, -1.0, 2.0, -1.0, -1.0, -4.0, -2.0, -0.5)),
    "past_quotes": Weights(-3.0, (6.0, 0.0, 1.0, 1.0, 6.0, -1.0, 3.0, 1.0, -1.0, 2.0, -1.0, -1.0, -4.0, -2.0, -0.5)),
    "passages": Weights(-3.0, (6.0, 0.0, 1.0, 1.0, 6.0, -1.0, 3.0, 1.0, -1.0, 2.0, -1.0, -1.0, -4.0, -2.0, -0.5)),
}
