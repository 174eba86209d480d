"""One function's environments and the calls that wait for them."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from local.lambda_api.environments import Environment, State
from local.lambda_api.invocation import Invocation, Outcome, TooManyRequests
from local.lambda_api.process import Host
from local.lambda_api.template import FunctionSpec

if TYPE_CHECKING:
    from local.lambda_api.fleet import Fleet

# How long an environment that has just answered counts as about to be free. The RIC asks for its next call
# within a millisecond; without this, a caller quicker than that would start a second process.
_SETTLE_SECONDS = 0.2


class Pool:
    """Starts environments on demand up to a limit, and reuses the most recently used one first.

    At the limit a call waits its turn, where AWS would start the next environment among thousands of cores:
    a machine with a few of them serves a burst soonest by running it in turn, and an instant 429 would make
    every caller poll for what a short wait gives it. A reserved concurrency is a statement about the function
    rather than the machine, so exceeding it is refused at once, as AWS does.
    """

    def __init__(self, spec: FunctionSpec, *, host: Host, room: "Fleet") -> None:
        self.spec = spec
        self.environments: set[Environment] = set()
        self.waiting: deque[Invocation] = deque()
        self.idle: list[Environment] = []
        self._host = host
        self._room = room
        self.limit = host.limits.max_environments
        if spec.reserved_concurrency is not None:
            self.limit = spec.reserved_concurrency

    async def invoke(self, invocation: Invocation) -> Outcome:
        self.submit(invocation)
        return await invocation.outcome

    def submit(self, invocation: Invocation) -> None:
        """Raises TooManyRequests, at once or later through the invocation's outcome."""
        reserved = self.spec.reserved_concurrency
        if reserved is not None and len(self.in_flight()) >= reserved:
            raise TooManyRequests
        while self.idle:
            environment = self.idle.pop()
            if environment.is_alive():
                environment.dispatch(invocation)
                return
        limits = self._host.limits
        if len(self.waiting) >= limits.max_queue:
            raise TooManyRequests
        self.waiting.append(invocation)
        self._wait(invocation, limits.queue_seconds)
        self.grow()

    def in_flight(self) -> list[Invocation]:
        running = (environment.current for environment in self.environments)
        return [*self.waiting, *(invocation for invocation in running if invocation is not None)]

    def grow(self) -> None:
        """Starts as many environments as there are calls that nothing already on its way will take."""
        settled_by = time.monotonic() - _SETTLE_SECONDS
        settling = [e for e in self.environments if e.state is State.SETTLING and e.since > settled_by]
        coming = len(settling) + self._count(State.STARTING)
        while len(self.waiting) > coming and len(self.environments) < self.limit:
            if not self._room.make_room(self):
                return
            self.environments.add(Environment(self.spec, host=self._host, owner=self))
            coming += 1
        if self.waiting and settling:
            asyncio.get_running_loop().call_later(_SETTLE_SECONDS, self.grow)

    # --- what environments report

    def started(self) -> None:
        self._room.changed()

    def ready(self, environment: Environment) -> None:
        if self._room.starving(besides=self) and (not self.waiting or len(self.environments) > 1):
            environment.kill()
        elif self.waiting:
            environment.dispatch(self.waiting.popleft())
        else:
            self.idle.append(environment)

    def gone(self, environment: Environment) -> None:
        self.environments.discard(environment)
        if environment in self.idle:
            self.idle.remove(environment)
        self._room.changed()

    def init_failed(self, environment: Environment, make_payload: Callable[[str], bytes]) -> None:
        """Fails the call that was to be served, and all that wait when no other environment could serve them.

        Each call that finds no environment makes one attempt, so a broken module is never started in a loop.
        """
        self.environments.discard(environment)
        failing = 1 if self.environments else len(self.waiting)
        for _ in range(min(failing, len(self.waiting))):
            invocation = self.waiting.popleft()
            invocation.stop_waiting()
            invocation.resolve(Outcome(make_payload(invocation.request_id), is_error=True))

    def _wait(self, invocation: Invocation, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        invocation.patience = loop.call_later(seconds, self._lose_patience, invocation)

    def _lose_patience(self, invocation: Invocation) -> None:
        position = self.waiting.index(invocation)
        if position < self._count(State.STARTING):
            # Its environment is on the way, and the limit on initialisation bounds that wait.
            self._wait(invocation, 1)
        else:
            del self.waiting[position]
            invocation.refuse(TooManyRequests())

    def _count(self, state: State) -> int:
        return sum(environment.state is state for environment in self.environments)
