"""The systems of units that values are shown in beside their own: which one a call wants, and its units."""

import csv
import math
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from psycopg.sql import SQL

from quarry.data import database
from quarry.data.environment import kept

System = Literal["us", "metric"]
type Beside = Mapping[str, Sequence[str]]
"""By dimension the units of a system: figures of others are converted to the first, or to the one that fits them."""

KEPT_S = 60.0
BESIDE = "Figures in this system too. Unset: the house's."

# tenant_settings had the units before the house did; whoever set them there keeps them.
SETTING = SQL("""
    SELECT coalesce(
        (SELECT units FROM quarry.house WHERE tenant = %(tenant)s),
        (SELECT units FROM quarry.tenant_settings WHERE tenant = %(tenant)s)) AS units
""")


@cache
def preferred() -> Mapping[str, Beside]:
    """By system its units of each dimension."""
    found: dict[str, dict[str, list[str]]] = {}
    with (Path(__file__).with_name("systems.csv")).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["system"], {})[row["dimension"]] = row["symbols"].split("|")
    return found


def beside(asked: System | None, *, tenant: str) -> Beside:
    """The units of the system of the call, else of the house's, else none."""
    system = asked or _setting(tenant)
    return preferred()[system] if system else {}


def _setting(tenant: str) -> System | None:
    """The tenant's setting, which a process reads once a minute."""
    read_at, setting = _known().get(tenant, (-math.inf, None))
    if time.monotonic() - read_at > KEPT_S:
        setting = database.fetch(tenant, SETTING, {"tenant": tenant})[0]["units"]
        _known()[tenant] = (time.monotonic(), setting)
    return setting


@kept
def _known() -> dict[str, tuple[float, System | None]]:
    return {}
