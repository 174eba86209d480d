"""Visits to the stack as an MCP client of either protocol era, and as an AWS SDK."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, ResourceLink, TextContent

from local.stack import Stack

MODERN = "2026-07-28"
LEGACY = "legacy"
ERAS = [MODERN, LEGACY]
MODES = ["auto", *ERAS]


def visit[T](
    server: str | StdioServerParameters, doing: Callable[[Client], Awaitable[T]], *, mode: str = "auto"
) -> T:
    async def main() -> T:
        async with asyncio.timeout(90), Client(server, mode=mode) as client:
            return await doing(client)

    return asyncio.run(main())


def call(url: str, tool: str, arguments: dict[str, Any], *, mode: str = "auto") -> CallToolResult:
    return visit(url, lambda client: client.call_tool(tool, arguments), mode=mode)


def refusal(url: str, doing: Callable[[Client], Awaitable[object]], *, mode: str) -> MCPError:
    """The protocol error that ``doing`` meets; outside the client it would be wrapped in its task groups."""

    async def met(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await doing(client)
        return caught.value

    return visit(url, met, mode=mode)


def text_of(answer: CallToolResult) -> str:
    """The text of all blocks; any other kind of block than text and links would be a surprise here."""
    assert all(isinstance(block, TextContent | ResourceLink) for block in answer.content)
    return "".join(block.text for block in answer.content if isinstance(block, TextContent))


def structured(answer: CallToolResult) -> dict[str, Any]:
    assert not answer.is_error, text_of(answer)
    content = answer.structured_content
    assert isinstance(content, dict)
    return content


def invoke(
    stack: Stack, function: str, event: object, *, custom: dict[str, object] | None = None, qualifier: str = "live"
) -> dict[str, Any]:
    """The function's answer to a direct `lambda.invoke`; its failures raise."""
    context = {"ClientContext": b64encode(json.dumps({"custom": custom}).encode()).decode()} if custom else {}
    reply = stack.client("lambda").invoke(
        FunctionName=f"quarry-{function}", Qualifier=qualifier, Payload=json.dumps(event), **context
    )
    body = json.loads(reply["Payload"].read())
    assert "FunctionError" not in reply, body
    assert isinstance(body, dict)
    return body
