"""Attributes as a tenant declares them, the values that rows have of them, and the names of its models and people."""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Never

from quarry.attributes.units import Unit, Units, convert, shipped
from quarry.text import DIAMETERS, figure_of, key_of, look_of, part_key

Kind = Literal["number", "text", "flag"]
Sense = Literal["at_least", "at_most", "about", "exactly", "covers"]
"""How a bare figure is read: as a lower bound, an upper bound, an approximate value or an exact one. A row's range
that ``covers`` what is asked holds the figure, or both ends of a range.
"""
Adds = Literal["sum", "same", "decibels", "units", "reserve"]
"""How the values of several machines combine: summed, as of one machine, or added as sound levels. An attribute of
units counts the machines that one row already stands for, one of reserve how many of these wait.
"""
Printed = Literal["always", "known"]
"""Whether a block of characteristics prints an attribute always, or only where a row has it."""

MOST_MEANT = 3
"""The most models that an unknown name may stand for; where it could be more, none is taken."""
_LETTERS_FOR_A_SLIP = 3
_LETTERS_FOR_A_TURN = 2
_SHORTEST_PART_OF_MODEL = 4
_ONE_MARK = re.compile(r"(?<![\d.,])\d{1,3}[.,]\d{3}(?![.,]?\d)")
"""Matches a figure whose mark may be one of decimals or of thousands."""
RATIO = r"(?<![\w:.,])1 ?: ?(?=\d++(?:[.,]\d++)?(?![\w:]|[.,]\d| ?:))"
"""Matches what stands before the figure of a ratio of one, and of no time of day: without a unit 1:40 is 40."""
_RUN_OF_DIGITS = re.compile(r"\d+")
_NORWEGIAN = ("no", "nb", "nn")
"""Norwegian and its written forms, the one language of several two-letter codes (ISO 639)."""


class Attribute(NamedTuple):
    """An attribute that a tenant declares.

    ``met`` and ``close`` are how far a value may be off a bare figure: a share of the figure, or units if
    ``absolute``. ``also`` is a unit of another dimension that states the same quantity: the head of a pump in m is a
    pressure in mH₂O. ``families`` are the product families that have it; empty means all. ``note`` explains its
    values. ``point`` declares it the value, or without a unit the factor, of another attribute at one condition.
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

    def is_of_any(self, families: Collection[str]) -> bool:
        """Returns whether one of the families has it; without families it is not asked of which."""
        return not families or any(map(self.is_of, families))

    def label_in(self, language: str) -> str | None:
        alike = (language, *_NORWEGIAN) if language in _NORWEGIAN else (language,)
        return next((self.labels[each] for each in alike if each in self.labels), None)

    def is_called(self, name: str) -> bool:
        """Returns whether a text is one of its names as it stands."""
        return key_of(name) in map(key_of, names_of(self))

    def place_of(self, value: str) -> int | None:
        """Returns the position of a value in ``ordered``, None where it is not listed."""
        plain = key_of(value)
        return next((place for place, one in enumerate(self.ordered) if key_of(one) == plain), None)

    def between(self, low: str, high: str) -> Sequence[str]:
        """Returns the values from one to another of ``ordered``; none where either has no place there."""
        first, last = self.place_of(low), self.place_of(high)
        return () if first is None or last is None else self.ordered[min(first, last) : max(first, last) + 1]


class Value(NamedTuple):
    """A row's value of an attribute: a figure or a range in the attribute's unit, texts, or yes or no.

    ``raw`` is the wording of its file where that is in another ``unit``. ``how`` tells its derivation from other
    values. ``covers`` is set for conditions only: whether the row's points reach over what was asked.
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
        if self.raw is not None and self._is_read_back(unit):
            return self.raw
        if self.low is not None and self.high is not None:
            figures = [f"{one:.10g}" for one in dict.fromkeys((self.low, self.high))]
            return " ".join(filter(None, ["..".join(figures), unit])) + self.how
        if self.flag is not None:
            return "yes" if self.flag else "no"
        return ", ".join(self.texts)

    def _is_read_back(self, unit: str | None) -> bool:
        """Returns whether whoever asks for the wording asks for the figure: "1.700 W" may be 1.7 W or 1.7 kW."""
        marked = _ONE_MARK.search(self.raw or "")
        if marked is None or self.unit is None or self.low is None or self.high is None:
            return True
        own, said, figure = shipped().named(unit or ""), shipped().named(self.unit), figure_of(marked[0])
        read = convert(figure, said, own) if figure is not None and said is not None and own is not None else None
        return read is not None and any(math.isclose(read, end, rel_tol=0.01) for end in (self.low, self.high))


