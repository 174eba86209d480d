"""What is still open to ask the customer: what a thing of its kind cannot be quoted without and was not said."""

from collections.abc import Mapping, Sequence

from quarry.understanding.needs import Item, Request

POWER_SUPPLY = ({"voltage"}, "Which power supply is there: volts, phases, hertz?")
AIR_FLOW = ({"hp", "cfm"}, "How much air is needed (cfm or m³/min), or which motor power?")
VOLTS = "Which voltage has the supply (its meter or panel says it), at how many hertz?"
USED = "What uses the air: which tools or machines, how many at once, how many hours a day?"

OPEN: Mapping[str, Sequence[tuple[set[str], str]]] = {
    "compressor": (
        AIR_FLOW,
        ({"psi"}, "At which pressure?"),
        (
            {"lubrication", "use", "industry", "certificate"},
            "Must the air be free of oil, and of which purity class?",
        ),
        POWER_SUPPLY,
    ),
    "vacuum_pump": (
        ({"hp", "cfm"}, "Which capacity is needed, and at which vacuum?"),
        ({"inhg"}, "Which vacuum has to be held?"),
        ({"use", "industry", "compression", "lubrication"}, "What is pumped: vapour, dust, solvent, oxygen?"),
        POWER_SUPPLY,
    ),
    "blower": (
        ({"hp", "cfm"}, "Which volume of air is needed?"),
        ({"psi", "inhg"}, "Against which pressure or vacuum?"),
        POWER_SUPPLY,
    ),
    "dryer": (
        ({"cfm", "hp"}, "Which flow passes the dryer, or behind which compressor does it stand?"),
        ({"dewpoint_f", "dryer_kind", "water_class"}, "Which pressure dew point is needed?"),
        ({"psi"}, "At which pressure?"),
        ({"ambient_f"}, "How warm does the room get?"),
        POWER_SUPPLY,
    ),
    "receiver": (
        ({"gallons"}, "Which volume (gallons or litres)?"),
        ({"psi", "inhg"}, "For which pressure?"),
        ({"feature", "certificate", "use"}, "Carbon or stainless steel, upright or lying?"),
    ),
    "filtration": (
        ({"cfm", "hp"}, "Which flow passes the filter?"),
        (
            {"filter_kind", "micron", "ppm", "certificate", "oil_class", "particle_class"},
            "Which filtration: particles, oil, vapour, and how fine?",
        ),
    ),
}
"""By family: the attributes of which one has to be said, and what to ask where none is."""

PHASES = frozenset(("1 ph", "3 ph"))
"""What a customer knows of his supply who does not know its voltage."""

NEITHER = "What is it for, and which sizes (power, flow, pressure or vacuum)?"


def to_ask(request: Request | None, *, supply_assumed: bool = False) -> list[str]:
    """Questions to the customer in English; a named model leaves only its supply open, and nothing of a service.
    With ``supply_assumed`` the power supply was not said, whatever stands in the request.
    """
    items = request.items if request else ()
    asked = [question for item in items for question in _of(item, {"voltage"} if supply_assumed else set())]
    if not any(item.needs for item in items):
        asked.append(NEITHER)
    return list(dict.fromkeys(asked))


def _of(item: Item, assumed: set[str]) -> list[str]:
    stated = (
        need
        for need in item.needs
        if need.operator != "none_of" and not (need.implied_by and need.attribute == "cfm")
    )
    said = {need.attribute for need in stated} - assumed
    named = item.need("model")
    if named is not None and not named.absent:
        return [POWER_SUPPLY[1]] if {"voltage"} - said and item.families & {"compressor", "vacuum_pump"} else []
    asked = [
        question
        for family in sorted(item.families)
        for attributes, question in OPEN.get(family, ())
        if not attributes & said
    ]
    if item.families == {"compressor"} and not said & {"cfm", "psi"}:
        asked.insert(0, USED)
    supply = item.need("voltage") if "voltage" in said else None
    return [*asked, VOLTS] if supply is not None and supply.values <= PHASES else asked
