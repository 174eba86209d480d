"""The paths of the endpoint: toolsets, read-only, health, and what plain HTTP gets for a mistake."""

import json
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp import Client

from local.stack import Stack
from tests.e2e.sample_calls import NEEDS_A_MODEL, ONE_CALL_OF_EACH
from tests.e2e.visits import ERAS, refusal, structured, visit

pytestmark = pytest.mark.stack

EQUIPMENT = ["get_product", "get_specs", "search_equipment"]
QUOTES = ["get_quote", "search_line_items", "search_past_quotes"]
BOTH = sorted(EQUIPMENT + QUOTES)
STORIES = ["find_crossover", "find_related", "query_stories"]
HIGHLIGHTS = ["get_related_chunks", "get_stats", "search_by_metadata", "search_semantic"]
KNOWLEDGE = ["list_documents", "search"]
READING_CPQ = ["approval_pending", "approval_status", "catalog_get", "catalog_search", "quote_get", "quote_list"]
WRITING_CPQ = ["approval_request", "quote_create", "quote_pdf", "quote_price"]
READING = sorted([NEEDS_A_MODEL, *BOTH, *STORIES, *HIGHLIGHTS, *KNOWLEDGE, *READING_CPQ])
ALL = sorted([*READING, *WRITING_CPQ])

LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})


def ask(stack: Stack, method: str, path: str, *, body: str | None = None) -> tuple[int, Any]:
    connection = HTTPConnection(urlsplit(stack.mcp).netloc, timeout=10)
    connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    return response.status, answer


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/equipment", EQUIPMENT),
        ("/quotes", QUOTES),
        ("/equipment,quotes", BOTH),
        ("/quotes,equipment/readonly", BOTH),
        ("/equipment/readonly", EQUIPMENT),
        ("/stories", STORIES),
        ("/highlights", HIGHLIGHTS),
        ("/knowledge", KNOWLEDGE),
        ("/cpq", sorted(READING_CPQ + WRITING_CPQ)),
        ("/cpq/readonly", READING_CPQ),
        ("/readonly", READING),
        ("/", ALL),
    ],
)
def test_a_path_serves_its_toolsets(stack: Stack, path: str, names: list[str], mode: str) -> None:
    async def doing(client: Client) -> list[str]:
        first = next(name for name in names if name != NEEDS_A_MODEL)
        answer = await client.call_tool(first, ONE_CALL_OF_EACH[first])
        assert structured(answer)
        return [tool.name for tool in (await client.list_tools()).tools]

    assert visit(stack.mcp + path, doing, mode=mode) == names


@pytest.mark.parametrize("mode", ERAS)
def test_a_tool_of_another_toolset_is_unknown(stack: Stack, mode: str) -> None:
    url = f"{stack.mcp}/equipment"
    error = refusal(url, lambda client: client.call_tool("get_quote", {"quote_id": "Q21-0347"}), mode=mode)
    assert "get_quote" in error.error.message


def test_templates_belong_to_the_quotes_toolset(stack: Stack) -> None:
    async def counted(client: Client) -> tuple[int, int]:
        return len((await client.list_resources()).resources), len((await client.list_prompts()).prompts)

    assert visit(f"{stack.mcp}/quotes", counted) == (5, 1)
    assert visit(f"{stack.mcp}/equipment", counted) == (0, 0)


@pytest.mark.parametrize("path", ["/mcp/equipmnt", "/mcp/equipment,nope", "/mcp/equipmnt/readonly"])
def test_an_unknown_toolset_is_404_and_names_the_known_ones(stack: Stack, path: str) -> None:
    status, answer = ask(stack, "POST", path, body=LIST)
    assert status == 404
    assert "Unknown toolset" in answer["error"]["message"]
    assert "assistant, cpq, equipment, highlights, knowledge, quotes, stories" in answer["error"]["message"]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_neither_a_stream_to_get_nor_a_session_to_delete(stack: Stack, method: str) -> None:
    assert ask(stack, method, "/mcp") == (405, {"error": "Only POST is served here."})


def test_health_and_readiness_are_told(stack: Stack) -> None:
    status, health = ask(stack, "GET", "/healthz")
    assert (status, health["status"], health["tools"]) == (200, "ok", len(ALL))
    assert ask(stack, "GET", "/readyz") == (200, {"status": "ready"})


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_a_plain_post_without_any_mcp_header_is_answered(stack: Stack, path: str) -> None:
    status, answer = ask(stack, "POST", path, body=LIST)
    assert status == 200
    assert [tool["name"] for tool in answer["result"]["tools"]] == ALL
