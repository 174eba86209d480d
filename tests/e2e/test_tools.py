"""What callers see of the tools: the list, and one real call of each, by clients of both eras and past the proxy."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp_types import CallToolResult, Tool

from local.files import ROOT
from local.stack import Stack, require
from tests.e2e.sample_calls import AFTER_ANOTHER, NEEDS_A_MODEL, ONE_CALL_OF_EACH, found, lasting
from tests.e2e.visits import ERAS, LEGACY, MODERN, MODES, call, invoke, structured, text_of, visit
from tests.house import House

pytestmark = pytest.mark.stack

MANIFEST: dict[str, Any] = json.loads(Path(ROOT, "proxy", "manifest.json").read_text("utf-8"))
DECLARED = {tool["name"]: tool for tool in MANIFEST["tools"]}


@pytest.fixture(scope="module", params=ONE_CALL_OF_EACH)
def tool(request: pytest.FixtureRequest) -> str:
    """All tests of one tool run before those of the next, whose start may end this one's process."""
    return str(request.param)


@pytest.fixture(scope="module")
def answers(house: House, tool: str) -> dict[str, CallToolResult]:
    """What a client of each era gets for the tool's one call."""
    mcp = require(house.data_dir).mcp
    return {mode: call(mcp, tool, ONE_CALL_OF_EACH[tool], mode=mode) for mode in ERAS}


def agentcore(tool: str) -> dict[str, object]:
    return {
        "bedrockAgentCoreToolName": f"quarry-target___{tool}",
        "bedrockAgentCoreGatewayId": "quarry-gateway",
        "bedrockAgentCoreTargetId": "quarry-target",
        "bedrockAgentCoreAwsRequestId": "0e8fb4f4-b9ff-4a52-a1d6-1b7c3c7d9b27",
        "bedrockAgentCoreMcpMessageId": "7",
    }


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
    assert [tool.name for tool in tools] == sorted([*ONE_CALL_OF_EACH, NEEDS_A_MODEL, *AFTER_ANOTHER])


@pytest.mark.parametrize("mode", ERAS)
def test_a_call_finds_something_of_the_declared_shape_in_text_and_structure_alike(
    tool: str, answers: dict[str, CallToolResult], mode: str
) -> None:
    result = structured(answers[mode])
    assert json.loads(text_of(answers[mode])) == result
    Draft202012Validator(DECLARED[tool]["outputSchema"]).validate(result)
    assert found(result), f"events/{tool}.json finds nothing in the sample corpus: {result}"


def test_every_caller_gets_the_same_answer(stack: Stack, tool: str, answers: dict[str, CallToolResult]) -> None:
    modern, legacy = (lasting(structured(answers[mode])) for mode in (MODERN, LEGACY))
    assert modern == legacy
    for custom in (None, agentcore(tool)):
        assert lasting(invoke(stack, tool, ONE_CALL_OF_EACH[tool], custom=custom)) == modern


@pytest.mark.parametrize("mode", MODES)
def test_ask_without_a_model_says_which_settings_it_needs(stack: Stack, mode: str) -> None:
    answer = call(stack.mcp, NEEDS_A_MODEL, {"question": "Who founded Acme Robotics?"}, mode=mode)
    assert answer.is_error
    assert text_of(answer).startswith("UNAVAILABLE")
    assert "CHAT_API_KEY" in text_of(answer)


def test_the_newest_protocol_is_what_a_client_without_preference_gets(stack: Stack) -> None:
    async def version(client: Client) -> str:
        return client.protocol_version

    assert visit(stack.mcp, version) == MODERN
    assert visit(stack.mcp, version, mode="legacy") == "2025-11-25"
