"""Checks a tool's arguments and says, for each problem, what to change."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from proxy.acceptance import Acceptance
from proxy.omissions import Omissions

_MOST_PROBLEMS = 8
_MOST_SHOWN = 80


class ArgumentCheck:
    """A compiled input schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        Draft202012Validator.check_schema(schema)
        self._validator = Draft202012Validator(schema)
        self._acceptance = Acceptance(schema)
        self._omissions = Omissions(schema)

    def given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Without what is null for being left out."""
        return self._omissions.without(arguments)

    def problems(self, arguments: Mapping[str, Any]) -> list[str]:
        """A sentence per problem, ordered by place; empty when the arguments are fine."""
        if self._acceptance.surely(arguments):
            return []
        errors = sorted(self._validator.iter_errors(arguments), key=lambda error: [*map(str, error.path)])
        # jsonschema reports each missing name of one `required` apart; the sentence names them together.
        found = list(dict.fromkeys(problem for error in errors for problem in self._explain(error)))
        if len(found) > _MOST_PROBLEMS:
            found[_MOST_PROBLEMS:] = [f"{len(found) - _MOST_PROBLEMS} more problems."]
        return found

    def _explain(self, error: ValidationError) -> Iterable[str]:
        error = _innermost(error)
        where = _place(error.absolute_path)
        if error.validator == "additionalProperties" and isinstance(error.instance, dict):
            known = tuple(error.schema.get("properties", {}))
            yield from (_unknown(where, name, known) for name in error.instance if name not in known)
        elif error.validator == "required" and isinstance(error.instance, dict):
            missing = [name for name in error.validator_value if name not in error.instance]
            yield f"{where}Missing {_quoted(missing)}, which is required."
        else:
            yield f"{where}{_complaint(error)}"


def nearest(name: str, known: Iterable[str], *, most: int = 3) -> list[str]:
    """Known names that look like `name`, best first."""
    return difflib.get_close_matches(name, list(known), n=most, cutoff=0.5)


def did_you_mean(name: str, known: Sequence[str], *, noun: str) -> str:
    """A sentence that leads from a wrong name to the right ones."""
    if close := nearest(name, known):
        return f"Did you mean {_quoted(close, ' or ')}?"
    return f"Known {noun}: {', '.join(known) or 'none'}."


def shown(value: object) -> str:
    """`value` as the caller wrote it, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


def _innermost(error: ValidationError) -> ValidationError:
    """Of a union, the branch that was meant: pydantic writes `X | None` as anyOf, and null was not it."""
    while error.context:
        branches = [inner for inner in error.context if not _is_null(inner)]
        if not branches:
            return error
        # A branch of the right type with a wrong value says more than a branch of another type.
        error = min(branches, key=lambda inner: (inner.validator == "type", -len(inner.path)))
    return error


def _is_null(error: ValidationError) -> bool:
    return bool(error.validator == "type" and error.validator_value == "null")


def _complaint(error: ValidationError) -> str:
    value, limit = shown(error.instance), error.validator_value
    match error.validator:
        case "type":
            wanted = " or ".join(limit) if isinstance(limit, list) else limit
            return f"{value} is not of type {wanted}."
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
        case _:
            return f"{value} does not satisfy {error.validator}: {shown(limit)}."


def _unknown(where: str, name: str, known: Sequence[str]) -> str:
    return f"{where}Unknown parameter {shown(name)}. {did_you_mean(name, known, noun='parameters')}"


def _place(path: Iterable[str | int]) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    return f"{place}: " if place else ""


def _quoted(names: Sequence[str], joint: str = ", ") -> str:
    return joint.join(f"'{name}'" for name in names)
