"""Reads the numbers of a request (power, flow, pressure, vacuum, dew point) and which way they bind."""

import re
from dataclasses import dataclass

UNITS = {
    "hp": r"h\.?p\b\.?|horse\s?power",
    "cfm": r"[sai]?cfm\b",
    "psi": r"psi[ga]?\b",
    "vacuum_inhg": r"(?:in\.?|\")\s*hg\b",
    "dewpoint_f": r"°?\s*f\b(?:\s*(?:pressure\s+)?dew\s?point)?",
}
UNIT_NAMES = {"hp": "HP", "cfm": "CFM", "psi": "PSI", "vacuum_inhg": "inHg", "dewpoint_f": "°F dew point"}
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
LEAST = r"at least|min(?:imum)?(?: of)?|over"
MOST = r"up to|max(?:imum)?(?: of)?|under"


@dataclass(frozen=True)
class Bounds:
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.low:g}"
        if self.high is None:
            return f"at least {self.low:g}"
        return f"up to {self.high:g}" if self.low is None else f"{self.low:g} to {self.high:g}"

    def admits(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


@dataclass(frozen=True)
class Reading:
    bounds: Bounds
    span: tuple[int, int]


def read_limits(text: str) -> dict[str, Reading]:
    return {name: reading for name in UNITS if (reading := _read(text, name))}


def _read(text: str, name: str) -> Reading | None:
    match = re.search(
        rf"(?:(?P<least>{LEAST})|(?P<most>{MOST}))?\s*"
        rf"(?P<low>(?<![\w.])-?{NUMBER})(?:\s*(?:-|–|to)\s*(?P<high>{NUMBER}))?\s*-?\s*(?:{UNITS[name]})"
        r"(?:\s*(?:(?P<least_after>min)|(?P<most_after>max))(?:imum)?\b)?",
        text,
        re.I,
    )
    return Reading(_bounds(match, name), match.span()) if match else None


def _bounds(match: re.Match[str], name: str) -> Bounds:
    """Bare power is exact; bare flow, pressure and vacuum are the least that will do, dew point the most."""
    low = float(match["low"].replace(",", ""))
    if match["high"]:
        return Bounds(low, float(match["high"].replace(",", "")))
    if match["most"] or match["most_after"]:
        return Bounds(high=low)
    if match["least"] or match["least_after"]:
        return Bounds(low=low)
    if name == "dewpoint_f":
        return Bounds(high=low)
    return Bounds(low, low) if name == "hp" else Bounds(low=low)


def unread_numbers(text: str, used: list[tuple[int, int]]) -> tuple[str, ...]:
    """Numbers outside the used spans, each with the word after it: `75 kW`, `3 phase`."""
    numbers = re.finditer(rf"(?<![\w.]){NUMBER}(?:[\s-]?[A-Za-z°%]+)?", text)
    return tuple(m.group() for m in numbers if not any(a <= m.start() < b or a < m.end() <= b for a, b in used))
