"""Reads a tenant's attributes from cells and JSON: figures in the attribute's unit, ranges, texts, yes and no."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any

from operations.tables.cells import (
    DASHES,
    NOTHING,
    Cell,
    Doubtful,
    Habits,
    Mark,
    Unreadable,
    currency_of,
    flag,
    number,
    text_of,
)
from operations.tables.lists import ListedTexts, written_twice
from quarry.attributes.model import Attribute, Attributes, names_of, unlabelled, value_of
from quarry.attributes.units import NOMINAL, Unit, Units, convert
from quarry.ingestion import CellFault, Kind, Row, parted
from quarry.reading.languages import signed, spelled
from quarry.text import as_known, ascii_digits, decimal_fractions, fold, key_of, written_out

FIELD = "attributes"
OF_ATTRIBUTES = f"{FIELD}."
"""The prefix of a field that is one of the tenant's own attributes."""
NO_ATTRIBUTES = Attributes({})
"""Stands for declarations that were not given: any family is accepted then."""

PIECES = "pieces"
"""The dimension of what is counted, which an attribute may hold without a unit."""

SOLD_BY = frozenset((PIECES, "users", "length", "area", "volume", "mass", "time"))
"""Dimensions of units of which a price is for one."""

AS_STORED = Habits(decimal=".")

_TO = re.compile(
    rf"(?:(?<!\.)\.{{2,}}+|…|(?<=[\w\s)])[-–—~〜]|(?<=\s)(?:{spelled('to')})\s)\s*+(?=[-+−]?\s?[\d.,])", re.IGNORECASE
)
_BOUND = re.compile(r"([<>≤≥])=?\s*")
_WITHIN = {"at_least": ">≥", "at_most": "<≤"}
"""Signs of bounds whose figure is as good as any that they allow, by the sense of the attribute."""
_SIGNS = re.compile(r"^[-+−–]?[\d.,'’\s\u00a0\u202f]+")


def attribute_of(column: str, kind: Kind, attributes: Attributes) -> Attribute | None:
    """Returns the attribute that a column's heading names, unless it names a field of the kind."""
    if not kind.attributed or column in kind.row.model_fields:
        return None
    return attributes.named(column.removeprefix(OF_ATTRIBUTES))


def known_names(attributes: Attributes) -> str:
    shown = (f"{one.name} ({one.unit})" if one.unit else one.name for one in attributes.by_name.values())
    return ", ".join(sorted(shown)) or "there is none yet"


def unknown_family(row: Row, attributes: Attributes) -> CellFault | None:
    """Returns the fault of a row whose family the tenant has not declared; else None."""
    family = getattr(row, "family", None)
    if family is None or family in attributes.families or attributes is NO_ATTRIBUTES:
        return None
    known = ", ".join(sorted(attributes.families)) or "there is none yet"
    return CellFault("family", f"is no family of yours: {known}, or one that you ingest first as families", family)


def of_other_families(row: Row, attributes: Attributes) -> Iterator[CellFault]:
    """Yields a doubt on each attribute of a row that is declared for other families than the row's."""
    family = getattr(row, "family", None) or ""
    for name in getattr(row, FIELD, None) or {}:
        if family and (declared := attributes.by_name.get(name)) and not declared.is_of(family):
            known = ", ".join(sorted(declared.families))
            why = (
                f"is declared for {known}, but rows of other families have it: declare it for these, or leave it out"
            )
            yield CellFault(name, why, family)


