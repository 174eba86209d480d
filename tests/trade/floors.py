"""The figures that must not get worse: figures.toml, per class and in all."""

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path

from tests.trade.figures import ALL, FIGURES, Figures

FLOORS = Path(__file__).parent / "figures.toml"
RANKING = ("p1", "ndcg", "contradicted", "unexplained")
"""Held per class; the confidence figures are held in all, where enough cases stand behind them."""

HEAD = """# What `make trade` must reach, per class and in all; written by `python -m tests.trade --floors`.
# p1 and ndcg are floors, contradicted and unexplained ceilings. In all also: likely_good is right (good_right), right
# first hits say likely_good (right_good) or probable_miss (right_miss), nothing fits and says so (says_so).
"""


def read_floors() -> dict[str, dict[str, float]]:
    return tomllib.loads(FLOORS.read_text("utf-8")) if FLOORS.exists() else {}


def write_floors(found: Mapping[str, Figures]) -> None:
    """Rounded to the safe side, by less than a hundredth."""
    parts = [HEAD]
    for name, row in found.items():
        held = [f for f in FIGURES if (f.name in RANKING or name == ALL) and row[f.name] is not None]
        parts.append(
            f'["{name}"]\n' + "".join(f"{f.name} = {_safe(row[f.name] or 0, least=f.least)}\n" for f in held)
        )
    FLOORS.write_text("\n".join(parts), "utf-8")


def _safe(value: float, *, least: bool) -> float:
    return math.floor(value * 100) / 100 if least else math.ceil(value * 100) / 100
