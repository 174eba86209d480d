"""What a length is of: a side of a machine, or the mercury of a vacuum gauge."""

import re
from collections.abc import Mapping, Sequence

from quarry.understanding.marks import Mark, Role
from quarry.understanding.text import fold
from quarry.understanding.units import ATMOSPHERE_INHG

COMPARED: Mapping[str, re.Pattern[str]] = {
    "width_in": re.compile(
        r"wider|narrower|slimmer|breiter|schmal|schmaeler|anch[oa]|angost|estrech|\blarge\b|etroit"
    ),
    "height_in": re.compile(r"taller|higher|hoher|hoeher|flacher|\balt[oa]|\bbaj[oa]\b|\bhaute?\b"),
    "length_in": re.compile(
        r"longer|shorter|langer|laenger|kurzer|kuerzer|larg[oa]|cort[oa]|\blongs?\b|\blongue|\bcourt"
    ),
}
"""What a bound compares: not wider than, kürzer als, más angosto que."""
DEEP_INCHES = (15.0, ATMOSPHERE_INHG)
"""Inches of a vacuum pump that are of mercury, where no dimension is said: "28 inches, 500 cfm"."""
PULLED = re.compile(
    r"\b(?:pull|hold|draw|suck|reach|maintain|zieh|halt|jal|mant|sosten|tir|tien|atteind|alcan)\w*\W+(?:\w+\W+){0,3}$"
)
"""Before inches that are of mercury: pull 29 inches."""
LEFT_MBAR = 40.0
"""Up to which millibars are the pressure that a vacuum pump leaves; no blower is asked for so little."""
BEFORE_INCHES = 40
"""Characters before inches in which it may stand."""
OF_PUMPS = frozenset(("claw", "liquid-ring"))
PARTING = frozenset((",", ";"))
LETTERED = re.compile(r"\s?([LWH])(?!\w)")
"""A side by its capital behind a length, 80" H; a small h may be hours."""
SIDES = {"L": "length_in", "W": "width_in", "H": "height_in"}


def dimension(text: str, roles: Sequence[Role], mark: Mark) -> str:
    said = fold(text[mark.start : mark.end])
    for attribute, word in COMPARED.items():
        if word.search(said):
            return attribute
    if lettered := LETTERED.match(text, mark.end):
        return SIDES[lettered[1]]
    nearest = min(("height_in", "width_in", "length_in"), key=lambda each: _aside(text, roles, mark, each))
    return nearest if _aside(text, roles, mark, nearest) < 3 else "in"


def _aside(text: str, roles: Sequence[Role], mark: Mark, value: str) -> float:
    """Tokens between a length and the nearest word of a side; one that a comma parts from it is farther."""
    before = text[: mark.start].rstrip()[-1:] in PARTING
    behind = text[mark.end :].lstrip()[:1] in PARTING
    distances = [
        mark.first - role.last + before / 2
        if role.last <= mark.first
        else max(0, role.first - mark.last) + behind / 2
        for role in roles
        if role.value == value
    ]
    return min(distances, default=1000)


def is_of_a_vacuum(text: str, roles: Sequence[Role], marks: Sequence[Mark]) -> bool:
    """Whether the quantities of an item that names no machine can only be of a vacuum pump: 29 inches and 400 cfm."""
    kinds = {mark.attribute for mark in marks}
    return any(
        mark.attribute == "inhg"
        or (mark.attribute == "mbar" and 0 <= (mark.low or 0.0) < LEFT_MBAR)
        or (mark.attribute == "compression" and bool(mark.values & OF_PUMPS))
        or (is_deep(text, roles, mark) and (("pressure" not in kinds and "cfm" in kinds) or _is_pulled(text, mark)))
        for mark in marks
    )


def _is_pulled(text: str, mark: Mark) -> bool:
    return PULLED.search(fold(text[max(0, mark.start - BEFORE_INCHES) : mark.start])) is not None


def is_deep(text: str, roles: Sequence[Role], mark: Mark) -> bool:
    plain = mark.attribute == "in" and mark.unit == "in" and dimension(text, roles, mark) == "in"
    return plain and DEEP_INCHES[0] <= (mark.low or 0.0) <= DEEP_INCHES[1]
