"""One execution environment as the server sees it: a process, its Runtime API, its log, its current call."""

import asyncio
import contextlib
import enum
import signal
import time
from collections.abc import Callable
from typing import Protocol

from local.lambda_api.invocation import (
    Invocation,
    Outcome,
    exit_reason,
    exited,
    fault,
    init_timed_out,
    response_too_large,
    timed_out,
)
from local.lambda_api.logs import LogPipe, Report
from local.lambda_api.process import (
    MAX_RESPONSE_BYTES,
    Host,
    function_variables,
    kill_group,
    process_environment,
    resident_mb,
    start_process,
)
from local.lambda_api.runtime_api import RuntimeApi
from local.lambda_api.template import FunctionSpec

# Between a process's exit and our end of its connection noticing: both are local and practically at once,
# unless a grandchild holds the socket.
_HANG_UP_SECONDS = 0.5
# How often an event may be handed to processes that die before reading it.
_MAX_DELIVERIES = 3


class State(enum.StrEnum):
    STARTING = "starting"
    IDLE = "idle"
    BUSY = "busy"
    SETTLING = "settling"  # has answered, has not yet asked for the next invocation
    GONE = "gone"


class Owner(Protocol):
    """The pool, which decides what a change of an environment means for those who wait."""

    def started(self) -> None: ...
    def ready(self, environment: "Environment") -> None: ...
    def gone(self, environment: "Environment") -> None: ...
    def undelivered(self, invocation: Invocation) -> None: ...
    def init_failed(self, environment: "Environment", make_payload: Callable[[str], bytes]) -> None: ...


