"""The things that a request names by what is said of them alone: a power, a dew point, gallons."""

from collections.abc import Sequence

from quarry.understanding.heads import AUXILIARY, THE, Head, is_carried, is_of_no_size
from quarry.understanding.marks import Mark, Role
from quarry.understanding.parting import Joints, cut_between
from quarry.understanding.text import Token

FITTED = frozenset(("drain", "zero-loss-drain", "relief-valve", "gauge"))
"""What a dryer, filter or receiver is bought with and no item of its own: "receiver with relief valve and drain"."""
BESIDE = frozenset((
    "after", "behind", "downstream", "before", "ahead", "upstream", "nach", "hinter", "vor", "despues", "detras",
    "antes", "apres", "derriere", "avant", "aval", "amont",
))  # fmt: skip
"""What a place begins with that another thing tells."""


def with_the_implied(
    words: Sequence[Token], roles: Sequence[Role], marks: Sequence[Mark], heads: list[Head], joints: Joints
) -> list[Head]:
    """Adds the machine that "oilless 100 hp and a dryer" means before the dryer, which has no horsepower, and what a
    dew point or gallons name; of "140 cfm after the dryer" the dryer is where the machine's flow is measured.
    """
    if dryer := _dryer_for(roles, marks, heads):
        return [dryer, *heads]
    if not heads or not heads[0].families & (AUXILIARY | {"service"}):
        return heads
    if heads[0].families == {"accessory"} and (vessel := _vessel_with(roles, marks, heads[0])):
        return [vessel, *heads]
    if heads[0].families == {"receiver"} and (machine := _machine_with(roles, marks, heads[0])):
        return [machine, *heads]
    telling = ("hp", "cfm", "lubrication") if "service" in heads[0].families else ("hp", "compression")
    for mark in marks:
        if mark.first >= heads[0].first:
            break
        if mark.attribute == "hp" and heads[0].families == {"receiver"}:
            machine = Head(mark.first, mark.last, frozenset({"compressor"}), frozenset())
            if is_carried(words, mark, heads[0]):
                return [machine, *heads]
            if is_of_no_size(words, roles, marks, heads[0]):
                return [machine, *heads[1:]]
        if mark.attribute in telling and not any(
            role.value == "temperature" and mark.last <= role.first <= mark.last + 1 for role in roles
        ):  # a "100 hp compressor room" is where the dryer goes
            implied = Head(mark.first, mark.last, frozenset(), frozenset())
            served = any(role.value == "for" and role.first < mark.first for role in roles)
            if not served and _is_a_place(words, roles, heads[0]):
                return with_the_implied(words, roles, marks, heads[1:], joints)
            if cut_between(words, joints, implied, heads[0]) is not None and not served:
                return [implied, *heads]
    return heads


def _dryer_for(roles: Sequence[Role], marks: Sequence[Mark], heads: Sequence[Head]) -> Head | None:
    """The dryer that only its dew point names, before the machine that it is for."""
    if len(heads) > 1 or any(not head.families <= {"compressor"} for head in heads):
        return None
    dew = next((role for role in roles if role.value == "dewpoint"), None)
    begin = next((mark.first for mark in marks if mark.attribute == "hp"), None)
    begin = heads[0].first if heads else begin
    if (
        dew is None
        or begin is None
        or not any(role.value == "for" and dew.last <= role.first < begin for role in roles)
    ):
        return None
    return Head(dew.first, dew.last, frozenset({"dryer"}), frozenset())


def _machine_with(roles: Sequence[Role], marks: Sequence[Mark], tank: Head) -> Head | None:
    """The compressor of "15 cfm at 175 psi with an 80 gallon tank"; no tank has a flow."""
    flow = next((mark for mark in marks if mark.attribute == "cfm" and mark.last <= tank.first), None)
    if flow is None or not any(role.value == "fitted" and flow.last <= role.first < tank.first for role in roles):
        return None
    return Head(flow.first, flow.last, frozenset({"compressor"}), frozenset())


def _vessel_with(roles: Sequence[Role], marks: Sequence[Mark], part: Head) -> Head | None:
    """The vessel of "galvanized 500 gallon with drain and gauge", which is named by its size."""
    kinds = {value for mark in marks if mark.last == part.last for value in mark.values}
    sized = next((mark for mark in marks if mark.attribute == "gallons" and mark.last <= part.first), None)
    fitted = any(role.value == "fitted" and 0 <= part.first - role.last <= 1 for role in roles)
    if sized is None or not fitted or not kinds & FITTED:
        return None
    return Head(sized.first, sized.last, frozenset({"receiver"}), frozenset())


def _is_a_place(words: Sequence[Token], roles: Sequence[Role], head: Head) -> bool:
    """Whether it only tells where: "after the dryer", "behind our filter"."""
    return any(
        role.value == "for"
        and words[role.first].text in BESIDE
        and role.last <= head.first
        and all(token.text in THE for token in words[role.last : head.first])
        for role in roles
    )
