"""What the rules read from the tokens of one text, before it is known to which item it belongs."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType

from quarry.understanding.needs import Operator

NO_VALUES: frozenset[str] = frozenset()
OIL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "oilless": frozenset({"oilless"}),
        "oil-free": frozenset({"oilless", "oil-free"}),
        "oil-flooded": frozenset({"oil-flooded"}),
    }
)
"""What each word for lubrication admits."""
KIND_OF: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("desiccant-heatless", "heated", "blower-purge", "heat-of-compression"), "desiccant"),
        **dict.fromkeys(("cycling", "non-cycling"), "refrigerated"),
        **dict.fromkeys(("zero-loss-drain", "timer-drain"), "drain"),
    }
)
"""Kinds that are a kind of another: who says both means the more special one."""
ALL_OIL = frozenset({"oilless", "oil-free", "oil-flooded"})


@dataclass(frozen=True, slots=True)
class Role:
    """A word that relates others: negation, and, or, for, only."""

    value: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing said, by its tokens (`last` not included) and its characters."""

    attribute: str
    first: int
    last: int
    start: int
    end: int
    values: frozenset[str] = NO_VALUES
    operator: Operator = "one_of"
    low: float | None = None
    high: float | None = None
    family: str = ""
    """When set, it is said only where that family is asked for."""
    absent: bool = False
    machines: int | None = None
    absolute: bool = False
    unit: str = ""
    problem: bool = False
    """True where it is the answer to a problem that is told, and is not named itself."""
    own: bool = False
    """True for a figure of one of the tenant's own attributes, in that attribute's unit."""


def places(marks: Sequence[Mark], first: int, last: int) -> range:
    """Of the marks in order, the places of those that begin at tokens from `first` to before `last`."""
    return range(bisect_left(marks, first, key=_first), bisect_left(marks, last, key=_first))


_first = attrgetter("first")