class Environment:
    """It starts at once and lives until its process is gone; all of it runs on the event loop's thread."""

    def __init__(self, spec: FunctionSpec, *, host: Host, owner: Owner) -> None:
        self.spec = spec
        self.state = State.STARTING
        self.since = time.monotonic()
        self.pid: int | None = None
        self.served = 0
        self._host = host
        self._owner = owner
        self._api = RuntimeApi(self)
        self._log = LogPipe(prefix=spec.name)
        self._report = Report(spec)
        self._next: asyncio.Future[Invocation] | None = None
        self.current: Invocation | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0
        self._unread = False
        self._hung_up = asyncio.Event()
        self._life = asyncio.create_task(self._live(), name=f"environment of {spec.name}")

    # --- the pool's side

    def dispatch(self, invocation: Invocation) -> None:
        """Gives an idle environment its next call; its timeout runs from here."""
        if self._next is None:
            raise RuntimeError(f"{self.spec.name}: dispatched to an environment that is {self.state}.")
        self._enter(State.BUSY)
        invocation.stop_waiting()
        invocation.deliveries += 1
        self.current = invocation
        self._deadline = time.time() + self.spec.timeout
        self._set_timer(self.spec.timeout, self._time_out)
        self._log.begin()
        self._log.platform(self._report.start(invocation), forward=False)
        if self.pid is not None:
            self._host.memory.add(self.pid, self._check_memory)
        self._next.set_result(invocation)
        self._next = None

    def kill(self) -> None:
        """Ends the process and its children; the environment is out of the pool at once."""
        if self.pid is not None:
            kill_group(self.pid)
        self._leave()

    def log_tail(self) -> bytes:
        self._log.drain()
        return self._log.tail()

    async def wait_closed(self) -> None:
        await asyncio.wait([self._life])

    # --- the Runtime API's side

    async def next_invocation(self) -> Invocation:
        if self.state is State.STARTING:
            self._report.initialised(time.monotonic() - self.since)
            self._clear_timer()
            self._owner.started()
        self._unread = False
        self._hung_up.clear()
        future: asyncio.Future[Invocation] = asyncio.get_running_loop().create_future()
        self._next = future
        if self.state is not State.GONE:
            self._enter(State.IDLE)
            self._owner.ready(self)
        return await future

    def deadline_ms(self) -> int:
        return int(self._deadline * 1000)

    def answer(self, request_id: str, payload: bytes, *, content_type: str, is_error: bool) -> bool:
        if self.current is None or self.current.request_id != request_id:
            return False
        if len(payload) > MAX_RESPONSE_BYTES:
            self._finish(response_too_large(), is_error=True)
        else:
            self._finish(payload, is_error=is_error, content_type=content_type)
        self._enter(State.SETTLING)
        return True

    def fail_init(self, payload: bytes) -> None:
        if self.state is State.STARTING:
            self._owner.init_failed(self, lambda _: payload)
            # The RIC exits by itself; a thread the module started could keep the process.
            asyncio.get_running_loop().call_later(1, self.kill)
            self._leave()

    def disconnected(self, *, unread: bool) -> None:
        self._unread = unread
        self._hung_up.set()
        if self.state is State.IDLE:
            self.kill()

    # --- its own life

    async def _live(self) -> None:
        try:
            returncode = await self._run()
        except OSError as error:
            message = f"No process for {self.spec.name} could be started: {error}"
            self._owner.init_failed(self, lambda _: fault("Sandbox.Failure", message))
        else:
            await self._ended(returncode)
        finally:
            self._leave()
            self._log.close()
            if self._next is not None:
                self._next.cancel()
            await self._api.close()

    async def _run(self) -> int:
        process = await start_process(
            self.spec,
            variables=process_environment(
                self.spec,
                variables=function_variables(self.spec, self._host.overrides),
                region=self._host.region,
                runtime_api=await self._api.listen(),
            ),
            output=self._log.write_end,
        )
        self.pid = process.pid
        self._log.close_write_end()
        if self.state is State.GONE:
            self.kill()
        elif self.state is State.STARTING:
            self._set_timer(self._host.limits.init_seconds, self._init_timed_out)
        return await process.wait()

    async def _ended(self, returncode: int) -> None:
        """Settles the call that the process had when it ended, if any."""
        pid, self.pid = self.pid, None
        if pid is not None:
            self._host.memory.remove(pid)
            kill_group(pid)
        self._clear_timer()
        if self.state is State.STARTING:
            self._log.platform(f"INIT_REPORT Status: error Error: {exit_reason(returncode)}")
            self._owner.init_failed(self, lambda request_id: exited(request_id, returncode=returncode))
        elif self.state is State.BUSY and self.current is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._hung_up.wait(), _HANG_UP_SECONDS)
            self._lose(self.current, returncode)

    def _lose(self, invocation: Invocation, returncode: int) -> None:
        if self._unread and invocation.deliveries < _MAX_DELIVERIES:
            self.current = None
            self._leave()
            self._owner.undelivered(invocation)
        else:
            self._log.platform(f"RequestId: {invocation.request_id} Error: {exit_reason(returncode)}")
            self._finish(exited(invocation.request_id, returncode=returncode), is_error=True)

    def _finish(self, payload: bytes, *, is_error: bool, content_type: str = "application/json") -> None:
        """Answers the caller. The log is complete: what the function wrote before this is in the pipe."""
        self._clear_timer()
        invocation, self.current = self.current, None
        if invocation is None:
            return
        if self.pid is not None:
            self._host.memory.remove(self.pid)
            self._report.used(resident_mb(self.pid))
        for line in self._report.end(invocation):
            self._log.platform(line, forward=line.startswith("REPORT"))
        self.served += 1
        invocation.resolve(Outcome(payload, is_error, self._log.tail(), content_type))

    def _time_out(self) -> None:
        if self.current is not None:
            request_id = self.current.request_id
            self._log.platform(f"{request_id} Task timed out after {self.spec.timeout:.2f} seconds")
            self._finish(timed_out(request_id, seconds=self.spec.timeout), is_error=True)
        self.kill()

    def _init_timed_out(self) -> None:
        seconds = self._host.limits.init_seconds
        self._log.platform(f"INIT_REPORT Init Duration: {seconds * 1000:.2f} ms Phase: init Status: timeout")
        self._owner.init_failed(self, lambda request_id: init_timed_out(request_id, seconds=seconds))
        self.kill()

    def _check_memory(self, megabytes: int) -> None:
        self._report.used(megabytes)
        if megabytes > self.spec.memory_mb and self.current is not None:
            request_id = self.current.request_id
            self._log.platform(
                f"RequestId: {request_id} Error: {exit_reason(-signal.SIGKILL)}: "
                f"{megabytes} MB of {self.spec.memory_mb} MB used"
            )
            self._finish(exited(request_id, returncode=-signal.SIGKILL), is_error=True)
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
