"""An MCP server with a `search` over the ten sample documents, which notes when each search began and ended."""

import asyncio
import json
import re
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.files import ROOT

DOCUMENTS: list[dict[str, Any]] = [
    json.loads(line) for line in (ROOT / "local/corpus/knowledge/documents.jsonl").read_text("utf-8").splitlines()
]
TOOL = types.Tool(
    name="search",
    input_schema={"type": "object", "properties": {"query": {"type": "string"}, "top_k": {"type": "integer"}}},
)


@dataclass(frozen=True)
class Searched:
    query: str
    top_k: int
    began: float
    ended: float

    def overlaps(self, other: "Searched") -> bool:
        return self.began < other.ended and other.began < self.ended


@dataclass
class ScriptedKnowledge:
    """A search whose query holds a word of `faults` fails as it says; each takes `seconds`. With `refusal`, that
    status is all that anybody gets.
    """

    url: str = ""
    seconds: float = 0.0
    refusal: int | None = None
    faults: dict[str, str] = field(default_factory=dict)
    searched: list[Searched] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    async def call(
        self, _: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        arguments = params.arguments or {}
        query, top_k, began = arguments["query"], arguments["top_k"], time.monotonic()
        fault = next((kind for word, kind in self.faults.items() if word in query), None)
        await asyncio.sleep(60 if fault == "hangs" else self.seconds)
        self.searched.append(Searched(query, top_k, began, time.monotonic()))
        if fault == "error":
            return types.CallToolResult(content=[types.TextContent(text="UNAVAILABLE: no database")], is_error=True)
        if fault == "nonsense":
            return types.CallToolResult(content=[types.TextContent(text="not json")], structured_content={"hits": 3})
        if fault == "bare":
            return types.CallToolResult(content=[types.TextContent(text=json.dumps(find(query, top_k)))])
        results = {"results": find(query, top_k)}
        return types.CallToolResult(content=[types.TextContent(text=json.dumps(results))], structured_content=results)


def find(query: str, top_k: int) -> list[dict[str, Any]]:
    """The documents that share most words with the query."""
    words = set(re.findall(r"[\w-]{3,}", query.lower()))
    shared = [(len(words & set(re.findall(r"[\w-]{3,}", each["content"].lower()))), each) for each in DOCUMENTS]
    best = sorted((pair for pair in shared if pair[0]), key=lambda pair: (-pair[0], pair[1]["doc_id"]))
    return [{**document, "score": round(0.5 + count / 100, 4)} for count, document in best[:top_k]]


def serve(knowledge: ScriptedKnowledge) -> uvicorn.Server:
    """Starts it in a thread; set `should_exit` to stop it."""

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[TOOL])

    server: Server[Any] = Server("scripted", on_list_tools=list_tools, on_call_tool=knowledge.call)
    application = server.streamable_http_app(stateless_http=True, json_response=True)
    running = uvicorn.Server(
        uvicorn.Config(_Noting(application, knowledge), host="127.0.0.1", port=0, log_level="error")
    )
    threading.Thread(target=running.run, daemon=True).start()
    while not running.started:
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    knowledge.url = f"http://127.0.0.1:{port}/mcp"
    return running


class _Noting:
    def __init__(self, application: Starlette, knowledge: ScriptedKnowledge) -> None:
        self._application = application
        self._knowledge = knowledge

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self._knowledge.headers.append({name.decode(): value.decode() for name, value in scope["headers"]})
            if self._knowledge.refusal is not None:
                await Response(status_code=self._knowledge.refusal)(scope, receive, send)
                return
        await self._application(scope, receive, send)
