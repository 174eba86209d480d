"""Grades a row from its columns by the rules of README.md; it knows nothing of how the product searches."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.trade.quantities import Status, status
from tests.trade.rows import Row
from tests.trades.requests import Judgement

Needs = Mapping[str, Any]

QUANTITIES = {
    "power": ("power", "hp"),
    "capacity": ("capacity", "cfm"),
    "pressure": ("pressure", "psi"),
    "vacuum": ("vacuum", "vacuum_inhg"),
    "dewpoint": ("dewpoint", "dewpoint_f"),
    "tank": ("tank", "gallons"),
    "noise": ("noise", "noise_dba"),
    "length": ("length", "length_in"),
    "width": ("length", "width_in"),
    "height": ("length", "height_in"),
    "weight": ("weight", "weight_lb"),
    "price": ("price", "unit_price"),
    "total": ("price", "total_price"),
}
PATTERNS = {
    "customer",
    "industry",
    "salesperson",
    "status",
    "contact",
    "category",
    "series",
    "air_quality",
    "project",
}
"""Columns that are met where a pattern is found in them, and contradicted where it is not."""

DRIVES = {"vfd": r"vfd|inverter", "belt": r"belt", "direct": r"direct", "gear": r"gear"}
LUBRICATIONS = {
    "oilless": {"oilless"},
    "oil-free": {"oilless", "oil-free"},
    "dry": {"oilless", "oil-free"},
    "lubricated": {"oil-flooded"},
}

NO_PRESSURE_PSI = 15
"""Up to which a vessel is stamped that holds a vacuum and no compressed air."""


def judge(row: Row, needs: Needs) -> Judgement:
    """All needs met: 3, or 2 where a wish is not; off in one respect: 1; off in two, far off or contradicted: 0."""
    stated = {name: value for name, value in needs.items() if name not in ("wishes", "absent")}
    statuses: dict[str, Status] = {}
    for name, found in _statuses(row, stated):
        statuses[name] = found
        if found is Status.CONTRADICTED:
            return Judgement(0, True, (f"{name}: {found.value}",))
    if needs.get("absent"):
        statuses["the maker or model is not in the catalogue"] = Status.CLOSE
    reasons = tuple(f"{name}: {found.value}" for name, found in statuses.items() if found is not Status.MET)
    values = list(statuses.values())
    off = sum(value in (Status.CLOSE, Status.UNKNOWN) for value in values)
    if Status.FAR in values or off > 1:
        return Judgement(0, False, reasons)
    if off:
        return Judgement(1, False, reasons)
    wishes = dict(_statuses(row, needs.get("wishes", {}), implied=False))
    missed = tuple(f"wish {name}: {found.value}" for name, found in wishes.items() if found is not Status.MET)
    return Judgement(2 if missed or Status.FINE in values else 3, False, reasons + missed)


def passes(row: Row, filters: Mapping[str, Any]) -> bool:
    """Whether a row satisfies the hard filters of a call; an unknown value never does."""
    for name, value in filters.items():
        if name.endswith(("_min", "_max")):
            have = row.number(name[:-4])
            if have is None or (have < value if name.endswith("_min") else have > value):
                return False
        elif name in ("date_from", "date_to"):
            have_date = row.string("quote_date")
            if have_date < str(value) if name == "date_from" else have_date > str(value):
                return False
        elif name == "category":
            if str(value).lower().replace("-", "_") not in (row.string("category").lower(), row.string("family")):
                return False
        elif name in ("lubrication", "family", "status"):
            if row.string(name) != value:
                return False
        elif name != "top_k" and str(value).lower() not in row.string(name).lower():
            return False
    return True


def _statuses(row: Row, needs: Needs, *, implied: bool = True) -> Iterator[tuple[str, Status]]:
    """What a column tells comes before what the text must be searched for."""
    for name, value in sorted(needs.items(), key=lambda need: need[0] in ("mentions", "not")):
        if name == "not":
            for what, denied in value.items():
                yield f"not {what} {denied}", _denied(_status(row, what, denied))
        else:
            yield f"{name} {value}", _status(row, name, value)
    if not implied:
        return
    no_pressure = row.string("family") == "receiver" and (row.number("psi") or NO_PRESSURE_PSI + 1) <= NO_PRESSURE_PSI
    if no_pressure and needs.get("family") == "receiver" and not {"vacuum", "model", "mentions"} & set(needs):
        yield "a vessel for vacuum", Status.CONTRADICTED
    medical = row.string("category").upper().startswith("MEDICAL")
    if medical and not {"medical", "model", "mentions", "customer", "category"} & set(needs):
        yield "a hospital package", Status.CLOSE
    if row.columns.get("optional") and not {"optional", "quote"} & set(needs):
        yield "an option", Status.FINE


def _denied(found: Status) -> Status:
    match found:
        case Status.MET | Status.FINE:
            return Status.CONTRADICTED
        case Status.UNKNOWN:
            return Status.UNKNOWN
        case _:
            return Status.MET


def _status(row: Row, name: str, value: Any) -> Status:
    if name in QUANTITIES:
        quantity, column = QUANTITIES[name]
        if name == "capacity" and row.string("family") in ("filtration", "accessory"):
            quantity = "capacity of what stands still"
        if quantity == "price" and row.string("currency") not in ("", str(value).split()[-1].upper()):
            return Status.UNKNOWN
        return status(row.number(column), str(value), quantity=quantity)
    if name in PATTERNS:
        return _pattern(row.string(name), value)
    return OTHERS[name](row, value)


def _either(found: bool) -> Status:
    return Status.MET if found else Status.CONTRADICTED


def _pattern(have: str, pattern: str) -> Status:
    return _either(bool(re.search(pattern, have, re.IGNORECASE))) if have else Status.UNKNOWN


def _family(row: Row, value: Any) -> Status:
    return _either(row.string("family") in (value if isinstance(value, list) else [value]))


def _type(row: Row, value: str) -> Status:
    """Of compression, drying, filtering: the printed heading says it; a hospital package's text does."""
    heading = row.string("category")
    text = f"{heading} {row.string('description')}" if heading.startswith("MEDICAL") else heading
    if re.search(value, text, re.IGNORECASE):
        return Status.MET
    return Status.CLOSE if value == "refrigerated" and "DESICCANT" in heading else Status.CONTRADICTED


