"""X-Ray's daemon as Lambda runs it beside a function: it takes segments by datagram."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Daemon:
    socket: socket.socket

    @property
    def address(self) -> str:
        host, port = self.socket.getsockname()
        return f"{host}:{port}"

    def next(self) -> dict[str, Any]:
        """The next segment; it may have to come from another process."""
        self.socket.settimeout(60)
        return self._read()

    def arrived(self) -> list[dict[str, Any]]:
        """What this process has sent until now."""
        self.socket.setblocking(False)
        segments = []
        with suppress(BlockingIOError):
            while True:
                segments.append(self._read())
        return segments

    def _read(self) -> dict[str, Any]:
        header, _, segment = self.socket.recv(65_536).partition(b"\n")
        assert json.loads(header) == {"format": "json", "version": 1}
        read: dict[str, Any] = json.loads(segment)
        return read


@contextmanager
def new_daemon() -> Iterator[Daemon]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        yield Daemon(listening)
