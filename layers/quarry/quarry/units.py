"""The units of a call: its bounds as the columns have them, and the columns' values in metric beside them."""

import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Literal

from psycopg.sql import SQL
from pydantic import Field

from quarry.data import database
from quarry.data.environment import kept
from quarry.understanding.units import (
    ATMOSPHERE_INHG,
    CFM_PER_M3_MIN,
    HP_PER_KW,
    INHG_PER_MBAR,
    LITRES_PER_GALLON,
    PSI_PER_BAR,
    fahrenheit,
    figure,
)

Units = Literal["us", "metric"]

SLACK = 0.02
"""Sizes are round in one system only: 100 HP is sold as 75 kW, which is 100.6, and 116 psi as 8 bar."""

SETTING_KEPT_S = 60.0

BOUNDS = "metric: bounds in kW, m³/h, bar, mbar abs, °C, l; adds `metric`. Unset: the house's."
BESIDE = "metric: `metric` too. Unset: the house's."
METRIC = "With units=metric."
METRIC_FIGURE = re.compile(r"(?i)\d\s?(?:m³|m3|kw|mbar|bar|l/min|liters?|litros|litres|mm|°c|kg)(?![a-z])")
"""In a text whose reader measures so."""

Metric = Annotated[
    dict[str, float] | None, Field(default=None, exclude_if=lambda value: value is None, description=METRIC)
]

_TO_US: Mapping[str, tuple[Callable[[float], float], float]] = MappingProxyType(
    {
        "hp": (lambda kw: kw * HP_PER_KW, 0.0),
        "cfm": (lambda m3_h: m3_h * CFM_PER_M3_MIN / 60, 0.0),
        "psi": (lambda bar: bar * PSI_PER_BAR, 0.0),
        "gallons": (lambda litres: litres / LITRES_PER_GALLON, 0.0),
        "vacuum": (lambda mbar: ATMOSPHERE_INHG - mbar * INHG_PER_MBAR, 0.1),
        "dewpoint": (fahrenheit, 1.0),
    }
)
"""By a filter's measure: the value in US units, and a slack of its own where two per cent of it mean nothing."""

_TO_METRIC: Mapping[str, tuple[str, Callable[[float], float]]] = MappingProxyType(
    {
        "hp": ("kw", lambda hp: hp / HP_PER_KW),
        "cfm": ("m3_h", lambda cfm: cfm / CFM_PER_M3_MIN * 60),
        "psi": ("bar", lambda psi: psi / PSI_PER_BAR),
        "vacuum_inhg": ("mbar_abs", lambda inhg: (ATMOSPHERE_INHG - inhg) / INHG_PER_MBAR),
        "dewpoint_f": ("dewpoint_c", lambda f: (f - 32) * 5 / 9),
        "gallons": ("litres", lambda gallons: gallons * LITRES_PER_GALLON),
        "weight_lb": ("kg", lambda lb: lb * 0.45359237),
        "length_in": ("length_mm", lambda inches: inches * 25.4),
        "width_in": ("width_mm", lambda inches: inches * 25.4),
        "height_in": ("height_mm", lambda inches: inches * 25.4),
    }
)

_TOLD = re.compile(
    r"(?P<below>(?:<|\b(?:below|under|unter|bajo|sous)) *)?(?<![\w.,:])(?P<figure>[+-]?\d[\d.,]*)\s?"
    r"(?P<unit>[nN]?[mM][³3]/(?:min|h)\b|kW\b|mbar\b|bar\b|°C|l(?:it(?:er|re|ro)s?)?\b)"
)
"""A figure with its metric unit in a maker's text."""
_TOLD_AS = MappingProxyType(
    {
        "kw": "kw",
        "m3/h": "m3_h",
        "m3/min": "m3_h",
        "bar": "bar",
        "mbar": "mbar_abs",
        "°c": "dewpoint_c",
        "l": "litres",
    }
)
_ROUND = MappingProxyType({"dewpoint_c": 1.0, "length_mm": 10.0, "width_mm": 10.0, "height_mm": 10.0})
"""To what a conversion is rounded where three digits would say more than the catalogue does."""
_APART = MappingProxyType({"kw": 0.05, "mbar_abs": 0.05})
"""How far a maker's own figure may be from the conversion of his column, as a share: motors of 125 HP are 90 kW. A
column that was rounded may be off by half its last digit besides.
"""

SPOKEN = {
    "kw": "kW", "m3_h": "m³/h", "bar": "bar", "mbar_abs": "mbar abs", "dewpoint_c": "°C", "litres": "l", "kg": "kg",
    "length_mm": "mm", "width_mm": "mm", "height_mm": "mm",
}  # fmt: skip

# tenant_settings had the units before the house did; whoever set them there keeps them.
SETTING = SQL("""
    SELECT coalesce(
        (SELECT units FROM quarry.house WHERE tenant = %(tenant)s),
        (SELECT units FROM quarry.tenant_settings WHERE tenant = %(tenant)s), 'us') AS units
""")


