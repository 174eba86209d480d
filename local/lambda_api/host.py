"""What all execution environments of one server share, and the limits they are held to."""

from dataclasses import dataclass, field

from local.lambda_api.process import MemoryWatch, Overrides

MEGABYTE = 1024 * 1024
# The exact figures of AWS's messages; the response may be a little larger than the request.
MAX_REQUEST_BYTES = 6 * MEGABYTE
MAX_EVENT_BYTES = MEGABYTE
MAX_RESPONSE_BYTES = 6_291_556
MAX_CLIENT_CONTEXT_BYTES = 3583


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds."""

    max_environments: int = 4
    max_total: int = 24
    max_queue: int = 100
    queue_seconds: float = 20
    init_seconds: float = 10
    idle_seconds: float = 600
    grace_seconds: float = 5
    max_events: int = 1000
    event_delays: tuple[float, ...] = (1, 2)
    event_age_seconds: float = 600


@dataclass(frozen=True, slots=True)
class Host:
    limits: Limits
    region: str
    overrides: Overrides
    memory: MemoryWatch = field(default_factory=MemoryWatch)
