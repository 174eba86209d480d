"""Reads a customer's sentence into line items and hard constraints, and admits what it could not read."""

import re
from dataclasses import dataclass, field

from local.demo.limits import NUMBER, UNIT_NAMES, Bounds, read_limits, unread_numbers

FAMILIES = {
    "blower": r"blowers?",
    "dryer": r"d(?:ry|ri)ers?",
    "vacuum_pump": r"vacuum(?:\s+pumps?|\s+systems?)?|vac\s+pumps?",
    "compressor": r"(?:air\s+)?compressors?",
    "receiver": r"receivers?|(?:air\s+)?tanks?",
    "filtration": r"filters?|filtration",
}
MACHINES = ("blower", "dryer", "vacuum_pump", "compressor")
LUBRICATION = {
    "oilless": r"oil[\s-]?less",
    "oil-free": r"oil[\s-]?free",
    "oil-flooded": r"oil[\s-]?(?:flooded|injected|lubricated)",
}
APPLICATIONS = {
    "food-grade": r"food(?:[\s-]grade)?",
    "pharmaceutical": r"pharma(?:ceutical)?",
    "medical": r"medical|nfpa\s*99|hospital",
    "breathing air": r"breathing[\s-]air",
    "instrument air": r"instrument[\s-]air",
    "ISO 8573-1 Class 0": r"class[\s-]?0",
}
COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
QUANTITY = re.compile(
    rf"\bqty\.?\s*(\d+)|\((\d+)\)|\b(\d+)\s*x\b|\b({'|'.join(COUNTS)})\b|\b(\d)\s+(?=new\b|{NUMBER}\s*-?\s*h\.?p)",
    re.I,
)
VOLTAGE = re.compile(r"\b(\d{3}(?:[-/]\d{3})*)\s*(?:v\b|volts?\b|vac\b|(?=/[13]/[56]0))(?:/[13]/[56]0)?", re.I)
INSTALLATION = re.compile(r"\b(?:install(?:ation|ed|ing)?|start-?\s?up)\b", re.I)
PART_OF = re.compile(r"\b(?:integrated|built-?in|internal|on\s+(?:an?\s+)?[\d,]+\s*gal\.?)\s*$", re.I)
JOINTS = re.compile(r"\s*(?:;|\n|\+|&|,|\band\b|\bwith\b|\bplus\b)\s*", re.I)


@dataclass(frozen=True)
class LineRequest:
    text: str
    family: str | None = None
    lubrication: str | None = None
    quantity: int = 1
    voltage: str | None = None
    limits: dict[str, Bounds] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    @property
    def stated(self) -> list[str]:
        """The hard constraints in the order a reader expects them."""
        numbers = [f"{bounds} {UNIT_NAMES[name]}" for name, bounds in self.limits.items()]
        return numbers + [word for word in (self.lubrication, self.voltage and f"{self.voltage} V") if word]


@dataclass(frozen=True)
class Request:
    text: str
    lines: tuple[LineRequest, ...]
    applications: tuple[str, ...] = ()
    installation: bool = False


def parse_request(text: str) -> Request:
    text = "\n".join(" ".join(line.split()) for line in text.strip().splitlines())
    return Request(
        text=text,
        lines=tuple(_read_line(segment.strip()) for segment in _segments(text)),
        applications=tuple(name for name, words in APPLICATIONS.items() if _mentions(text, words)),
        installation=bool(INSTALLATION.search(text)),
    )


def _segments(text: str) -> list[str]:
    """Cuts at a joint only where both sides name equipment: `460V, 100 PSI` stays with its machine."""
    cuts: list[str] = []
    start = 0
    for joint in JOINTS.finditer(text):
        before, rest = text[start : joint.start()], text[joint.end() :]
        if _family(before) and _family(JOINTS.split(rest, maxsplit=1)[0]):
            cuts.append(before)
            start = joint.end()
    return [*cuts, text[start:]]


def _mentions(text: str, words: str) -> bool:
    return bool(re.search(rf"\b(?:{words})\b", text, re.I))


def _family(text: str) -> str | None:
    """The last machine named before `for`, else the last thing named; a built-in dryer names nothing."""
    head, _, rest = _cut_purpose(text)
    for part in (head, rest):
        found = [
            (match.end(), name)
            for name, words in FAMILIES.items()
            for match in re.finditer(rf"\b(?:{words})\b", part, re.I)
            if not PART_OF.search(part[: match.start()])
        ]
        if found:
            return max([hit for hit in found if hit[1] in MACHINES] or found)[1]
    return None


def _cut_purpose(text: str) -> tuple[str, str, str]:
    word = re.search(r"\bfor\b", text, re.I)
    return (text[: word.start()], word.group(), text[word.end() :]) if word else (text, "", "")


def _read_line(text: str) -> LineRequest:
    head, _, purpose = _cut_purpose(text)
    # In "dryer for a 100 HP compressor" the power belongs to the other machine.
    described = head if _family(head) and _family(purpose) else text
    readings = read_limits(described)
    voltage, quantity = VOLTAGE.search(described), QUANTITY.search(described)
    used = [reading.span for reading in readings.values()]
    used += [match.span() for match in (voltage, quantity) if match]
    used += [match.span() for match in re.finditer(r"class[\s-]?0|nfpa\s*99", text, re.I)]
    return LineRequest(
        text=text,
        family=_family(text),
        lubrication=next((name for name, words in LUBRICATION.items() if _mentions(described, words)), None),
        quantity=_count(quantity),
        voltage=voltage.group(1) if voltage else None,
        limits={name: reading.bounds for name, reading in readings.items()},
        unread=unread_numbers(text, used),
    )


def _count(match: re.Match[str] | None) -> int:
    if match is None:
        return 1
    found = next(group for group in match.groups() if group)
    return COUNTS[found.lower()] if found.lower() in COUNTS else int(found)
