"""What clients of both eras see of the tools: the list, and one real call of each."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp_types import CallToolResult, Tool

from local.files import ROOT
from local.stack import Stack
from tests.e2e.sample_calls import NEEDS_A_MODEL, ONE_CALL_OF_EACH, found, lasting
from tests.e2e.visits import MODERN, MODES, call, structured, text_of, visit

pytestmark = pytest.mark.stack

MANIFEST: dict[str, Any] = json.loads(Path(ROOT, "proxy", "manifest.json").read_text("utf-8"))
CALLABLE = [tool for tool in MANIFEST["tools"] if tool["name"] != NEEDS_A_MODEL]


async def listed(client: Client) -> list[Tool]:
    return (await client.list_tools()).tools


def as_declared(tool: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": tool["name"],
        "title": tool["title"],
        "description": tool["description"],
        "inputSchema": tool["inputSchema"],
        "outputSchema": tool["outputSchema"],
        "readOnlyHint": tool["read_only"],
        "destructiveHint": tool["destructive"],
        "idempotentHint": tool["idempotent"],
        "openWorldHint": tool["open_world"],
    }


def as_listed(tool: Tool) -> dict[str, Any]:
    wire = tool.model_dump(by_alias=True, exclude_none=True)
    hints = {name: value for name, value in wire.pop("annotations").items() if name.endswith("Hint")}
    return {**wire, **hints}


@pytest.mark.parametrize("mode", MODES)
def test_the_list_is_the_manifest_in_order_with_schemas_and_all_four_hints(stack: Stack, mode: str) -> None:
    tools = visit(stack.mcp, listed, mode=mode)
    assert [as_listed(tool) for tool in tools] == [as_declared(tool) for tool in MANIFEST["tools"]]
    assert [tool.name for tool in tools] == sorted([*ONE_CALL_OF_EACH, NEEDS_A_MODEL])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("tool", CALLABLE, ids=lambda tool: tool["name"])
def test_a_call_finds_something_of_the_declared_shape_in_text_and_structure_alike(
    stack: Stack, tool: dict[str, Any], mode: str
) -> None:
    answer = call(stack.mcp, tool["name"], ONE_CALL_OF_EACH[tool["name"]], mode=mode)
    result = structured(answer)
    assert json.loads(text_of(answer)) == result
    Draft202012Validator(tool["outputSchema"]).validate(result)
    assert found(result), f"events/{tool['name']}.json finds nothing in the sample corpus: {result}"


@pytest.mark.parametrize("mode", MODES)
def test_ask_without_a_model_says_which_settings_it_needs(stack: Stack, mode: str) -> None:
    answer = call(stack.mcp, NEEDS_A_MODEL, {"question": "Who founded Acme Robotics?"}, mode=mode)
    assert answer.is_error
    assert text_of(answer).startswith("UNAVAILABLE")
    assert "CHAT_API_KEY" in text_of(answer)


def test_both_eras_get_the_same_answers(stack: Stack) -> None:
    async def answers(client: Client) -> list[CallToolResult]:
        return [await client.call_tool(tool, arguments) for tool, arguments in ONE_CALL_OF_EACH.items()]

    modern, legacy = (visit(stack.mcp, answers, mode=mode) for mode in (MODERN, "legacy"))
    assert [lasting(structured(answer)) for answer in modern] == [lasting(structured(answer)) for answer in legacy]


def test_the_newest_protocol_is_what_a_client_without_preference_gets(stack: Stack) -> None:
    async def version(client: Client) -> str:
        return client.protocol_version

    assert visit(stack.mcp, version) == MODERN
    assert visit(stack.mcp, version, mode="legacy") == "2025-11-25"
