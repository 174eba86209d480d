"""A quick yes to arguments that surely satisfy their schema; whoever gets no answer asks the real validator."""

import re
from collections.abc import Callable, Mapping
from typing import Any

Test = Callable[[Any], object]
"""Truthy where the value passes."""

_SILENT = frozenset({"title", "description", "default", "examples"})
_ROOT = _SILENT | {"type", "properties", "required", "additionalProperties", "$schema"}
_COMPARISONS: Mapping[str, Callable[[Any], Test]] = {
    # Each is false for NaN, about which the real validator may have its own opinion.
    "minimum": lambda limit: lambda value: value >= limit,
    "maximum": lambda limit: lambda value: value <= limit,
    "exclusiveMinimum": lambda limit: lambda value: value > limit,
    "exclusiveMaximum": lambda limit: lambda value: value < limit,
    "minLength": lambda limit: lambda value: len(value) >= limit,
    "maxLength": lambda limit: lambda value: len(value) <= limit,
    "minItems": lambda limit: lambda value: len(value) >= limit,
    "maxItems": lambda limit: lambda value: len(value) <= limit,
    "pattern": lambda pattern: re.compile(pattern).search,
    "enum": lambda values: frozenset(values).__contains__,
}
# Exact types: a bool is an int to Python and none to JSON Schema.
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
}
_APPLIES: Mapping[str, frozenset[str]] = {
    "string": frozenset({"minLength", "maxLength", "pattern", "enum"}),
    "integer": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "boolean": frozenset(),
    "array": frozenset({"minItems", "maxItems", "items"}),
}


class Acceptance:
    """Compiled from the plain part of a schema; a property with any other keyword is left to the validator."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._plain = schema.keys() <= _ROOT
        self._required: frozenset[str] = frozenset(schema.get("required", ()))
        tests = {name: _test(inner) for name, inner in schema.get("properties", {}).items()}
        self._tests = {name: test for name, test in tests.items() if test is not None}

    def surely(self, arguments: Mapping[str, Any]) -> bool:
        """True: they are valid. False: nothing is known."""
        tests = self._tests
        for name, value in arguments.items():
            if (test := tests.get(name)) is None or not test(value):
                return False
        return self._plain and arguments.keys() >= self._required


def _test(schema: object) -> Test | None:
    if not isinstance(schema, Mapping):
        return None
    kind = schema.get("type")
    if kind == "object":
        return _test_of_object(schema)
    if not isinstance(kind, str) or kind not in _TYPES:
        return None
    keywords = schema.keys() - _SILENT - {"type"}
    if not keywords <= _APPLIES[kind]:
        return None
    types = _TYPES[kind]
    tests = [_COMPARISONS[keyword](schema[keyword]) for keyword in keywords - {"items"}]
    if "items" in keywords:
        if (each := _test(schema["items"])) is None:
            return None
        tests.append(lambda values: all(map(each, values)))
    return lambda value: type(value) in types and all(test(value) for test in tests)


def _test_of_object(schema: Mapping[str, Any]) -> Test | None:
    if not schema.keys() <= _ROOT:
        return None
    if schema.get("additionalProperties") is True and not {"properties", "required"} & schema.keys():
        return lambda value: type(value) is dict
    within = Acceptance(schema)
    return lambda value: type(value) is dict and within.surely(value)
