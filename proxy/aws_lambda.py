"""The proxy as a Lambda function behind a function URL: `proxy.aws_lambda.handler` turns events of payload format 2.0
into ASGI requests, and ASGI answers into the URL's responses.

One event loop and one lifespan serve every invocation of an execution environment: the SDK's session manager
runs once, and connections are worth keeping. Between invocations the loop and all its tasks stand still.
"""

import asyncio
import base64
import binascii
import hmac
import json
import logging
import os
import random
import time
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol
from urllib.parse import unquote

from mcp_types import INTERNAL_ERROR
from snapshot_restore_py import register_after_restore, register_before_snapshot
from starlette.types import Message, Scope

from proxy import telemetry
from proxy.app import create_app
from proxy.http_answers import ALWAYS, rpc_error
from proxy.runtime import Runtime
from proxy.settings import Settings, SettingsError

_TEXTUAL = ("text/", "application/json", "application/problem+json")
# Lambda's limit is 6 MiB for the whole answer: what surrounds the body takes the rest.
MOST_ANSWER_BYTES = 6 * 1024 * 1024 - 64 * 1024


# CloudFront sets both headers and accepts them from nobody; template.yaml has both names, too.
KEY_HEADER = "x-origin-key"
VIEWER_HEADER = "x-viewer-address"


class RefusedEventError(Exception):
    """The event is not served. Its arguments are the HTTP status to answer with, and why."""


def scope_of(event: Mapping[str, Any], *, origin_key: str | None = None) -> Scope:
    """Returns the ASGI scope of the request, without a state.

    With ``origin_key`` it must have come through CloudFront, else RefusedEventError; its viewer is the client.
    """
    headers = {name.lower(): value for name, value in event["headers"].items()}
    context = event["requestContext"]
    http = context["http"]
    client = http["sourceIp"]
    if origin_key is not None:
        if not hmac.compare_digest(headers.pop(KEY_HEADER, "").encode(), origin_key.encode()):
            raise RefusedEventError(403, "Requests come in through the server's public address.")
        client = headers.pop(VIEWER_HEADER, client)
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": http["method"],
        "scheme": headers.get("x-forwarded-proto", "https"),
        "path": unquote(event["rawPath"]),
        "raw_path": event["rawPath"].encode(),
        "query_string": event.get("rawQueryString", "").encode(),
        "root_path": "",
        "headers": pairs,
        "client": (client, 0),
        "server": (context["domainName"], 443),
    }


def body_of(event: Mapping[str, Any]) -> bytes:
    text: str = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return text.encode()
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise RefusedEventError(400, "The body is not the base64 that the event says it is.") from None


class Exchange:
    """The ASGI messages of one request. The answer is collected whole, because a buffered URL cannot stream it."""

    def __init__(self, body: bytes) -> None:
        self._pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        self._ended = asyncio.Event()
        self._status = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self._parts: list[bytes] = []

    async def receive(self) -> Message:
        """Gives the body, then waits for the answer's end: a function URL does not tell when a client disconnects."""
        if self._pending:
            return self._pending.pop()
        await self._ended.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], list(message.get("headers", ()))
        elif message["type"] == "http.response.body":
            self._parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                self._ended.set()

    def answer(self) -> dict[str, Any]:
        """Returns the collected response once the app has returned. Raises RuntimeError if it is not whole."""
        if not self._ended.is_set():
            raise RuntimeError("the app returned without a whole answer")
        return answer(self._status, self._headers, b"".join(self._parts))


