"""A tenant's rate across all processes of the proxy: each serves as many requests as the database has granted it."""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError

from proxy.caller import nobody
from proxy.invocation import LambdaClient
from proxy.outcome import Failure, Function

GRACE = 4
"""Requests of a tenant that a process serves before any are granted to it. The next grant pays for them."""

LASTS_SECONDS = 2.0
"""How long a grant lasts; what is not used by then is lost, so that nobody saves it up."""

_PAUSE_SECONDS = 1.0
_PATIENCE_SECONDS = 5.0
_APART_SECONDS = 10.0
_MOST_TENANTS = 10_000
_GRANT = Function("verify_api_key", timeout_s=10, repeatable=True)


class _Granted(BaseModel):
    granted: int
    wait: float


@dataclass(slots=True)
class _Lease:
    """A tenant's grant. ``left`` is negative by what was served ahead of it. Times are of the monotonic clock."""

    left: int = 0
    ends_at: float = 0.0
    asked_at: float = 0.0
    served: int = 0
    waiting: int = 0
    refused_until: float = 0.0
    unbounded_until: float = 0.0
    asking: asyncio.Task[None] | None = field(default=None, repr=False)


class SharedRate:
    """Limits tenants' requests. It asks for a grant when half of the grace is used: at most once for two requests,
    and about once a second where there are many. Only a request that has used up the grace waits for the answer.

    While the database grants nothing, requests are refused here and it is asked once a second. While it cannot be
    asked, every request passes that this process's own limits let pass.
    """

    def __init__(
        self,
        functions: LambdaClient,
        *,
        per_minute: float,
        burst: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._functions = functions
        self._per_second = per_minute / 60
        self._burst = burst
        self._clock = clock
        self._leases: OrderedDict[str, _Lease] = OrderedDict()

    async def take(self, tenant: str) -> float:
        """Returns 0 if the request may go on, else the seconds after which one may."""
        lease = self._lease(tenant)
        while not self._serves(lease):
            if self._clock() < lease.refused_until:
                return lease.refused_until - self._clock()
            self._begin_asking(tenant, lease)
            if lease.asking is not None:
                lease.waiting += 1
                try:
                    await asyncio.shield(lease.asking)
                finally:
                    lease.waiting -= 1
        if self._clock() < lease.unbounded_until:
            return 0.0
        lease.left -= 1
        lease.served += 1
        if lease.left <= -GRACE // 2:
            self._begin_asking(tenant, lease)
        return 0.0

    def _serves(self, lease: _Lease) -> bool:
        now = self._clock()
        if now >= lease.ends_at:
            lease.left = min(lease.left, 0)
        in_grace = lease.left > -GRACE and now >= lease.refused_until
        return lease.left > 0 or in_grace or now < lease.unbounded_until

    def _lease(self, tenant: str) -> _Lease:
        lease = self._leases.setdefault(tenant, _Lease())
        self._leases.move_to_end(tenant)
        if len(self._leases) > _MOST_TENANTS:
            self._leases.popitem(last=False)
        return lease

    def _begin_asking(self, tenant: str, lease: _Lease) -> None:
        now = self._clock()
        if lease.asking is None and now >= max(lease.refused_until, lease.unbounded_until):
            lease.asking = asyncio.create_task(self._ask(tenant, lease))

    async def _ask(self, tenant: str, lease: _Lease) -> None:
        wanted = self._wanted(lease)
        event = {"tenant": tenant, "wanted": wanted, "per_second": self._per_second, "burst": self._burst}
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                # As nobody, because in the tenant's name it would wait for a slot behind the tenant's own calls.
                outcome = await self._functions.invoke(_GRANT, event, caller=nobody())
            answer = None if isinstance(outcome, Failure) else _Granted.model_validate(outcome)
        except (TimeoutError, ValidationError):
            answer = None
        finally:
            lease.asking = None
        now = self._clock()
        if answer is None:
            lease.left, lease.unbounded_until = 0, now + _APART_SECONDS
            return
        lease.left += answer.granted
        lease.ends_at = now + LASTS_SECONDS
        if answer.granted < wanted:
            # Without a pause all processes would ask for every single request that becomes free.
            lease.refused_until = now + max(_PAUSE_SECONDS, min(answer.wait, LASTS_SECONDS))

    def _wanted(self, lease: _Lease) -> int:
        """Returns how many to ask for: the recent requests per second, within bounds, and those owed or waiting."""
        now = self._clock()
        likely = math.ceil(lease.served / max(now - lease.asked_at, _PAUSE_SECONDS / 2))
        lease.asked_at, lease.served = now, 0
        return min(max(likely, GRACE), math.ceil(self._per_second)) - min(lease.left, 0) + lease.waiting
