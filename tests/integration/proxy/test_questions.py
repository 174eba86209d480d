"""Functions that ask the client's user before they answer, over rounds that leave nothing in the proxy."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client

from proxy.app import create_app
from proxy.settings import Settings, SettingsError
from tests.integration.proxy.conftest import Proxy, StartProxy
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step
from tests.unit.proxy.manifests import document

NUMBER = {"number": "A-1"}
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "default": None}}}
FORM = {"mode": "form", "message": "How many?", "requestedSchema": SCHEMA}
QUESTION = {"count": {"method": "elicitation/create", "params": FORM}}
ANSWER = {"count": {"action": "accept", "content": {"n": 3}}}
CAN_BE_ASKED: dict[str, Any] = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
KEYS = "a secret of at least thirty-two characters"


def asking(requests: object = QUESTION, **kept: object) -> Step:
    return Step(result={"_mcp": {"inputRequired": {"inputRequests": requests, **kept}}})


def order(proxy: Proxy, *, meta: dict[str, Any] | None = None, **said: object) -> httpx2.Response:
    params = {"name": "place_order", "arguments": NUMBER, **said}
    return proxy.modern("tools/call", params, meta=CAN_BE_ASKED if meta is None else meta)


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """place_order asks and takes any argument; restock is a prompt that a function makes."""
    edited = document()
    tool = next(tool for tool in edited["tools"] if tool["name"] == "place_order")
    tool["asks"] = tool["keeps_state"] = True
    tool["inputSchema"]["additionalProperties"] = True
    card = {"name": "restock", "title": "Restock", "description": "What to buy.", "toolset": "orders"}
    arguments = [{"name": "shelf", "required": True}]
    edited["prompts"].append({**card, "function": "restock", "asks": True, "arguments": arguments})
    path = tmp_path_factory.mktemp("manifest") / "manifest.json"
    path.write_text(json.dumps(edited), "utf-8")
    return path


@pytest.fixture(scope="module")
def _asking_proxy(start_proxy: StartProxy, manifest: Path) -> Iterator[Proxy]:
    with start_proxy(MANIFEST_PATH=str(manifest), REQUEST_STATE_KEYS=KEYS) as proxy:
        yield proxy


@pytest.fixture
def proxy(_asking_proxy: Proxy, functions: ScriptedLambda) -> Proxy:
    return _asking_proxy


def test_a_question_goes_to_the_client_and_its_answer_to_the_function(
    proxy: Proxy, functions: ScriptedLambda
) -> None:
    functions.script["place_order"] += [asking(requestState="cart 7"), Step(result={"ordered": 3})]
    asked = order(proxy).json()["result"]
    assert (asked["resultType"], asked["inputRequests"]) == ("input_required", QUESTION)
    assert "cart" not in asked["requestState"]
    done = order(proxy, inputResponses=ANSWER, requestState=asked["requestState"]).json()["result"]
    assert (done["resultType"], done["structuredContent"]) == ("complete", {"ordered": 3})
    told = {"clientCapabilities": {"elicitation": {}}, "inputResponses": ANSWER, "requestState": "cart 7"}
    assert [call.event for call in functions.of("place_order")] == [
        {**NUMBER, "_mcp": {"clientCapabilities": {"elicitation": {}}}},
        {**NUMBER, "_mcp": told},
    ]


PAGE = {"mode": "url", "message": "Pay.", "url": "https://pay.example/1", "elicitationId": "1"}
SAMPLE = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 9}
TOOLS = {"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}


@pytest.mark.parametrize(
    ("method", "params", "declared", "lacking"),
    [
        ("elicitation/create", FORM, {}, {"elicitation": {"form": {}}}),
        ("elicitation/create", FORM, {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        ("elicitation/create", PAGE, {"elicitation": {}}, {"elicitation": {"url": {}}}),
        ("sampling/createMessage", SAMPLE, {"elicitation": {}}, {"sampling": {}}),
        ("sampling/createMessage", SAMPLE | TOOLS, {"sampling": {}}, {"sampling": {"tools": {}}}),
        ("roots/list", {}, {"sampling": {}}, {"roots": {}}),
    ],
)
def test_a_client_that_cannot_answer_is_told_which_capability_it_lacks(
    proxy: Proxy,
    functions: ScriptedLambda,
    method: str,
    params: dict[str, Any],
    declared: dict[str, Any],
    lacking: dict[str, Any],
) -> None:
    functions.script["place_order"] += [asking({"q": {"method": method, "params": params}})] * 2
    response = order(proxy, meta={"io.modelcontextprotocol/clientCapabilities": declared})
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32021)
    assert response.json()["error"]["data"] == {"requiredCapabilities": lacking}
    able = order(proxy, meta={"io.modelcontextprotocol/clientCapabilities": lacking})
    assert able.json()["result"]["resultType"] == "input_required"


def test_an_older_client_hears_that_it_cannot_be_asked(proxy: Proxy, functions: ScriptedLambda) -> None:
    functions.script["place_order"].append(asking())
    result = proxy.legacy("tools/call", {"name": "place_order", "arguments": NUMBER}).json()["result"]
    assert result["isError"]
    assert "only clients of MCP 2026-07-28" in result["content"][0]["text"]
    assert functions.of("place_order")[0].event == {**NUMBER, "_mcp": {"clientCapabilities": {}}}


@pytest.mark.parametrize("said", [{"arguments": {"number": "A-2"}}, {"requestState": "v1.forged"}])
def test_kept_state_is_for_the_same_request_and_unchanged(
    proxy: Proxy, functions: ScriptedLambda, said: dict[str, Any]
) -> None:
    functions.script["place_order"].append(asking(requestState="cart 7"))
    state = order(proxy).json()["result"]["requestState"]
    refused = order(proxy, **{"inputResponses": ANSWER, "requestState": state, **said}).json()["error"]
    assert (refused["code"], refused["message"]) == (-32602, "Invalid or expired requestState")
    assert len(functions.of("place_order")) == 1


def test_kept_state_opens_in_any_process_that_shares_the_keys_and_for_its_tenant_only(
    proxy: Proxy, functions: ScriptedLambda, start_proxy: StartProxy, manifest: Path
) -> None:
    functions.script["place_order"].append(asking(requestState="cart 7"))
    state = order(proxy).json()["result"]["requestState"]
    with start_proxy(MANIFEST_PATH=str(manifest), REQUEST_STATE_KEYS=KEYS) as same:
        assert "result" in order(same, inputResponses=ANSWER, requestState=state).json()
    with start_proxy(MANIFEST_PATH=str(manifest), REQUEST_STATE_KEYS=KEYS, DEFAULT_TENANT="globex") as other:
        assert order(other, inputResponses=ANSWER, requestState=state).json()["error"]["code"] == -32602
    with start_proxy(MANIFEST_PATH=str(manifest)) as stranger:
        assert order(stranger, inputResponses=ANSWER, requestState=state).json()["error"]["code"] == -32602


def test_where_answers_may_come_to_another_process_the_keys_must_be_shared(manifest: Path) -> None:
    reachable = Settings(host="0.0.0.0", auth_mode="api_key", manifest_path=manifest)  # noqa: S104
    with pytest.raises(SettingsError, match="REQUEST_STATE_KEYS"):
        create_app(reachable)


def test_arguments_cannot_pass_for_answers(proxy: Proxy, functions: ScriptedLambda) -> None:
    forged = {"inputResponses": ANSWER, "requestState": "cart 7"}
    order(proxy, arguments={**NUMBER, "_mcp": forged})
    assert functions.of("place_order")[0].event["_mcp"] == {"clientCapabilities": {"elicitation": {}}}


def test_a_tool_that_does_not_ask_hears_of_nothing(proxy: Proxy, functions: ScriptedLambda) -> None:
    params = {"name": "list_orders", "arguments": {}, "inputResponses": ANSWER}
    proxy.modern("tools/call", params, meta=CAN_BE_ASKED)
    assert functions.of("list_orders")[0].event == {}


@pytest.mark.parametrize("question", [asking({}), asking({"x": {"method": "tools/list"}}), asking("?")])
def test_a_malformed_question_is_an_internal_error(proxy: Proxy, functions: ScriptedLambda, question: Step) -> None:
    functions.script["place_order"].append(question)
    result = order(proxy).json()["result"]
    assert result["isError"]
    assert result["content"][0]["text"].startswith("INTERNAL_ERROR: place_order failed; request id ")


def test_a_function_makes_a_prompt_and_may_ask_first(proxy: Proxy, functions: ScriptedLambda) -> None:
    message = {"role": "user", "content": {"type": "image", "data": "aGk=", "mimeType": "image/png"}}
    functions.script["restock"] += [asking(), Step(result={"messages": [message]})]
    params = {"name": "restock", "arguments": {"shelf": "4"}}
    assert proxy.modern("prompts/get", params, meta=CAN_BE_ASKED).json()["result"]["inputRequests"] == QUESTION
    answered = proxy.modern("prompts/get", {**params, "inputResponses": ANSWER}, meta=CAN_BE_ASKED).json()
    assert answered["result"]["messages"] == [message]
    assert functions.of("restock")[1].event == {
        "prompt": params,
        "_mcp": {"clientCapabilities": {"elicitation": {}}, "inputResponses": ANSWER},
    }


def test_a_prompts_function_explains_its_own_refusals(proxy: Proxy, functions: ScriptedLambda) -> None:
    refusal = {"error": True, "code": "NOT_FOUND", "message": "No shelf '9'."}
    functions.script["restock"] += [Step(result=refusal), asking(), Step(result={"messages": "?"})]
    params = {"name": "restock", "arguments": {"shelf": "9"}}
    error = proxy.modern("prompts/get", params).json()["error"]
    assert (error["code"], error["message"]) == (-32602, "Prompt 'restock': No shelf '9'.")
    error = proxy.legacy("prompts/get", params).json()["error"]
    assert "only clients of MCP 2026-07-28" in error["message"]
    assert proxy.modern("prompts/get", params).json()["error"]["message"].startswith("restock could not be read")


@pytest.mark.parametrize("mode", ["auto", "2026-07-28"])
def test_the_sdks_client_answers_by_itself_and_gets_the_result(
    proxy: Proxy, functions: ScriptedLambda, mode: str
) -> None:
    functions.script["place_order"] += [asking(requestState="cart 7"), Step(result={"ordered": 3})]
    put: list[str] = []

    async def fill_in(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        put.append(params.message)
        return types.ElicitResult(action="accept", content={"n": 3})

    async def main() -> types.CallToolResult:
        async with Client(f"{proxy.url}/mcp", mode=mode, elicitation_callback=fill_in) as client:
            return await client.call_tool("place_order", NUMBER)

    assert asyncio.run(main()).structured_content == {"ordered": 3}
    assert put == ["How many?"]
    assert functions.of("place_order")[1].event["_mcp"]["requestState"] == "cart 7"
