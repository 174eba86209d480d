"""How well a row meets a need: met, close, unknown or contradicted, by the rules that salespeople judge by."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date

from quarry.understanding.needs import Finding, Item, Judgement, Need, Verdict
from quarry.understanding.text import fold, key_of
from quarry.understanding.traits import row_traits
from quarry.understanding.units import figure

COLUMNS = {"inhg": "vacuum_inhg", "dba": "noise_dba", "lb": "weight_lb", "price": "total_price", "date": "quote_date"}
UNITS = {
    "hp": "hp", "cfm": "cfm", "psi": "psi", "inhg": "inHg", "dewpoint_f": "°F", "gallons": "gal", "dba": "dBA",
    "lb": "lb", "height_in": "in", "width_in": "in", "length_in": "in",
}  # fmt: skip
NAMES = {"manufacturer": "maker", "dewpoint_f": "dew point", "gallons": "gal", "dba": "noise", "inhg": "vacuum"}
SIDE_ISSUES = frozenset(
    [
        "industry",
        "use",
        "price",
        "reason",
        "service",
        "in",
        "ppm",
        "micron",
        "ambient_f",
        "feature",
        "certificate",
        "customer",
        "salesperson",
        "redundancy",
    ]
)
"""Needs that a row rarely answers; not knowing them leaves the whole judgement as it is."""
KINDRED = (
    frozenset(("food", "dairy", "beverage", "brewing", "bakery")),
    frozenset(("hospital", "dental", "laboratory", "pharma")),
    frozenset(("machining", "metal", "stamping", "foundry", "automotive")),
    frozenset(("packaging", "plastics", "printing", "paper")),
)
KIND_OF = {
    **dict.fromkeys(("desiccant-heatless", "heated", "blower-purge", "heat-of-compression"), "desiccant"),
    **dict.fromkeys(("cycling", "non-cycling"), "refrigerated"),
}
REFRIGERATED_LIMIT_F = 32.0
Traits = Mapping[str, frozenset[str]]
Answer = tuple[Verdict, str]
UNKNOWN: Answer = ("unknown", "")


def fit(need: Need, row: Mapping[str, object], *, traits: Traits | None = None) -> Finding:
    """How a row answers one need. Rows are mappings by the columns of products, line items or past quotes."""
    traits = row_traits(row) if traits is None else traits
    rule = RULES.get(need.attribute)
    if need.operator in ("one_of", "none_of") or rule is None:
        verdict, has = _worded(need, row, traits)
    else:
        verdict, has = rule(need, row, traits)
    return Finding(verdict, has, need)


def judge(item: Item, row: Mapping[str, object], *, traits: Traits | None = None) -> Judgement:
    """How a row answers an item. Off in one respect is close, off in two is contradicted."""
    traits = row_traits(row) if traits is None else traits
    findings = tuple(fit(need, row, traits=traits) for need in item.needs)
    count = {verdict: sum(finding.verdict == verdict for finding in findings) for verdict in _VERDICTS}
    close = count["close"] + _is_a_hospital_package(item, row)
    open_questions = any(
        finding.verdict == "unknown" and finding.need.attribute not in SIDE_ISSUES for finding in findings
    )
    overall: Verdict
    if count["contradicted"] or close > 1:
        overall = "contradicted"
    elif open_questions:
        overall = "unknown"
    else:
        overall = "close" if close else "met"
    return Judgement(findings, count["met"], count["close"], count["unknown"], count["contradicted"], overall)


def short(findings: Iterable[Finding]) -> str:
    """Findings in one line: "hp 100 met; cfm 308, asked 350: contradicted"."""
    return "; ".join(_short(finding) for finding in findings)


_VERDICTS: tuple[Verdict, ...] = ("met", "close", "unknown", "contradicted")


def _short(finding: Finding) -> str:
    need = finding.need
    name = NAMES.get(need.attribute, need.attribute.replace("_", " "))
    unit = UNITS.get(need.attribute, "")
    has = finding.has.removesuffix(" " + unit) if unit and unit == name else finding.has
    asked = need.shown
    ends = [figure(end) for end in (need.low, need.high) if end is not None]
    if need.operator not in ("one_of", "none_of") and ends and need.attribute != "date":
        sign = {"at_least": "≥ ", "at_most": "≤ "}.get(need.operator, "")
        asked = sign + "–".join(dict.fromkeys(ends)) + (f" {unit}" if unit and unit != name else "")
    if finding.verdict == "unknown":
        return f"{name} unknown, asked {asked}"
    if finding.verdict == "met":
        return f"{name} {has} met"
    return f"{name} {has}, asked {asked}: {finding.verdict}"


def _number(row: Mapping[str, object], attribute: str) -> float | None:
    value = row.get(COLUMNS.get(attribute, attribute))
    if value is None or isinstance(value, bool) or value == "":
        return None
    try:
        return float(str(value))
    except ValueError:
        return None


def _text(row: Mapping[str, object], column: str) -> str:
    value = row.get(column)
    return value if isinstance(value, str) else ""


def _has(attribute: str, value: float) -> str:
    return f"{value:g} {UNITS.get(attribute, '')}".strip()


def _power(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    value = _number(row, "hp")
    if value is None:
        return UNKNOWN
    has = _has("hp", value)
    sizes = [value]
    if need.machines and traits.get("arrangement", frozenset()) - {"simplex"}:
        sizes.append(value / need.machines)
    verdicts = [_power_of(need, size) for size in sizes]
    return next(verdict for verdict in _VERDICTS if verdict in verdicts), has


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
    if need.machines and traits.get("arrangement", frozenset()) - {"simplex"}:
        low = low * need.machines if low is not None else None
    if need.operator == "at_most" and need.high is not None:
        return ("met" if value <= 1.03 * need.high else "contradicted"), has
    if low is None or low <= 0:
        return UNKNOWN
    share = value / low
    most = 1.6 if need.operator != "between" or need.high is None else max(1.6, 1.05 * need.high / low)
    if share < 0.95:
        return "contradicted", has
    if 0.985 <= share <= most:
        return "met", has
    return ("close" if share < 0.985 or share <= 2.2 or need.operator == "at_least" else "contradicted"), has


def _pressure(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    value = _number(row, "psi")
    if value is None:
        return UNKNOWN
    has = _has("psi", value)
    if need.operator == "at_most":
        # "up to 7 bar" tells the highest pressure needed: what is rated lower stays under it, and may not reach it.
        return ("met" if value >= 0.97 * (need.high or 0) else "close"), has
    wanted = need.high if need.operator == "between" else need.low
    return ("met" if value >= 0.97 * (wanted or 0) else "contradicted"), has


def _vacuum(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    value = _number(row, "inhg")
    if value is None:
        return UNKNOWN
    wanted = need.low if need.low is not None else need.high
    return ("met" if value >= (wanted or 0) - 0.2 else "contradicted"), _has("inhg", value)


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
        return "contradicted", has
    return ("close" if wanted >= REFRIGERATED_LIMIT_F and value < 0 else "met"), has


def _tank(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    sizes = sorted(float(size) for size in traits.get("gallons", frozenset()))
    wanted = need.low if need.low is not None else need.high
    if not sizes or not wanted:
        return UNKNOWN
    value = min(sizes, key=lambda size: abs(size - wanted))
    has, share = _has("gallons", value), value / wanted
    if need.operator == "at_most":
        return ("met" if share <= 1.03 else "contradicted"), has
    most = 2.2 if need.operator == "at_least" else max(1.15, (need.high or 0) / wanted * 1.05)
    if 0.95 <= share <= most:
        return "met", has
    return ("close" if 0.95 <= share <= 2.2 else "contradicted"), has


def _limit(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    value = _number(row, need.attribute)
    if value is None:
        return UNKNOWN
    has = _has(need.attribute, value)
    low, high = need.low, need.high
    if need.operator == "exactly" and need.attribute in ("dba", "lb", "price"):
        low = None
    slack = 1.1 if need.operator in ("about", "exactly") else 1.0
    inside = (low is None or value >= low / slack) and (high is None or value <= high * slack)
    if inside:
        return "met", has
    near = (low is None or value >= 0.85 * low) and (high is None or value <= high * 1.15)
    return ("close" if near and not need.hard else "contradicted"), has


def _noise(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    value = _number(row, "dba")
    if value is None and not need.hard and "quiet" in traits.get("quiet", frozenset()):
        return "met", "quiet"
    if value is None or need.high is None:
        return UNKNOWN
    near = not need.hard and value <= need.high + 5
    return ("met" if value <= need.high + 0.5 else "close" if near else "contradicted"), _has("dba", value)


def _when(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    value = row.get("quote_date")
    day = value.isoformat() if isinstance(value, date) else value if isinstance(value, str) else ""
    digits = day[:10].replace("-", "")
    if not digits.isdecimal():
        return UNKNOWN
    inside = (need.low is None or float(digits) >= need.low) and (need.high is None or float(digits) <= need.high)
    return ("met" if inside else "contradicted"), day[:10]


Rule = Callable[[Need, Mapping[str, object], Traits], Answer]
RULES: Mapping[str, Rule] = {
    "hp": _power, "cfm": _capacity, "psi": _pressure, "inhg": _vacuum, "dewpoint_f": _dew_point, "gallons": _tank,
    "dba": _noise, "lb": _limit, "height_in": _limit, "width_in": _limit, "length_in": _limit, "price": _limit,
    "date": _when, "model": lambda need, row, traits: _model(need, row, traits),
}  # fmt: skip


def _worded(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    """Needs that are words: of the row's column where it has one, else of what its text says."""
    if need.attribute == "lubrication":
        return _lubrication(need, row, traits)
    if need.attribute == "manufacturer":
        return _maker(need, row)
    if need.attribute == "model":
        return _model(need, row, traits)
    if need.attribute in ("industry", "use"):
        return _use(need, row, traits)
    if need.attribute == "voltage":
        return _voltage(need, traits)
    if need.attribute in ("outcome", "family", "customer", "salesperson"):
        return _column(need, row)
    if need.attribute in ("reason", "price"):
        return UNKNOWN
    attribute = {"included": "feature"}.get(need.attribute, need.attribute)
    offered = traits.get(attribute, frozenset())
    offered |= {KIND_OF[value] for value in offered if value in KIND_OF}
    return _among(need, offered, row)