def value_of(stored: object) -> Value | None:
    """Reads a value as the column ``attributes`` stores it; None where it stores none."""
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
    """Cached, because rows share values and identical objects compare fast."""
    if isinstance(stored, bool):
        return Value(flag=stored)
    if isinstance(stored, str):
        return Value(texts=(stored,)) if stored else None
    return Value(low=float(stored), high=float(stored))


def values_of(stored: Mapping[str, object] | None) -> dict[str, Value]:
    """Reads the column ``attributes`` of a row into values by attribute name."""
    found = ((name, value_of(value)) for name, value in (stored or {}).items())
    return {name: value for name, value in found if value is not None}


def texts_of(stored: Mapping[str, object] | None, attributes: "Attributes") -> dict[str, str]:
    """Returns the values of a row's column ``attributes`` as text, figures with the unit of their attribute."""
    units = {name: one.unit for name, one in attributes.by_name.items()}
    return {name: value.shown(units.get(name)) for name, value in values_of(stored).items()}


class Held(dict[str, Any]):
    """A read-only JSON object of a row. Rows of the same text share one object across searches, and it keeps what
    ``once`` computed from it.
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
    """Parses a JSON column, an object or a list of objects; equal texts give the same objects."""
    return json.loads(text, object_hook=Held)


def once[T](held: Mapping[str, Any], make: Callable[[Mapping[str, Any]], T]) -> T:
    """Returns ``make(held)``, computed only once where ``held`` is a shared ``Held``."""
    return held.once(make) if isinstance(held, Held) else make(held)


@dataclass(frozen=True, eq=False)
class Attributes:
    """All that a tenant declares: attributes by name, families, vocabulary and units.

    ``listed`` holds the values that rows have of each text attribute, as written, ``stored`` the least and the
    greatest of each figure; ``terms`` maps (attribute, folded term) to the values that the term stands for.
    """

    by_name: Mapping[str, Attribute]
    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The names and synonyms of each family."""
    listed: Mapping[str, frozenset[str]] = field(default_factory=dict)
    stored: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    terms: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    units: Units = field(default_factory=shipped)
    language: str | None = None
    currency: str | None = None
    """The house's, as its language is."""

    @cached_property
    def by_word(self) -> Mapping[str, Sequence[Attribute]]:
        """The attributes by every folded name they have: their own, labels and synonyms."""
        found: dict[str, list[Attribute]] = {}
        for attribute in self.by_name.values():
            for name in dict.fromkeys(map(key_of, names_of(attribute))):
                found.setdefault(name, []).append(attribute)
        return found

    def named(self, name: str) -> Attribute | None:
        """Returns the attribute of that name, label or synonym; None where there is none or several share it. A name
        or a label of one goes before a synonym of another.
        """
        if (exact := self.by_name.get(name)) is not None:
            return exact
        found = self.by_word.get(key_of(name), ())
        found = [one for one in found if one._replace(words=()).is_called(name)] or found
        return found[0] if len(found) == 1 else None

    def unit_of(self, attribute: Attribute) -> Unit | None:
        return self.units.named(attribute.unit) if attribute.unit else None

    def also_of(self, attribute: Attribute) -> Unit | None:
        return self.units.named(attribute.also) if attribute.also else None

    def measured_in(self, unit: Unit, *, families: Collection[str] = ()) -> list[Attribute]:
        """Returns the numeric attributes that a unit can measure, of the families if any are named."""
        return [one for one in self._by_dimension.get(unit.dimension, ()) if one.is_of_any(families)]

    @cached_property
    def _by_dimension(self) -> Mapping[str, Sequence[Attribute]]:
        """The numeric attributes by what their units measure."""
        found: dict[str, list[Attribute]] = {}
        for one in self.by_name.values():
            own = (self.unit_of(one), self.also_of(one)) if one.kind == "number" else ()
            for dimension in dict.fromkeys(unit.dimension for unit in own if unit):
                found.setdefault(dimension, []).append(one)
        return found


def names_of(attribute: Attribute) -> list[str]:
    """Returns all names of an attribute: its own, its labels, and its synonyms without their language prefix."""
    return [attribute.name, *attribute.labels.values(), *(unmarked(word)[1] for word in attribute.words)]


