"""HTTP answers: refusals as JSON-RPC errors, and the headers that all carry."""

from collections.abc import Mapping

import mcp_types as types
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from proxy.settings import Settings

ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
_NO_STORE = (b"cache-control", b"no-store")
_CACHE_CONTROL = b"cache-control"
_HSTS = (b"strict-transport-security", b"max-age=31536000")


def refusal(
    status: int,
    message: str,
    *,
    code: int = types.INVALID_REQUEST,
    number: int | str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Returns a JSON-RPC error for a refused request, because of other bodies most clients show only the status."""
    return JSONResponse(rpc_error(code, message, number=number), status, headers)


def rpc_error(code: int, message: str, *, number: int | str | None = None) -> dict[str, object]:
    """``number`` is the request's id; None where the request was not parsed."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


_TWO_HOSTS = refusal(400, "Send one Host header.")
_VALIDATOR = b'"message":"Validation error: '
_NO_RPC = refusal(400, "The body is not a JSON-RPC message.", code=types.INVALID_PARAMS)


class AnswerHeaders:
    """Adds the headers of `ALWAYS` that an answer lacks, and keeps answers out of caches, as each is for one caller.

    It refuses two Host headers, since a server before us may have checked either of them (RFC 9112, section 3.2).
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        secure = settings.public_url is not None and settings.public_url.startswith("https:")
        self._always = [*ALWAYS, _HSTS] if secure else ALWAYS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                own = {name for name, _ in given}
                always = [header for header in self._always if header[0] not in own]
                message = {**message, "headers": [*_uncached(given), *always]}
            await send(message)

        app = self._app if sum(name == b"host" for name, _ in scope["headers"]) < 2 else _TWO_HOSTS
        await app(scope, receive, with_headers)


def without_validator(send: Send) -> Send:
    """Wraps ``send`` to replace the validator's message, which the SDK sends for what is no JSON-RPC, by our own."""
    start: Message | None = None

    async def wrapped(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start" and message["status"] == 400:
            start = message
        elif start is None:
            await send(message)
        else:
            if _VALIDATOR in message.get("body", b""):
                start = {**start, "headers": _NO_RPC.raw_headers}
                message = {**message, "body": _NO_RPC.body}
            await send(start)
            start = None
            await send(message)

    return wrapped


def _uncached(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    for index, (name, value) in enumerate(headers):
        if name.lower() == _CACHE_CONTROL:
            if value.startswith(b"public") or b"no-store" in value:
                return headers
            return [*headers[:index], (name, value + b", no-store"), *headers[index + 1 :]]
    return [*headers, _NO_STORE]
