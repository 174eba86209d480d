"""Clients that hang up: the work that was being done for them is cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from starlette.types import Receive

# A departure in the first moments changes nothing, and most calls are over by then: no watcher for those.
_UNWATCHED_SECONDS = 0.02


async def unless_gone[T](work: Coroutine[Any, Any, T], receive: Receive) -> T | None:
    """What ``work`` gives, or None if the client left meanwhile; ``work`` is then cancelled and has ended."""
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("called outside of a task")
    watch = _Watch(receive, task)
    timer = asyncio.get_running_loop().call_later(_UNWATCHED_SECONDS, watch.begin)
    try:
        return await work
    except asyncio.CancelledError:
        # Another cancellation, such as a shutdown's, goes on upwards.
        if watch.gone and task.uncancel() <= watch.cancelled_before:
            return None
        raise
    finally:
        timer.cancel()
        watch.end()


class _Watch:
    def __init__(self, receive: Receive, work: "asyncio.Task[Any]") -> None:
        self.gone = False
        self.cancelled_before = work.cancelling()
        self._receive = receive
        self._work = work
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._task = asyncio.create_task(self._wait())

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _wait(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.gone = True
        self._work.cancel()
