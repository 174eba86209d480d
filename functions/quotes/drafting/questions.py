"""What is still open to ask the customer: what a thing of its kind cannot be quoted without and was not said."""

from collections.abc import Mapping, Sequence

from quarry.understanding.demand import NORMAL
from quarry.understanding.needs import Item, Need, Request
from quarry.understanding.text import fold
from quarry.understanding.words_fit import phases_unsaid

POWER_SUPPLY = ({"voltage"}, "Which power supply is there: volts, phases, hertz?")
AIR_FLOW = ({"hp", "cfm"}, "How much air is needed (cfm or m³/min), or which motor power?")
VOLTS = "Which voltage has the supply (its meter or panel says it), at how many hertz?"
ONE_OR_THREE = "Single-phase or three-phase, and at how many hertz?"
SITE = "Where does it stand: in a room or outdoors, how warm, with how much space, and may it be heard?"
SITED = frozenset(("ambient_f", "dba", "quiet", "height_in", "width_in", "length_in", "altitude_ft"))
HOURS = "How many hours a day does it run, and how evenly is air used?"
USED = "What uses the air: which tools or machines, how many at once, how many hours a day?"

OPEN: Mapping[str, Sequence[tuple[set[str], str]]] = {
    "compressor": (
        AIR_FLOW,
        ({"psi"}, "At which pressure?"),
        (
            {"lubrication", "certificate", "oil_class"},
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

NORMAL_AIR = "Is the flow in normal cubic metres (0 °C, 1.013 bar) or in free air at the inlet?"
WHAT_IS_IT = "What is {name}: which kind of machine or part, of which maker, and with which figures?"
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
    flow = item.need("cfm")
    asked = [NORMAL_AIR] if flow is not None and NORMAL.search(fold(flow.words)) else []
    asked += [
        question
        for family in sorted(item.families)
        for attributes, question in OPEN.get(family, ())
        if not attributes & said
    ]
    # Whoever names a size and the pressure has engineered it; anybody else is asked what a salesperson would.
    if item.families == {"compressor"} and not ("psi" in said and said & {"cfm", "hp"}):
        asked.insert(0, HOURS if "cfm" in said else USED)
        asked += [SITE] if not said & SITED else []
    return [*asked, *_of_supply(item.need("voltage") if "voltage" in said else None)]


def _of_supply(supply: Need | None) -> list[str]:
    """What is open of a supply that is said in part."""
    if supply is None:
        return []
    return [VOLTS] if supply.values <= PHASES else [ONE_OR_THREE] if phases_unsaid(supply.values) else []
