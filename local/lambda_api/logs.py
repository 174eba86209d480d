"""A function's log: its process's output line by line, and Lambda's own lines around each invocation."""

import asyncio
import math
import os
import sys
import time
from contextlib import suppress

from local.lambda_api.invocation import Invocation
from local.lambda_api.template import FunctionSpec

_TAIL_BYTES = 4096
_READ_BYTES = 65536
_LONGEST_LINE = 65536
# More than a pipe holds: enough to catch up with a function, not enough to follow one that never stops writing.
_MOST_READS = 32


class LogPipe:
    """The read end of stdout and stderr, which share one pipe so that their order is kept.

    A pipe of our own rather than asyncio's streams: whatever a function wrote before it answered is in the pipe
    by then, so that `drain` at that moment, without waiting, gives a complete log tail.
    """

    def __init__(self, *, prefix: str) -> None:
        self._prefix = prefix
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self._tail = bytearray()
        self._partial = b""
        self._closed = False
        asyncio.get_running_loop().add_reader(self._read_end, self.drain)

    def begin(self) -> None:
        """Starts an invocation's log; what was written before belongs to none."""
        self.drain()
        self._tail.clear()

    def platform(self, line: str, *, forward: bool = True) -> None:
        """Adds a line of Lambda's own."""
        self.drain()
        self._keep(f"{line}\n".encode())
        if forward:
            self._forward([line.encode()])

    def tail(self) -> bytes:
        return bytes(self._tail)

    def drain(self) -> None:
        for _ in range(_MOST_READS):
            if self._closed:
                return
            try:
                chunk = os.read(self._read_end, _READ_BYTES)
            except BlockingIOError:
                return
            if not chunk:
                self.close()
                return
            self._take(chunk)

    def close_write_end(self) -> None:
        """Leaves the child as the only writer, so that its end is the end of the file."""
        if self.write_end >= 0:
            os.close(self.write_end)
            self.write_end = -1

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            asyncio.get_running_loop().remove_reader(self._read_end)
            os.close(self._read_end)
            self.close_write_end()
            self._forward([self._partial] if self._partial else [])

    def _take(self, chunk: bytes) -> None:
        # The RIC joins the lines of a stack trace with a carriage return, which a terminal would overwrite.
        chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._keep(chunk)
        *lines, self._partial = (self._partial + chunk).split(b"\n")
        if len(self._partial) > _LONGEST_LINE:
            lines.append(self._partial)
            self._partial = b""
        self._forward(lines)

    def _keep(self, text: bytes) -> None:
        self._tail += text
        if len(self._tail) > _TAIL_BYTES:
            del self._tail[:-_TAIL_BYTES]

    def _forward(self, lines: list[bytes]) -> None:
        if lines:
            text = "".join(f"{self._prefix} | {line.decode(errors='replace')}\n" for line in lines)
            # A line that finds no room on a full disk is lost; the call it tells of is not.
            with suppress(OSError):
                sys.stderr.write(text)
                sys.stderr.flush()


class Report:
    """START, END and REPORT of one environment's invocations, which run one at a time."""

    def __init__(self, spec: FunctionSpec) -> None:
        self._spec = spec
        self._started = 0.0
        self._init_ms: float | None = None
        self._peak_mb = 0

    def initialised(self, seconds: float) -> None:
        self._init_ms = seconds * 1000

    def used(self, megabytes: int) -> None:
        self._peak_mb = max(self._peak_mb, megabytes)

    def start(self, invocation: Invocation) -> str:
        self._started = time.perf_counter()
        return f"START RequestId: {invocation.request_id} Version: {invocation.version}"

    def end(self, invocation: Invocation) -> tuple[str, str]:
        """Init Duration is in the first report only, as the later calls did not pay it."""
        duration = (time.perf_counter() - self._started) * 1000
        fields = [
            f"REPORT RequestId: {invocation.request_id}",
            f"Duration: {duration:.2f} ms",
            f"Billed Duration: {math.ceil(duration)} ms",
            f"Memory Size: {self._spec.memory_mb} MB",
            f"Max Memory Used: {self._peak_mb} MB",
        ]
        if self._init_ms is not None:
            fields.append(f"Init Duration: {self._init_ms:.2f} ms")
            self._init_ms = None
        return f"END RequestId: {invocation.request_id}", "\t".join(fields)