def units_of(asked: Units | None, *, tenant: str) -> Units:
    """The units that a call asks for, else the tenant's, which a process reads once a minute."""
    if asked is not None:
        return asked
    known = _known()
    read_at, setting = known.get(tenant, (-math.inf, "us"))
    if time.monotonic() - read_at > SETTING_KEPT_S:
        setting = database.fetch(tenant, SETTING, {"tenant": tenant})[0]["units"]
        known[tenant] = (time.monotonic(), setting)
    return setting


@kept
def _known() -> dict[str, tuple[float, Units]]:
    """Each tenant's setting, and when it was read."""
    return {}


def in_us(filters: Mapping[str, object | None], *, units: Units) -> dict[str, object | None]:
    """The filters as the columns have them; each converted bound gives way by SLACK."""
    if units == "us":
        return dict(filters)
    return {name: _bound(name, value) for name, value in filters.items()}


def as_applied(filters: Mapping[str, object | None], *, units: Units) -> dict[str, float | str]:
    """The filters that are set, as they were given; metric ones say so."""
    given = {
        name: value if isinstance(value, float) else str(value)
        for name, value in filters.items()
        if value is not None
    }
    return {**given, "units": units} if units == "metric" and given else given


def metric(values: Mapping[str, object]) -> dict[str, float] | None:
    """The quantities among a row's columns, by their metric names, as its texts tell them, else converted; None where
    there is none.
    """
    found = {
        name: told.value if (told := _told(values, column)) else float(_converted(column, value))
        for column, (name, _) in _TO_METRIC.items()
        if isinstance(value := values.get(column), int | float)
    }
    return found or None


@dataclass(frozen=True, slots=True)
class _MakersFigure:
    """``below``: the maker tells a bound."""

    value: float
    below: bool


def _told(row: Mapping[str, object], column: str) -> _MakersFigure | None:
    """What the maker's own text says in metric of what the column holds: a sheet that says +3 °C has 37 °F in it."""
    name, convert = _TO_METRIC[column]
    value = row.get(column)
    if not isinstance(value, int | float):
        return None
    half = 0.5 * 10.0 ** -len(f"{value:g}".partition(".")[2])
    ours = convert(value)
    slack = max(_APART.get(name, SLACK) * abs(ours), abs(convert(value + half) - ours))
    text = f"{row.get('description') or ''}\n{row.get('motor') or ''}"
    found = [
        _MakersFigure(said, told["below"] is not None)
        for told in _TOLD.finditer(text)
        if _TOLD_AS.get(unit := _unit(told["unit"])) == name
        for said in _readings(told["figure"], hourly=60 if unit == "m3/min" else 1)
        if abs(said - ours) <= slack
    ]
    return min(found, key=lambda told: abs(told.value - ours), default=None)


def _unit(written: str) -> str:
    plain = written.lower().replace("³", "3").removeprefix("n")
    return "l" if plain.startswith("l") else plain


def _readings(figure: str, *, hourly: int) -> list[float]:
    """What a figure may mean, with a comma or a point for decimals or for thousands."""
    digits = figure.rstrip(".,")
    read = {digits.replace(",", "."), re.sub(r"[.,](?=\d{3}(?!\d))", "", digits).replace(",", ".")}
    return [float(each) * hourly for each in sorted(read) if each.count(".") <= 1]


def _converted(column: str, value: float) -> str:
    name, convert = _TO_METRIC[column]
    step = _ROUND.get(name)
    return figure(convert(value)) if step is None else f"{round(convert(value) / step) * step:g}"


def _bound(name: str, value: object | None) -> object | None:
    measure, _, end = name.rpartition("_")
    if not isinstance(value, float) or measure not in _TO_US:
        return value
    convert, slack = _TO_US[measure]
    ours = convert(value)
    give = slack or abs(ours) * SLACK
    return ours - give if end == "min" else ours + give


def spoken(measure: str, value: object, *, units: Units) -> str:
    """A filter's measure of a row in the units of the call, with its unit where that is not the column's."""
    if units == "us" or measure not in _TO_US or not isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    name, convert = _TO_METRIC[{"vacuum": "vacuum_inhg", "dewpoint": "dewpoint_f"}.get(measure, measure)]
    return f"{figure(convert(value))} {SPOKEN[name]}"


def beside(column: str, row: Mapping[str, object], *, by_minute: bool = False) -> str | None:
    """A row's value in metric with its unit, such as "8.62 bar", ``by_minute`` a flow in m³/min; None for what is the
    same in both systems, and for a vacuum of nothing, which no pump reaches.
    """
    value = row.get(column)
    if column not in _TO_METRIC or not isinstance(value, int | float):
        return None
    name, _ = _TO_METRIC[column]
    told = _told(row, column)
    if told is None and not (said := _converted(column, value)).strip("-0."):
        return None if name == "mbar_abs" else f"0 {SPOKEN[name]}"
    if by_minute and name == "m3_h":
        return f"{figure(told.value / 60 if told else value / CFM_PER_M3_MIN)} m³/min"
    if told is not None:
        said = f"{'< ' * told.below}{told.value:g}"
    plus = name == "dewpoint_c" and not said.startswith("-")
    return f"{'+' * plus}{said} {SPOKEN[name]}"