@dataclass(frozen=True, slots=True)
class AttributeCells:
    """Reads values as the tenant's attributes hold them; ``habits`` say how the file writes numbers, ``lists`` by
    attribute which texts of its column are several values.
    """

    attributes: Attributes
    habits: Habits = AS_STORED
    lists: Mapping[str, ListedTexts] = field(default_factory=dict)

    def value(
        self, name: str, cell: Cell, *, unit: str | None = None, pieces: Decimal = Decimal(1), heading: str = ""
    ) -> object | None:
        """Returns the value to store, None for an empty cell; ``unit`` and ``heading`` are the column's, and
        ``pieces`` for how many its figure is. Raises Unreadable.
        """
        attribute = self.attributes.by_name.get(name)
        if attribute is None:
            raise Unreadable(
                f"is no attribute of your goods: {known_names(self.attributes)}; declare it first: "
                "make ingest KIND=attributes"
            )
        text = text_of(cell)
        if not text or text in DASHES:
            return None
        if attribute.kind == "text":
            return self._texts(attribute, text)
        if text.lower() in NOTHING and not isinstance(cell, bool):
            return None
        try:
            return self._measured(attribute, cell, unit=unit, pieces=pieces, heading=heading)
        except Unreadable:
            meant = self.attributes.terms.get((name, key_of(text)), ())
            if len(meant) != 1:
                raise
            value = AttributeCells(self.attributes)._measured(attribute, meant[0], unit=None)
            return (
                {"value": value, "raw": text} if attribute.kind == "number" and not isinstance(value, dict) else value
            )

    def doubt(self, name: str, value: object) -> str | None:
        """Why texts may not be meant so: one has no place in the attribute's order, or may be several."""
        attribute, held = self.attributes.by_name[name], value_of(value)
        texts = held.texts if held else ()
        if attribute.ordered and any(attribute.place_of(text) is None for text in texts):
            return f"has no place in the order of {attribute.name}: {' < '.join(attribute.ordered)}"
        lists = self.lists.get(name)
        return next(filter(None, map(lists.doubt, texts)), None) if lists else None

    def from_json(
        self, values: Mapping[str, Any], kind: Kind
    ) -> tuple[dict[str, Any], list[CellFault], list[CellFault]]:
        """Returns (row, faults, doubts about implausible values) of a JSON row whose attributes stand among its
        fields or inside ``attributes``; in the returned row all are inside, as they are stored.
        """
        if not kind.attributed or not isinstance(values.get(FIELD) or {}, dict):
            return dict(values), [], []
        fields = {name: value for name, value in values.items() if name in kind.row.model_fields}
        stated = {name: value for name, value in values.items() if name not in fields} | (values.get(FIELD) or {})
        found: dict[str, Any] = {}
        faults, doubts = list[CellFault](), list[CellFault]()
        for name, said in stated.items():
            try:
                attribute = self.attributes.named(name)
                value = self._stated(attribute.name if attribute else name, said)
            except Unreadable as trouble:
                why = doubts if isinstance(trouble, Doubtful) else faults
                why.append(
                    CellFault(
                        name[:60], str(trouble), text_of(said)[:80] if isinstance(said, str | int | float) else ""
                    )
                )
                continue
            if attribute is not None and (value is not None or said is None):
                found[attribute.name] = value
        own = {FIELD: found} if found else {}
        return {**fields, **own}, faults, doubts

    def _stated(self, name: str, said: object) -> object | None:
        if isinstance(said, dict):
            inner = self._stated(name, said.get("value"))
            told = {each: more for each, more in said.items() if more is not None and each != "value"}
            read = inner if isinstance(inner, dict) else {"value": inner}
            return None if inner is None else read | told
        attribute = self.attributes.by_name.get(name)
        if not isinstance(said, list) or attribute is None:
            return self.value(name, said)  # type: ignore[arg-type]  # JSON has no other values
        if attribute.kind == "text":
            return [str(one) for one in said if text_of(one)] or None
        if attribute.kind == "number" and len(said) == 2 and all(type(one) in (int, float) for one in said):
            _refuse_implausible(said, attribute)
            return said
        raise Unreadable(f"is no {attribute.kind}")

    def _texts(self, attribute: Attribute, text: str) -> object:
        """Returns the texts that a cell has, in place of a term what it stands for, with what was written."""
        lists = self.lists.get(attribute.name, ListedTexts())
        parts = list(dict.fromkeys(value for part in parted(text) for value in lists.values(part)))
        meant = list(dict.fromkeys(self._meant(attribute, part) for part in parts))
        value = meant[0] if len(meant) == 1 else meant or None
        return value if meant == parts else {"value": value, "raw": text}

    def _meant(self, attribute: Attribute, text: str) -> str:
        """Returns the only value that a term stands for; a text that is a value itself, or looks like it, stays."""
        text = as_known(text, attribute.ordered)
        key = key_of(text)
        meant = self.attributes.terms.get((attribute.name, key), ())
        if len(meant) != 1 or attribute.place_of(text) is not None:
            return text
        return text if key in _meanings(self.attributes, attribute.name) else meant[0]

    def _measured(
        self,
        attribute: Attribute,
        cell: Cell,
        *,
        unit: str | None,
        pieces: Decimal = Decimal(1),
        heading: str = "",
    ) -> object:
        if attribute.kind == "flag":
            return flag(cell)
        said, again, label = cell, "", ""
        if isinstance(cell, str):
            point = self.habits.decimal or "."
            plain = written_out(ascii_digits(cell.strip(), point=point), point=point)
            whole, again = written_twice(decimal_fractions(plain, point=point))
            said = unlabelled(whole, attribute, heading).strip()
            label = self._unit_before(whole.removesuffix(said).strip(" .:=-"), attribute)
            said = _unbound(signed(said), attribute)
        ends = _ends(said) if isinstance(said, str) else None
        if ends is None:
            figure, beside = self._figure(said)
            figures = [figure]
        else:
            (low, before), (high, beside) = map(self._figure, ends)
            figures, beside = [low, high], beside or before
        beside = beside or label
        if attribute.is_called(beside) and unit_named(beside, self.attributes.units) is None:
            beside = ""
        measured = self._unit(beside or unit, attribute)
        stored = [self._in_own(figure / pieces, measured, attribute) for figure in figures]
        _refuse_implausible(stored, attribute)
        if again and not _is_alike(stored, self._measured(attribute, again, unit=unit, pieces=pieces)):
            raise Unreadable("has another figure in brackets: say in the mapping's values which is meant")
        value = _whole(stored[0]) if len(stored) == 1 else sorted(map(_whole, stored))
        if len(stored) == 2 and stored[0] == stored[1]:
            value = _whole(stored[0])
        # What the file says of a hundred is no wording for one.
        if measured is None or pieces != 1 or stored == [float(figure) for figure in figures]:
            return value
        return {"value": value, "raw": text_of(cell) if beside else f"{text_of(cell)} {unit}", "unit": beside or unit}

    def _figure(self, cell: Cell) -> tuple[Decimal, str]:
        """Returns the figure and the unit behind it, in its own case, because MW is not mW."""
        value, beside = number(cell, decimal=self.habits.decimal)
        written = _SIGNS.sub("", cell.strip()).strip() if isinstance(cell, str) else ""
        return value, written if written.lower().rstrip(")") == beside.lower().rstrip(")") else beside

    def _unit_before(self, label: str, attribute: Attribute) -> str:
        """Returns what stands before a figure if it is a unit that measures what the attribute has, and no name."""
        said, own = unit_named(label, self.attributes.units) if label else None, self.attributes.unit_of(attribute)
        is_unit = said and own and said.dimension == own.dimension and not attribute.is_called(label)
        return label if is_unit else ""

    def _unit(self, text: str | None, attribute: Attribute) -> Unit | None:
        if not text:
            return None
        found = unit_named(text, self.attributes.units, measuring=self.attributes.unit_of(attribute))
        if found is None and text.strip().lower() != (attribute.unit or "").lower():
            own = attribute.unit or "no unit"
            raise Unreadable(f"is in {text!r}, which is no unit that is known; {attribute.name} is in {own}")
        return found

    def _in_own(self, figure: Decimal, said: Unit | None, attribute: Attribute) -> float:
        """Returns the figure in the attribute's unit. Raises Unreadable if its unit measures something else."""
        if said is None:
            return float(figure)
        if attribute.unit is None and said.dimension == PIECES:
            return float(figure) * said.factor
        for own in (self.attributes.unit_of(attribute), self.attributes.also_of(attribute)):
            if own is not None and own.dimension == said.dimension:
                if own == said:
                    return float(figure)
                found = convert(float(figure), said, own)
                return float(f"{found:.6g}") if found is not None else float(figure)
        has = (
            f"{attribute.name} has in {attribute.unit}" if attribute.unit else f"{attribute.name} has without a unit"
        )
        raise Unreadable(f"is in {said.symbol}, which does not measure what {has}")


