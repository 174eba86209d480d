"""One process of the stack: started, awaited, started again when it dies, stopped."""

import asyncio
import os
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Never

from local.failure import LocalError
from local.files import ROOT
from local.lifeline import child_environment
from local.serve.console import Console, tail

_READY_SECONDS = 60.0
_PROBE_PAUSE = 0.05
_CRASHES = 5
_CRASH_WINDOW = 30.0
_FIRST_BACKOFF = 0.1


@dataclass(frozen=True)
class Program:
    """What to run. `patience` is the time in seconds from `stop_signal` to SIGKILL."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    ready: Callable[[], Awaitable[bool]]
    stop_signal: signal.Signals = signal.SIGTERM
    patience: float = 1.0
    after_restart: Callable[[], Awaitable[None]] | None = None


class Child:
    def __init__(self, program: Program, *, log: Path, console: Console, on_change: Callable[[], None]) -> None:
        self.program = program
        self.ready = asyncio.Event()
        self._log = log
        self._console = console
        self._on_change = on_change
        self._process: asyncio.subprocess.Process | None = None
        self._crashes: deque[float] = deque(maxlen=_CRASHES)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process and self._process.returncode is None else None

    async def run(self) -> Never:
        """Keeps the process running until cancelled. Raises LocalError when it keeps dying and was never ready."""
        while True:
            process = self._process = await self._spawn()
            exited = asyncio.create_task(process.wait())
            await self._await_ready(exited)
            if not exited.done():
                if self.ready.is_set():
                    self._console.line(f"{self.program.name} is back.")
                    if self.program.after_restart:
                        await self.program.after_restart()
                self.ready.set()
                self._on_change()
            await self._back_off(await exited)

    async def _spawn(self) -> asyncio.subprocess.Process:
        with self._log.open("ab") as log:
            # asyncio starts processes in the thread of the loop, the main one, to which they are tied.
            return await asyncio.create_subprocess_exec(
                *self.program.command,
                cwd=ROOT,
                env=child_environment(self.program.environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Ctrl-C reaches the whole foreground group; the order of stopping is the supervisor's.
                process_group=0,
            )

    async def _await_ready(self, exited: asyncio.Task[int]) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while not exited.done() and not await self.program.ready():
            if time.monotonic() > deadline and self.ready.is_set():
                deadline = time.monotonic() + _READY_SECONDS
                self.kill()
            elif time.monotonic() > deadline:
                raise LocalError(
                    f"{self.program.name} did not get ready in {_READY_SECONDS:.0f} s. The end of {self._log}:\n"
                    + tail(self._log)
                )
            await asyncio.sleep(_PROBE_PAUSE)

    async def _back_off(self, code: int) -> None:
        now = time.monotonic()
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        self._crashes.append(now)
        # What has served may serve again when the disk has room; the others answer for themselves meanwhile.
        hopeless = not self.ready.is_set() and len(self._crashes) == _CRASHES
        if hopeless and now - self._crashes[0] < _CRASH_WINDOW:
            raise LocalError(
                f"{self.program.name} {how}, {_CRASHES} times within {_CRASH_WINDOW:.0f} s. The end of {self._log}:\n"
                + tail(self._log)
            )
        recent = sum(now - crash < _CRASH_WINDOW for crash in self._crashes)
        pause = _FIRST_BACKOFF * 2 ** (recent - 1)
        self._console.line(f"{self.program.name} {how}; starting it again in {pause:.1f} s.")
        await asyncio.sleep(pause)

    async def stop(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.send_signal(self.program.stop_signal)
        try:
            async with asyncio.timeout(self.program.patience):
                await process.wait()
        except TimeoutError:
            self._console.line(f"{self.program.name} does not stop by itself; killing it.")
            self.kill()
            await process.wait()

    def kill(self) -> None:
        if self.pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
