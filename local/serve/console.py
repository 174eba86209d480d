"""What the supervisor prints: one calm line per event."""

import time
from typing import TextIO

_LEAST_PAUSE = 0.5


class Console:
    def __init__(self, out: TextIO) -> None:
        self._out = out

    def line(self, text: str = "") -> None:
        print(text, file=self._out, flush=True)


class Progress:
    """The lines of one step: `[3/8] corpus: 120 of 400 rows`."""

    def __init__(self, console: Console, *, number: int, total: int, name: str) -> None:
        self._console = console
        self._prefix = f"[{number}/{total}] {name}:"
        self._started = time.monotonic()
        self._last = 0.0

    def begin(self, text: str) -> None:
        self._started = time.monotonic()
        self._console.line(f"{self._prefix} {text} …")

    def report(self, text: str) -> None:
        """Reports that follow each other closely are dropped."""
        now = time.monotonic()
        if now - self._last >= _LEAST_PAUSE:
            self._last = now
            self._console.line(f"{self._prefix} {text}")

    def end(self, text: str) -> None:
        self._console.line(f"{self._prefix} {text} in {time.monotonic() - self._started:.1f} s")
