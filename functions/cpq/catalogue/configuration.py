"""What a line may set of its product, and whether lines can be sold together: attributes, quantities, relations."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import Field, PlainSerializer, model_validator

from cpq.model import Problem
from quarry.attributes.units import Units
from quarry.money import number, plainly
from quarry.precedents.list_prices import bought_unit, parted
from quarry.text import alike
from quarry.tool.contract import Part

MOST_UNITS = 10_000_000
LONGEST_TEXT = 1000
FEW = 10
"""At most this many lines are named."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
"""fromisoformat reads weeks, too: 2026-W05-3."""

Bound = Annotated[
    float,
    Field(allow_inf_nan=False),
    PlainSerializer(number, return_type=int | float),
]
"""A limit of a number; a whole one is written without decimals."""


class AttributeSpec(Part):
    type: Literal["integer", "number", "boolean", "string", "enum", "date"] = Field(description="Type of the value.")
    min: Bound | None = Field(default=None, description="Smallest number; null: no bound.")
    max: Bound | None = Field(default=None, description="Largest number; null: no bound.")
    values: list[str] | None = Field(default=None, description="For enum: what can be chosen.")
    required: bool = Field(default=False, description="True: a quote with this product cannot be priced without it.")
    description: str | None = Field(default=None, max_length=1000, description="What it is about.")

    @model_validator(mode="after")
    def fits_its_type(self) -> Self:
        if (self.type == "enum") != bool(self.values):
            raise ValueError("an enum needs values, and nothing else has them")
        if self.type not in ("integer", "number") and (self.min is not None or self.max is not None):
            raise ValueError("only integer and number have min and max")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is above max")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurableProduct:
    """The part of a product that a line is checked against."""

    id: str
    name: str
    active: bool
    attributes: Mapping[str, AttributeSpec]
    min_quantity: int
    max_quantity: int | None
    successor: str | None = None
    """The product that is sold in its place once it is no longer ``active``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A fact of the catalogue: ``product_id`` requires, excludes or recommends ``related_id``."""

    product_id: str
    kind: Literal["requires", "excludes", "recommends"]
    related_id: str
    related_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A line of a quote as it was asked for."""

    product_id: str
    quantity: Decimal | int
    attributes: Mapping[str, object]


def line_problems(line: Wanted, offer: ConfigurableProduct, *, path: str) -> Iterator[Problem]:
    """Finds what no draft may hold: an inactive product, a quantity out of bounds, a wrong attribute."""
    if not offer.active:
        yield Problem(
            code="INACTIVE",
            path=f"{path}.product_id",
            message=no_longer_sold(offer.name, offer.successor),
            repair=f"take {offer.successor}" if offer.successor else None,
        )
    most = min(offer.max_quantity or MOST_UNITS, MOST_UNITS)
    # A minimum of one is that of pieces: of what is measured less may be sold, and ``parts`` looks at the unit.
    below = line.quantity < offer.min_quantity and (offer.min_quantity > 1 or line.quantity <= 0)
    if below or line.quantity > most:
        bound = f"below the minimum of {offer.min_quantity}" if below else f"above the maximum of {most}"
        yield Problem(code="OUT_OF_RANGE", path=f"{path}.quantity", message=f"{line.quantity} is {bound}.")
    yield from attribute_problems(offer.attributes, line.attributes, path=f"{path}.attributes")


def no_longer_sold(name: str, successor: str | None) -> str:
    place = f"its successor is {successor}" if successor else "find another with catalog_search"
    return f"{name} is no longer sold; {place}."


def parts(quantity: Decimal | int, *, unit: str, units: Units, path: str) -> Iterator[Problem]:
    """Finds a quantity that is no whole number of pieces, of what is not measured: 2.5 hundreds are 250."""
    known = bought_unit(unit, units)
    pieces = Fraction(quantity) * Fraction(known.factor if known else 1)
    if pieces.denominator > 1 and (known is None or known.dimension == "pieces"):
        message = (
            f"{quantity} is no whole number, and the price is {unit}: only what is measured is sold in parts. Give a "
            "whole number, or have the unit declared (units) with the dimension that it measures."
        )
        yield Problem(code="OUT_OF_RANGE", path=f"{path}.quantity", message=message)


def in_pieces(lines: Iterable[tuple[str, Decimal | int, str]], units: Units) -> list[str]:
    """Tells of lines (id, quantity, unit of the price) whose quantity counts hundreds or packs: whoever copied a
    number of pieces there asks for many times as much.
    """
    told = []
    for line_id, quantity, unit in lines:
        known = bought_unit(unit, units)
        if known and known.dimension == "pieces" and known.factor > 1:
            pieces = round(Fraction(quantity) * Fraction(known.factor))
            told.append(f"{line_id} is {plainly(quantity)} {unit.replace('_', ' ')}, {pieces:,} pieces")
    more = f"; and {len(told) - FEW} more" if len(told) > FEW else ""
    return [f"Quantities that are no single pieces: {'; '.join(told[:FEW])}{more}."] if told else []


def contradictions(line: Wanted, *, unit: str, path: str) -> Iterator[Problem]:
    """Finds an attribute that counts what the price is per, such as seats, and differs from the quantity."""
    noun = parted(unit)[0]
    for name in (noun, f"{noun}s"):
        count = line.attributes.get(name)
        if isinstance(count, int | float) and not isinstance(count, bool) and count != line.quantity:
            yield Problem(
                code="CONTRADICTION",
                path=f"{path}.attributes.{name}",
                message=f"{name} is {count:g} and quantity {line.quantity}, and the price is per {noun}: "
                "give both the same number, or leave the attribute out.",
            )


def missing_attributes(line: Wanted, offer: ConfigurableProduct, *, path: str) -> list[str]:
    """Returns the paths of required attributes that are not set."""
    required = [name for name, spec in offer.attributes.items() if spec.required]
    return [f"{path}.attributes.{name}" for name in required if name not in line.attributes]


def broken_relations(
    lines: Sequence[Wanted], relations: Collection[Relation], *, names: Mapping[str, str], owned: Collection[str]
) -> list[Problem]:
    """Finds, line by line, what products require and lack, and what they exclude.

    What the customer has already (``owned``) satisfies a requires, but never breaks an excludes: it may be
    the very thing that is replaced.
    """
    found: list[Problem] = []
    present = {line.product_id for line in lines} | set(owned)
    pairs = {(each.product_id, each.related_id) for each in relations if each.kind == "excludes"}
    for index, line in enumerate(lines):
        path, name = f"line_items[{index}].product_id", names[line.product_id]
        for each in relations:
            if (each.kind, each.product_id) == ("requires", line.product_id) and each.related_id not in present:
                message = f"{name} requires {each.related_name}: add {each.related_id}."
                repair = f"add {each.related_id}"
                found.append(Problem(code="REQUIRES", path=path, message=message, repair=repair))
        # A clash is told once, at the later of the two lines, whichever side's data says it.
        for earlier in dict.fromkeys(other.product_id for other in lines[:index]):
            if (line.product_id, earlier) in pairs or (earlier, line.product_id) in pairs:
                message = f"{name} cannot be sold together with {names[earlier]}: drop one of them."
                repair = f"drop {line.product_id} or {earlier}"
                found.append(Problem(code="EXCLUDES", path=path, message=message, repair=repair))
    return found


def attribute_problems(
    specs: Mapping[str, AttributeSpec], given: Mapping[str, object], *, path: str
) -> Iterator[Problem]:
    """Finds what a line sets wrongly; what it leaves out is found by ``missing_attributes``."""
    for name, value in given.items():
        if name not in specs:
            yield Problem(code="UNKNOWN_ATTRIBUTE", path=f"{path}.{name}", message=_unknown(name, specs))
        elif complaint := _complaint(specs[name], value):
            code, message = complaint
            yield Problem(code=code, path=f"{path}.{name}", message=message)


def _unknown(name: str, specs: Mapping[str, AttributeSpec]) -> str:
    if not specs:
        return "The product has no attributes: leave it out."
    near = alike(name, specs)
    return f"Did you mean '{near[0]}'?" if near else f"The product's attributes are {', '.join(specs)}."


def _complaint(spec: AttributeSpec, value: object) -> tuple[str, str] | None:
    """Returns (code, message), or None when ``value`` fits."""
    match spec.type:
        case "integer" | "number":
            return _number_complaint(spec, value)
        case "boolean":
            return None if isinstance(value, bool) else ("WRONG_TYPE", "Give true or false.")
        case "enum":
            chosen = isinstance(value, str) and value in (spec.values or ())
            return None if chosen else ("NOT_ALLOWED", f"Give one of {', '.join(spec.values or ())}.")
        case "string":
            fits = isinstance(value, str) and len(value) <= LONGEST_TEXT
            return None if fits else ("WRONG_TYPE", f"Give text of at most {LONGEST_TEXT} characters.")
        case "date":
            is_day = isinstance(value, str) and iso_day(value) is not None
            return None if is_day else ("WRONG_TYPE", "Give a date as YYYY-MM-DD.")


def _number_complaint(spec: AttributeSpec, value: object) -> tuple[str, str] | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return "WRONG_TYPE", f"Give {'a whole number' if spec.type == 'integer' else 'a number'}, not {value!r}."
    if spec.type == "integer" and value != int(value):
        return "WRONG_TYPE", f"Give a whole number, not {value}."
    if spec.min is not None and value < spec.min:
        return "OUT_OF_RANGE", f"{value:g} is below the minimum of {spec.min:g}."
    if spec.max is not None and value > spec.max:
        return "OUT_OF_RANGE", f"{value:g} is above the maximum of {spec.max:g}."
    return None


def iso_day(text: str | None) -> date | None:
    """Reads a date written YYYY-MM-DD; None when it is none."""
    if text is None or not _DAY.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
