"""JSON Schemas of pydantic models, in the plain form that every MCP client and AgentCore accept."""

import inspect
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from quarry.tool.contract import LONGEST_TEXT, OPAQUE

Schema = dict[str, Any]

AGENTCORE_KEYS = ("type", "description", "properties", "required", "items")
NUMBER_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "above {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}

UNTOLD = (("default", None), ("maxLength", LONGEST_TEXT))
"""What says nothing, and a bound that every text has: no name or word comes near it."""

SHAPE = frozenset(("type", "items", "anyOf", "enum", "const", "additionalProperties"))
"""Keys of a schema that say what an answer looks like; bounds and defaults are for who makes it."""


def input_schema(model: type[BaseModel]) -> Schema:
    """``$ref``s inlined, titles gone, optional arguments without null: leaving one out says the same.

    What a class inherits comes last: a model reads what a tool is about before how its answer is paged.
    """
    schema = model.model_json_schema(mode="validation")
    plain = _root(_plain(schema, schema.get("$defs", {}), keep_null=False), closed=True)
    own = inspect.get_annotations(model)
    plain["properties"] = dict(sorted(plain["properties"].items(), key=lambda item: item[0] not in own))
    return plain


def output_schema(model: type[BaseModel]) -> Schema:
    """The shape of an answer: ``described_output`` without what a client would carry in every context for nothing.

    That is the prose, and inside the answer's parts which of their fields are always there.
    """
    described = described_output(model)
    shape: Schema = _shape(described)
    return {**shape, "required": described["required"]} if "required" in described else shape


def described_output(model: type[BaseModel]) -> Schema:
    """``$ref``s inlined, titles gone; null stays, as anyOf: a list of types is what some clients cannot read.

    In a lean result what may be null may be missing instead.
    """
    schema = model.model_json_schema(mode="serialization")
    plain = _root(_plain(schema, schema.get("$defs", {}), keep_null=True), closed=False)
    return _lean(plain) if getattr(model, "lean", False) else plain


def fields(schema: Schema, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, description) of every property at any depth; ``[]`` stands for any item of a list."""
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}{name}", inner.get("description", "")
        yield from fields(inner, f"{path}{name}.")
    for branch in schema.get("anyOf", []):
        yield from fields(branch, path)
    if isinstance(schema.get("items"), dict):
        yield from fields(schema["items"], f"{path.removesuffix('.')}[].")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from fields(schema["additionalProperties"], f"{path}*.")


def agentcore_subset(schema: Schema) -> Schema:
    """Only the keywords that AgentCore Gateway knows; every constraint goes into the description instead."""
    if "anyOf" in schema:
        # It has no unions: of `X | null` it learns X.
        meant = next(branch for branch in schema["anyOf"] if branch.get("type") != "null")
        schema = {**meant, **{key: value for key, value in schema.items() if key != "anyOf"}}
    kept: Schema = {key: schema[key] for key in AGENTCORE_KEYS if key in schema}
    if "properties" in kept:
        kept["properties"] = {name: agentcore_subset(inner) for name, inner in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = agentcore_subset(kept["items"])
    if constraints := _constraints(schema):
        kept["description"] = f"{schema.get('description', '')} ({'; '.join(constraints)})".strip()
    return kept


def _constraints(schema: Schema) -> list[str]:
    found = []
    if "enum" in schema:
        found.append("one of " + ", ".join("null" if value is None else str(value) for value in schema["enum"]))
    found += [words.format(schema[key]) for key, words in NUMBER_LIMITS.items() if key in schema]
    if "pattern" in schema:
        found.append(f"matching {schema['pattern']}")
    if schema.get("default") is not None:
        found.append(f"default {schema['default']}")
    return found


def _plain(node: Any, definitions: Schema, *, keep_null: bool) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions, keep_null=keep_null) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        if "properties" in target:  # the docstring of a part, which its field describes for the model
            target = {key: value for key, value in target.items() if key != "description"}
        return _plain({**target, **{k: v for k, v in node.items() if k != "$ref"}}, definitions, keep_null=keep_null)
    if "anyOf" in node and not keep_null:
        meant = _without_null(node)
        if "anyOf" in meant:
            raise ValueError(f"a union of several types is not portable: {node}")
        return _plain(meant, definitions, keep_null=keep_null)
    plain: Schema = {}
    for key, value in node.items():
        if key in ("title", "$defs") or (key, value) in UNTOLD:
            continue
        if key == "properties":
            plain[key] = {name: _plain(inner, definitions, keep_null=keep_null) for name, inner in value.items()}
        elif key != "additionalProperties" or value is not False:
            plain[key] = _plain(value, definitions, keep_null=keep_null)
    return plain


def _shape(node: Any) -> Any:
    if isinstance(node, list):
        return [_shape(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get(OPAQUE):
        return {"type": "object"}
    told: Schema = {}
    for key, value in node.items():
        if key == "properties":
            told[key] = {name: _shape(inner) for name, inner in value.items()}
        elif key in SHAPE:
            told[key] = _shape(value)
    return told


def _lean(node: Any) -> Any:
    """The schema of an object whose nulls are left out."""
    if isinstance(node, list):
        return [_lean(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _lean(value) for key, value in node.items()}
    if "required" in node:
        properties = node.get("properties", {})
        plain["required"] = [name for name in node["required"] if not _may_be_null(properties.get(name, {}))]
    return _without_null(plain) if _may_be_null(node) else plain


def _may_be_null(node: Schema) -> bool:
    return {"type": "null"} in node.get("anyOf", [])


def _without_null(node: Schema) -> Schema:
    """Pydantic writes ``X | None`` as anyOf: what may be left out needs no null."""
    branches = [branch for branch in node["anyOf"] if branch != {"type": "null"}]
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    return {**branches[0], **rest} if len(branches) == 1 else {"anyOf": branches, **rest}


def _root(schema: Schema, *, closed: bool) -> Schema:
    schema.pop("description", None)  # the docstring of a base class, not of the tool
    schema.setdefault("properties", {})
    if closed:
        schema["additionalProperties"] = False
    return schema
