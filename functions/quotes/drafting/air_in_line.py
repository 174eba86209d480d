"""What stands behind a machine, held against it: what is too small or rated lower, what a dryer's purge leaves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quarry.products import PRODUCTS
from quarry.retrieval import names_here
from quarry.retrieval.hits import Hit
from quarry.retrieval.nearness import missed
from quarry.retrieval.part_numbers import model_key, part_numbers
from quarry.understanding.figures_fit import FAR_APART, REGENERATED
from quarry.understanding.traits import row_traits
from quarry.units import Units, beside
from quotes.drafting.offers import Chosen

IN_LINE = frozenset(("dryer", "filtration"))
"""Goods through which all the air of a machine goes."""
ENOUGH = 0.97
"""Share of a machine's air from which a rating takes all of it: makers round."""


@dataclass(frozen=True, slots=True)
class OfferedMachine:
    """The first offer of an item: the product's row, how many of it are one that is asked for, and how many of these
    run.
    """

    item: int
    row: Mapping[str, Any]
    count: int
    demand: float | None = None
    """The cfm that are asked for of all of them."""
    running: int = 1
    sized: bool = True
    """False where nothing tells its size: then what stands behind it learns nothing from it."""

    @property
    def cfm(self) -> float | None:
        """What all of them deliver, where it is known of which size they are."""
        cfm = self.row.get("cfm")
        return cfm * self.count * self.running if self.sized and isinstance(cfm, int | float) else None

    @property
    def name(self) -> str:
        count = self.count * self.running
        return f"{f'{count} × ' if count > 1 else ''}{self.row['model']} of item {self.item}"


@dataclass(frozen=True, slots=True)
class InFront:
    """The machine in front, in words, and its figures."""

    name: str
    cfm: float
    psi: float | None = None
    demand: float | None = None


def in_front(query: str, machines: Sequence[OfferedMachine], *, tenant: str) -> InFront | None:
    """The compressor that an item names, else the one of the items before; None where nobody knows which."""
    compressors = [each for each in machines if each.row["family"] == "compressor" and each.cfm]
    known, keys = names_here.names_of(PRODUCTS, tenant=tenant), part_numbers(query)
    named = {key: known.models[key] for key in keys if known.family(key) == "compressor"}
    if named:
        compressors = [each for each in compressors if model_key(each.row["model"]) in named]
        [(key, one), *others] = named.items()
        if others or not one.flow:
            return None
        if not compressors:
            return InFront(known.names.models[key][0].model, one.flow)
    only = compressors[0] if len(compressors) == 1 else None
    if only is None or only.cfm is None:
        return None
    return InFront(only.name, only.cfm, only.row.get("psi"), only.demand)


def told(
    offered: Sequence[Chosen], hits: Sequence[Hit], machine: InFront | None, *, units: Units, quantity: int = 1
) -> str | None:
    """Sentences on what is offered, and on the dryer that takes least purge of those that miss no more; ``quantity``
    of them share the air.
    """
    those = [one for one in offered if one.hit.row["family"] in IN_LINE and one.hit.row.get("cfm")]
    if machine is None or not those:
        return None
    flows = {one.name: one.hit.row["cfm"] * one.machines * quantity for one in those}
    small = [one for one in those if flows[one.name] < ENOUGH * machine.cfm]
    said = []
    if small:
        several = f"{quantity} × " if quantity > 1 else ""
        each = ", ".join(f"{several}{one.name[1]} {_flow(flows[one.name], units)}" for one in small)
        said.append(f"Too small for all the air of {machine.name}, {_flow(machine.cfm, units)}: {each}.")
    # What each of several spends, nobody has to know who buys one for each machine.
    enough = [one.hit for one in those if one not in small and one.machines == quantity == 1]
    said += filter(None, [_of_purge(enough, hits, machine, units=units), _of_pressure(those[0], machine, units)])
    return " ".join(said) or None


def _of_purge(dryers: Sequence[Hit], hits: Sequence[Hit], machine: InFront, *, units: Units) -> str | None:
    """What leaves each dryer that spends air to regenerate."""
    spending = [hit for hit in dryers if _spends_air(hit.row) and not _is_net(hit)]
    if not spending:
        return None
    needs = [each.need for each in missed(spending[0])]
    alike = (hit for hit in hits if _spends_air(hit.row) and [each.need for each in missed(hit)] == needs)
    # One that is not offered is named where it leaves air and is no far larger one.
    least = max(
        (hit for hit in alike if (_left(hit.row, machine) or 0) > 0 and hit.row["cfm"] <= FAR_APART * machine.cfm),
        key=lambda hit: _left(hit.row, machine) or 0,
        default=None,
    )
    rows = {hit.row["model"]: hit.row for hit in [*spending, *([least] if least else [])]}
    told = [_leaves(row, machine, units) for row in rows.values() if _purge(row) is not None]
    silent = [model for model, row in rows.items() if _purge(row) is None]
    left = (
        f"Of the {_flow(machine.cfm, units)} of {machine.name} leave after purge: {', '.join(told)}" if told else ""
    )
    most = max((_left(row, machine) or 0 for row in rows.values()), default=0)
    demand = machine.demand or 0.0
    under = f"less than the {_flow(demand, units)} asked" if told and most < demand else ""
    unknown = f"the purge of {', '.join(silent)} is not told: ask the maker" if silent else ""
    said = "; ".join(filter(None, (left, under, unknown)))
    return f"{said[0].upper()}{said[1:]}."


def _of_pressure(one: Chosen, machine: InFront, units: Units) -> str | None:
    """That the machine gives more pressure than the offer is rated for, where the item says no pressure."""
    psi = one.hit.row.get("psi")
    findings = one.hit.answer.judgement.findings if one.hit.answer else ()
    if any(each.need.attribute == "psi" for each in findings) or not psi or not machine.psi or psi >= machine.psi:
        return None
    rated, gives = _written("psi", psi, "psi", units), _written("psi", machine.psi, "psi", units)
    return f"{one.name[1]} is rated at {rated}, {machine.name} at {gives}: ask the maker for the highest allowed."


def _is_net(hit: Hit) -> bool:
    """Whether its fit tells already what leaves it."""
    return hit.answer is not None and any(each.need.attribute == "net_cfm" for each in hit.answer.judgement.findings)


def _spends_air(row: Mapping[str, Any]) -> bool:
    return row["family"] == "dryer" and bool(row_traits(row).get("dryer_kind", frozenset()) & REGENERATED)


def _purge(row: Mapping[str, Any]) -> float | None:
    """Percent of the rating."""
    told = row_traits(row).get("purge", frozenset())
    return max(map(float, told)) if told else None


def _left(row: Mapping[str, Any], machine: InFront) -> float | None:
    share, rated = _purge(row), row.get("cfm")
    if share is None or not isinstance(rated, int | float) or rated < ENOUGH * machine.cfm:
        return None
    return machine.cfm - rated * share / 100


def _leaves(row: Mapping[str, Any], machine: InFront, units: Units) -> str:
    left = _left(row, machine)
    return f"{row['model']} {_flow(left or 0.0, units)} ({_purge(row):g} % of its {row['cfm']:g})"


def _flow(cfm: float, units: Units) -> str:
    return _written("cfm", round(cfm, 1), "cfm", units)


def _written(column: str, value: float, unit: str, units: Units) -> str:
    other = beside(column, {column: value}) if units == "metric" else None
    return f"{value:g} {unit} ({other})" if other else f"{value:g} {unit}"
