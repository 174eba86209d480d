"""What all execution environments of one server share."""

from dataclasses import dataclass, field

from local.lambda_api.limits import Limits
from local.lambda_api.memory import MemoryWatch
from local.lambda_api.variables import Overrides


@dataclass(frozen=True, slots=True)
class Host:
    limits: Limits
    region: str
    overrides: Overrides
    memory: MemoryWatch = field(default_factory=MemoryWatch)
