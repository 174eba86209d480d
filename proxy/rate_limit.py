"""Requests per principal: a token bucket each, in this process alone."""

import time
from collections import OrderedDict
from collections.abc import Callable

_MOST_PRINCIPALS = 10_000

Who = tuple[str, str]
"""Tenant and subject."""


class RateLimit:
    """On Lambda every environment counts for itself: the limit is per environment, and bounds what one can take."""

    def __init__(self, *, per_minute: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[Who, tuple[float, float]] = OrderedDict()

    def take(self, who: Who) -> float:
        """0 if the request may go on, else the seconds after which one may."""
        now = self._clock()
        left, at = self._buckets.get(who, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._per_second)
        waits = left < 1
        self._buckets[who] = (left if waits else left - 1, now)
        self._buckets.move_to_end(who)
        if len(self._buckets) > _MOST_PRINCIPALS:
            self._buckets.popitem(last=False)
        return (1 - left) / self._per_second if waits else 0.0
