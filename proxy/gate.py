"""Admission to the Lambda API: a bound on all calls and one on each function, with a bounded wait."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class BusyError(Exception):
    """No slot became free in time."""


class Gate:
    """A function's own slots are taken first, so callers queued for a slow one hold nothing others need."""

    def __init__(self, *, total: int, per_function: int, wait_seconds: float) -> None:
        self._total = asyncio.Semaphore(total)
        self._own: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(per_function))
        self._wait_seconds = wait_seconds

    @asynccontextmanager
    async def slot(self, function: str) -> AsyncIterator[None]:
        own = self._own[function]
        if own.locked() or self._total.locked():
            await self._wait(own)
        else:
            await own.acquire()
            await self._total.acquire()
        try:
            yield
        finally:
            self._total.release()
            own.release()

    async def _wait(self, own: asyncio.Semaphore) -> None:
        try:
            async with asyncio.timeout(self._wait_seconds):
                await own.acquire()
                try:
                    await self._total.acquire()
                except BaseException:
                    own.release()
                    raise
        except TimeoutError:
            raise BusyError from None
