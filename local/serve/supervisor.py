"""Runs the steps of a start in the order their dependencies allow, keeps the processes up, ends them in reverse."""

import asyncio
import signal
import traceback
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Never

from local.failure import LocalError
from local.serve.child import Child, Program
from local.serve.console import Console, Progress, fresh_log


@dataclass(frozen=True)
class Step:
    """A process to start, or a piece of work that reports progress and returns what to say at its end.

    Work blocks, so it runs in a thread. `after` names the steps that must be done before this one begins.
    """

    name: str
    doing: str
    program: Program | None = None
    work: Callable[[Callable[[str], None]], str] | None = None
    after: tuple[str, ...] = ()


class Supervisor:
    """`on_ready` is called with the pids once everything runs, and again whenever a process was replaced."""

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        logs: Path,
        console: Console,
        on_ready: Callable[[dict[str, int]], None],
        background: Sequence[Callable[[], Coroutine[None, None, Never]]] = (),
    ) -> None:
        self._steps = steps
        self._logs = logs
        self._console = console
        self._on_ready = on_ready
        self._background = background
        self._children: list[Child] = []
        self._complete = False
        self._stop_asked = asyncio.Event()
        self._threads = ThreadPoolExecutor(thread_name_prefix="step")

    async def run(self) -> int:
        """Returns 0 after a stop that was asked for, 1 after a failure; the processes are gone in both cases."""
        self._listen_for_signals()
        running = asyncio.create_task(self._start_and_keep())
        asked = asyncio.create_task(self._stop_asked.wait())
        await asyncio.wait({running, asked}, return_when=asyncio.FIRST_COMPLETED)
        for task in (running, asked):
            task.cancel()
        await asyncio.wait({running, asked})
        failure = None if running.cancelled() else running.exception()
        if failure is None:
            self._console.line("\nStopping …")
        else:
            self._say_why(failure)
        for child in reversed(self._children):
            await child.stop()
        return 0 if failure is None else 1

    def _listen_for_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(signum, self._on_signal)

    def _on_signal(self) -> None:
        if self._stop_asked.is_set():
            for child in self._children:
                child.kill()
        self._stop_asked.set()

    async def _start_and_keep(self) -> None:
        done = {step.name: asyncio.Event() for step in self._steps}
        async with asyncio.TaskGroup() as tasks:
            for number, step in enumerate(self._steps, start=1):
                progress = Progress(self._console, number=number, total=len(self._steps), name=step.name)
                tasks.create_task(self._take(step, progress=progress, done=done, tasks=tasks))
            for event in done.values():
                await event.wait()
            self._complete = True
            self._announce()
            for job in self._background:
                tasks.create_task(job())

    async def _take(
        self, step: Step, *, progress: Progress, done: dict[str, asyncio.Event], tasks: asyncio.TaskGroup
    ) -> None:
        for name in step.after:
            await done[name].wait()
        progress.begin(step.doing)
        said = "ready"
        if step.program is not None:
            await self._start(step.program, tasks=tasks)
        if step.work is not None:
            loop = asyncio.get_running_loop()
            said = await loop.run_in_executor(self._threads, step.work, progress.report)
        progress.end(said)
        done[step.name].set()

    async def _start(self, program: Program, *, tasks: asyncio.TaskGroup) -> None:
        log = fresh_log(self._logs, name=program.name)
        child = Child(program, log=log, console=self._console, on_change=self._announce)
        self._children.append(child)
        tasks.create_task(child.run())
        await child.ready.wait()

    def _announce(self) -> None:
        if self._complete:
            try:
                self._on_ready({child.program.name: child.pid for child in self._children if child.pid})
            except OSError as error:
                # On a full disk the record of the stack stays as it was; the processes run all the same.
                self._console.line(f"What runs cannot be written down: {error.strerror}.")

    def _say_why(self, failure: BaseException) -> None:
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
        if isinstance(failure, LocalError):
            self._console.line(f"\n{failure}")
        else:
            log = fresh_log(self._logs, name="supervisor")
            log.write_text("".join(traceback.format_exception(failure)))
            self._console.line(f"\n{type(failure).__name__}: {failure}\nWhere it happened is in {log}.")
