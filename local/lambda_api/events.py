"""Asynchronous invocations: accepted at once, delivered in the background, retried when the function fails."""

import asyncio
import logging
import time
from collections.abc import Callable

from local.lambda_api.errors import TooManyRequests
from local.lambda_api.invocation import Invocation
from local.lambda_api.limits import Limits
from local.lambda_api.pool import Pool

_log = logging.getLogger(__name__)

_FIRST_BACKOFF_SECONDS = 0.1
_LONGEST_BACKOFF_SECONDS = 5


class EventQueue:
    """Held in memory: what has not been delivered when the server ends is lost, and said to be."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots: dict[str, asyncio.Semaphore] = {}

    def accept(self, pool: Pool, *, make_invocation: Callable[[], Invocation]) -> None:
        """`make_invocation` is called once per attempt; all attempts share the request id, as on AWS."""
        if len(self._tasks) >= self._limits.max_events:
            raise TooManyRequests("Rate Exceeded.", reason="CallerRateLimitExceeded")
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
        # No more events at a time than the function has environments, so that they never fill its queue.
        slots = self._slots.setdefault(pool.spec.name, asyncio.Semaphore(max(1, pool.limit)))
        delays = self._limits.event_delays
        for attempt in range(pool.spec.event_retries + 1):
            if attempt:
                await asyncio.sleep(delays[min(attempt, len(delays)) - 1] if delays else 0)
            async with slots:
                failure = await self._attempt(pool, make_invocation)
            if failure is None:
                return
            _log.warning("%s: event attempt %d failed: %s", pool.spec.name, attempt + 1, failure)
        _log.error("%s: event given up.", pool.spec.name)

    async def _attempt(self, pool: Pool, make_invocation: Callable[[], Invocation]) -> str | None:
        """None on success. Being throttled is no failure of the function: it is waited out."""
        give_up = time.monotonic() + self._limits.event_age_seconds
        backoff = _FIRST_BACKOFF_SECONDS
        while True:
            try:
                outcome = await pool.invoke(make_invocation())
            except TooManyRequests as error:
                if time.monotonic() > give_up:
                    return str(error)
                await asyncio.sleep(backoff)
                backoff = min(2 * backoff, _LONGEST_BACKOFF_SECONDS)
            else:
                return outcome.payload.decode(errors="replace") if outcome.is_error else None
