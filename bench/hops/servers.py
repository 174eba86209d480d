"""The servers beside the proxy: `python -m bench.hops.servers KIND PORT`; each answers at once, with the same result.

``invoke`` is the Lambda API behind the proxy. ``sdk`` is what the proxy cannot be faster than.
``fastmcp`` is what a user would pick instead: the function inside the server; it runs in the venv of
bench/requirements.txt. Each imports its own libraries, because no venv has all of them.
"""

import gc
import json
import sys
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from bench.hops.messages import NAME, RESULT, tool_card

_TEXT = json.dumps(RESULT, separators=(",", ":"))


def invoke() -> ASGIApp:
    """A Lambda API whose every function returns the same result."""

    async def answer(_request: Request) -> Response:
        return Response(_TEXT, media_type="application/json", headers={"X-Amzn-RequestId": "0"})

    return Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])])


def sdk() -> ASGIApp:
    """The SDK's smallest server: stateless, answering in JSON, as its documentation leads to."""
    import mcp_types as types
    from jsonschema import Draft202012Validator
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server

    type Context = ServerRequestContext[Any, Request]
    tool = types.Tool.model_validate(tool_card())
    validator = Draft202012Validator(tool.input_schema)

    async def list_tools(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        validator.validate(params.arguments or {})
        return types.CallToolResult(content=[types.TextContent(text=_TEXT)], structured_content=RESULT)

    server: Server[Any] = Server(
        "floor",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: tool.input_schema if name == tool.name else None,
    )
    return server.streamable_http_app(stateless_http=True, json_response=True)


def fastmcp() -> ASGIApp:
    """A FastMCP server with the function inside."""
    from fastmcp import FastMCP

    server: FastMCP = FastMCP("peer")

    def search_equipment(
        query: str,  # noqa: ARG001 - the arguments are what FastMCP makes the tool's schema of
        hp_min: float | None = None,  # noqa: ARG001
        hp_max: float | None = None,  # noqa: ARG001
        lubrication: str | None = None,  # noqa: ARG001
        top_k: int = 10,  # noqa: ARG001
    ) -> dict[str, Any]:
        """Find catalogue products for a need."""
        return RESULT

    server.tool(search_equipment, name=NAME, run_in_thread=False)
    app: ASGIApp = server.http_app(path="/mcp", stateless_http=True, json_response=True)
    return app


def main() -> None:
    kind, port = sys.argv[1:]
    app = {"invoke": invoke, "sdk": sdk, "fastmcp": fastmcp}[kind]()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    uvicorn.run(app, port=int(port), http="httptools", log_level="warning", access_log=False, server_header=False)


if __name__ == "__main__":
    main()
