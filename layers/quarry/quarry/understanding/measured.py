"""Needs of quantities: what a bare bar, a minus sign or a degree means for the item at hand."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from quarry.understanding.heads import POWERED
from quarry.understanding.lengths import dimension, is_deep
from quarry.understanding.marks import Mark, Role
from quarry.understanding.needs import Need, Operator
from quarry.understanding.space import A_DOOR, DOOR
from quarry.understanding.text import fold
from quarry.understanding.units import (
    ATMOSPHERE_INHG,
    GALLONS_PER_FT3,
    INHG_PER_MBAR,
    INHG_PER_PSI,
    LB_PER_KG,
    LONGEST_IN,
    PSI_PER_BAR,
    fahrenheit,
    shown,
)

AT = re.compile(r"\bat\s?$")
"""Before pounds that are of pressure: 350 cfm at 125 lb."""
WEIGHING = re.compile(
    r"weigh|heav|light|lift|crane|forklift|floor load|wieg|gewicht|schwer|leicht|\bpes[aoe]|liger|poids|lourd|leger"
)
"""Words of a text whose pounds and kilograms are of weight."""
POUNDS: Mapping[str, tuple[float, float]] = {
    "compressor": (50, 600), "receiver": (50, 600), "dryer": (50, 300), "filtration": (50, 300), "blower": (2, 20),
}  # fmt: skip
"""Between which pounds are of pressure, by family: no machine weighs so little, and few are asked for by weight."""
MEANT_BY_POUNDS = frozenset(("dryer",))
"""As whose the pounds of an item are read that names no machine: "40 horse, 125 pounds"."""
PSI_PER_KILO = 14.223
PER_MINUTE = frozenset(("compressor", "dryer", "filtration"))
"""What a volume without its time is the flow of in a minute; "18 Kubik" is of a dryer and no tank."""
PER_HOUR = frozenset(("vacuum_pump", "blower"))
CHANGING = re.compile(
    r"\b(?:jump|swing|drop|fall|dip|sag|bounc|fluctuat|var[iy]|los[ei]|lost|schwank|fallt|sinkt|oscil|cae|baja|chute"
    r"|saut)\w*\W+"
    r"(?:(?:by|as much as|um|de|about|around|some|up to|maybe|like|etwa|ca|bis zu|unos|hasta|jusqu.a|d.environ)\W+)*$"
)
CHANGED = re.compile(
    r"\s*(?:of |de |d.)?(?:pressure )?(?:drop|loss|swing|differential|delta|druckverlust|perte|caida|chute)"
)
"""Around a pressure by which another changes or that is lost on the way: no machine is rated for it."""
LOW_PRESSURE_PSI = 0.5 * PSI_PER_BAR
"""Of a vacuum pump less than half a bar is the pressure that is left, more is the depth."""
HOT_INLET_F = 130.0
"""From which air is too hot for any but dryers that are made for it; rooms and dew points are cooler."""
INLET = r"(?:inlet|entering|incoming|\w*eintritt\w*|entrada|entree)"
INLET_BEFORE = re.compile(
    rf"\b{INLET}(?: (?:air|luft|del? aire|de l.air|d.air))?(?: temp\w*)?"
    r"(?:\s*(?:of|at|up to|max\w*|de|bis|von|:|=))*\s*$"
)
INLET_BEHIND = re.compile(rf"\s*(?:air )?{INLET}\b")
NEAR_INLET = 40
NOISE_AT = re.compile(
    r"\bd[bz]\s?\(?a?\)?\W+(?:measured |gemessen |medid[oa]s? |mesures? )?(?:at|in|bei|a|at a|@)\W*(?:a |one )?$"
)
"""Before the distance at which a noise is measured: 80 dBA at 1 m."""
NEAR_A_DOOR = 30
PEAK = r"(?:peaks?|peaking|spitzen?\w*|picos?|puntas?|pointes?|crete)"
PEAK_BEFORE = re.compile(rf"\b{PEAK}(?:\s(?:demand|load|flow|of|at|de|von|is|est|es|jusqu'a|hasta|bis)|\s?[:=])*\s*$")
PEAK_BEHIND = re.compile(rf"\s*(?:(?:at|in|en|zu|a)\s)?(?:(?:the|der|la|las|los|horas)\s)?{PEAK}\b")
AT_PEAK = frozenset(("psi", "cfm"))
NEAR_A_PEAK = 30
NET_BEFORE = re.compile(
    r"\b(?:net|netto|outlet|output|usable|nutzbar\w*|\w*austritt\w*|salida|util|sortie|utile)"
    r"(?: (?:flow|air|capacity|luft\w*|caudal|debit))?(?:\s*(?:of|:|=|de|von))?\s*$"
)
NET_BEHIND = re.compile(
    r"(?:\s*(?:at|@|bei|a)\s*[\d.,]+\s*(?:psig?|bar))?,?\s*(?:(?:at|from|on) the )?"
    r"(?:net\b|netto\b|outlet|output|usable|delivered|downstream|(?:after|behind|past|out of|less|without)"
    r" (?:the |its )?(?:dryer|drier|purge)|nach (?:dem )?trockner|am austritt|a la salida|netos?\b|en sortie|nets?\b"
    r"|apres (?:le )?secheur|despues del secador)"
)
NEAR = 4
"""Tokens between a temperature and the word that says what it is a temperature of."""
AT_MOST = frozenset(("lb", "dewpoint_f", "dba", "ppm", "purge", "height_in", "width_in", "length_in"))
PLAIN = frozenset(("exactly", "about"))
"""A second plain size of one item is no need of its own: no row could meet both."""
SIZED_BY_FLOW = frozenset(("dryer", "filtration", "accessory"))
PRESSED = SIZED_BY_FLOW | {"receiver"}
"""What bursts or leaks at a pressure that its compressor reaches: a dryer behind one that "runs up to 190 psi"."""
DEMAND = re.compile(
    r"\b(for|serving|handles?|of air|air of|usage|uses?|using|demand|consumption|load|plant|fur|verbrauch\w*"
    r"|bedarf\w*|luftmenge|para|consumo|demanda|pour|consommation|besoins?)\W+(\w+\W+){0,4}$"
)
"""What stands before the flow of a plant; else the range is of the machines that are asked for."""
REACHING = re.compile(r"\s*(up to|bis|hasta|jusqu)")
"""A dryer "for up to 200 cfm" has to do with 200: the bound is of the air, not of the dryer."""
OPPOSITE: dict[Operator, Operator] = {"at_least": "at_most", "at_most": "at_least"}


def measured(
    text: str,
    roles: Sequence[Role],
    group: Sequence[Mark],
    *,
    families: frozenset[str],
    negated: bool,
) -> list[Need]:
    """The needs of marks of one kind; two that say the same in two units are one: 100 hp (75 kW)."""
    needs: list[Need] = []
    said: set[str] = set()
    changes = {mark: _change(roles, mark) for mark in group}
    for mark in sorted(group, key=lambda mark: changes[mark] != 0):
        resolved = _resolved(text, roles, mark, families)
        if resolved is None and mark.attribute.startswith("temperature") and "ambient_f" in said:
            # "The room has 35F in winter to 95F in summer" says once what both are of.
            resolved = ("ambient_f", *_in_fahrenheit(mark), mark.operator)
        if resolved is None:
            continue
        said.add(resolved[0])
        attribute, low, high, operator = resolved
        if negated:
            if operator not in OPPOSITE:
                continue
            operator = OPPOSITE[operator]
        if operator == "at_most" and attribute == "cfm" and families & SIZED_BY_FLOW and _reaching(text, mark):
            operator = "exactly"
        if operator == "at_most" and attribute == "psi" and families & PRESSED and _reaching(text, mark):
            operator = "exactly"
        sized = attribute == "cfm" and families & SIZED_BY_FLOW
        if operator == "between" and sized and _of_a_demand(text, roles, mark):
            operator, low = "exactly", high  # the air of a plant, of which the dryer has to do with the most
        changed = next((at for at, need in enumerate(needs) if need.attribute == attribute), None)
        if changes[mark] and changed is not None:
            needs[changed] = _shifted(needs[changed], changes[mark] * low)
            continue
        if attribute == "cfm" and families == {"dryer"} and _is_net(text, mark):
            attribute, operator = "net_cfm", "at_least"
        operator, floor, ceiling = _ends(attribute, operator, low, high)
        if any(_same(need, attribute, low) for need in needs):
            continue
        plain = next((at for at, need in enumerate(needs) if _plain(need, attribute)), None)
        if plain is not None and operator in PLAIN and attribute in ("ambient_f", "inlet_f"):
            needs[plain] = _either(text, needs[plain], mark, low)
            continue
        if plain is not None and operator in PLAIN:
            if any(role.value == "or" and role.last <= mark.first for role in roles):
                needs[plain] = _either(text, needs[plain], mark, low)
                continue
            if attribute not in AT_PEAK or low <= (needs[plain].low or 0.0) or not _at_the_peak(text, mark):
                continue
            needs.pop(plain)  # what is drawn at the peak is what has to be there
        through = attribute in ("width_in", "height_in") and A_DOOR.search(fold(_around(text, mark))) is not None
        needs.append(Need(
            attribute, operator, floor, ceiling, DOOR if through else mark.values, words=text[mark.start : mark.end],
            hard=operator in ("at_least", "at_most", "between") or attribute == "dba",
            shown=shown(attribute, operator, floor, ceiling, hourly=mark.unit == "m3/h"),
            machines=mark.machines, start=mark.start,
        ))  # fmt: skip
    net = next((need for need in needs if need.attribute == "net_cfm"), None)
    if net is not None and not any(need.attribute == "cfm" for need in needs):
        least = shown("cfm", "at_least", net.low, None)
        needs.append(replace(net, attribute="cfm", shown=least, implied_by="served"))
    return needs


def _at_the_peak(text: str, mark: Mark) -> bool:
    """Whether the words right before or behind say that so much is wanted at the peak: "8 bar, 9 bar en pointe"."""
    before = fold(text[max(0, mark.start - NEAR_A_PEAK) : mark.start])
    return (
        PEAK_BEFORE.search(before) is not None or PEAK_BEHIND.match(fold(text[mark.end :][:NEAR_A_PEAK])) is not None
    )


def _around(text: str, mark: Mark) -> str:
    """What stands around a length within its sentence, as far as it may say what the length is of."""
    before = re.split(r"[;,\n]|\. ", text[max(0, mark.start - NEAR_A_DOOR) : mark.start])[-1]
    return f"{before} {re.split(r'[;,.\n]', text[mark.end : mark.end + NEAR_A_DOOR])[0]}"


def _is_net(text: str, mark: Mark) -> bool:
    """Whether a flow is what leaves the dryer, without the air that it takes for its own regeneration."""
    before, behind = fold(text[: mark.start])[-NEAR_INLET:], fold(text[mark.end :][:NEAR_INLET])
    return NET_BEFORE.search(before) is not None or NET_BEHIND.match(behind) is not None


def _is_a_change(text: str, mark: Mark) -> bool:
    """Whether a pressure is by how much another changes: "jumps around 15 psi", "2 psi pressure drop"."""
    before = fold(text[max(0, mark.start - NEAR_INLET) : mark.start])
    return CHANGING.search(before) is not None or CHANGED.match(fold(text[mark.end :][:NEAR_INLET])) is not None


def _change(roles: Sequence[Role], mark: Mark) -> int:
    """1 where a figure is what is wanted more than now, -1 where less: "75 dB now, want 6 dB quieter"; else 0."""
    after = {role.value for role in roles if role.first == mark.last}
    return ("increase" in after) - ("decrease" in after) if mark.operator == "exactly" else 0


def _shifted(need: Need, by: float) -> Need:
    low, high = (None if end is None else end + by for end in (need.low, need.high))
    return replace(need, low=low, high=high, shown=shown(need.attribute, need.operator, low, high))


def _reaching(text: str, mark: Mark) -> bool:
    return REACHING.match(text[mark.start : mark.end].lower()) is not None


def _of_a_demand(text: str, roles: Sequence[Role], mark: Mark) -> bool:
    """Whether a range is what a plant draws, of which a dryer has to do with the most."""
    varies = any(role.value == "varying" and role.first <= mark.last for role in roles)
    return varies or DEMAND.search(fold(text[: mark.start])) is not None


def _plain(need: Need, attribute: str) -> bool:
    return need.attribute == attribute and need.operator in PLAIN


def _either(text: str, need: Need, mark: Mark, value: float) -> Need:
    """One need of two sizes: "25 or 30 hp"."""
    low, high = sorted((need.low or 0.0, value))
    return replace(
        need,
        operator="between",
        low=low,
        high=high,
        words=text[need.start : mark.end],
        shown=shown(need.attribute, "between", low, high),
    )


def _same(need: Need, attribute: str, low: float) -> bool:
    other = need.low if need.low is not None else need.high
    return (
        need.attribute == attribute and other is not None and abs(other - low) <= 0.05 * max(abs(other), abs(low), 1)
    )


def _ends(attribute: str, operator: Operator, low: float, high: float) -> tuple[Operator, float | None, float | None]:
    if operator == "between":
        return operator, low, high
    if attribute in AT_MOST and operator == "exactly":
        operator = "at_most"
    if attribute == "inhg" and operator == "exactly":
        operator = "at_least"
    if operator == "at_least":
        return operator, low, None
    if operator == "at_most":
        return operator, None, high
    return operator, low, high


def _resolved(
    text: str, roles: Sequence[Role], mark: Mark, families: frozenset[str]
) -> tuple[str, float, float, Operator] | None:
    """OwnAttribute, ends and operator in canonical units; None for what cannot be."""
    low, high, operator = mark.low or 0.0, mark.high or 0.0, mark.operator
    kind = mark.attribute
    if kind.startswith("temperature"):
        return _temperature(text, roles, mark, families)
    vacuum = "vacuum_pump" in families or (not families and low < 0)
    if kind == "pressure" and not vacuum and _is_a_change(text, mark):
        return None
    if kind == "pressure":
        if not vacuum:
            return ("psi", abs(low), abs(high), operator)
        if low >= LOW_PRESSURE_PSI * 4 and mark.unit in ("psi", "bar", "kpa"):
            return ("psi", low, high, operator)
        if 0 <= low < LOW_PRESSURE_PSI and mark.unit not in ("psi", "inh2o"):
            return _depth(low / PSI_PER_BAR * 1000, high / PSI_PER_BAR * 1000, operator)
        depths = sorted((abs(low) * INHG_PER_PSI, abs(high) * INHG_PER_PSI))
        return ("inhg", min(depths[0], ATMOSPHERE_INHG), min(depths[1], ATMOSPHERE_INHG), operator)
    if kind == "mbar":
        if not vacuum:
            return ("psi", abs(low) * PSI_PER_BAR / 1000, abs(high) * PSI_PER_BAR / 1000, operator)
        if low < 0:
            depths = sorted((abs(low) * INHG_PER_MBAR, abs(high) * INHG_PER_MBAR))
            return ("inhg", depths[0], depths[1], operator)
        return _depth(low, high, operator)
    if kind in ("bara", "psia"):
        if "vacuum_pump" in families or low < 14:
            return _depth(low / PSI_PER_BAR * 1000, high / PSI_PER_BAR * 1000, operator)
        return ("psi", low - 14.7, high - 14.7, operator)
    if kind == "inhg" and mark.absolute:
        return ("inhg", ATMOSPHERE_INHG - high, ATMOSPHERE_INHG - low, OPPOSITE.get(operator, operator))
    if kind == "inhg":
        return ("inhg", min(low, ATMOSPHERE_INHG), min(high, ATMOSPHERE_INHG), operator)
    if kind == "micron" and "vacuum_pump" in families:
        return _depth(low / 750.06, high / 750.06, operator)
    if kind == "lb" and (factor := _psi_per_pound(text, mark, families)):
        return ("psi", low * factor, high * factor, operator)
    if kind == "gallons" and mark.unit in ("m3", "ft3") and families & (PER_MINUTE | PER_HOUR):
        hourly = mark.unit == "m3" and bool(families & PER_HOUR)
        factor = 1 / GALLONS_PER_FT3 / (60 if hourly else 1)
        return ("cfm", low * factor, high * factor, operator)
    if kind == "tons" and "accessory" not in families:
        return None
    if kind == "in" and "vacuum_pump" in families and is_deep(text, roles, mark):
        return ("inhg", low, high, operator)
    if kind == "in" and NOISE_AT.search(fold(text[max(0, mark.start - NEAR_INLET) : mark.start])):
        return None
    if kind == "in":
        return (dimension(text, roles, mark), low, high, operator) if low <= LONGEST_IN else None
    return (kind, low, high, operator)


def _psi_per_pound(text: str, mark: Mark, families: frozenset[str]) -> float:
    """What a pound, or a kilogram counted in pounds, is in psi; 0 where it is of weight: a receiver "stamped for 500
    pounds", 100 HP "a 8 kilos".
    """
    low = mark.low or 0.0
    factor = PSI_PER_KILO / LB_PER_KG if mark.unit == "kg" else 1.0
    if AT.search(text[max(0, mark.start - 4) : mark.start].lower()) and families <= {"compressor"}:
        return factor
    weighs = mark.operator == "at_most" or WEIGHING.search(fold(text)) is not None
    families = families or MEANT_BY_POUNDS
    pressed = any(POUNDS[family][0] <= low * factor <= POUNDS[family][1] for family in families & POUNDS.keys())
    return factor if pressed and not weighs else 0.0


def _depth(low: float, high: float, operator: Operator) -> tuple[str, float, float, Operator] | None:
    """Depths below atmosphere of pressures in mbar absolute; the lower the pressure, the deeper."""
    if high > 1100:
        return None
    deep, shallow = (max(0.0, ATMOSPHERE_INHG - value * INHG_PER_MBAR) for value in (low, high))
    return ("inhg", shallow, deep, OPPOSITE.get(operator, operator))


def _temperature(
    text: str, roles: Sequence[Role], mark: Mark, families: frozenset[str]
) -> tuple[str, float, float, Operator] | None:
    low, high = _in_fahrenheit(mark)
    dew, ambient = _distance(roles, mark, "dewpoint"), _distance(roles, mark, "temperature")
    if "dryer" in families and (low >= HOT_INLET_F or _of_an_inlet(text, mark)):
        return ("inlet_f", low, high, "exactly")
    if dew <= NEAR * 2 and dew <= ambient:
        return ("dewpoint_f", low, high, mark.operator)
    if ambient <= NEAR:
        return ("ambient_f", low, high, mark.operator)
    powered = bool(families) and families <= POWERED
    if ((mark.low or 0.0) < 0 and not powered) or ("dryer" in families and low <= 60):
        return ("dewpoint_f", low, high, mark.operator)
    unsaid = mark.attribute.endswith("?") and not (powered and (mark.low or 0.0) < 0)
    return None if unsaid else ("ambient_f", low, high, mark.operator)


def _of_an_inlet(text: str, mark: Mark) -> bool:
    """Whether the words right before or behind say that air of that warmth enters."""
    before = fold(text[max(0, mark.start - NEAR_INLET) : mark.start])
    return (
        INLET_BEFORE.search(before) is not None or INLET_BEHIND.match(fold(text[mark.end :][:NEAR_INLET])) is not None
    )


def _in_fahrenheit(mark: Mark) -> tuple[float, float]:
    low, high = mark.low or 0.0, mark.high or 0.0
    return (fahrenheit(low), fahrenheit(high)) if mark.attribute.startswith("temperature_c") else (low, high)


def _distance(roles: Sequence[Role], mark: Mark, value: str) -> int:
    """Tokens between a mark and the nearest word of a role."""
    distances = [
        mark.first - role.last if role.last <= mark.first else max(0, role.first - mark.last)
        for role in roles
        if role.value == value
    ]
    return min(distances, default=1000)
