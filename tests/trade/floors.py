"""The figures that must not get worse: figures.toml, per class and in all."""

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path

from tests.trade.figures import ALL, FIGURES, Figure, Figures

FLOORS = Path(__file__).parent / "figures.toml"
RANKING = ("p1", "ndcg", "contradicted", "unexplained")
"""Held per class; the confidence figures are held per tool and in all, where enough cases stand behind them."""

NOISE = 0.03
"""How far a figure may fall behind the run that it was written from; that every empty answer has its reason holds."""

HEAD = """# What `make trade` must reach, per class and in all; written by `python -m tests.trade --floors`.
# p1 and ndcg are floors, contradicted and unexplained ceilings. Per tool and in all also: likely_good is right
# (good_right), right first hits say likely_good (right_good) or probable_miss (right_miss), nothing fits
# and says so (says_so).
"""


def read_floors() -> dict[str, dict[str, float]]:
    return tomllib.loads(FLOORS.read_text("utf-8")) if FLOORS.exists() else {}


def write_floors(found: Mapping[str, Figures]) -> None:
    """To the safe side by NOISE and by less than a hundredth."""
    parts = [HEAD]
    for name, row in found.items():
        held = [f for f in FIGURES if (f.name in RANKING or name.startswith(ALL)) and row.get(f.name) is not None]
        parts.append(f'["{name}"]\n' + "".join(f"{f.name} = {_bound(f, row[f.name] or 0)}\n" for f in held))
    FLOORS.write_text("\n".join(parts), "utf-8")


def _bound(figure: Figure, value: float) -> float:
    if figure.name == "unexplained":
        return value
    if figure.least:
        return max(0.0, math.floor(round((value - NOISE) * 100, 6)) / 100)
    return min(1.0, math.ceil(round((value + NOISE) * 100, 6)) / 100)