def _among(need: Need, offered: frozenset[str], row: Mapping[str, object]) -> Answer:
    has = ", ".join(sorted(offered))
    if need.attribute == "included":
        inside = offered & {f"integrated-{value}" for value in need.values} or (
            "tank-mounted" in offered and "receiver" in need.values
        )
        return ("contradicted", has) if inside else ("met", "none")
    if need.attribute == "certificate":
        return _certificate(need, offered, row)
    if need.operator == "none_of":
        return ("contradicted", has) if offered & need.values else ("met" if offered else "unknown", has)
    if offered & need.values:
        return "met", has
    if not offered or need.attribute in ("feature", "service", "redundancy"):
        return "unknown", has if need.attribute != "feature" else ""
    if need.attribute == "dryer_kind" and any(KIND_OF.get(value) in offered for value in need.values):
        return "unknown" if not offered & set(KIND_OF) else "close", has
    return ("close" if need.attribute == "arrangement" else "contradicted"), has


def _certificate(need: Need, offered: frozenset[str], row: Mapping[str, object]) -> Answer:
    quality = fold(_text(row, "air_quality"))
    if offered & need.values or any(value in quality for value in need.values):
        verdict: Verdict = "contradicted" if need.operator == "none_of" else "met"
        return verdict, ", ".join(sorted(offered & need.values)) or quality
    oiled = row.get("lubrication") == "oil-flooded" and "iso 8573-1 class 0" in need.values
    return ("contradicted", "oil-flooded") if oiled and need.operator == "one_of" else UNKNOWN


