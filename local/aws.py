"""S3, Secrets Manager and SNS on this machine: moto's server, with S3 objects kept in the data directory."""

import argparse
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import run_simple

from local.lifeline import die_with_parent
from local.s3_disk import S3Disk

HOST = "127.0.0.1"
REGION = "us-east-1"

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class KeptApplication:
    """A WSGI application that saves S3 before it answers a request that may have changed it."""

    def __init__(self, disk: S3Disk) -> None:
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._disk = disk
        # One at a time: an object must not vanish while it is being saved.
        self._writing = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] in _READING:
            return self._answer(environ, start_response)
        with self._writing:
            answer = self._answer(environ, start_response)
            self._disk.save()
            return answer

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        answer: Iterable[bytes] = self._moto(environ, start_response)
        return answer


def main(arguments: list[str] | None = None) -> None:
    die_with_parent()
    parser = argparse.ArgumentParser(prog="python -m local.aws", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data-dir", type=Path, required=True)
    options = parser.parse_args(arguments)
    disk = S3Disk(options.data_dir / "s3", region=REGION)
    disk.restore()
    application = KeptApplication(disk)
    run_simple(HOST, options.port, application, threaded=True, request_handler=MotoRequestHandler)


if __name__ == "__main__":
    main()
