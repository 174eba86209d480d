"""HTTP/1.1 to one origin over kept connections: what an invocation needs and nothing besides."""

import asyncio
import ssl
import time
from collections import deque
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

import httptools

_FIRST_FINAL_STATUS = 200
_DEFAULT_PORTS = {"http": 80, "https": 443}


class UnreachableError(Exception):
    """No connection came about, so nothing was sent."""


class ConnectionLostError(Exception):
    """The request went out and the connection ended, or made no sense, before the whole answer was there."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port of an endpoint URL."""

    secure: bool
    host: str
    port: int
    authority: str
    """As the Host header has it: without a default port."""
    path: str

    @classmethod
    def of(cls, url: str) -> "Origin":
        parts = urlsplit(url)
        default = _DEFAULT_PORTS[parts.scheme]
        port = parts.port or default
        host = parts.hostname or ""
        shown = f"[{host}]" if ":" in host else host
        return cls(parts.scheme == "https", host, port, shown if port == default else f"{shown}:{port}", parts.path)


@dataclass(slots=True)
class Answer:
    """``body`` is None where it was larger than allowed. Names of headers are in lower case."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = b""


class Connections:
    """Sends whole requests to one origin. A kept connection that idled too long is not used again."""

    def __init__(self, origin: Origin, *, connect_seconds: float, idle_seconds: float) -> None:
        self.origin = origin
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._tls = ssl.create_default_context() if origin.secure else None
        self._idle: deque[_Connection] = deque()

    async def send(self, request: bytes, *, most: int, fresh: bool = False) -> Answer:
        """The answer to ``request``. ``fresh`` asks for a connection of its own, which is closed afterwards."""
        connection = None if fresh else self._kept()
        if connection is None:
            connection = await self._connect()
        try:
            answer = await connection.ask(request, most=most)
        except BaseException:
            # Its answer may still come, and would be taken for the next request's.
            connection.close()
            raise
        if fresh or not connection.reusable:
            connection.close()
        else:
            connection.idle_since = time.time()
            self._idle.append(connection)
        return answer

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _kept(self) -> "_Connection | None":
        """The one used last, so that those a burst needed can grow old and go."""
        # The time of day: a monotonic clock may stand still while Lambda keeps an environment frozen.
        oldest = time.time() - self._idle_seconds
        while self._idle and (self._idle[0].idle_since < oldest or not self._idle[0].reusable):
            self._idle.popleft().close()
        while self._idle:
            connection = self._idle.pop()
            if connection.reusable:
                return connection
        return None

    async def _connect(self) -> "_Connection":
        origin = self.origin
        try:
            async with asyncio.timeout(self._connect_seconds):
                _, connection = await asyncio.get_running_loop().create_connection(
                    _Connection, origin.host, origin.port, ssl=self._tls
                )
        except (OSError, TimeoutError) as failure:
            raise UnreachableError(type(failure).__name__) from None
        return connection


class _Connection(asyncio.Protocol):
    """One request at a time."""

    def __init__(self) -> None:
        self.idle_since = 0.0
        self._parser = httptools.HttpResponseParser(self)
        self._answer = Answer()
        self._parts: list[bytes] = []
        self._room = 0
        self._waiter: asyncio.Future[Answer] | None = None
        self._keep = True

    @property
    def reusable(self) -> bool:
        return self._keep and not self._transport.is_closing()

    async def ask(self, request: bytes, *, most: int) -> Answer:
        self._room = most
        self._waiter = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._waiter

    def close(self) -> None:
        self._keep = False
        self._transport.close()

    # --- asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are none of asyncio's classes.
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        if self._waiter is None:
            self.close()  # nothing was asked
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._fail()
            self.close()

    def connection_lost(self, _exc: Exception | None) -> None:
        self._keep = False
        self._fail()

    # --- the parser's side

    def on_message_begin(self) -> None:
        self._answer = Answer()
        self._parts = []

    def on_header(self, name: bytes, value: bytes) -> None:
        self._answer.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, part: bytes) -> None:
        self._room -= len(part)
        if self._room >= 0:
            self._parts.append(part)
        else:
            self._finish(None)
            self.close()

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if status >= _FIRST_FINAL_STATUS:
            self._answer.status = status
            self._keep = self._keep and self._parser.should_keep_alive()
            self._finish(self._parts[0] if len(self._parts) == 1 else b"".join(self._parts))

    def _finish(self, body: bytes | None) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            self._answer.body = body
            self._answer.status = self._parser.get_status_code()
            waiter.set_result(self._answer)

    def _fail(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_exception(ConnectionLostError())
