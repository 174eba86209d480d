"""The SDK's own client in both eras, over HTTP and over stdio."""

import asyncio
import sys
from collections.abc import Awaitable, Callable

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

from tests.integration.proxy.conftest import MODERN, Proxy
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step

MODES = ["auto", "legacy", MODERN]


async def _tour(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["find_parts", "get_part", "place_order", "list_orders"]
    found = await client.call_tool("find_parts", {"query": "x"})
    assert found.structured_content == {"echo": {"query": "x"}}
    part = await client.call_tool("get_part", {"number": "A-1"})
    assert part.structured_content == {"echo": {"number": "A-1"}}
    with pytest.raises(MCPError, match="Unknown tool"):
        await client.call_tool("nothing", {})
    letter = await client.read_resource("workbench://letter")
    assert letter.contents[0].uri == "workbench://letter"
    prompt = await client.get_prompt("draft_order", {"need": "a pump"})
    assert len(prompt.messages) == 2


def _with_client(server: str | StdioServerParameters, mode: str, visit: Callable[[Client], Awaitable[None]]) -> None:
    async def main() -> None:
        async with Client(server, mode=mode) as client:
            await visit(client)

    asyncio.run(main())


@pytest.mark.parametrize("mode", MODES)
def test_the_sdk_client_gets_everything_over_http(proxy: Proxy, mode: str) -> None:
    _with_client(f"{proxy.url}/mcp", mode, _tour)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdk_client_sees_progress(proxy: Proxy, functions: ScriptedLambda, mode: str) -> None:
    functions.script["find_parts"] = [Step(result={"n": 1}, seconds=0.35)]
    seen: list[float] = []

    async def watch(progress: float, total: float | None, message: str | None) -> None:
        assert (total, message) == (None, "find_parts is running")
        seen.append(progress)

    async def visit(client: Client) -> None:
        result = await client.call_tool("find_parts", {"query": "x"}, progress_callback=watch)
        assert result.structured_content == {"n": 1}

    _with_client(f"{proxy.url}/mcp", mode, visit)
    assert len(seen) >= 2


def test_the_same_server_speaks_over_stdio(environment: dict[str, str], functions: ScriptedLambda) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "proxy", "--stdio"], env=environment)
    _with_client(server, "legacy", _tour)
    assert functions.calls[0].custom["tenant"] == "acme"


def test_stdio_obeys_the_settings_for_toolsets_and_mode(
    environment: dict[str, str], functions: ScriptedLambda
) -> None:
    async def visit(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["list_orders"]
        with pytest.raises(MCPError, match="read-only"):
            await client.call_tool("place_order", {"number": "A"})
        assert not functions.calls
        assert (await client.call_tool("list_orders", {})).structured_content == {"echo": {}}

    env = environment | {"TOOLSETS": "orders", "READ_ONLY": "1"}
    _with_client(
        StdioServerParameters(command=sys.executable, args=["-m", "proxy", "--stdio"], env=env), "auto", visit
    )
