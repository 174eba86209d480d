"""Turns a line's hard constraints into search filters, and loosens them one at a time when nothing fits."""

from dataclasses import replace

from local.demo.choose import DRY
from local.demo.limits import Bounds
from local.demo.request import LineRequest

NEAR_POWER = 0.2


def filters(line: LineRequest) -> dict[str, object]:
    """The constraints `search_equipment` can enforce; the others are checked on the products it returns."""
    filters: dict[str, object] = {}
    for name in ("hp", "cfm", "psi"):
        bounds = line.limits.get(name, Bounds())
        filters |= {
            f"{name}_{end}": value for end, value in (("min", bounds.low), ("max", bounds.high)) if value is not None
        }
    named = {"lubrication": line.lubrication, "family": line.family}
    return filters | {name: value for name, value in named.items() if value}


def attempts_at(line: LineRequest) -> list[tuple[str | None, LineRequest]]:
    """The request itself, then one thing loosened at a time; never towards oil in the air."""
    tries: list[tuple[str | None, LineRequest]] = [(None, line)]
    if line.lubrication in DRY:
        other = "oil-free" if line.lubrication == "oilless" else "oilless"
        why = f"No {line.lubrication} machine meets the rest of the request, so {other} was searched."
        tries.append((why, replace(line, lubrication=other)))
    if "hp" in line.limits:
        near = near_power(line)
        why = f"No machine of {line.limits['hp']} HP fits, so {near.limits['hp']} HP was searched."
        tries.append((why, near))
    return tries


def near_power(line: LineRequest) -> LineRequest:
    power = line.limits.get("hp")
    if power is None:
        return line
    low = power.low and power.low * (1 - NEAR_POWER)
    high = power.high and power.high * (1 + NEAR_POWER)
    return replace(line, limits={**line.limits, "hp": Bounds(low, high)})


def language_filters(line: LineRequest) -> dict[str, object]:
    """What earlier line items must share with this one; the power may be near, since words carry over."""
    near = filters(near_power(line))
    shared = {name: near[name] for name in ("hp_min", "hp_max", "lubrication") if name in near}
    return shared | ({"category": line.family} if line.family else {})
