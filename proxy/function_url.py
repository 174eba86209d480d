"""A function URL's events, payload format 2.0, as ASGI requests, and ASGI answers as what the URL takes."""

import asyncio
import base64
import binascii
import hmac
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from starlette.types import Message, Scope

_TEXTUAL = ("text/", "application/json", "application/problem+json")
# Lambda's limit is 6 MiB for the whole answer: what surrounds the body takes the rest.
MOST_ANSWER_BYTES = 6 * 1024 * 1024 - 64 * 1024


# What CloudFront adds, which it takes from nobody else; the template has both names, too.
KEY_HEADER = "x-origin-key"
VIEWER_HEADER = "x-viewer-address"


class UnfinishedError(Exception):
    """The app returned without a whole answer."""


class MalformedBodyError(Exception):
    """The event says that its body is base64, and it is not."""


class WrongWayError(Exception):
    """The request came to the function URL itself, and not through CloudFront."""


def scope_of(event: Mapping[str, Any], *, origin_key: str | None = None) -> Scope:
    """The ASGI scope of the request, without a state.

    With ``origin_key`` CloudFront stands before the URL, and the client is whoever asked it.
    """
    headers = {name.lower(): value for name, value in event["headers"].items()}
    context = event["requestContext"]
    http = context["http"]
    client = http["sourceIp"]
    if origin_key is not None:
        if not hmac.compare_digest(headers.pop(KEY_HEADER, "").encode(), origin_key.encode()):
            raise WrongWayError
        client = headers.pop(VIEWER_HEADER, client)
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    if cookies := event.get("cookies"):
        pairs.append((b"cookie", "; ".join(cookies).encode()))
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
        raise MalformedBodyError from None


class Exchange:
    """One request's messages to the app and from it. The answer is whole at its end, as a buffered URL carries it."""

    def __init__(self, body: bytes) -> None:
        self._pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        self._ended = asyncio.Event()
        self._status = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self._parts: list[bytes] = []

    async def receive(self) -> Message:
        """A function URL does not tell of a client that left: after the body, nothing comes before the end."""
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
        """What the URL makes a response of, once the app has returned."""
        if not self._ended.is_set():
            raise UnfinishedError
        return answer(self._status, self._headers, b"".join(self._parts))


def answer(status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> dict[str, Any]:
    """What the function URL takes: text as text, all else in base64, and each header once; cookies stand apart."""
    joined: dict[str, str] = {}
    cookies: list[str] = []
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name == "set-cookie":
            cookies.append(value)
        else:
            joined[name] = f"{joined[name]}, {value}" if name in joined else value
    text = _text(joined.get("content-type", ""), body)
    carried = base64.b64encode(body).decode() if text is None else text
    given = {"statusCode": status, "headers": joined, "body": carried, "isBase64Encoded": text is None}
    return {**given, "cookies": cookies} if cookies else given


def _text(content_type: str, body: bytes) -> str | None:
    if body and not content_type.startswith(_TEXTUAL):
        return None
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None