@lru_cache(maxsize=64)
def _meanings(attributes: Attributes, name: str) -> frozenset[str]:
    """Returns the keys of all values that terms of the attribute stand for."""
    return frozenset(key_of(value) for (of, _), each in attributes.terms.items() if of == name for value in each)


def _unbound(text: str, attribute: Attribute) -> str:
    """Removes the sign of a bound before a figure. Raises Doubtful unless the figure is as good as any within it."""
    sign = _BOUND.match(text)
    if sign and sign[1] not in _WITHIN.get(attribute.sense, ""):
        raise Doubtful(
            f"is a bound, and {attribute.name} is declared {attribute.sense}: it is not stored; say in the mapping's "
            "values which figure is meant"
        )
    return text[sign.end() :] if sign else text


def _is_alike(stored: Sequence[float], other: object) -> bool:
    """Whether both are the same, as far as figures in two units may differ."""
    value = value_of(other)
    ends = (value.low, value.high) if value else (None, None)
    near = max(1e-6, NOMINAL * max(map(abs, stored)))
    pairs = zip((min(stored), max(stored)), ends, strict=True)
    return all(end is not None and math.isclose(own, end, rel_tol=NOMINAL, abs_tol=near) for own, end in pairs)


def _ends(text: str) -> tuple[str, str] | None:
    """Splits a range such as "6 .. 8 bar" at the first range sign behind a digit; None if there is no such sign."""
    digit = re.search(r"\d", text)
    folded = fold(text)
    sign = _TO.search(folded if len(folded) == len(text) else text, digit.end()) if digit else None
    return (text[: sign.start()].rstrip(), text[sign.end() :]) if sign else None


