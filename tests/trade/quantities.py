"""What a case asks of a quantity ("75 kW", ">=300 cfm", "6..7 bar"), and how well a row's value meets it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

PSI_PER_BAR = 14.504
ATMOSPHERE_INHG = 29.92
MORE_THAN_ANY = 1e9


class Status(Enum):
    """How one need fares with one row; FINE meets it too, but a MET row is the better answer."""

    MET = "met"
    FINE = "fine"
    CLOSE = "close"
    UNKNOWN = "unknown"
    FAR = "far"
    CONTRADICTED = "contradicted"


def _times(factor: float) -> Callable[[float], float]:
    return lambda value: value * factor


UNITS: Mapping[str, Mapping[str, Callable[[float], float]]] = {
    "power": {"hp": _times(1), "kW": _times(1.341), "PS": _times(0.9863)},
    "capacity": {
        "cfm": _times(1),
        "m3/min": _times(35.315),
        "m3/h": _times(1 / 1.699),
        "l/s": _times(2.119),
        "l/min": _times(0.035315),
    },
    "pressure": {"psi": _times(1), "bar": _times(PSI_PER_BAR), "kPa": _times(0.14504), "mbar": _times(0.014504)},
    "vacuum": {
        "inHg": _times(1),
        "mbar": lambda value: ATMOSPHERE_INHG - value * 0.02953,
        "torr": lambda value: ATMOSPHERE_INHG - value / 25.4,
        "%": lambda value: value / 100 * ATMOSPHERE_INHG,
    },
    "dewpoint": {"F": _times(1), "C": lambda value: value * 1.8 + 32},
    "tank": {"gal": _times(1), "l": _times(1 / 3.785), "m3": _times(264.2)},
    "noise": {"dBA": _times(1)},
    "length": {"in": _times(1), "mm": _times(1 / 25.4), "cm": _times(1 / 2.54), "m": _times(39.37)},
    "weight": {"lb": _times(1), "kg": _times(2.2046)},
    "price": {currency: _times(1) for currency in ("usd", "eur", "mxn", "cad", "chf")},
}
PATTERN = re.compile(r"(?P<sign>>=|<=)?\s*(?P<low>-?[\d.]+?)(?:\.\.(?P<high>-?[\d.]+))?\s*(?P<unit>[A-Za-z%][\w/%]*)")


@dataclass(frozen=True, slots=True)
class Asked:
    """In the columns' units. ``low`` and ``high`` are equal for "about"; None where a side is open."""

    low: float | None
    high: float | None

    @property
    def about(self) -> float | None:
        return self.low if self.low == self.high else None


def asked(text: str, *, quantity: str) -> Asked:
    match = PATTERN.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a quantity: {text!r}")
    convert = UNITS[quantity.split(" of ")[0]][match["unit"]]
    low = convert(float(match["low"]))
    if match["high"]:
        return Asked(low, convert(float(match["high"])))
    return Asked(None if match["sign"] == "<=" else low, None if match["sign"] == ">=" else low)


def power(value: float, want: Asked) -> Status:
    low, high = want.low or 0.0, want.high or MORE_THAN_ANY
    slack = 0.10 if want.about else 0.03
    if low * (1 - slack) <= value <= high * (1 + slack):
        return Status.FINE if want.high is None and value > 1.34 * low else Status.MET
    one_sided = want.low is None or want.high is None
    return Status.CLOSE if not one_sided and low * 0.75 <= value <= high * 1.34 else Status.CONTRADICTED


def capacity(value: float, want: Asked) -> Status:
    if want.low is None:
        return Status.MET if want.high is None or value <= 1.03 * want.high else Status.CONTRADICTED
    if value < 0.97 * want.low:
        return Status.CLOSE if value >= 0.95 * want.low else Status.CONTRADICTED
    if want.high is not None and want.about is None:
        return _larger(value, met=1.03 * want.high, close=1.6 * want.high)
    if value < want.low:
        return Status.FINE
    found = _larger(value, met=1.6 * want.low, close=2.2 * want.low)
    return Status.FINE if want.high is None and found is not Status.MET else found


def treated(value: float, want: Asked) -> Status:
    """Filters and separators are sold in steps of 1.5 to 3.3: a larger one is dearer, and does the work."""
    found = capacity(value, want)
    return Status.CLOSE if found is Status.FAR and value <= 4 * (want.high or want.low or 0) else found


def _larger(value: float, *, met: float, close: float) -> Status:
    if value <= met:
        return Status.MET
    return Status.CLOSE if value <= close else Status.FAR


def pressure(value: float, want: Asked) -> Status:
    """A machine of a higher rating does; a range or an upper bound is taken at its word."""
    if want.low is not None and value < 0.97 * want.low:
        return Status.CONTRADICTED
    bounded = want.high is not None and want.about is None
    return Status.CONTRADICTED if bounded and value > 1.03 * (want.high or 0) else Status.MET


def vacuum(value: float, want: Asked) -> Status:
    deepest = want.low if want.low is not None else want.high
    return Status.MET if deepest is None or value >= deepest - 0.15 else Status.CONTRADICTED


def dewpoint(value: float, want: Asked) -> Status:
    """-40 °F where +38 °F would do is dearer than needed."""
    highest = want.high if want.high is not None else want.low
    if highest is None or value > highest + 2:
        return Status.CONTRADICTED
    return Status.CLOSE if highest > 32 > value else Status.MET


def tank(value: float, want: Asked) -> Status:
    high = want.high or MORE_THAN_ANY
    if value < 0.95 * (want.low or 0):
        return Status.CONTRADICTED
    return _larger(value, met=1.15 * high, close=2.2 * high)


def at_most(value: float, want: Asked) -> Status:
    """Noise, dimensions, weight: a bare figure is the most that is wanted."""
    if want.about is None and want.low is not None and value < want.low * 0.99:
        return Status.CONTRADICTED
    return Status.CONTRADICTED if want.high is not None and value > want.high * 1.01 else Status.MET


def price(value: float, want: Asked) -> Status:
    """Bounds are taken at their word, and a bare figure as the most that is wanted."""
    within = (want.high is None or value <= want.high) and (want.about or (want.low is None or value >= want.low))
    return Status.MET if within else Status.CONTRADICTED


RULES: Mapping[str, Callable[[float, Asked], Status]] = {
    "power": power,
    "capacity": capacity,
    "capacity of what stands still": treated,
    "pressure": pressure,
    "vacuum": vacuum,
    "dewpoint": dewpoint,
    "tank": tank,
    "noise": at_most,
    "length": at_most,
    "weight": at_most,
    "price": price,
}


def status(value: float | None, text: str, *, quantity: str) -> Status:
    if value is None:
        return Status.UNKNOWN
    return RULES[quantity](value, asked(text, quantity=quantity))
