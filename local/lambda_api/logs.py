"""A process's output: forwarded line by line, with the tail of the current invocation kept."""

import asyncio
import os
import sys

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
            sys.stderr.write(text)
            sys.stderr.flush()