def answer(status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> dict[str, Any]:
    """Returns a function URL's response: text as it is, other bodies in base64, each header once. No route here reads
    or sets a cookie.
    """
    joined: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    text = _text(joined.get("content-type", ""), body)
    carried = base64.b64encode(body).decode() if text is None else text
    return {"statusCode": status, "headers": joined, "body": carried, "isBase64Encoded": text is None}


def _text(content_type: str, body: bytes) -> str | None:
    if body and not content_type.startswith(_TEXTUAL):
        return None
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


_logger = logging.getLogger("proxy")

# Time kept for sending the answer; Lambda ends an environment that is late, with everything it holds.
_MARGIN_SECONDS = 1.0
# Iterations of the loop that handle what has ended: before a request, connections that closed while the loop stood
# still; after a request that timed out, what it held, which would otherwise be released only at the next.
_TURNS = 3
# The other side may have closed a connection that was unused for so long without our noticing. It is measured by the
# time of day, because a monotonic clock may stand still while the environment does.
_REST_SECONDS = 30
# A body of so many characters fits whatever bytes its encoding and escapes take.
_SURELY_FITS = MOST_ANSWER_BYTES // 6

Answer = dict[str, Any]


class LambdaContext(Protocol):
    aws_request_id: str

    def get_remaining_time_in_millis(self) -> int: ...


class AnswerFailedError(Exception):
    """The front failed. Lambda logs and counts what is raised, so the text names the request and nothing of it."""


class Environment:
    """Holds what lives as long as the process: the app from the start, loop and lifespan from the first request."""

    def __init__(self) -> None:
        telemetry.configure()
        # Nothing but credentials keeps callers out of a function URL; as on an open port, there must be some.
        given = {**os.environ, "HOST": "0.0.0.0"}  # noqa: S104
        settings = Settings.from_environment(given)
        self._app = create_app(settings, credentials_later=True)
        self._origin_key = settings.origin_key
        self._runner: asyncio.Runner | None = None
        self._lifespan: asyncio.Task[None] | None = None
        self._rested_since = 0.0

    def answer(self, event: Mapping[str, Any], *, seconds: float) -> Answer:
        if self._runner is None:
            # Not at the start, because a loop holds file descriptors, which a snapshot must not.
            self._runner = asyncio.Runner()
        try:
            return self._runner.run(self._answer(event, seconds=seconds))
        finally:
            self._rested_since = time.time()

    async def _answer(self, event: Mapping[str, Any], *, seconds: float) -> Answer:
        await _settle()
        try:
            scope = scope_of(event, origin_key=self._origin_key)
            exchange = Exchange(body_of(event))
        except RefusedEventError as refused:
            return _sorry(*refused.args)
        try:
            async with asyncio.timeout(seconds):
                await self._begin()
                await self._app(scope, exchange.receive, exchange.send)
        except TimeoutError:
            await _settle()
            return _sorry(504, "The answer took too long.")
        answer = exchange.answer()
        # Lambda's runtime writes the answer as JSON, in which every quotation mark of the body takes two bytes.
        if (
            len(answer["body"]) > _SURELY_FITS
            and len(json.dumps(answer, ensure_ascii=False).encode()) > MOST_ANSWER_BYTES
        ):
            return _sorry(502, "The answer is larger than this address can carry; ask for less at once.")
        return answer

    async def _begin(self) -> None:
        """Starts the lifespan unless it runs, in a task of its own, because it has to end in the task it began in."""
        if self._lifespan is not None and not self._lifespan.done():
            if time.time() - self._rested_since > _REST_SECONDS:
                runtime: Runtime = self._app.state.runtime
                await runtime.functions.forget_connections()
            return
        begun = asyncio.Event()
        lifespan = asyncio.create_task(self._live(begun))
        waiting = asyncio.create_task(begun.wait())
        try:
            await asyncio.wait((lifespan, waiting), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            if not begun.is_set():
                lifespan.cancel()
                await asyncio.wait((lifespan,))
        if lifespan.done():
            lifespan.result()
        self._lifespan = lifespan

    async def _live(self, begun: asyncio.Event) -> None:
        async with self._app.router.lifespan_context(self._app):
            begun.set()
            # Until Lambda ends the environment, which it does without notice.
            await asyncio.Event().wait()


async def _settle() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)


@cache
def environment() -> Environment:
    return Environment()


def handler(event: dict[str, Any], context: LambdaContext) -> Answer:
    """Answers one event. An event stream is sent whole at its end, as a buffered function URL cannot send parts."""
    seconds = context.get_remaining_time_in_millis() / 1000 - _MARGIN_SECONDS
    try:
        return environment().answer(event, seconds=seconds)
    except SettingsError:
        raise
    except Exception:
        _logger.exception("answer_failed")
        raise AnswerFailedError(f"The front failed; request id {context.aws_request_id}.") from None


def _sorry(status: int, words: str) -> Answer:
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store"), *ALWAYS]
    return answer(status, headers, json.dumps(rpc_error(INTERNAL_ERROR, words)).encode())


# A snapshot holds the imports and the app; without a new seed its copies would draw the same random numbers.
register_before_snapshot(environment)
register_after_restore(random.seed)
