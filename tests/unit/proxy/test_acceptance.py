"""The quick yes to arguments: it never contradicts the real validator, and it is given where it matters."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from proxy.acceptance import Acceptance
from tests.e2e.sample_calls import ONE_CALL_OF_EACH

MANIFEST = json.loads((Path(__file__).parents[3] / "proxy" / "manifest.json").read_text())
SCHEMAS = {tool["name"]: tool["inputSchema"] for tool in MANIFEST["tools"]}

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 60),
    st.integers(),
    st.floats(),
    st.text("ab0", max_size=5),
    st.just("oilless"),
)
VALUES = st.one_of(LEAVES, st.lists(LEAVES, max_size=3), st.dictionaries(st.sampled_from("ab"), LEAVES, max_size=2))
LIMITS = st.one_of(st.integers(-2, 4), st.floats(-2, 4))
SIZES = st.integers(0, 3)
KEYWORDS: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object", ["string", "null"]]),
    "minimum": LIMITS, "maximum": LIMITS, "exclusiveMinimum": LIMITS, "exclusiveMaximum": LIMITS,
    "minLength": SIZES, "maxLength": SIZES, "minItems": SIZES, "maxItems": SIZES,
    "pattern": st.sampled_from(["a", "^b", "[0-9]$"]), "enum": st.lists(st.sampled_from(["a", "b", "oilless"])),
    "const": st.integers(0, 3), "title": st.just("t"), "uniqueItems": st.just(True), "multipleOf": st.just(2),
    "items": st.fixed_dictionaries({"type": st.sampled_from(["string", "integer"])}),
}  # fmt: skip
PROPERTY = st.lists(st.sampled_from(sorted(KEYWORDS)), max_size=3, unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: KEYWORDS[name] for name in {"type", *names}})
)
NAMES = st.sampled_from("pq")
SCHEMA = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(NAMES, PROPERTY), "required": st.lists(NAMES)},
    optional={"additionalProperties": st.booleans(), "minProperties": st.just(1), "description": st.just("d")},
)


@given(SCHEMA, st.dictionaries(st.sampled_from("pqr"), VALUES, max_size=3))
def test_what_is_surely_valid_is_valid(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    if Acceptance(schema).surely(arguments):
        assert not list(Draft202012Validator(schema).iter_errors(arguments))


@given(st.data())
def test_the_products_schemas_are_never_contradicted(data: st.DataObject) -> None:
    schema = SCHEMAS[data.draw(st.sampled_from(sorted(SCHEMAS)))]
    names = st.sampled_from([*schema["properties"], "unknown"])
    arguments = data.draw(st.dictionaries(names, VALUES, max_size=4))
    if Acceptance(schema).surely(arguments):
        assert not list(Draft202012Validator(schema).iter_errors(arguments))


@pytest.mark.parametrize("tool", sorted(ONE_CALL_OF_EACH))
def test_a_sensible_call_of_every_tool_is_accepted_at_once(tool: str) -> None:
    assert Acceptance(SCHEMAS[tool]).surely(ONE_CALL_OF_EACH[tool])
