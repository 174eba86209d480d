"""The /mcp endpoint, which checks what the SDK's transport leaves to its host before that sees a request."""

import asyncio
import re
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing, asynccontextmanager
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from proxy.admission import Admission
from proxy.http_answers import refusal, without_validator
from proxy.runtime import Runtime
from proxy.server import build_server

_JSON = b"application/json"
_CLOSE = {"connection": "close"}
_BOTH = b"application/json, text/event-stream"
# A request wraps the arguments in a JSON-RPC envelope and `_meta`.
_ENVELOPE_BYTES = 64 * 1024
_UNWATCHED_SECONDS = 0.02
_MOST_DEPTH = 64
_MOST_VALUES = 20_000
# Possessive, and it matches a string that never ends: one pass, whatever it is given.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_OPENING = (b"[", b"{")


class McpEndpoint:
    """An ASGI app over two SDK session managers that share one server.

    JSON answers are half the cost of SSE ones, and only SSE carries progress; so SSE is used where the client asked
    for progress.
    """

    def __init__(self, runtime: Runtime, server: Server[Any]) -> None:
        self._settings = runtime.settings
        self._most_bytes = runtime.settings.max_request_bytes + _ENVELOPE_BYTES
        self._admission = Admission(runtime)
        self.json, self.stream = (
            StreamableHTTPSessionManager(
                server, json_response=json, stateless=True, max_request_body_size=self._most_bytes
            )
            for json in (True, False)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # httptools keeps trailing blanks, and a header must equal its counterpart in the body.
        scope = {**scope, "headers": [(name, value.strip()) for name, value in scope["headers"]]}
        request = Request(scope, receive)
        body = await self._admission.refuse(request) or await self._body(request)
        if isinstance(body, bytes):
            await self._serve(request, body, receive, send)
        else:
            await body(scope, receive, send)

    async def _body(self, request: Request) -> bytes | Response:
        """Returns the body, or the refusal of one that is too long, late or complex, that the SDK would take for a
        notification and never run, or that asks for what the caller's scopes do not open. What is no JSON is left to
        the SDK.
        """
        body = await read_body(request, most=self._most_bytes, seconds=self._settings.body_seconds)
        if not isinstance(body, bytes):
            return body
        if too_complex(body, most_depth=_MOST_DEPTH, most_values=_MOST_VALUES):
            return refusal(400, f"The request has more than {_MOST_DEPTH} levels or {_MOST_VALUES:,} values.")
        try:
            message = from_json(body)
        except ValueError:
            return body
        match message:
            case {"method": _, "id": number} if isinstance(number, bool) or not isinstance(number, int | str):
                return refusal(400, "id: a request has a text or a whole number; leave it out to notify.")
        return self._admission.missing_scopes(request, message) or body

    async def _serve(self, request: Request, body: bytes, receive: Receive, send: Send) -> None:
        # Whether the client takes JSON and whether it takes event streams; one that says nothing takes both.
        json, sse = check_accept_headers(request) if request.headers.get("accept") else (True, True)
        # Searching the raw bytes is enough: a false hit costs an SSE answer, and a real one is never missed.
        if json and sse and b'"progressToken"' in body:
            _set_accept(request.scope, _BOTH)
            await self.stream.handle_request(request.scope, _replay(body, receive), without_validator(send))
            return
        if json:
            # A JSON answer suits both; only subscriptions/listen is refused to whoever takes no stream.
            _set_accept(request.scope, _BOTH if sse else _JSON)
        # The SDK's JSON mode does not look for a client that left.
        plain = without_validator(send)
        await cancelled_on_disconnect(self.json.handle_request(request.scope, _replay(body, receive), plain), receive)


@asynccontextmanager
async def open_endpoint(runtime: Runtime) -> AsyncIterator[McpEndpoint]:
    """Opens the endpoint. A session manager runs only once, so each run of the lifespan gets new ones."""
    endpoint = McpEndpoint(runtime, build_server(runtime))
    async with endpoint.json.run(), endpoint.stream.run():
        yield endpoint


async def cancelled_on_disconnect[T](work: Coroutine[Any, Any, T], receive: Receive) -> T | None:
    """Returns what ``work`` does, or None if the client disconnected; ``work`` is then cancelled and has ended."""
    async with anyio.create_task_group() as group:
        group.start_soon(_hang_up, receive, group.cancel_scope)
        answer = await work
        group.cancel_scope.cancel()
        return answer
    return None


async def _hang_up(receive: Receive, scope: anyio.CancelScope) -> None:
    # A disconnect in the first moments changes nothing, and most calls are over by then.
    await anyio.sleep(_UNWATCHED_SECONDS)
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def too_complex(body: bytes, *, most_depth: int, most_values: int) -> bool:
    """Returns whether a JSON text nests deeper or holds more members and items than allowed, without parsing it."""
    # Characters inside strings count here too, so the counts can only be too high; nearly all bodies pass at once.
    opened = body.count(b"[") + body.count(b"{")
    if opened <= most_depth and body.count(b",") + opened <= most_values:
        return False
    bare = _STRING.sub(b"", body)
    opened = bare.count(b"[") + bare.count(b"{")
    if bare.count(b",") + opened > most_values:
        return True
    return opened > most_depth and _depth(bare) > most_depth


def _depth(bare: bytes) -> int:
    depth = deepest = 0
    for bracket in _BRACKET.findall(bare):
        depth += 1 if bracket in _OPENING else -1
        deepest = max(deepest, depth)
    return deepest


async def read_body(request: Request, *, most: int, seconds: float) -> bytes | Response:
    """Returns the whole body, or a refusal if it is too long, late or cut off. Content-Length only refuses early."""
    too_long = refusal(413, f"The request exceeds {most:,} bytes.", headers=_CLOSE)
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > most:
        return too_long
    body = b""
    try:
        async with asyncio.timeout(seconds), aclosing(request.stream()) as parts:
            async for part in parts:
                body += part
                if len(body) > most:
                    return too_long
            return body
    except ClientDisconnect:
        return refusal(400, "The request ended before its body did.")
    except TimeoutError:
        return refusal(408, "The request took too long to arrive.", headers=_CLOSE)


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _set_accept(scope: Scope, value: bytes) -> None:
    scope["headers"] = [pair for pair in scope["headers"] if pair[0] != b"accept"] + [(b"accept", value)]
