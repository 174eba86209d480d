"""What the proxy cannot be faster than: Starlette alone, and the SDK's own smallest server.

`python -m bench.hops.floors {starlette|sdk} PORT`. Both answer at once, with the result the double gives.
"""

import gc
import json
import sys
from typing import Any

import mcp_types as types
import uvicorn
from jsonschema import Draft202012Validator
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from bench.hops.double import RESULT
from bench.hops.tool import TOOL

Context = ServerRequestContext[Any, Request]


def starlette() -> ASGIApp:
    """One route: the body parsed, a JSON-RPC answer of the same size composed."""

    async def answer(request: Request) -> Response:
        asked = json.loads(await request.body())
        text = json.dumps(RESULT, separators=(",", ":"))
        result = {"content": [{"type": "text", "text": text}], "structuredContent": RESULT, "isError": False}
        body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}, separators=(",", ":"))
        return Response(body, media_type="application/json")

    return Starlette(routes=[Route("/mcp", answer, methods=["POST"])])


def sdk() -> ASGIApp:
    """Stateless, answering in JSON, the schema compiled once: what its documentation leads to."""
    tool = types.Tool.model_validate(TOOL)
    validator = Draft202012Validator(tool.input_schema)

    async def list_tools(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        validator.validate(params.arguments or {})
        text = json.dumps(RESULT, separators=(",", ":"))
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=RESULT)

    server: Server[Any] = Server(
        "floor",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: tool.input_schema if name == tool.name else None,
    )
    return server.streamable_http_app(stateless_http=True, json_response=True)


if __name__ == "__main__":
    app = {"starlette": starlette, "sdk": sdk}[sys.argv[1]]()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    uvicorn.run(
        app, port=int(sys.argv[2]), http="httptools", log_level="warning", access_log=False, server_header=False
    )