def _lubrication(row: Row, value: str) -> Status:
    have = row.string("lubrication")
    if have:
        return _either(have in LUBRICATIONS[value])
    oiled = re.search("SCREW|VANE|RECIPROCATING", row.string("category"))
    return Status.CLOSE if value == "lubricated" and oiled else Status.FAR


def _maker(row: Row, value: str) -> Status:
    """Named softly: another maker's equal is close."""
    return Status.MET if _pattern(row.string("manufacturer"), value) is Status.MET else Status.CLOSE


def _model(row: Row, value: Any) -> Status:
    return _either(row.string("model") in (value if isinstance(value, list) else [value]))


def _drive(row: Row, value: str) -> Status:
    return _pattern(f"{row.string('drive')} {row.string('motor')}".strip(), DRIVES[value])


def _voltage(row: Row, value: str) -> Status:
    """ "460/3" is met by "230/460/3/60": its volts are among the row's, its phases are the row's."""
    have = row.string("voltage").split("/")
    if len(have) < 3:
        return Status.UNKNOWN
    volts, phase = value.split("/")
    among = volts in re.split("[/-]", "/".join(have[:-2])) if volts != "*" else True
    return _either(among and phase in ("*", have[-2]))


def _mentions(row: Row, value: str) -> Status:
    """What no column tells: the row's text does or does not speak of it."""
    return Status.MET if re.search(value, row.text, re.IGNORECASE) else Status.FAR


def _dated(row: Row, value: str) -> Status:
    """ISO dates "from..to", either side open."""
    first, _, last = value.partition("..")
    return _either(first <= row.string("quote_date") <= (last or "9999"))


def _sold(row: Row, value: Needs) -> Status:
    """A quote by what stands in it: a plain line meets, an option is close."""
    grades = [
        (judge(line, {**value, "optional": bool(line.columns.get("optional"))}).grade, line) for line in row.lines
    ]
    good = [line for grade, line in grades if grade >= 2]
    if any(not line.columns.get("optional") for line in good):
        return Status.MET
    return Status.CLOSE if good or any(grade for grade, _ in grades) else Status.FAR


OTHERS: Mapping[str, Callable[[Row, Any], Status]] = {
    "family": _family,
    "type": _type,
    "lubrication": _lubrication,
    "maker": _maker,
    "only_maker": lambda row, value: _pattern(row.string("manufacturer"), value),
    "model": _model,
    "drive": _drive,
    "voltage": _voltage,
    "cooling": lambda row, value: _pattern(row.string("cooling"), value),
    "medical": lambda row, value: _either(value in ("any", row.string("category").startswith("MEDICAL"))),
    "mentions": _mentions,
    "dated": _dated,
    "sold": _sold,
    "optional": lambda row, value: _either(bool(row.columns.get("optional")) is value),
    "quote": lambda row, value: _either(row.string("quote_number") == value),
}
