"""A front with one tool, two tenants told apart by their keys, and the faults a canary has to find."""

import asyncio
import json
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from proxy.aws_lambda import KEY_HEADER

OWN, OTHER = "key of the canary", "key of a second tenant"
PRODUCT = {"product": {"model": "QMB30", "manufacturer": "Quincy"}}
TOOLS = [types.Tool(name=name, input_schema={"type": "object"}) for name in ("get_product", "quote_list")]


@dataclass
class ScriptedFront:
    """``faults`` that a test wants; ``calls`` are the bearers of all calls of get_product, in order."""

    url: str = ""
    faults: set[str] = field(default_factory=set)
    calls: list[str] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    origin_keys: list[str | None] = field(default_factory=list)

    async def call(
        self, ctx: ServerRequestContext[Any, Request], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        assert ctx.request is not None
        if params.name == "quote_list":
            return _result({"items": [{"id": "Q-2019-0001"}]})
        key = ctx.request.headers.get("authorization", "").removeprefix("Bearer ")
        self.calls.append(key)
        self.origin_keys.append(ctx.request.headers.get(KEY_HEADER))
        self.asked.append(params.arguments or {})
        if "hangs" in self.faults:
            await asyncio.sleep(60)
        if "cold" in self.faults and len(self.calls) == 1:
            return _error("UNAVAILABLE: get_product was not run: it is throttled")
        if "wrong" in self.faults:
            return _result({"product": {"model": "QMB25", "manufacturer": "Quincy"}})
        if key == OTHER and "leaks" not in self.faults:
            return _error("NOT_FOUND: No product. " + ("Quincy has some." if "hints" in self.faults else ""))
        return _result(PRODUCT)


def _error(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


def _result(content: dict[str, Any]) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=json.dumps(content))], structured_content=content)


def serve(front: ScriptedFront) -> uvicorn.Server:
    """Starts it in a thread; set `should_exit` to stop it."""

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=TOOLS)

    server: Server[Any] = Server("scripted", on_list_tools=list_tools, on_call_tool=front.call)
    application = server.streamable_http_app(stateless_http=True, json_response=True)
    running = uvicorn.Server(uvicorn.Config(_Keyed(application), host="127.0.0.1", port=0, log_level="error"))
    threading.Thread(target=running.run, daemon=True).start()
    while not running.started:
        time.sleep(0.01)
    front.url = f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}/mcp"
    return running


class _Keyed:
    """Lets in who has a key, or who says nothing of keys."""

    def __init__(self, application: Starlette) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            authorization = Request(scope).headers.get("authorization")
            if authorization not in (None, f"Bearer {OWN}", f"Bearer {OTHER}"):
                await JSONResponse({"error": "invalid_token"}, 401)(scope, receive, send)
                return
        await self._application(scope, receive, send)
