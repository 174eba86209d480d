"""Null for what a caller leaves out: some clients send one for every optional argument, however deep it stands."""

from collections.abc import Mapping
from typing import Any


class Omissions:
    """Compiled from the schema of an object."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
        nullable = {name for name, inner in properties.items() if "null" in inner.get("type", ())}
        self._optional = properties.keys() - set(schema.get("required", ())) - nullable
        within = {name: _within(inner) for name, inner in properties.items()}
        self._within = {name: inner for name, inner in within.items() if inner is not None}

    def without(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """``given`` but for optional values that are null."""
        kept = {name: value for name, value in given.items() if value is not None or name not in self._optional}
        for name, inner in self._within.items():
            if name in kept:
                kept[name] = inner._of(kept[name])
        return kept

    def _of(self, value: object) -> object:
        """Of an object, or of each in a list of them; anything else is the validator's to complain about."""
        if isinstance(value, list):
            return [self._of(item) for item in value]
        return self.without(value) if isinstance(value, dict) else value


def _within(schema: Mapping[str, Any]) -> Omissions | None:
    """Of the objects that a property holds, if it holds any."""
    if schema.get("type") == "array":
        schema = schema.get("items", {})
    return Omissions(schema) if schema.get("properties") else None
