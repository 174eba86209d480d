"""What a request names: the things that its items are, each by the tokens it stands in."""

from collections.abc import Sequence
from dataclasses import dataclass

from quarry.understanding.marks import Mark, Role
from quarry.understanding.text import Token

MOST_ITEMS = 20
AUXILIARY = frozenset(("dryer", "receiver", "filtration", "accessory"))
POWERED = frozenset(("compressor", "vacuum_pump", "blower"))
TREATING = frozenset(("dryer", "filtration", "receiver"))
OF_CONTEXT = frozenset((
    "hp", "cfm", "pressure", "lubrication", "compression", "family", "manufacturer", "model", "drive", "cooling",
    "arrangement", "accessory_kind", "dryer_kind", "filter_kind",
))  # fmt: skip
"""What is said of the machine that the item is for: "a dryer for a 100 hp oil-flooded compressor"."""
OF_MACHINES = frozenset(("hp", "lubrication", "compression", "oil"))
"""What no dryer, receiver, filter or drain has: "separator for a 300 hp plant"."""
ON_A_TANK_HP = 15.0
"""Up to which compressors are sold on a tank of their own."""
ON_A_TANK_GAL = 200.0
"""The largest tank that carries a machine."""
IN_A_PLANT_GAL = 400.0
"""The largest of a plant of several pumps."""
AN = frozenset(("a", "an", "ein", "eine", "einen", "einem", "einer", "un", "una", "une"))
"""Before a part that a thing is wanted with: "receiver with a drain" is one thing."""
ONE_MORE = AN | frozenset((
    "one", "another", "second", "additional", "zweiter", "zweite", "weiterer", "uno", "otro", "otra", "segundo",
    "autre", "deuxieme",
))  # fmt: skip
"""Before a thing that is counted, and so not the one that was just named."""
ON_A_TANK_CFM = 60.0
CARRIED = frozenset(("on", "over", "atop", "auf", "sobre", "sur"))
"""Between a machine and the tank that it is mounted on."""

THE = frozenset((
    "the", "our", "your", "der", "die", "das", "den", "dem", "des", "unser", "unsere", "unseren", "el", "la", "los",
    "las", "nuestro", "nuestra", "nuestros", "le", "les", "notre", "nos", "du", "del",
))  # fmt: skip
"""Before a thing that is there already."""


@dataclass(frozen=True, slots=True)
class Head:
    """What an item is: families or a model, by the tokens they stand in."""

    first: int
    last: int
    families: frozenset[str]
    models: frozenset[str]


@dataclass(frozen=True, slots=True)
class Segment:
    first: int
    last: int
    families: frozenset[str]
    context: tuple[tuple[int, int], ...] = ()
    """Token ranges that tell of another machine."""
    bare: bool = False
    """True when the head follows the one before at once: "vacuum pump and compressor"."""
    marks: tuple[int, ...] | None = None
    """Places of the marks that belong here, where they are not simply those between `first` and `last`."""


def named_heads(marks: Sequence[Mark], dropped: set[int]) -> list[Head]:
    heads: list[Head] = []
    spare = {(mark.first, mark.last) for mark in marks if mark.attribute == "redundancy"}
    naming = [
        mark for place, mark in enumerate(marks) if place not in dropped and mark.attribute in ("family", "model")
    ]
    # "With one compressor down" is said of the plant that is named elsewhere.
    own = [mark for mark in naming if (mark.first, mark.last) not in spare]
    for mark in own or naming:
        families = mark.values if mark.attribute == "family" else frozenset()
        models = mark.values if mark.attribute == "model" else frozenset()
        if heads and mark.first < heads[-1].last:
            last = heads[-1]
            heads[-1] = Head(last.first, max(last.last, mark.last), last.families | families, last.models | models)
        else:
            heads.append(Head(mark.first, mark.last, families, models))
    return heads


def is_carried(words: Sequence[Token], mark: Mark, tank: Head) -> bool:
    """Whether the machine of a size stands on the tank: "10 horse on an 80 gal tank"."""
    between = words[mark.last : tank.first]
    return any(token.text in CARRIED for token in between) and all(token.soft for token in between)


def is_of_no_size(words: Sequence[Token], roles: Sequence[Role], marks: Sequence[Mark], tank: Head) -> bool:
    """Whether the tank is what a machine comes with: "7.5 hp two stage with tank"."""
    sized = any(mark.attribute == "gallons" for mark in marks)
    return not sized and any(
        role.value == "fitted" and tank.first - 2 <= role.last <= tank.first and words[role.first].soft
        for role in roles
    )


def comes_with(
    words: Sequence[Token], roles: Sequence[Role], marks: Sequence[Mark], one: Head, tank: Head, heads: Sequence[Head]
) -> bool:
    """Whether a small compressor is asked for "with tank": what stands behind is still said of it."""
    if one.families != {"compressor"} or tank.families != {"receiver"} or len(heads) > 2:
        return False
    small = all((mark.high or mark.low or 0.0) <= ON_A_TANK_HP for mark in marks if mark.attribute == "hp")
    between = tank.first - one.last <= 2 and all(token.soft for token in words[one.last : tank.first])
    return small and between and is_of_no_size(words, roles, marks, tank)


def is_on_its_tank(
    words: Sequence[Token], roles: Sequence[Role], marks: Sequence[Mark], one: Head, tank: Head, heads: Sequence[Head]
) -> bool:
    """Whether the tank behind a comma is the one that a machine stands on: "10 hp piston, 80 gallon tank"."""
    if (
        len(heads) > 2
        or tank.families != {"receiver"}
        or not one.families <= {"compressor", "vacuum_pump"}
        or one.models
    ):
        return False
    said = [mark for mark in marks if mark.attribute in ("gallons", "hp", "compression", "arrangement", "machines")]
    sizes = [mark.low or 0.0 for mark in said if mark.attribute == "gallons"]
    powers = [mark.high or mark.low or 0.0 for mark in said if mark.attribute == "hp"]
    piston = any(mark.attribute == "compression" and mark.values == {"reciprocating"} for mark in said)
    plant = any(mark.attribute == "arrangement" for mark in said)
    between = [role for role in roles if one.last <= role.first < tank.first]
    with_it = {role.first for role in between if role.value == "fitted"}
    joined = any(role.value in ("and", "but") and role.first not in with_it for role in between)
    at = next((mark.first for mark in said if mark.attribute == "gallons" and mark.first < tank.first), tank.first)
    one_more = ONE_MORE - AN if with_it else ONE_MORE
    counted = words[at - 1].text in one_more or (words[at - 1].number and words[at].soft)
    fits = max(sizes, default=0.0) <= (IN_A_PLANT_GAL if plant else ON_A_TANK_GAL)
    flows = [mark.high or mark.low or 0.0 for mark in marks if mark.attribute == "cfm"]
    small = max(powers) <= ON_A_TANK_HP if powers else piston or (bool(flows) and max(flows) <= ON_A_TANK_CFM)
    return bool(sizes) and fits and (small or plant) and not joined and not counted


def merged(one: Head, other: Head) -> Head:
    """Of two heads that stand together: a service is what is asked for, else the later one."""
    families = one.families if "service" in one.families else other.families or one.families
    return Head(one.first, other.last, families, one.models | other.models)
