"""The shape of a calibration: bands of cosine, and the judged hits that they were fitted to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bands:
    """Lowest cosine of each band; below ``noise`` a query and a passage have nothing to do with each other."""

    likely_good: float
    analog: float
    noise: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Hits with a cosine from ``low`` to below ``high``, and the share of them that is relevant.

    Every collection counts alike in ``share`` and ``fitted`` (the rising steps that the bands were read from),
    whatever its size.
    """

    low: float
    high: float
    hits: int
    share: float
    fitted: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """``bands`` begin where ``fitted`` reaches one in three (likely_good) and one in twenty (analog)."""

    bands: Bands
    collections: tuple[str, ...]
    queries: int
    reliability: tuple[Bin, ...]
