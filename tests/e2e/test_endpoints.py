"""The paths of the endpoint: toolsets, read-only, health, and what plain HTTP gets for a mistake."""

import json
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp import Client

from local.stack import Stack
from tests.e2e.sample_calls import MANIFEST, NEEDS_A_MODEL, ONE_CALL_OF_EACH, TOOLS, names_of
from tests.e2e.visits import ERAS, refusal, structured, visit

pytestmark = pytest.mark.stack

TOOLSETS = sorted({tool["toolset"] for tool in TOOLS})
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})


def ask(stack: Stack, method: str, path: str, *, body: str | None = None) -> tuple[int, Any]:
    connection = HTTPConnection(urlsplit(stack.mcp).netloc, timeout=60)
    connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    return response.status, answer


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("path", "names"),
    [
        *((f"/{toolset}", names_of(toolset)) for toolset in TOOLSETS),
        ("/equipment,quotes", names_of("equipment", "quotes")),
        ("/quotes,equipment/readonly", names_of("equipment", "quotes")),
        ("/equipment/readonly", names_of("equipment")),
        ("/cpq/readonly", names_of("cpq", writing=False)),
        ("/readonly", names_of(writing=False)),
        ("/", names_of()),
        *((f"/{name}", sorted(each["tools"])) for name, each in MANIFEST["profiles"].items()),
    ],
)
def test_a_path_serves_its_toolsets(stack: Stack, path: str, names: list[str], mode: str) -> None:
    async def doing(client: Client) -> list[str]:
        if callable_here := [name for name in names if name != NEEDS_A_MODEL]:
            assert structured(await client.call_tool(callable_here[0], ONE_CALL_OF_EACH[callable_here[0]]))
        return [tool.name for tool in (await client.list_tools()).tools]

    assert visit(stack.mcp + path, doing, mode=mode) == names


@pytest.mark.parametrize("mode", ERAS)
def test_a_tool_of_another_toolset_is_unknown(stack: Stack, mode: str) -> None:
    url = f"{stack.mcp}/equipment"
    error = refusal(url, lambda client: client.call_tool("get_quote", {"quote_id": "Q21-0347"}), mode=mode)
    assert "get_quote" in error.error.message


def test_templates_belong_to_the_quotes_toolset(stack: Stack) -> None:
    async def counted(client: Client) -> tuple[int, int]:
        resources = [str(each.uri) for each in (await client.list_resources()).resources]
        templates = sum(uri.startswith("quarry://templates/") for uri in resources)
        return templates, len((await client.list_prompts()).prompts)

    assert visit(f"{stack.mcp}/quotes", counted) == (5, 1)
    assert visit(f"{stack.mcp}/equipment", counted) == (0, 0)


@pytest.mark.parametrize("path", ["/mcp/equipmnt", "/mcp/equipment,nope", "/mcp/equipmnt/readonly"])
def test_an_unknown_toolset_is_404_and_names_the_known_ones(stack: Stack, path: str) -> None:
    status, answer = ask(stack, "POST", path, body=LIST)
    assert status == 404
    assert "Unknown toolset" in answer["error"]["message"]
    assert ", ".join(TOOLSETS) in answer["error"]["message"]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_neither_a_stream_to_get_nor_a_session_to_delete(stack: Stack, method: str) -> None:
    assert ask(stack, method, "/mcp") == (405, {"error": "Only POST is served here."})


def test_health_and_readiness_are_told(stack: Stack) -> None:
    status, health = ask(stack, "GET", "/healthz")
    assert (status, health["status"], health["tools"]) == (200, "ok", len(TOOLS))
    assert ask(stack, "GET", "/readyz") == (200, {"status": "ready"})


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_a_plain_post_without_any_mcp_header_is_answered(stack: Stack, path: str) -> None:
    status, answer = ask(stack, "POST", path, body=LIST)
    assert status == 200
    assert [tool["name"] for tool in answer["result"]["tools"]] == names_of()
