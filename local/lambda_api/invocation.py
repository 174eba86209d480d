"""One invocation on its way through the pool, and its outcome."""

import asyncio
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the function answered; `log_tail` is the last 4 KB of the invocation's log."""

    payload: bytes
    is_error: bool
    log_tail: bytes = b""
    content_type: str = "application/json"


@dataclass(slots=True, eq=False)
class Invocation:
    """Waits in `outcome`. `deliveries` counts processes that were given it."""

    request_id: str
    payload: bytes
    arn: str
    version: str
    trace_id: str
    client_context: str | None = None
    outcome: asyncio.Future[Outcome] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    deliveries: int = 0
    patience: asyncio.TimerHandle | None = None

    def resolve(self, outcome: Outcome) -> None:
        # The waiting handler may have been cancelled by a shutdown; the function's work is done all the same.
        if not self.outcome.done():
            self.outcome.set_result(outcome)

    def refuse(self, error: Exception) -> None:
        if not self.outcome.done():
            self.outcome.set_exception(error)

    def stop_waiting(self) -> None:
        if self.patience is not None:
            self.patience.cancel()
            self.patience = None
