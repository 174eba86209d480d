"""Attributes as a tenant declares them, the values that rows have of them, and the names of its models and people."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Never

from quarry.attributes.units import Unit, Units, shipped
from quarry.text import key_of, part_key

Kind = Literal["number", "text", "flag"]
Sense = Literal["at_least", "at_most", "about", "exactly"]
"""What a bare figure asks for: more does, less does, nearly, or that alone."""
Adds = Literal["sum", "same", "decibels", "units"]
"""What several machines have together: the sum, what one has, the level of all sources. What counts in units says how
many machines one row already is.
"""
Printed = Literal["always", "known"]
"""In a block of characteristics: always, if only as missing, or where a row has it."""

MOST_MEANT = 3
"""Models that one name may stand for which none bears."""
_LETTERS_FOR_A_SLIP = 3
_LETTERS_FOR_A_TURN = 2
_SHORTEST_PART_OF_MODEL = 4
_ALIKE = str.maketrans("oil", "011")


class Attribute(NamedTuple):
    """``met`` and ``close``: how far a value may be off a bare figure, as a share of it, or in units if ``absolute``.

    ``also`` is a unit of another dimension whose figures say the same: the head of a pump in m is a pressure in mH₂O.
    ``families`` are those that have it; empty: any. ``note`` says what values mean. ``point`` says of which attribute
    it is the value, or without a unit the factor, at which condition.
    """

    name: str
    kind: Kind = "text"
    families: frozenset[str] = frozenset()
    unit: str | None = None
    sense: Sense = "exactly"
    met: float = 0.0
    close: float = 0.0
    absolute: bool = False
    ordered: tuple[str, ...] = ()
    adds: Adds = "same"
    also: str | None = None
    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()
    labels: Mapping[str, str] = MappingProxyType({})
    position: int | None = None
    note: str | None = None
    printed: Printed | None = None
    point: str | None = None

    def __hash__(self) -> int:
        return hash(self.name)

    def is_of(self, family: str | None) -> bool:
        return not self.families or family is None or family in self.families

    def place_of(self, value: str) -> int | None:
        """Where a value stands in the order of values; None where it has no place."""
        plain = key_of(value)
        return next((place for place, one in enumerate(self.ordered) if key_of(one) == plain), None)


class Value(NamedTuple):
    """What a row has of an attribute: a figure or a range in the attribute's unit, texts, or yes or no.

    ``raw`` is what its file says where that is in another ``unit``. ``how`` says how it came from others that the row
    has; of a condition ``covers`` says whether what the row has there is known, from the lowest point to the highest.
    """

    low: float | None = None
    high: float | None = None
    texts: tuple[str, ...] = ()
    flag: bool | None = None
    raw: str | None = None
    unit: str | None = None
    how: str = ""
    covers: bool | None = None

    def shown(self, unit: str | None) -> str:
        if self.raw is not None:
            return self.raw
        if self.low is not None and self.high is not None:
            figures = [f"{one:.10g}" for one in dict.fromkeys((self.low, self.high))]
            return " ".join(filter(None, ["..".join(figures), unit])) + self.how
        if self.flag is not None:
            return "yes" if self.flag else "no"
        return ", ".join(self.texts)


def value_of(stored: object) -> Value | None:
    """A value as the column ``attributes`` holds it; None where it holds none."""
    match stored:
        case {"value": inner, **more}:
            value = value_of(inner)
            raw, unit = (str(said) if (said := more.get(name)) else None for name in ("raw", "unit"))
            return value and Value(value.low, value.high, value.texts, value.flag, raw, unit)
        case bool() | int() | float() | str():
            return _plain(stored)
        case [int() | float() as low, int() | float() as high]:
            return Value(low=float(low), high=float(high))
        case [*texts] if texts:
            return Value(texts=tuple(map(str, texts)))
    return None


@lru_cache(maxsize=20_000, typed=True)
def _plain(stored: bool | float | str) -> Value | None:
    """Rows share values: one that is the same is soon compared."""
    if isinstance(stored, bool):
        return Value(flag=stored)
    if isinstance(stored, str):
        return Value(texts=(stored,)) if stored else None
    return Value(low=float(stored), high=float(stored))


def values_of(stored: Mapping[str, object] | None) -> dict[str, Value]:
    """By name, what the column ``attributes`` of a row holds."""
    found = ((name, value_of(value)) for name, value in (stored or {}).items())
    return {name: value for name, value in found if value is not None}


class Held(dict[str, Any]):
    """A JSON object that rows hold. Those of the same text share one, search after search: it takes nothing in, and
    what was made of it is kept with it.
    """

    def __init__(self, held: Mapping[str, Any]) -> None:
        super().__init__(held)
        self._made: dict[object, Any] = {}

    def once[T](self, make: Callable[[Mapping[str, Any]], T]) -> T:
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]  # type: ignore[no-any-return]  # what ``make`` made

    def _refuse(self, *_: object, **__: object) -> Never:
        raise TypeError("rows share this: copy it first")

    __setitem__ = __delitem__ = update = setdefault = pop = popitem = clear = __ior__ = _refuse


@lru_cache(maxsize=4096)
def held_in(text: str) -> Any:
    """A column of JSON as text: of an object, or of a list of objects."""
    return json.loads(text, object_hook=Held)


def once[T](held: Mapping[str, Any], make: Callable[[Mapping[str, Any]], T]) -> T:
    """What is made of a row or of what it holds, and where that is shared made but once."""
    return held.once(make) if isinstance(held, Held) else make(held)


@dataclass(frozen=True, eq=False)
class Attributes:
    """All that a tenant declares: attributes by name, families, what terms mean, units.

    ``listed`` has the values that rows have of each text attribute, as they are written; ``terms`` what a term asked
    for an attribute stands for, by (attribute, folded term).
    """

    by_name: Mapping[str, Attribute]
    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names in other words, by family."""
    listed: Mapping[str, frozenset[str]] = field(default_factory=dict)
    terms: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    units: Units = field(default_factory=shipped)

    @cached_property
    def by_word(self) -> Mapping[str, Sequence[Attribute]]:
        """Attributes by each folded name: their own, labels, other words."""
        found: dict[str, list[Attribute]] = {}
        for attribute in self.by_name.values():
            for name in dict.fromkeys(map(key_of, names_of(attribute))):
                found.setdefault(name, []).append(attribute)
        return found

    def named(self, name: str) -> Attribute | None:
        """The attribute of that name, label or word; None where there is none or several share the word."""
        if (exact := self.by_name.get(name)) is not None:
            return exact
        found = self.by_word.get(key_of(name), ())
        return found[0] if len(found) == 1 else None

    def unit_of(self, attribute: Attribute) -> Unit | None:
        return self.units.named(attribute.unit) if attribute.unit else None

    def also_of(self, attribute: Attribute) -> Unit | None:
        return self.units.named(attribute.also) if attribute.also else None

    def measured_in(self, unit: Unit, *, families: Iterable[str] = ()) -> list[Attribute]:
        """The attributes whose figures a unit may state, of the families if any are named."""
        wanted = list(families)
        return [
            one
            for one in self.by_name.values()
            if one.kind == "number"
            and (not wanted or any(one.is_of(family) for family in wanted))
            and any(
                own is not None and own.dimension == unit.dimension for own in (self.unit_of(one), self.also_of(one))
            )
        ]


