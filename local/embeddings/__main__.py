"""Starts the embeddings server: `python -m local.embeddings --port N`."""

import argparse
import os
import socket
import sys
import time
from pathlib import Path

from aiohttp import web

from local.embeddings.model import NAME, load
from local.embeddings.sample import known_vectors
from local.embeddings.server import EmbeddingsApi
from local.embeddings.weights import find_model
from local.failure import LocalError
from local.lifeline import die_with_parent
from local.ports import HOST

_SHUTDOWN_SECONDS = 2.0
# More threads than this only add hand-overs: the matrices of a six-layer encoder are small.
_THREADS = min(os.cpu_count() or 1, 4)


def main() -> None:
    die_with_parent()
    parser = argparse.ArgumentParser(prog="python -m local.embeddings", description=__doc__)
    parser.add_argument("--port", type=int, required=True, help="0 takes any free port and prints it")
    cache_dir = Path(os.environ.get("DATA_DIR") or ".quarry") / "models"
    parser.add_argument("--cache-dir", type=Path, default=cache_dir, help="keeps the built graph")
    options = parser.parse_args()
    try:
        serve(options.port, cache_dir=options.cache_dir)
    except LocalError as error:
        sys.exit(f"embeddings: {error}")


def serve(port: int, *, cache_dir: Path) -> None:
    started = time.monotonic()
    # Bound before the model loads: a taken port is known at once, and early clients wait in the backlog.
    listener = _listen(port)
    _say(f"loading {NAME} …")
    model = load(cache_dir=cache_dir, threads=_THREADS, progress=_say)
    known = known_vectors(find_model())
    url = f"http://{HOST}:{listener.getsockname()[1]}/v1"

    def announce(*_: object) -> None:
        _say(f"loaded {NAME} in {time.monotonic() - started:.1f} s; listening on {url}")

    web.run_app(
        EmbeddingsApi(model, known=known).application(),
        sock=listener,
        print=announce,
        access_log=None,
        shutdown_timeout=_SHUTDOWN_SECONDS,
        # A client that goes away (the SDK's timeout, then its retry) must not leave its batch in the queue.
        handler_cancellation=True,
    )


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port), backlog=128)
    except OSError as error:
        raise LocalError(f"Cannot listen on {HOST}:{port}: {os.strerror(error.errno or 0)}.") from error


def _say(line: str) -> None:
    sys.stderr.write(f"embeddings: {line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
