"""What a row answers to one need that is a quantity, by the table of tolerances that salespeople judge by."""

import re
from collections.abc import Callable, Mapping
from datetime import date

from quarry.understanding.needs import VERDICTS, Need, Verdict
from quarry.understanding.purity import DEW_POINTS_F, PARTS, held
from quarry.understanding.space import DOOR, FLOOR
from quarry.understanding.text import fold
from quarry.understanding.traits import PLEX
from quarry.understanding.units import ATMOSPHERE_INHG, INHG_PER_MBAR

COLUMNS = {"inhg": "vacuum_inhg", "dba": "noise_dba", "lb": "weight_lb", "date": "quote_date"}
PRICES = ("unit_price", "total_price")
"""The price of a line, or of a quote."""
UNITS = {
    "hp": "hp", "cfm": "cfm", "psi": "psi", "inhg": "inHg", "dewpoint_f": "°F", "gallons": "gal", "dba": "dBA",
    "lb": "lb", "height_in": "in", "width_in": "in", "length_in": "in", "altitude_ft": "ft", "discount": "%",
    "tons": "tons", "inlet_f": "°F", "ambient_f": "°F", "controls": "machines", "net_cfm": "cfm",
    "purge": "%",
}  # fmt: skip
OWN = "_attributes"
"""The column of a row that holds its tenant's own attributes."""
MOTORS = re.compile(r"\d\s?[x×*@]\s?\d|each|je |\b(?:with|w|mit|con|avec)\b", re.IGNORECASE)
PASSIVE = frozenset(("filtration", "accessory"))
FAR_APART = 4.0
"""Times what is asked for that a tank may have, or a filter that is like it: the next size does no harm and is up to
3.3 times."""
UNHARMED = PASSIVE | {"dryer", "receiver"}
"""What works as well however much larger it is than asked for: its rating is what it takes at most; it costs more."""
REGENERATED = frozenset(("desiccant", "membrane"))
"""Kinds of dryers that spend air."""
IN_PARTS = re.compile(
    r"\b(?:modules?|modular|sections?) (?:\w+ ){0,3}(?:separate|apart|go through|goes through|knock)|knock-?down"
)
"""How a text tells that a plant is carried in part by part."""
TWICE = 2.2
"""About twice: the next size but one of a series."""
REFRIGERATED_LIMIT_F = 32.0
BOUND = re.compile(r"[a-z<≤]")
"""How the words of a limit begin that is said, "at most +3 °C"; a plain "+3 °C" is the name of a usual dryer."""
ROUNDED_INHG = 0.05
"""To which a sheet's tenths of inches are rounded: 153 mbar is 25.4 inHg and does not reach 150, which is 25.5."""
NEARLY_INHG = 0.2
TO_THE_LETTER = 0.995
"""Share from which a least that is said is reached: 1,000 l are 264 gallons, 5.8 m³/min are 205 cfm."""
ROUNDED_F = 1.0
"""By which makers round: +3 °C is 37.4 °F, and 37 or 38 °F on a plate."""
Traits = Mapping[str, frozenset[str]]
Answer = tuple[Verdict, str]
UNKNOWN: Answer = ("unknown", "")


def _number(row: Mapping[str, object], attribute: str) -> float | None:
    value = row.get(COLUMNS.get(attribute, attribute))
    if value is None and attribute == "price":
        value = row.get("unit_price")
    if value is None or isinstance(value, bool) or value == "":
        return None
    try:
        return float(str(value))
    except ValueError:
        return None


def _has(attribute: str, value: float) -> str:
    return f"{value:g} {UNITS.get(attribute, '')}".strip()


