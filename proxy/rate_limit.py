"""Token buckets, in this process alone: requests of a principal, refused credentials of an address."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

MOST_BUCKETS = 10_000
# What one customer of a provider is given: whoever has one address of it has 2**64.
_IPV6_PREFIX = 64


class RateLimit[Who: Hashable]:
    """On Lambda every environment counts for itself: the limit is per environment, and bounds what one can take."""

    def __init__(self, *, per_minute: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[Who, tuple[float, float]] = OrderedDict()

    def take(self, who: Who) -> float:
        """0 if the request may go on, else the seconds after which one may."""
        left, now = self._left(who), self._clock()
        waits = left < 1
        self._buckets[who] = (left if waits else left - 1, now)
        self._buckets.move_to_end(who)
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        return (1 - left) / self._per_second if waits else 0.0

    def wait(self, who: Who) -> float:
        """As `take`, but nothing is taken."""
        left = self._left(who)
        return (1 - left) / self._per_second if left < 1 else 0.0

    def _left(self, who: Who) -> float:
        left, at = self._buckets.get(who, (self._burst, 0.0))
        return min(self._burst, left + (self._clock() - at) * self._per_second)


def network_of(address: str) -> str:
    """Whom an address stands for: itself, or the network of an IPv6 one; as it is where it is none at all."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _IPV6_PREFIX), strict=False).network_address)
