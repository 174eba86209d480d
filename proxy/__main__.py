"""`python -m proxy` serves HTTP; `python -m proxy --stdio` serves the same over standard input and output."""

import argparse
import asyncio
import errno
import gc
import logging
import signal
import socket
import sys
from asyncio import TimerHandle
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

import httptools
import uvicorn
from mcp.server.stdio import stdio_server
from starlette.routing import Route
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from proxy import telemetry
from proxy.app import create_app
from proxy.catalog import Catalog
from proxy.manifest import load_manifest
from proxy.runtime import find_credentials, open_runtime
from proxy.server import build_server
from proxy.settings import Settings, SettingsError

_logger = logging.getLogger("proxy")

_GRACE_SECONDS = 10
# Longer than the idle time of common load balancers, so that they close first.
_KEEPALIVE_SECONDS = 75
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


def main(argv: Sequence[str] | None = None, *, more: Callable[[Settings], Iterable[Route]] = lambda _: ()) -> int:
    """Serves until a signal ends it; ``more`` adds routes over HTTP. Returns the exit status, which is 1 if the
    settings or the port do not allow serving.
    """
    parser = argparse.ArgumentParser(prog="proxy", description=__doc__)
    parser.add_argument("--stdio", action="store_true", help="speak MCP on standard input and output")
    arguments = parser.parse_args(argv)
    telemetry.configure()
    try:
        settings = Settings.from_environment()
        if arguments.stdio:
            asyncio.run(_serve_stdio(settings))
        else:
            _serve_http(settings, more=more(settings))
    except SettingsError as problem:
        # Plain text and no log line, because whoever typed the command reads it.
        print(f"proxy: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _serve_http(settings: Settings, *, more: Iterable[Route]) -> None:
    app = create_app(settings, more=more)
    listener = _listen(settings)
    # uvicorn re-raises the signal it stopped for; a handler that does nothing lets us return 0.
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: None)
    config = uvicorn.Config(
        app,
        http=_bounded_http(settings),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEPALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    _Server(config).run(sockets=[listener])


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's HTTP protocol with bounds on a request's head, which httptools reads without any.

    A head that arrives in one piece, as nearly all do, costs a comparison more.
    """

    most_bytes: ClassVar[int]
    seconds: ClassVar[float]
    _head_bytes = 0
    _head_open = True
    _deadline: TimerHandle | None = None

    def connection_made(self, transport: object) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_open and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > self.most_bytes:
                self._end(_TOO_LARGE)
            elif self._deadline is None:
                self._await_head()

    def on_message_begin(self) -> None:
        self._head_open = True
        self._head_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head_open = False
        self._forget_deadline()
        if not self.url.startswith(b"/"):
            # A target with a host overrides the Host header (RFC 9112, section 3.2.2), but only the header is checked
            # further on; where the two differ, the request is refused as malformed.
            target = httptools.parse_url(self.url)
            named = (target.host or b"") + (b":%d" % target.port if target.port else b"")
            if target.host is not None and [named] != [value for name, value in self.headers if name == b"host"]:
                raise httptools.HttpParserError
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._deadline = self.loop.call_later(self.seconds, self._end, _TOO_SLOW)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self, answer: bytes) -> None:
        self._forget_deadline()
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()


def _bounded_http(settings: Settings) -> type[BoundedHttp]:
    """Returns a class that carries the configured bounds, because uvicorn makes the instances, one per connection."""

    class Configured(BoundedHttp):
        most_bytes = settings.max_header_bytes
        seconds = settings.header_seconds

    return Configured


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # Objects from start-up live as long as the process; frozen, they no longer cost a full collection 60 ms.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
        for listener in sockets or ():
            host, port = listener.getsockname()[:2]
            telemetry.log(_logger, "listening", host=host, port=port)


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as failure:
        if failure.errno == errno.EADDRINUSE:
            raise SettingsError(
                f"port {settings.port} on {settings.host} is in use. Choose another: PORT=8001 python -m proxy"
            ) from None
        raise SettingsError(f"cannot listen on {settings.host}:{settings.port}: {failure.strerror}") from None


async def _serve_stdio(settings: Settings) -> None:
    manifest = load_manifest(settings.manifest_path)
    catalog = Catalog(manifest, enabled=settings.toolsets)
    async with open_runtime(settings, catalog, credentials=find_credentials()) as runtime:
        server = build_server(runtime)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    sys.exit(main())