def unlabelled(text: str, attribute: Attribute, heading: str = "") -> str:
    """Removes what is written before a figure of the attribute, as in PN 16, %65, Ø80 or ±1: its unit, a diameter's
    sign, words of its names or of a column's heading; without a unit also the one of a ratio, 1:40. A hyphen joins
    the two in PN-16, and is a minus behind a blank.
    """
    text = re.sub(r"^(\D*?)(?:±|\+/-)\s*(?=\.?\d)", r"\1", text)
    text = text if attribute.unit else re.sub(RATIO, "", text)
    names = names_of(attribute)
    words = {word for name in (*names, heading) for word in re.split(r"[\W_]+", name) if word.isalpha()}
    said = sorted(filter(None, {*names, *words, attribute.unit}), key=len, reverse=True)
    label = "|".join(re.escape(each).replace("_", "[_ ]") for each in said)
    behind = r"(?!(?<=\d)[\d.,/])(?:\s*[.:=]+|\s*-(?=\s)|-)?\s*(?=[+\-−]?\.?\d)"
    labels = rf"(?:{label})(?:\s*+(?:{label}))*+"
    return re.sub(rf"^(\s*)(?:{labels}|[{DIAMETERS}]){behind}", r"\1", text, flags=re.IGNORECASE)


def unmarked(word: str) -> tuple[str | None, str]:
    """Splits off the language prefix of a word: "de:Druck" gives ("de", "Druck")."""
    language, mark, rest = word.partition(":")
    return (language, rest.strip()) if mark and len(language) == 2 and language.isalpha() else (None, word)


class NamedModel(NamedTuple):
    name: str
    manufacturer: str | None = None


@dataclass(frozen=True, eq=False)
class Names:
    """Proper names of a tenant: models by part key; makers (full and short), customers and salespeople by folded
    name.

    ``skus`` has the models by part key of the house's own number, where that is another.
    ``words`` are the folded words of the tenant's own rows, none of which is taken for a misspelt maker. ``sold_in``
    are the units that prices and past lines are for, as written.
    """

    models: Mapping[str, NamedModel] = field(default_factory=dict)
    manufacturers: Mapping[str, str] = field(default_factory=dict)
    customers: Mapping[str, str] = field(default_factory=dict)
    salespeople: Mapping[str, str] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    skus: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sold_in: frozenset[str] = frozenset()

    @cached_property
    def by_digits(self) -> Mapping[str, list[str]]:
        """Part keys of models by their sorted digits, so that two transposed digits still match."""
        return grouped(self.models, lambda key: "".join(sorted(digits_of(key))))

    @cached_property
    def by_look(self) -> Mapping[str, list[str]]:
        """Part keys of models by their look and by that of the house's own numbers: O is 0."""
        found = grouped(self.models, model_look)
        for sku, models in self.skus.items():
            if len(sku) > _SHORTEST_PART_OF_MODEL and not sku.isdigit():
                found.setdefault(model_look(sku), []).extend({*map(part_key, models)} & self.models.keys())
        return found


def model_look(key: str) -> str:
    """What part keys share that look the same in capitals: O and 0, I, L and 1, and letters of several scripts."""
    return look_of(key.upper()).replace("i", "l")


def grouped(keys: Iterable[str], of: Callable[[str], str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key in keys:
        found.setdefault(of(key), []).append(key)
    return found


def models_like(asked: str, names: Names) -> list[str]:
    """Returns the models that an unknown name may mean: those that contain it, else those one typing error away."""
    key = part_key(asked)
    if not digits_of(key) or key in names.models or key in names.skus:
        return []
    found = [one for one in names.models if key in one] if len(key) >= _SHORTEST_PART_OF_MODEL else []
    found = found or sorted(set(near_models(key, names)))
    return [names.models[one].name for one in found] if len(found) <= MOST_MEANT else []


def near_models(key: str, names: Names) -> Iterator[str]:
    """Yields part keys that look alike, have one letter wrong and the same figures, or two characters swapped."""
    from rapidfuzz.distance import OSA

    yield from names.by_look.get(model_look(key), ())
    digits = digits_of(key)
    for one in names.by_digits.get("".join(sorted(digits)), ()):
        is_turned = sorted(key) == sorted(one)
        letters = min(len(key), len(one)) - len(digits)
        is_likely = letters >= (_LETTERS_FOR_A_TURN if is_turned else _LETTERS_FOR_A_SLIP)
        # Without the letter between them two figures become one: 1x6 is no slip of 16.
        is_same = is_turned or _RUN_OF_DIGITS.findall(key) == _RUN_OF_DIGITS.findall(one)
        if is_likely and is_same and OSA.distance(key, one, score_cutoff=1) == 1:
            yield one


def digits_of(key: str) -> str:
    return "".join(filter(str.isdigit, key))