def _lubrication(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    column = _text(row, "lubrication")
    offered = frozenset({column}) if column else traits.get("lubrication", frozenset())
    known = offered & {"oilless", "oil-free", "oil-flooded"}
    if len(known) > 1:
        known = known - {"oil-free"} if "oilless" in known and "oil-flooded" not in known else frozenset()
    if not known:
        screw = "screw" in _text(row, "category").lower() and "oil-free" not in _text(row, "category").lower()
        return (
            ("close", "not stated")
            if screw and need.values == {"oil-flooded"} and need.operator == "one_of"
            else UNKNOWN
        )
    has = next(iter(known))
    admitted = has in need.values
    return ("met" if admitted == (need.operator != "none_of") else "contradicted"), has


def _maker(need: Need, row: Mapping[str, object]) -> Answer:
    maker = _text(row, "manufacturer")
    if not maker:
        return UNKNOWN
    same = fold(maker) in {fold(value) for value in need.values}
    if need.operator == "none_of":
        return ("contradicted" if same else "met"), maker
    return ("met" if same else "contradicted" if need.hard else "close"), maker


def _model(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    model = _text(row, "model")
    if not model:
        said = key_of(_text(row, "description")[:2000])
        named = any(key_of(value) in said for value in need.values)
        return ("met", "named in its text") if named and need.operator != "none_of" else UNKNOWN
    same = key_of(model) in {key_of(value) for value in need.values}
    if need.operator == "none_of":
        return ("contradicted" if same else "met"), model
    other: Verdict = "close" if need.operator == "about" or need.absent else "contradicted"
    return ("met" if same else other), model


def _use(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    offered = traits.get(need.attribute, frozenset())
    column = _text(row, "industry").lower()
    if column and need.attribute == "industry":
        offered |= {column}
    has = ", ".join(sorted(offered))
    if need.operator == "none_of":
        return ("contradicted", has) if offered & need.values else ("met", has)
    if offered & need.values:
        return "met", has
    kin = any(group & need.values and group & offered for group in KINDRED)
    if kin:
        return "close", has
    return ("contradicted" if column and need.attribute == "industry" else "unknown"), has


def _voltage(need: Need, traits: Traits) -> Answer:
    offered = traits.get("voltage", frozenset())
    has = ", ".join(sorted(offered))
    if need.operator == "none_of":
        return ("contradicted" if need.values <= offered else "met" if offered else "unknown"), has
    kinds = [suffix for suffix in (" V", " ph", " Hz") if any(value.endswith(suffix) for value in need.values)]
    told = [any(value.endswith(suffix) for value in offered) for suffix in kinds]
    agreed = [any(value in offered for value in need.values if value.endswith(suffix)) for suffix in kinds]
    if any(there and not same for there, same in zip(told, agreed, strict=True)):
        return "contradicted", has
    return ("met" if all(agreed) else "unknown"), has


def _column(need: Need, row: Mapping[str, object]) -> Answer:
    value = _text(row, {"outcome": "status"}.get(need.attribute, need.attribute))
    if not value and need.attribute == "outcome":
        value = _text(row, "outcome")
    if not value:
        return UNKNOWN
    same = fold(value) in {fold(each) for each in need.values}
    return ("met" if same == (need.operator != "none_of") else "contradicted"), value.replace("_", " ")


def _is_a_hospital_package(item: Item, row: Mapping[str, object]) -> bool:
    """A medical plant is close at most for who asks for a plain pump or compressor."""
    if "medical" not in _text(row, "category").lower():
        return False
    asked = {
        value
        for need in item.needs
        for value in need.values
        if need.attribute in ("industry", "certificate", "model")
    }
    return not asked & {"hospital", "nfpa 99"} and item.need("model") is None and "medical" not in item.text.lower()
