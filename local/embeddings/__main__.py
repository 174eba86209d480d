"""Starts the embeddings server: `python -m local.embeddings --port N`."""

import os
import socket
import sys
import time

from aiohttp import web

from local.embeddings.model import NAME, load
from local.embeddings.server import EmbeddingsApi
from local.embeddings.settings import Settings, read_settings
from local.failure import LocalError
from local.lifeline import die_with_parent

_SHUTDOWN_SECONDS = 2.0


def main() -> None:
    die_with_parent()
    settings = read_settings(sys.argv[1:])
    try:
        serve(settings)
    except LocalError as error:
        sys.exit(f"embeddings: {error}")


def serve(settings: Settings) -> None:
    started = time.monotonic()
    # Bound before the model loads: a taken port is known at once, and early clients wait in the backlog.
    listener = _listen(settings.host, settings.port)
    _say(f"loading {NAME} ({settings.precision}) …")
    model = load(
        cache_dir=settings.cache_dir,
        model_dir=settings.model_dir,
        precision=settings.precision,
        threads=settings.threads,
        progress=_say,
    )
    app = EmbeddingsApi(model, precision=settings.precision).application()
    host, port = listener.getsockname()[:2]

    def announce(*_: object) -> None:
        _say(f"loaded {NAME} in {time.monotonic() - started:.1f} s; listening on http://{host}:{port}/v1")

    web.run_app(
        app,
        sock=listener,
        print=announce,
        access_log=None,
        shutdown_timeout=_SHUTDOWN_SECONDS,
        # A client that goes away (the SDK's timeout, then its retry) must not leave its batch in the queue.
        handler_cancellation=True,
    )


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), backlog=128)
    except OSError as error:
        raise LocalError(f"Cannot listen on {host}:{port}: {os.strerror(error.errno or 0)}.") from error


def _say(line: str) -> None:
    sys.stderr.write(f"embeddings: {line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
