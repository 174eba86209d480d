"""Checks a tool's arguments and says, for each problem, what to change."""

import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError

_MOST_PROBLEMS = 8
_MOST_SHOWN = 80

_BLANK = ({"type": "string", "pattern": r"^\s*$"}, {"type": "array", "maxItems": 0})
_QUOTED = {"type": "string", "pattern": r"^\s*-?\d{1,15}(\.\d{1,10})?\s*$"}

Path = Sequence[str | int]


class ArgumentCheck:
    """A compiled input schema, whose root is an object."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._validator = Draft202012Validator(schema)
        self._lenient = Draft202012Validator(_lenient(schema))
        self._nulls = _OptionalNulls(schema)

    def drop_nulls(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """`arguments` but for optional values that are null, which some clients send for all that they leave out."""
        return self._nulls.drop(arguments)

    def problems(self, arguments: dict[str, Any]) -> list[str]:
        """A sentence per problem, ordered by place; empty when the arguments are fine or the function reads them so.

        An optional value that is "" or [], and a number in quotes, are the function's to take as models mean them.
        """
        try:
            if self._validator.is_valid(arguments):
                return []
            beyond = [list(error.instance_path) for error in self._lenient.iter_errors(arguments)]
            errors = [error for error in self._validator.iter_errors(arguments) if _stands_in(error, beyond)]
        except UnicodeEncodeError:
            # An unpaired surrogate, which no JSON text can carry to the function: the invocation says so.
            return []
        meant = sorted((inner for error in errors for inner in _meant(error)), key=_order)
        found = list(dict.fromkeys(self._sentences(meant, arguments)))
        if len(found) > _MOST_PROBLEMS:
            found[_MOST_PROBLEMS:] = [f"{len(found) - _MOST_PROBLEMS} more problems."]
        return found

    def _sentences(self, errors: Sequence[ValidationError], arguments: dict[str, Any]) -> Iterator[str]:
        # The validator reports each missing name apart; one sentence names them together.
        missing: defaultdict[str, list[str]] = defaultdict(list)
        for error in errors:
            if error.kind.name == "required":
                missing[_place(error.instance_path)].append(error.kind.value)
        for error in errors:
            where = _place(error.instance_path)
            if error.kind.name == "required":
                yield f"{where}Missing {_quoted(list(dict.fromkeys(missing[where])))}, which is required."
            elif error.kind.name == "additionalProperties":
                known = tuple(_at(self._schema, error.schema_path[:-1]).get("properties", {}))
                yield from (_unknown(where, name, known) for name in error.kind.value)
            else:
                yield f"{where}{_complaint(error, shown(_at(arguments, error.instance_path)))}"


class _OptionalNulls:
    """Which properties of an object may be left out and not be null, however deep they stand."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
        nullable = {name for name, inner in properties.items() if "null" in inner.get("type", ())}
        self._optional = properties.keys() - set(schema.get("required", ())) - nullable
        self._objects = {
            name: _OptionalNulls(held) for name, inner in properties.items() if (held := _held(inner)) is not None
        }

    def drop(self, given: Mapping[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in given.items() if value is not None or name not in self._optional}
        for name, inner in self._objects.items():
            if name in kept:
                kept[name] = inner._drop_within(kept[name])
        return kept

    def _drop_within(self, value: object) -> object:
        """The same for an object or each object of a list; anything else is the validator's to complain about."""
        if isinstance(value, list):
            return [self._drop_within(item) for item in value]
        return self.drop(value) if isinstance(value, dict) else value


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """At most three known names that look like `name`, best first."""
    return difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)


def did_you_mean(name: str, known: Sequence[str], *, noun: str) -> str:
    """A sentence that leads from a wrong name to the right ones."""
    if close := nearest(name, known):
        return f"Did you mean {_quoted(close, ' or ')}?"
    return f"Known {noun}: {', '.join(known) or 'none'}."


def shown(value: object) -> str:
    """`value` as the caller wrote it, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


def _held(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of the objects that a property holds, if it holds any."""
    if schema.get("type") == "array":
        schema = schema.get("items", {})
    return schema if schema.get("properties") else None


def _meant(error: ValidationError) -> list[ValidationError]:
    """The errors of a union's branch that was meant: pydantic writes `X | None` as anyOf, and null was not it."""
    branches = [errors for errors in getattr(error.kind, "context", ()) if errors and not all(map(_is_null, errors))]
    if not branches:
        return [error]
    # A branch of the right type with a wrong value says more than a branch of another type.
    branch = min(branches, key=lambda errors: min(map(_distance, errors)))
    best = min(branch, key=_distance)
    # The names that are missing in one place are told together.
    same = [other for other in branch if other.kind.name == "required" == best.kind.name]
    return same or _meant(best)


def _stands_in(error: ValidationError, places: Iterable[Path]) -> bool:
    path = list(error.instance_path)
    return any(path[: len(place)] == list(place) for place in places)


def _lenient(schema: Any) -> Any:
    """The schema of what models send for what it says: see quarry.tool.contract.Args, which reads it so."""
    if isinstance(schema, list):
        return [_lenient(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    taken = {name: _lenient(inner) for name, inner in schema.items() if name != "properties"}
    if "properties" in schema:
        required = schema.get("required", ())
        taken["properties"] = {
            name: _lenient(inner) if name in required else {"anyOf": [_lenient(inner), *_BLANK]}
            for name, inner in schema["properties"].items()
        }
    types = schema.get("type", ())
    numeric = {"integer", "number"}.intersection([types] if isinstance(types, str) else types)
    return {"anyOf": [taken, _QUOTED]} if numeric else taken


def _order(error: ValidationError) -> tuple[list[str], bool]:
    """By place; within one, what is missing comes before what is wrong."""
    return [*map(str, error.instance_path)], error.kind.name != "required"


def _distance(error: ValidationError) -> tuple[bool, int]:
    return error.kind.name == "type", -len(error.instance_path)


def _is_null(error: ValidationError) -> bool:
    return bool(error.kind.name == "type" and error.kind.value == ["null"])


def _complaint(error: ValidationError, value: str) -> str:
    limit = error.kind.value
    match error.kind.name:
        case "type":
            # The validator has an order of its own; null is what nobody was after.
            return f"{value} is not of type {' or '.join(sorted(limit, key='null'.__eq__))}."
        case "enum":
            return f"{value} is not one of {', '.join(map(str, limit))}."
        case "const":
            return f"{value} must be {shown(limit)}."
        case "minimum":
            return f"{value} is too small; the least is {limit}."
        case "exclusiveMinimum":
            return f"{value} is too small; it must be above {limit}."
        case "maximum":
            return f"{value} is too large; the most is {limit}."
        case "exclusiveMaximum":
            return f"{value} is too large; it must be below {limit}."
        case "minLength" | "minItems" | "minProperties":
            return f"{value} is too short; the least length is {limit}."
        case "maxLength" | "maxItems" | "maxProperties":
            return f"{value} is too long; the greatest length is {limit}."
        case "pattern":
            return f"{value} does not match the pattern {limit}."
        case keyword:
            return f"{value} does not satisfy {keyword}: {shown(limit)}."


def _unknown(where: str, name: str, known: Sequence[str]) -> str:
    return f"{where}Unknown parameter {shown(name)}. {did_you_mean(name, known, noun='parameters')}"


def _at(document: Any, path: Path) -> Any:
    """What stands at a path of names and indexes."""
    for step in path:
        document = document[step]
    return document


def _place(path: Path) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    return f"{place}: " if place else ""


def _quoted(names: Sequence[str], joint: str = ", ") -> str:
    return joint.join(f"'{name}'" for name in names)
