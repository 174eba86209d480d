"""What every tool's card and schemas keep to, whoever wrote it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from local.manifest.schema import (
    AGENTCORE_KEYS,
    agentcore_subset,
    described_output,
    fields,
    input_schema,
    output_schema,
)
from local.manifest.tools import PROFILES, Declared, declared, toolsets
from quarry.paging.pages import Paged
from quarry.tool.contract import PATTERNS

TOOLS = declared()
EVERY_TOOL = pytest.mark.parametrize("item", TOOLS, ids=[item.tool.name for item in TOOLS])
WITH_PAGE_NUMBERS = {"cpq", "onboarding"}
WITHOUT_PAGES = {"get_product", "get_stats", "price_history", "ask", "list_attributes"}
"""Of one product, of counts and figures, of one written answer and of what families have there is only one page."""
CHECKED_IN_PYTHON = {"expected_version", "term_months"}
"""Whole numbers that are compared before they reach a statement, so that any is answered."""
UNIONS = {"$ref", "$defs", "anyOf", "oneOf", "allOf", "not"}


def subschemas(schema: dict[str, Any], path: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema, with its path; the schema itself first."""
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from subschemas(inner, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from subschemas(schema[key], f"{path}.{key}")
    for branch in schema.get("anyOf", []):
        yield from subschemas(branch, f"{path}|")


@EVERY_TOOL
def test_its_whole_numbers_have_a_bound_that_the_database_holds(item: Declared) -> None:
    """The front and the function refuse what is above, and so it never becomes an internal error."""
    unbounded = [
        path
        for path, inner in subschemas(input_schema(item.arguments))
        if inner.get("type") == "integer"
        and inner.get("maximum", 2**31) >= 2**31
        and path.rpartition(".")[2] not in CHECKED_IN_PYTHON
    ]
    assert unbounded == []


def test_the_tools_of_the_first_two_toolsets_are_there() -> None:
    assert {item.tool.name for item in TOOLS} >= {
        "search_equipment",
        "get_product",
        "get_specs",
        "search_past_quotes",
        "get_quote",
        "search_line_items",
    }


def test_a_toolset_has_a_title_and_a_description() -> None:
    assert set(toolsets()) == {item.tool.toolset for item in TOOLS}
    assert all(card.title and card.description for card in toolsets().values())


def test_no_two_tools_share_a_name() -> None:
    assert len({item.tool.name for item in TOOLS}) == len(TOOLS)


@EVERY_TOOL
def test_its_name_fits_every_client(item: Declared) -> None:
    assert re.fullmatch("[a-z_]{1,39}", item.tool.name)


@EVERY_TOOL
def test_its_description_is_short_and_in_one_piece(item: Declared) -> None:
    assert 40 < len(item.tool.description) < 400
    assert "\n" not in item.tool.description
    assert item.tool.title


@EVERY_TOOL
def test_its_four_hints_are_explicit_and_agree(item: Declared) -> None:
    tool = item.tool
    assert all(
        isinstance(hint, bool) for hint in (tool.read_only, tool.destructive, tool.idempotent, tool.open_world)
    )
    assert not (tool.read_only and tool.destructive)
    assert tool.scope == f"{tool.toolset}:{'read' if tool.read_only else 'write'}"


@EVERY_TOOL
def test_every_field_is_described_for_the_model_that_reads_it(item: Declared) -> None:
    schemas = (input_schema(item.arguments), described_output(item.result))
    undescribed = [path for schema in schemas for path, text in fields(schema) if len(text) < 5]
    assert undescribed == []


@EVERY_TOOL
def test_the_list_says_the_shape_of_its_answer_and_no_more(item: Declared) -> None:
    shape = output_schema(item.result)
    assert [text for _, text in fields(shape) if text] == []
    assert shape["properties"].keys() == described_output(item.result)["properties"].keys()


@EVERY_TOOL
def test_its_schemas_have_keywords_of_2020_12_alone_and_defaults_of_their_type(item: Declared) -> None:
    known = {*Draft202012Validator.VALIDATORS, "description", "default"}
    for schema in (input_schema(item.arguments), output_schema(item.result)):
        Draft202012Validator.check_schema(schema)
        for path, inner in subschemas(schema):
            assert inner.keys() <= known, path
            assert inner.get("pattern") in {None, *PATTERNS}, "a refusal needs words for it"
            if "default" in inner:
                Draft202012Validator(inner).validate(inner["default"])


@EVERY_TOOL
def test_its_schemas_are_plain_objects(item: Declared) -> None:
    for schema, unions in ((input_schema(item.arguments), UNIONS), (output_schema(item.result), UNIONS - {"anyOf"})):
        assert schema["type"] == "object"
        for path, inner in subschemas(schema):
            assert not unions & inner.keys(), path
            assert not isinstance(inner.get("type"), list), path
            assert "title" not in inner, path
            assert inner.get("type") != "array" or "items" in inner, path


@pytest.mark.parametrize(
    ("tool", "found"),
    [
        ("search_equipment", ["product"]),
        ("search_line_items", ["line_item"]),
        ("search_past_quotes", ["quote"]),
        ("search", ["doc_id", "title", "content"]),
        ("search_semantic", ["rank", "chunk_id"]),
    ],
)
def test_every_search_says_what_was_found_then_what_it_is_worth(tool: str, found: list[str]) -> None:
    [item] = [item for item in TOOLS if item.tool.name == tool]
    result = output_schema(item.result)["properties"]
    names = [name for name in result if name not in ("query", "result_count", "applied_filters", "currency")]
    table = ["columns", "rows", "total"] if "columns" in names else []
    expected = [*table, "results", "degraded", "notice", "omitted", "next_cursor"]
    if table:
        expected = ["unread", "notice", *table, "results", "needs", "degraded", "omitted", "next_cursor"]
    assert names == expected
    hit = list(result["results"]["items"]["properties"])
    worth = hit.index("score")
    assert hit[worth - 1 : worth + 4] == ["fit", "score", "confidence", "legs", "more"]
    assert set(found) <= set(hit)


LOOK_ALIKES = [
    ("get_quote", "archive", "quote_get"),
    ("quote_get", "quote_create", "get_quote"),
    ("get_product", "Specifications", "catalog_get"),
    ("catalog_get", "for sale", "get_product"),
    ("search", "own documents", "no quotes"),
    ("search_semantic", "books and articles", "read"),
]


@pytest.mark.parametrize(("tool", "of", "apart"), LOOK_ALIKES)
def test_tools_that_sound_alike_tell_each_other_apart_in_their_first_sentence(tool: str, of: str, apart: str) -> None:
    [item] = [item for item in TOOLS if item.tool.name == tool]
    first = item.tool.description.partition(". ")[0]
    assert of in first
    assert apart in first


def test_whatever_holds_a_list_of_any_length_comes_in_pages() -> None:
    paged = {item.tool.name for item in TOOLS if issubclass(item.result, Paged)}
    retrieving = [item for item in TOOLS if item.tool.toolset not in WITH_PAGE_NUMBERS]
    whole = {item.tool.name for item in retrieving} - paged - WITHOUT_PAGES
    assert not whole, (
        f"{sorted(whole)} can return any number of rows: give Args the base PagedArgs and Result the base Paged, "
        "or, if there can be only one page, add the name to WITHOUT_PAGES in tests/contract/test_tools.py."
    )
    for item in retrieving:
        takes_cursors = "cursor" in item.arguments.model_fields
        assert takes_cursors == (item.tool.name in paged), f"{item.tool.name} takes a cursor or gives one, not both."


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_lists_no_text_that_names_a_tool_it_lacks(profile: str) -> None:
    lacking = {item.tool.name for item in TOOLS} - set(PROFILES[profile]["tools"])
    for item in TOOLS:
        if item.tool.name not in lacking:
            text = f"{item.tool.description} {input_schema(item.arguments)}"
            assert not lacking & set(re.findall(r"[a-z]+(?:_[a-z]+)+", text)), item.tool.name


@EVERY_TOOL
def test_an_unknown_argument_is_refused(item: Declared) -> None:
    assert input_schema(item.arguments)["additionalProperties"] is False
    with pytest.raises(ValidationError, match="colour"):
        item.arguments.model_validate({"colour": "red"})


@EVERY_TOOL
def test_its_required_arguments_are_exactly_those_without_a_default(item: Declared) -> None:
    required = [name for name, field in item.arguments.model_fields.items() if field.is_required()]
    assert input_schema(item.arguments).get("required", []) == required


@EVERY_TOOL
def test_agentcore_gets_only_the_keywords_it_knows(item: Declared) -> None:
    for schema in (input_schema(item.arguments), output_schema(item.result)):
        for path, inner in subschemas(agentcore_subset(schema)):
            assert inner.keys() <= set(AGENTCORE_KEYS), path
            assert isinstance(inner["type"], str), path
