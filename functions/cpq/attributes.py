"""Typed attributes of a product: what a line may set, and what is wrong with what it sets."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, PlainSerializer, model_validator

from quarry.spelling import alike
from quarry.tool.contract import Part

LONGEST_TEXT = 1000

Bound = Annotated[
    float,
    Field(allow_inf_nan=False),
    PlainSerializer(lambda value: int(value) if value == int(value) else value, return_type=int | float),
]
"""A whole number is written as one."""


class AttributeSpec(Part):
    """What one attribute of a product may be."""

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


@dataclass(frozen=True, slots=True)
class Fault:
    """``name`` is the attribute's; ``code`` as Problem has it."""

    name: str
    code: str
    message: str


def faults(specs: Mapping[str, AttributeSpec], given: Mapping[str, object]) -> Iterator[Fault]:
    """What a line sets wrongly; what it leaves out is ``missing``'s."""
    for name, value in given.items():
        if name not in specs:
            yield Fault(name, "UNKNOWN_ATTRIBUTE", _unknown(name, specs))
        elif complaint := _complaint(specs[name], value):
            code, message = complaint
            yield Fault(name, code, message)


def missing(specs: Mapping[str, AttributeSpec], given: Mapping[str, object]) -> list[str]:
    """Required attributes that are not set."""
    return [name for name, spec in specs.items() if spec.required and name not in given]


def _unknown(name: str, specs: Mapping[str, AttributeSpec]) -> str:
    if not specs:
        return "The product has no attributes: leave it out."
    near = alike(name, specs)
    return f"Did you mean '{near[0]}'?" if near else f"The product's attributes are {', '.join(specs)}."


def _complaint(spec: AttributeSpec, value: object) -> tuple[str, str] | None:
    """(code, message), or None when ``value`` fits."""
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
            return None if _is_date(value) else ("WRONG_TYPE", "Give a date as YYYY-MM-DD.")


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


def _is_date(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(date.fromisoformat(value)) and len(value) == 10
    except ValueError:
        return False
