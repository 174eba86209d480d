"""`python -m proxy` serves HTTP; `python -m proxy --stdio` serves the same over standard input and output."""

import argparse
import asyncio
import errno
import gc
import logging
import signal
import socket
import sys
from collections.abc import Sequence

import uvicorn
from mcp.server.stdio import stdio_server

from proxy import events
from proxy.app import create_app, whole
from proxy.calls import ToolCalls
from proxy.catalog import Catalog
from proxy.credentials import find_credentials
from proxy.http_protocol import bounded_http
from proxy.manifest import load_manifest
from proxy.runtime import open_runtime
from proxy.server import build_server
from proxy.settings import Settings, SettingsError

_logger = logging.getLogger("proxy")

_GRACE_SECONDS = 10
# Longer than the idle time of common load balancers, so that they close first.
_KEEPALIVE_SECONDS = 75


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until told to stop; 1 if the settings or the port do not allow it."""
    parser = argparse.ArgumentParser(prog="proxy", description=__doc__)
    parser.add_argument("--stdio", action="store_true", help="speak MCP on standard input and output")
    arguments = parser.parse_args(argv)
    events.configure()
    try:
        settings = Settings.from_environment()
        if arguments.stdio:
            asyncio.run(_serve_stdio(settings))
        else:
            _serve_http(settings)
    except SettingsError as problem:
        # Plain words: this is read by whoever typed the command.
        print(f"proxy: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _serve_http(settings: Settings) -> None:
    app = create_app(settings)
    listener = _listen(settings)
    # uvicorn re-raises the signal it stopped for; a handler that does nothing lets us return 0.
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, _ignore)
    config = uvicorn.Config(
        app,
        http=bounded_http(settings),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEPALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # What start-up built lives on: without it in the way a full collection takes no 60 ms.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
        for listener in sockets or ():
            host, port = listener.getsockname()[:2]
            events.log(_logger, "listening", host=host, port=port)


def _ignore(_signum: int, _frame: object) -> None:
    """See `_serve_http`."""


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
        server = build_server(runtime, calls=ToolCalls(runtime), default=whole(settings, catalog))
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    sys.exit(main())
