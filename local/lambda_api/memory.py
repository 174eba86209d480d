"""Watching the resident memory of busy processes, since nothing but a cgroup would enforce MemorySize.

RLIMIT_AS is no substitute: it counts address space, of which Python extensions, thread stacks and mapped
model files reserve far more than they touch. Sampling is approximate: a burst shorter than the interval passes.
Systems without /proc are not watched.
"""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

_INTERVAL_SECONDS = 0.1
_MEGABYTE = 1024 * 1024


def resident_mb(pid: int) -> int:
    """Resident set of a process, 0 where it is gone or cannot be known."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_bytes().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE") // _MEGABYTE


class MemoryWatch:
    """Samples processes while any is registered, and does nothing at all while none is."""

    def __init__(self) -> None:
        self._watched: dict[int, Callable[[int], None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, pid: int, report: Callable[[int], None]) -> None:
        """`report` gets megabytes, about ten times a second."""
        self._watched[pid] = report
        if self._timer is None:
            self._arm()

    def remove(self, pid: int) -> None:
        self._watched.pop(pid, None)

    def _arm(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_INTERVAL_SECONDS, self._sample)

    def _sample(self) -> None:
        self._timer = None
        for pid, report in list(self._watched.items()):
            report(resident_mb(pid))
        if self._watched:
            self._arm()
