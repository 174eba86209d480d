"""What a cosine similarity is worth, per embedding model."""

from dataclasses import dataclass
from typing import Literal

Confidence = Literal["likely_good", "analog", "probable_miss"]


@dataclass(frozen=True, slots=True)
class Bands:
    """Lowest cosine of each band; below ``noise`` a query and a passage have nothing to do with each other."""

    likely_good: float
    analog: float
    noise: float


# Seed 000's bands; noise is set per model so that nonsense finds nothing (tests/golden/nonsense.yaml).
SEED_BANDS = Bands(likely_good=0.7, analog=0.4, noise=0.25)
BANDS: dict[str, Bands] = {"all-MiniLM-L6-v2": Bands(likely_good=0.7, analog=0.4, noise=0.3)}


def bands_of(model: str) -> Bands:
    return BANDS.get(model, SEED_BANDS)


def confidence_of(score: float | None, *, bands: Bands) -> Confidence | None:
    """None where there is no score to judge: the search was text only."""
    if score is None:
        return None
    if score >= bands.likely_good:
        return "likely_good"
    return "analog" if score >= bands.analog else "probable_miss"