def is_plausible(figures: Sequence[float], attribute: Attribute) -> bool:
    low, high = _span(attribute)
    return all(low <= figure <= high for figure in figures)


def _span(attribute: Attribute) -> tuple[float, float]:
    low, high = attribute.low, attribute.high
    return -math.inf if low is None else low, math.inf if high is None else high


def _refuse_implausible(figures: Sequence[float], attribute: Attribute) -> None:
    if not is_plausible(figures, attribute):
        low, high = _span(attribute)
        span = f"{low:g} to {high:g} {attribute.unit or ''}".rstrip()
        raise Doubtful(f"is not plausible, {attribute.name} is declared from {span}: it is not stored")


def _whole(figure: float) -> float | int:
    return int(figure) if figure.is_integer() and abs(figure) < 1e15 else figure


def names_alike(column: str, attribute: Attribute) -> float:
    """Returns a likeness in [0, 1] of a column's bare name to an attribute's names: 1.0 for the same name, less where
    a name begins or ends it, also within a compound: "Nettogewicht" ends in Gewicht."""
    said = key_of(column).split()
    found = 0.0
    for name in names_of(attribute):
        words = key_of(name.replace(".", " ")).split()
        if said == words:
            return 1.0
        if words and (said[: len(words)] == words or said[-len(words) :] == words):
            found = max(found, 0.5 + 0.45 * len(words) / len(said))
        elif said and len(words) == 1 and len(words[0]) > 4 and said[-1].endswith(words[0]):
            found = max(found, 0.7)
    return found


def pieces_said(text: str, units: Units, *, decimal: Mark | None = None) -> Decimal | None:
    """Returns of how many pieces a text says that a price is, or 1 where it is of a metre or a kilogram; else None.
    One letter is such a unit only in its own case, because M may be a thousand.
    """
    with suppress(Unreadable):
        return number(text, decimal=decimal)[0]
    unit = unit_named(text, units)
    if unit is None or unit.dimension not in SOLD_BY or (len(text) == 1 and text not in units.by_spelling):
        return None
    return Decimal(f"{unit.factor:.15g}") if unit.dimension == PIECES else Decimal(1)


def currency_named(text: str, units: Units) -> str | None:
    """Returns the currency of a cell: its code or sign, or what the house's language calls it: kroner."""
    unit = units.named(text)
    return currency_of(text.upper() if len(text) == 3 else text, units=units) or (
        unit.symbol if unit is not None and unit.is_currency else None
    )


def unit_named(text: str, units: Units, *, measuring: Unit | None = None) -> Unit | None:
    """Returns the unit that a whole text names, in brackets or not: "m³/h", "[kW]", "bar(g)"."""
    names = (text.strip(" []"), text.strip(" []()"))
    return next(filter(None, (units.named(each, measuring=measuring) for each in names)), None)