def _power(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    value = _number(row, "hp")
    if value is None:
        return UNKNOWN
    has = _has("hp", value)
    sizes = [value]
    if need.machines and PLEX.get(need.machines) in traits.get("arrangement", frozenset()):
        sizes.append(value / need.machines)
    first, *shares = [_power_of(need, size) for size in sizes]
    # Who writes "2 x 50 hp" may mean one machine of two motors; "two 50 hp" are two machines.
    if shares and "met" in shares and not MOTORS.search(need.words):
        shares = ["close"]
    return min((first, *shares), key=VERDICTS.index), has


def _power_of(need: Need, value: float) -> Verdict:
    low, high = need.low, need.high
    if need.operator == "at_least" and low is not None:
        return (
            "met"
            if 0.97 * low <= value <= 1.5 * low
            else "close"
            if value > 1.5 * low or value >= 0.9 * low
            else "contradicted"
        )
    if need.operator == "at_most" and high is not None:
        return "met" if 0.5 * high <= value <= 1.03 * high else "close" if value < 1.1 * high else "contradicted"
    if low is None or high is None:
        return "unknown"
    if 0.9 * low <= value <= 1.1 * high:
        return "met"
    return "close" if 0.75 * low <= value <= 1.34 * high else "contradicted"


def _capacity(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    value = _number(row, "cfm")
    if value is None:
        return UNKNOWN
    has, low = _has("cfm", value), need.low
    if need.spare and (left := left_running(value, traits)) is not None:
        has = f"{value:g}, {left[0]:g} with one of {left[1]} out"
        value = left[0]
    # Of a plant with more pumps than were asked for each has to do what one was asked to.
    pumps = next((count for count, name in PLEX.items() if name in traits.get("arrangement", frozenset())), 0)
    if need.machines and pumps >= need.machines > 1:
        low = low * pumps if low is not None else None
        has = f"{value:g} ({value / pumps:.3g} each)"
    if need.operator == "at_most" and need.high is not None:
        return ("met" if TO_THE_LETTER * value <= need.high else "contradicted"), has
    if low is None or low <= 0:
        return UNKNOWN
    share = value / low
    most = 1.03 * need.high / low if need.operator == "between" and need.high is not None else 1.6
    if share < 0.95:
        return "contradicted", has
    least = TO_THE_LETTER if _is_a_bound(need) else 0.97
    if least <= share <= most or (share > most and need.operator == "at_least"):
        return "met", has
    if share < least:
        return "close", has
    return ("close" if share <= TWICE or row.get("family") in UNHARMED else "contradicted"), has


def left_running(flow: float, traits: Traits) -> tuple[float, int] | None:
    """What the others of a plant's machines give with one out, and how many machines it has; None of one machine."""
    pumps = max((int(count) for count in traits.get("pumps", frozenset())), default=1)
    return (round(flow * (pumps - 1) / pumps, 1), pumps) if pumps > 1 else None


def net_flow(need: Need, inlet: Need | None, row: Mapping[str, object], traits: Traits) -> Answer:
    """What leaves a dryer: what enters, or else all that it is rated for, less the share of its rating that it takes
    to regenerate. What is rated for less than enters is judged by the flow alone.
    """
    rated = _number(row, "cfm")
    if rated is None or need.low is None or row.get("family") != "dryer":
        return UNKNOWN
    if rated < 0.95 * need.low:
        return "contradicted", f"{rated:g} at most"
    told = traits.get("purge", frozenset())
    if not told and not traits.get("dryer_kind", frozenset()) & REGENERATED:
        return "met", f"{rated:g}, no purge"
    if not told:
        return "close", f"{rated:g} less a purge that is not told"
    share = max(map(float, told))
    # The flow of the compressor may be told behind the dryer too: then it is no inlet.
    said = inlet is not None and not inlet.implied_by and (inlet.low or 0.0) > 1.02 * need.low
    enters = inlet.low if said and inlet is not None and inlet.low is not None else rated
    leaves = min(enters, rated) - rated * share / 100
    has = f"{leaves:.0f} ({min(enters, rated):g} in, {share:g} % of {rated:g} purge)"
    return ("met" if leaves >= 0.97 * need.low else "contradicted"), has


def _purge(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    """The share of its rating that a dryer takes to regenerate; what cools the air takes none."""
    told = traits.get("purge", frozenset())
    if not told:
        spends = traits.get("dryer_kind", frozenset()) & REGENERATED
        return UNKNOWN if spends or row.get("family") != "dryer" else ("met", "none")
    share, most = max(map(float, told)), need.high if need.high is not None else need.low
    return ("met" if most is None or share <= most else "contradicted"), f"{share:g} %"


def _pressure(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    value = _number(row, "psi")
    if value is None:
        return UNKNOWN
    has = _has("psi", value)
    if need.operator == "at_most":
        # "up to 7 bar" tells the highest pressure needed: what is rated lower stays under it, and may not reach it.
        return ("met" if value >= 0.97 * (need.high or 0) else "close"), has
    wanted = (need.high if need.operator == "between" else need.low) or 0
    least = TO_THE_LETTER if _is_a_bound(need) else 0.97
    return ("met" if value >= least * wanted else "close" if value >= 0.97 * wanted else "contradicted"), has


def _vacuum(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    value = _number(row, "inhg")
    if value is None:
        return UNKNOWN
    wanted = (need.low if need.low is not None else need.high) or 0.0
    has = _has("inhg", value)
    if "mbar" in fold(need.words):
        has += f" ({(ATMOSPHERE_INHG - value) / INHG_PER_MBAR:.0f} mbar abs)"
    slack = max(ROUNDED_INHG, min(NEARLY_INHG, (ATMOSPHERE_INHG - wanted) / 2))
    near: Verdict = "close" if value >= wanted - slack else "contradicted"
    return ("met" if value >= wanted - ROUNDED_INHG else near), has


def _is_a_bound(need: Need) -> bool:
    """Whether a least is said, and no size that makers round: "at least 150 psi", no "150 psi"."""
    return need.operator == "at_least" and not need.implied_by


def _dew_point(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    value = _number(row, "dewpoint_f")
    kinds = traits.get("dryer_kind", frozenset())
    wanted = need.high if need.high is not None else need.low
    if wanted is None:
        return UNKNOWN
    if value is None:
        if "refrigerated" in kinds and "desiccant" not in kinds and wanted < REFRIGERATED_LIMIT_F:
            return "contradicted", "refrigerated"
        return UNKNOWN
    has = _has("dewpoint_f", value)
    if value > wanted + 2:
        offered = re.search(rf"(?:minus |-){-wanted:g}(?!\d)", str(row.get("description") or "").lower())
        return ("close", f"{has}, {wanted:g} in its text") if wanted < 0 and offered else ("contradicted", has)
    over = BOUND.match(fold(need.words)) is not None and value >= wanted + ROUNDED_F
    if wanted >= REFRIGERATED_LIMIT_F and value < 0:
        return "close", f"{has} (drier)"  # does what is asked, and spends air for what nobody needs
    return ("close" if over else "met"), has


def _tank(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    sizes = sorted(float(size) for size in traits.get("gallons", frozenset()))
    wanted = need.low if need.low is not None else need.high
    if not sizes or not wanted:
        return UNKNOWN
    value = min(sizes, key=lambda size: abs(size - wanted))
    has, share = _has("gallons", value), value / wanted
    if need.operator == "at_most":
        return ("met" if share <= 1.03 else "contradicted"), has
    most = TWICE if need.operator == "at_least" else max(1.15, (need.high or 0) / wanted * 1.05)
    if 0.95 <= share <= most:
        return "met", has
    return ("close" if 0.95 <= share <= FAR_APART else "contradicted"), has


def _limit(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    value = _number(row, need.attribute)
    if value is None:
        return UNKNOWN
    if need.values == DOOR and need.attribute == "width_in":
        # It may come through lengthwise.
        value = min(value, _number(row, "length_in") or value)
    elif need.values == FLOOR:
        sides = [side for name in ("length_in", "width_in") if (side := _number(row, name)) is not None]
        value = max(sides) if need.attribute == "length_in" else min(sides)
    has = _has(need.attribute, value)
    low, high = need.low, need.high
    if need.operator == "exactly" and need.attribute in ("dba", "lb"):
        low = None
    slack = 1.1 if need.operator in ("about", "exactly") else 1.0
    inside = (low is None or value >= low / slack) and (high is None or value <= high * slack)
    if inside:
        return "met", has
    near = (low is None or value >= 0.85 * low) and (high is None or value <= high * 1.15)
    if need.attribute.endswith("_in") and low is None and IN_PARTS.search(fold(str(row.get("description") or ""))):
        return "close", f"{has} whole, comes in modules"
    return ("close" if near and not need.hard else "contradicted"), has


def _price(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    """An amount in another currency than the one asked for is not compared."""
    value = next((value for column in PRICES if (value := _number(row, column)) is not None), None)
    if value is None:
        return UNKNOWN
    currency = str(row.get("currency") or "")
    has = f"{value:,.0f} {currency}".rstrip()
    if currency and need.values and currency not in need.values:
        return "unknown", has
    inside, near = (_within(need, value, slack) for slack in (1.1 if need.operator == "about" else 1.0, 1.15))
    return ("met" if inside else "close" if near and not need.hard else "contradicted"), has


def _within(need: Need, value: float, slack: float) -> bool:
    return (need.low is None or value >= need.low / slack) and (need.high is None or value <= need.high * slack)


def _noise(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    value = _number(row, "dba")
    if value is None and not need.hard and "quiet" in traits.get("quiet", frozenset()):
        return "met", "quiet"
    if value is None or need.high is None:
        return UNKNOWN
    near = not need.hard and value <= need.high + 5
    return ("met" if value <= need.high else "close" if near else "contradicted"), _has("dba", value)


def _when(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    value = row.get("quote_date")
    day = value.isoformat() if isinstance(value, date) else value if isinstance(value, str) else ""
    digits = day[:10].replace("-", "")
    if not digits.isdecimal():
        return UNKNOWN
    inside = (need.low is None or float(digits) >= need.low) and (need.high is None or float(digits) <= need.high)
    return ("met" if inside else "contradicted"), day[:10]


DISCOUNT = re.compile(
    r"(?:\blist|\bliste|\blista|\btarif|\btier|\bgpo|\bschedule)\b[^.;\d]{0,12}(?:less|minus|menos|moins)\D{1,5}(\d{1,2}(?:[.,]\d)?)"
    r"|(?<![\d.,])(\d{1,2}(?:[.,]\d)?)\s?(?:%|percent|prozent|points?\b|puntos|punkte|off\b)"
)


def _discount(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    """What came off list, as the quote's rationale tells it first."""
    told = DISCOUNT.search(fold(str(row.get("price_rationale") or "")))
    if told is None:
        return UNKNOWN
    value = float((told[1] or told[2]).replace(",", "."))
    slack = DISCOUNT_ALIKE if need.operator in ("about", "exactly") else 0.0
    fits = (need.low is None or value >= need.low - slack) and (need.high is None or value <= need.high + slack)
    just = need.operator in ("at_least", "at_most") and value in (need.low, need.high)
    return ("close" if just and BEYOND.match(fold(need.words)) else "met" if fits else "contradicted"), f"{value:g} %"


BEYOND = re.compile(r"more|over|above|less|under|below|mehr|uber|weniger|unter|mas|menos|plus|moins")
DISCOUNT_ALIKE = 1.0
"""Points by which a discount may be off that is asked for without a bound."""


def own_figure(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    """One of the tenant's own attributes, by what its sizes are apart: DN 80 is no DN 100, and 39 m are nearly 40."""
    value = own_value(row, need.attribute)
    if not isinstance(value, int | float):
        return UNKNOWN
    has = f"{value:g} {need.unit}".rstrip()
    low, high = need.low, need.high
    slack = 0.1 if need.operator == "about" else 0.02
    for share, verdict in ((slack, "met"), (0.05, "close")):
        if (low is None or value >= low - share * abs(low)) and (high is None or value <= high + share * abs(high)):
            return verdict, has  # type: ignore[return-value]  # both are verdicts
    return "contradicted", has


def own_value(row: Mapping[str, object], attribute: str) -> object:
    """What a row has of one of the tenant's own attributes, None for nothing."""
    held = row.get(OWN)
    return held.get(attribute) if isinstance(held, Mapping) else None


FINER = 4.0
"""Times finer than asked a filter may be without costing pressure that nobody wants to pay for."""


def _fineness(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    """Microns held back or ppm left: what is finer than asked does as well."""
    values = sorted(float(value) for value in traits.get(need.attribute, frozenset()))
    asked = need.high if need.high is not None else need.low
    if not values or not asked or row.get("family") not in (None, "filtration", "accessory", "dryer"):
        return UNKNOWN
    has = f"{values[0]:g}"
    if values[0] > 1.05 * asked:
        return "contradicted", has
    return ("close" if need.attribute == "micron" and values[0] * FINER < asked else "met"), has


def _inlet(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    """Hot air is for a dryer whose text speaks of it."""
    return ("met", "for hot air") if "high-inlet" in traits.get("feature", frozenset()) else UNKNOWN


def _refrigeration(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    """Tons of refrigeration, by what its text says; the next size does as well."""
    values = sorted(float(value) for value in traits.get("tons", frozenset()))
    asked = need.low if need.low is not None else need.high
    if not values or not asked:
        return UNKNOWN
    share = values[0] / asked
    has = f"{values[0]:g}"
    if need.operator == "at_most":
        return ("met" if share <= 1.03 else "contradicted"), has
    return ("met" if 0.95 <= share <= 1.3 else "close" if 0.95 <= share <= FAR_APART else "contradicted"), has


def _controlled(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    """How many machines a sequencer runs; one for more does as well."""
    value = max((float(each) for each in traits.get("controls", frozenset())), default=None)
    if value is None or not need.low:
        return UNKNOWN
    enough: Verdict = "met" if value <= FAR_APART * need.low else "close"
    return (enough if value >= need.low else "contradicted"), f"{value:g} machines"


def _class(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    """A class of ISO 8573-1 by the column of air quality, of water by the dew point too."""
    classes = held(fold(str(row.get("air_quality") or "")))
    asked, value = need.high, classes.get(need.attribute)
    if asked is None:
        return UNKNOWN
    if value is not None:
        return ("met" if value <= asked else "contradicted"), f"{value}"
    dew_point = _number(row, "dewpoint_f")
    if need.attribute != "water_class" or dew_point is None or int(asked) not in DEW_POINTS_F:
        return UNKNOWN
    # Makers round +3 °C to 38 °F.
    return ("met" if dew_point <= DEW_POINTS_F[int(asked)] + 2 else "contradicted"), _has("dewpoint_f", dew_point)


def _never(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    """What no row says."""
    return UNKNOWN


Rule = Callable[[Need, Mapping[str, object], Traits], Answer]
RULES: Mapping[str, Rule] = {
    "hp": _power,
    "cfm": _capacity,
    "net_cfm": _never,
    "psi": _pressure,
    "purge": _purge,
    "inhg": _vacuum,
    "dewpoint_f": _dew_point,
    "gallons": _tank,
    "dba": _noise,
    "date": _when,
    **dict.fromkeys(("altitude_ft", "standard_air"), _never),
    "micron": _fineness,
    "ppm": _fineness,
    "tons": _refrigeration,
    "controls": _controlled,
    "inlet_f": _inlet,
    **dict.fromkeys(PARTS, _class),
    "price": _price,
    "discount": _discount,
    **dict.fromkeys(("lb", "height_in", "width_in", "length_in"), _limit),
}
