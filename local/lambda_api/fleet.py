"""All functions: finding the one that is named, the limit over all, asynchronous invocations, and the end."""

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from local.lambda_api.environments import Environment, State
from local.lambda_api.intrinsics import StackValues
from local.lambda_api.invocation import ApiError, Invocation, TooManyRequests
from local.lambda_api.pool import Pool
from local.lambda_api.process import Host, Limits
from local.lambda_api.template import FunctionSpec

_log = logging.getLogger(__name__)

PROCESSORS = os.cpu_count() or 2
SECOND_ONES = 4 * PROCESSORS
"""Processes beyond the first of each function."""
STARTING = 6 * PROCESSORS
"""Processes that start at once: of more, those that start last would take longer than a start may."""

_THROTTLED_SECONDS = 1
# An environment that has answered and not asked for more is stuck: nothing but the RIC runs at that point.
_STUCK_SECONDS = 5
_SAMPLE_SECONDS = 0.1


class EventQueue:
    """Asynchronous invocations, held in memory: those undelivered when the server ends are lost and logged."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._tasks: set[asyncio.Task[None]] = set()

    def accept(self, pool: Pool, *, make_invocation: Callable[[], Invocation]) -> None:
        """`make_invocation` is called once per attempt; all attempts share the request id, as on AWS."""
        task = asyncio.create_task(self._deliver(pool, make_invocation))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        tasks = list(self._tasks)
        if tasks:
            _log.warning("%d event invocations were not delivered.", len(tasks))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _deliver(self, pool: Pool, make_invocation: Callable[[], Invocation]) -> None:
        """A throttle is no failure of the function, so it is waited out."""
        delays = self._limits.event_delays
        left = pool.spec.event_retries
        while True:
            try:
                outcome = await pool.invoke(make_invocation())
            except TooManyRequests:
                await asyncio.sleep(_THROTTLED_SECONDS)
                continue
            if not outcome.is_error:
                return
            _log.warning("%s: event failed: %s", pool.spec.name, outcome.payload.decode(errors="replace"))
            if not left:
                _log.error("%s: event given up.", pool.spec.name)
                return
            left -= 1
            await asyncio.sleep(delays[-1 - min(left, len(delays) - 1)])


class Fleet:
    def __init__(self, specs: Iterable[FunctionSpec], *, host: Host) -> None:
        self.host = host
        self.pools: Mapping[str, Pool] = {spec.name: Pool(spec, host=host, room=self) for spec in specs}
        self.events = EventQueue(host.limits)
        self._changing = False
        self._closed = False
        self._watches = [asyncio.create_task(each) for each in (self._reap(), self._watch_memory())]

    @property
    def _most(self) -> int:
        return self.host.limits.max_total or len(self.pools) + SECOND_ONES

    def environments(self) -> list[Environment]:
        return [environment for pool in self.pools.values() for environment in pool.environments]

    # --- what pools ask

    def make_room(self, pool: Pool) -> bool:
        """True when one more environment may start, at the cost of another function's idle one if need be.

        No function starts a second one while as many start as there are processors: all would be ready at the end.
        A second one neither takes the room of a function that has none yet nor ends another's only one: whoever asks
        all tools in turn would wait for a start each time.
        """
        environments = self.environments()
        starting = sum(environment.state is State.STARTING for environment in environments)
        if self._closed or starting >= (PROCESSORS if pool.environments else STARTING):
            return False
        others = [other for other in self.pools.values() if other is not pool]
        unserved = sum(not other.environments for other in others) if self._most >= len(self.pools) else 0
        if len(environments) + (unserved if pool.environments else 0) < self._most:
            return True
        idle = [(len(other.environments) == 1, environment) for other in others for environment in other.idle]
        may_end = [each for each in idle if not (each[0] and pool.environments)]
        if not may_end:
            return False
        min(may_end, key=lambda each: (each[0], each[1].since))[1].kill()
        return True

    def starving(self, *, besides: Pool) -> bool:
        """Whether another function has calls and not one environment, for want of room."""
        return any(p is not besides and p.waiting and not p.environments for p in self.pools.values())

    def changed(self) -> None:
        """Lets another environment start after one is gone or ready; deferred, as pools call this amid their own
        changes."""
        if not self._changing and not self._closed:
            self._changing = True
            asyncio.get_running_loop().call_soon(self._redistribute)

    def _redistribute(self) -> None:
        self._changing = False
        for pool in sorted(self.pools.values(), key=lambda pool: len(pool.environments)):
            if pool.waiting:
                pool.grow()

    # --- its own tasks

    async def _reap(self) -> None:
        idle_seconds = self.host.limits.idle_seconds
        while True:
            await asyncio.sleep(min(5, idle_seconds / 4))
            now = time.monotonic()
            for environment in self.environments():
                age = now - environment.since
                idle_too_long = environment.state is State.IDLE and age > idle_seconds
                if idle_too_long or (environment.state is State.SETTLING and age > _STUCK_SECONDS):
                    environment.kill()

    async def _watch_memory(self) -> None:
        while True:
            await asyncio.sleep(_SAMPLE_SECONDS)
            for environment in self.environments():
                environment.check_memory()

    async def _drained(self) -> None:
        while calls := [call for pool in self.pools.values() for call in pool.in_flight()]:
            await asyncio.wait([call.outcome for call in calls])

    async def close(self) -> None:
        """Waits briefly for running calls, then ends every process."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._drained(), self.host.limits.grace_seconds)
        self._closed = True
        for watch in self._watches:
            watch.cancel()
        await self.events.close()
        environments = self.environments()
        for environment in environments:
            environment.kill()
        await asyncio.gather(*(environment.wait_closed() for environment in environments))


@dataclass(frozen=True, slots=True)
class AddressedFunction:
    """A function as one caller addressed it; `arn` carries the qualifier the caller gave."""

    pool: Pool
    version: str
    arn: str


def addressed(
    pools: Mapping[str, Pool], text: str, *, qualifier: str | None, stack: StackValues
) -> AddressedFunction:
    """`text` is a name, with a qualifier behind a colon or with that of the query. Raises ApiError."""
    name, _, alias = text.partition(":")
    alias = alias or qualifier or ""
    arn = stack.function_arn(name) + (f":{alias}" if alias else "")
    pool = pools.get(name)
    version = None if pool is None else pool.spec.version(alias or None)
    if pool is None or version is None:
        raise ApiError(404, "ResourceNotFoundException", f"Function not found: {arn}")
    return AddressedFunction(pool, version, arn)
