"""Types of the fields of a kind's rows, as a cell has to be read for them."""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, get_args

from pydantic.fields import FieldInfo

from quarry.ingestion import Row

NEEDS_OF_PATTERN = {
    "^[A-Z]{2}$": "country", "^[A-Z]{3}$": "currency", "^[a-z]{2}$": "language", "^[a-z0-9_]{1,60}$": "key",
}  # fmt: skip
Type = Literal[
    "number", "integer", "date", "flag", "choice", "text", "country", "currency", "language", "key", "id", "list"
]
OF_JSON: dict[str, Type] = {"boolean": "flag", "array": "list", "object": "list"}


@dataclass(frozen=True, slots=True)
class FieldType:
    """What a field of a kind holds; ``prefix`` begins the ids that it holds."""

    type: Type
    choices: tuple[str, ...] = ()
    prefix: str = ""
    required: bool = False
    scale: int | None = None
    """Decimal places of a number."""

    @property
    def says(self) -> str:
        """What stands behind the field's name where it is asked for."""
        return f" ({', '.join(self.choices)})" if self.choices else ""


@cache
def field_types(row: type[Row]) -> dict[str, FieldType]:
    """Returns types by field; those within an address are named as ``billing_address.city``."""
    schema = row.model_json_schema()
    types = _types(schema, schema)
    scales = {name: _scale(declared) for name, declared in row.model_fields.items()}
    return {name: replace(type_, scale=scales.get(name)) for name, type_ in types.items()}


def _scale(declared: object) -> int | None:
    """Returns the decimal places of a field or of one of its types, which its JSON Schema lacks."""
    said = declared.metadata if isinstance(declared, FieldInfo) else ()
    inner = declared.annotation if isinstance(declared, FieldInfo) else declared
    own = (getattr(each, "decimal_places", None) for each in said)
    return next((places for places in (*own, *map(_scale, get_args(inner))) if places is not None), None)


def _types(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, FieldType]:
    found: dict[str, FieldType] = {}
    for name, declared in schema["properties"].items():
        options: list[dict[str, Any]] = [
            root["$defs"][option["$ref"].rpartition("/")[2]] if "$ref" in option else option
            for option in declared.get("anyOf", [declared])
        ]
        option = next((each for each in options if each.get("type") != "null"), {})
        if option.get("type") == "object" and "properties" in option:
            for inner, type_ in _types(option, root).items():
                found[f"{name}.{inner}"] = replace(type_, required=False)
            continue
        required = name in schema.get("required", ())
        found[name] = replace(_type(option), required=required)
    return found


def _type(option: dict[str, Any]) -> FieldType:
    pattern = option.get("pattern", "")
    if "enum" in option or "const" in option:
        return FieldType("choice", choices=tuple(option.get("enum", [option.get("const")])))
    if option.get("type") in ("number", "integer"):
        return FieldType(option["type"])
    if type_ := OF_JSON.get(option.get("type", "")):
        return FieldType(type_)
    if option.get("format") == "date":
        return FieldType("date")
    if pattern in NEEDS_OF_PATTERN:
        return FieldType(NEEDS_OF_PATTERN[pattern])  # type: ignore[arg-type]  # the table's values are types
    if found := re.match(r"\^([a-z]+_)\[a-z0-9_\]", pattern):
        return FieldType("id", prefix=found[1])
    return FieldType("text")
