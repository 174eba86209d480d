"""The /mcp endpoint: what the SDK's transport leaves to the host, decided before it sees a request."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http import check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from proxy.admission import Admission
from proxy.auth.authentication import Authenticate
from proxy.calls import ToolCalls
from proxy.catalog import Catalog
from proxy.departure import unless_gone
from proxy.message_size import too_complex
from proxy.refusal import refusal
from proxy.server import SCOPE_KEY, Addressed
from proxy.settings import Settings
from proxy.shortcut import Answered, Shortcut, recognise
from proxy.sse import framed

_JSON = b"application/json"
_CLOSE = {"connection": "close"}
_BOTH = b"application/json, text/event-stream"
# A request wraps the arguments in a JSON-RPC envelope and `_meta`.
_ENVELOPE_BYTES = 64 * 1024


class McpEndpoint:
    """An ASGI app over two SDK session managers that share one server, with a short cut past them.

    JSON answers are half the cost of SSE ones, and only SSE carries progress; so SSE is used where the
    client asked for progress, or accepts nothing else. What the short cut recognises needs no manager at all.
    """

    def __init__(self, settings: Settings, *, catalog: Catalog) -> None:
        self._settings = settings
        self._catalog = catalog
        self._most_bytes = settings.max_request_bytes + _ENVELOPE_BYTES
        self._admission: Admission | None = None
        self._json: StreamableHTTPSessionManager | None = None
        self._stream: StreamableHTTPSessionManager | None = None
        self._shortcut: Shortcut | None = None

    @asynccontextmanager
    async def serving(
        self, server: Server[Any], *, calls: ToolCalls, authenticate: Authenticate
    ) -> AsyncIterator[None]:
        """A manager runs once, so each run of the lifespan gets new ones."""
        self._admission = Admission(self._settings, catalog=self._catalog, authenticate=authenticate)
        if self._settings.shortcut:
            self._shortcut = Shortcut(calls, self._catalog, server_info=server.server_info_stamp)
        self._json, self._stream = (
            StreamableHTTPSessionManager(
                server, json_response=json, stateless=True, max_request_body_size=self._most_bytes
            )
            for json in (True, False)
        )
        try:
            async with self._json.run(), self._stream.run():
                yield
        finally:
            self._admission = self._json = self._stream = self._shortcut = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # httptools keeps trailing blanks, and a header must equal its counterpart in the body.
        scope = {**scope, "headers": [(name, value.strip()) for name, value in scope["headers"]]}
        request = Request(scope)
        if self._admission is None:
            raise RuntimeError("the ASGI lifespan has not run")
        answer = await self._admission.refuse(request)
        if answer is None:
            body = await self._body(request, receive)
            answer = self._admission.lacking(request, body) if isinstance(body, bytes) else body
            if answer is None and isinstance(body, bytes):
                await self._serve(request, body, receive, send)
                return
        if answer is not None:
            await answer(scope, receive, send)

    async def _body(self, request: Request, receive: Receive) -> bytes | JSONResponse:
        """What was sent, or why it is not looked at."""
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                body = await _read(request, receive, most=self._most_bytes)
        except TimeoutError:
            return refusal(408, "The request took too long to arrive.", headers=_CLOSE)
        if body is None:
            return refusal(413, f"The request exceeds {self._most_bytes:,} bytes.", headers=_CLOSE)
        settings = self._settings
        if too_complex(body, most_depth=settings.max_json_depth, most_values=settings.max_json_values):
            words = f"more than {settings.max_json_depth} levels or {settings.max_json_values:,} values"
            return refusal(400, f"The request has {words}.")
        return body

    async def _serve(self, request: Request, body: bytes, receive: Receive, send: Send) -> None:
        if self._json is None or self._stream is None:
            raise RuntimeError("the ASGI lifespan has not run")
        json, sse = _accepted(request)
        # A look at the raw bytes is enough: a false hit costs an SSE answer, and nobody can miss one.
        if sse and (not json or b'"progressToken"' in body):
            _set_accept(request.scope, _BOTH)
            replay = _replay(body, receive)
            await self._stream.handle_request(request.scope, replay, send if json else framed(send))
            return
        if json:
            answer = self._short(request, body)
            if answer is not None:
                await _send(await unless_gone(answer, receive), send)
                return
            # A JSON answer suits both; only subscriptions/listen is refused to whoever takes no stream.
            _set_accept(request.scope, _BOTH if sse else _JSON)
        # The SDK's JSON mode does not look for a client that left.
        await unless_gone(self._json.handle_request(request.scope, _replay(body, receive), send), receive)

    def _short(self, request: Request, body: bytes) -> Coroutine[Any, Any, Answered] | None:
        pairs: list[tuple[bytes, bytes]] = request.scope["headers"]
        headers = dict(pairs)
        if self._shortcut is None or len(headers) != len(pairs) or (asked := recognise(headers, body)) is None:
            return None
        addressed: Addressed = request.scope[SCOPE_KEY]
        if not self._shortcut.serves(asked, addressed.view):
            return None
        return self._shortcut.answer(asked, addressed, headers)


def _accepted(request: Request) -> tuple[bool, bool]:
    """JSON and event streams; a client that says nothing takes both."""
    accept = request.headers.get("accept")
    return _media_types(accept) if accept else (True, True)


@lru_cache(maxsize=256)
def _media_types(accept: str) -> tuple[bool, bool]:
    return check_accept_headers(Request({"type": "http", "headers": [(b"accept", accept.encode("latin-1"))]}))


async def _send(answer: Answered | None, send: Send) -> None:
    """Nothing where nobody is left to send to."""
    if answer is not None:
        headers = [(b"content-length", b"%d" % len(answer.body)), (b"content-type", _JSON)]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})


async def _read(request: Request, receive: Receive, *, most: int) -> bytes | None:
    """The whole body, or None once it exceeds `most`; a declared length is believed only to refuse early."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > most:
        return None
    body = b""
    while True:
        message = await receive()
        part: bytes = message.get("body", b"")
        body += part
        if len(body) > most:
            return None
        if not message.get("more_body", False):
            return body


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _set_accept(scope: Scope, value: bytes) -> None:
    scope["headers"] = [pair for pair in scope["headers"] if pair[0] != b"accept"] + [(b"accept", value)]
