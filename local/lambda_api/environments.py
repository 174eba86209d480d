"""One execution environment as the server sees it: a process, its Runtime API, its current call."""

import asyncio
import enum
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import psutil

from local.lambda_api.invocation import (
    Invocation,
    Outcome,
    exit_reason,
    exited,
    fault,
    timed_out,
)
from local.lambda_api.process import (
    MAX_RESPONSE_BYTES,
    MEGABYTE,
    Host,
    forward_output,
    function_variables,
    kill_group,
    process_environment,
    say,
    start_process,
)
from local.lambda_api.runtime_api import RuntimeApi
from local.lambda_api.template import FunctionSpec

if TYPE_CHECKING:
    from local.lambda_api.pool import Pool

# A grandchild in a session of its own may outlive its process and hold its output open.
_LAST_WORDS_SECONDS = 0.5


class State(enum.StrEnum):
    STARTING = "starting"
    IDLE = "idle"
    BUSY = "busy"
    SETTLING = "settling"  # has answered, has not yet asked for the next invocation
    GONE = "gone"


class Environment:
    """It starts at once and lives until its process is gone; all of it runs on the event loop's thread."""

    def __init__(self, spec: FunctionSpec, *, host: Host, owner: "Pool") -> None:
        self.spec = spec
        self.state = State.STARTING
        self.since = time.monotonic()
        self._process: psutil.Process | None = None
        self.served = 0
        self._host = host
        self._owner = owner
        self._api = RuntimeApi(self)
        self._next: asyncio.Future[Invocation] | None = None
        self.current: Invocation | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0
        self._life = asyncio.create_task(self._live(), name=f"environment of {spec.name}")

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    # --- the pool's side

    def dispatch(self, invocation: Invocation) -> None:
        """Gives an idle environment its next call; its timeout runs from here."""
        if self._next is None:
            raise RuntimeError(f"{self.spec.name}: dispatched to an environment that is {self.state}.")
        self._enter(State.BUSY)
        invocation.stop_waiting()
        self.current = invocation
        self._deadline = time.time() + self.spec.timeout
        self._set_timer(self.spec.timeout, self._time_out)
        self._next.set_result(invocation)
        self._next = None

    def is_alive(self) -> bool:
        """Whether its process runs: of one that was killed the event loop hears only a moment later."""
        try:
            return self._process is not None and self._process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def check_memory(self) -> None:
        """Ends a call that takes more than MemorySize, which nothing but a cgroup would enforce.

        RLIMIT_AS is no substitute: it counts address space, of which Python extensions, thread stacks and mapped
        model files reserve far more than they touch. A burst between two looks passes.
        """
        if self.current is None or self._process is None:
            return
        try:
            megabytes = self._process.memory_info().rss // MEGABYTE
        except psutil.NoSuchProcess:
            return
        if megabytes > self.spec.memory_mb:
            request_id = self.current.request_id
            reason = exit_reason(-signal.SIGKILL)
            used = f"{megabytes} MB of {self.spec.memory_mb} MB used"
            say(self.spec.name, f"RequestId: {request_id} Error: {reason}: {used}")
            self._finish(exited(request_id, returncode=-signal.SIGKILL), is_error=True)
            self.kill()

    def kill(self) -> None:
        """Ends the process and its children; the environment is out of the pool at once."""
        if self.pid is not None:
            kill_group(self.pid)
        self._leave()

    async def wait_closed(self) -> None:
        await asyncio.wait([self._life])

    # --- the Runtime API's side

    async def next_invocation(self) -> Invocation:
        if self.state is State.STARTING:
            self._clear_timer()
            self._owner.started()
        future: asyncio.Future[Invocation] = asyncio.get_running_loop().create_future()
        self._next = future
        if self.state is not State.GONE:
            self._enter(State.IDLE)
            self._owner.ready(self)
        return await future

    def deadline_ms(self) -> int:
        return int(self._deadline * 1000)

    def answer(self, request_id: str, payload: bytes, *, is_error: bool) -> bool:
        if self.current is None or self.current.request_id != request_id:
            return False
        if len(payload) > MAX_RESPONSE_BYTES:
            message = f"Response payload size exceeded maximum allowed payload size ({MAX_RESPONSE_BYTES} bytes)."
            self._finish(fault("Function.ResponseSizeTooLarge", message), is_error=True)
        else:
            self._finish(payload, is_error=is_error)
        self._enter(State.SETTLING)
        return True

    def fail_init(self, payload: bytes) -> None:
        if self.state is State.STARTING:
            self._owner.init_failed(self, lambda _: payload)
            # The RIC exits by itself; a thread the module started could keep the process.
            asyncio.get_running_loop().call_later(1, self.kill)
            self._leave()

    # --- its own life

    async def _live(self) -> None:
        try:
            returncode = await self._run()
        except OSError as error:
            message = f"No process for {self.spec.name} could be started: {error}"
            self._owner.init_failed(self, lambda _: fault("Sandbox.Failure", message))
        else:
            self._ended(returncode)
        finally:
            self._leave()
            if self._next is not None:
                self._next.cancel()
            await self._api.close()

    async def _run(self) -> int:
        process = await start_process(
            self.spec,
            variables=process_environment(
                self.spec,
                variables=function_variables(self.spec, self._host.overrides),
                region=self._host.stack.region,
                runtime_api=await self._api.listen(),
            ),
        )
        self._process = psutil.Process(process.pid)
        output = asyncio.create_task(forward_output(process, name=self.spec.name))
        if self.state is State.GONE:
            self.kill()
        elif self.state is State.STARTING:
            self._set_timer(self._host.limits.init_seconds, self._init_timed_out)
        returncode = await process.wait()
        kill_group(process.pid)
        await asyncio.wait([output], timeout=_LAST_WORDS_SECONDS)
        output.cancel()
        return returncode

    def _ended(self, returncode: int) -> None:
        """Settles the call that the process had when it ended, if any."""
        self._process = None
        self._clear_timer()
        if self.state is State.STARTING:
            say(self.spec.name, f"INIT_REPORT Status: error Error: {exit_reason(returncode)}")
            self._owner.init_failed(self, lambda request_id: exited(request_id, returncode=returncode))
        elif self.current is not None:
            request_id = self.current.request_id
            say(self.spec.name, f"RequestId: {request_id} Error: {exit_reason(returncode)}")
            self._finish(exited(request_id, returncode=returncode), is_error=True)

    def _finish(self, payload: bytes, *, is_error: bool) -> None:
        """Answers the caller."""
        self._clear_timer()
        invocation, self.current = self.current, None
        if invocation is None:
            return
        self.served += 1
        invocation.resolve(Outcome(payload, is_error))

    def _time_out(self) -> None:
        if self.current is not None:
            request_id = self.current.request_id
            say(self.spec.name, f"{request_id} Task timed out after {self.spec.timeout:.2f} seconds")
            self._finish(timed_out(request_id, seconds=self.spec.timeout), is_error=True)
        self.kill()

    def _init_timed_out(self) -> None:
        seconds = self._host.limits.init_seconds
        say(self.spec.name, f"INIT_REPORT Init Duration: {seconds * 1000:.2f} ms Phase: init Status: timeout")
        self._owner.init_failed(
            self, lambda request_id: timed_out(request_id, seconds=seconds, what="Initialization")
        )
        self.kill()

    def _leave(self) -> None:
        if self.state is not State.GONE:
            self._clear_timer()
            self._enter(State.GONE)
            self._owner.gone(self)

    def _enter(self, state: State) -> None:
        self.state = state
        self.since = time.monotonic()

    def _set_timer(self, seconds: float, callback: Callable[[], None]) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, callback)

    def _clear_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