def names_of(attribute: Attribute) -> list[str]:
    """All that it is called: its name, its labels and its words, these without their language."""
    return [attribute.name, *attribute.labels.values(), *(unmarked(word)[1] for word in attribute.words)]


def unmarked(word: str) -> tuple[str | None, str]:
    """A word and the language that stands before it: "de:Druck" is (de, Druck)."""
    language, mark, rest = word.partition(":")
    return (language, rest.strip()) if mark and len(language) == 2 and language.isalpha() else (None, word)


class NamedModel(NamedTuple):
    name: str
    manufacturer: str | None = None


@dataclass(frozen=True, eq=False)
class Names:
    """Models by part key; makers (full and short), customers and salespeople by folded name.

    ``words`` are the folded words of the tenant's own rows: what stands there is no slip of a maker's name.
    """

    models: Mapping[str, NamedModel] = field(default_factory=dict)
    manufacturers: Mapping[str, str] = field(default_factory=dict)
    customers: Mapping[str, str] = field(default_factory=dict)
    salespeople: Mapping[str, str] = field(default_factory=dict)
    words: frozenset[str] = frozenset()

    @cached_property
    def by_digits(self) -> Mapping[str, list[str]]:
        """Part keys of models by their digits in order of size, for a slip may turn two of them."""
        return grouped(self.models, lambda key: "".join(sorted(digits_of(key))))

    @cached_property
    def by_look(self) -> Mapping[str, list[str]]:
        """Part keys of models as they look: the letter O is like the figure 0."""
        return grouped(self.models, lambda key: key.translate(_ALIKE))


def grouped(keys: Iterable[str], of: Callable[[str], str]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key in keys:
        found.setdefault(of(key), []).append(key)
    return found


def models_like(asked: str, names: Names) -> list[str]:
    """The models that a name may mean which no model bears: those that it is a part of, else those one slip away."""
    key = part_key(asked)
    if not digits_of(key) or key in names.models:
        return []
    found = [one for one in names.models if key in one] if len(key) >= _SHORTEST_PART_OF_MODEL else []
    found = found or sorted(set(near_models(key, names)))
    return [names.models[one].name for one in found] if len(found) <= MOST_MEANT else []


def near_models(key: str, names: Names) -> Iterator[str]:
    """The part keys that may be meant: they look alike, or have the same digits and one slip in the letters, or two
    signs of them are turned.
    """
    from rapidfuzz.distance import OSA

    yield from names.by_look.get(key.translate(_ALIKE), ())
    digits = digits_of(key)
    for one in names.by_digits.get("".join(sorted(digits)), ()):
        is_turned = sorted(key) == sorted(one)
        letters = min(len(key), len(one)) - len(digits)
        is_likely = letters >= (_LETTERS_FOR_A_TURN if is_turned else _LETTERS_FOR_A_SLIP)
        if is_likely and (is_turned or digits == digits_of(one)) and OSA.distance(key, one, score_cutoff=1) == 1:
            yield one


def digits_of(key: str) -> str:
    return "".join(filter(str.isdigit, key))
