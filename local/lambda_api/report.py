"""Lambda's own log lines around an invocation: START, END and REPORT."""

import math
import time

from local.lambda_api.invocation import Invocation
from local.lambda_api.template import FunctionSpec


class Report:
    """Measures one environment's invocations, one at a time."""

    def __init__(self, spec: FunctionSpec) -> None:
        self._spec = spec
        self._started = 0.0
        self._init_ms: float | None = None
        self._peak_mb = 0

    def initialised(self, seconds: float) -> None:
        self._init_ms = seconds * 1000

    def used(self, megabytes: int) -> None:
        self._peak_mb = max(self._peak_mb, megabytes)

    def start(self, invocation: Invocation) -> str:
        self._started = time.perf_counter()
        return f"START RequestId: {invocation.request_id} Version: {invocation.version}"

    def end(self, invocation: Invocation) -> tuple[str, str]:
        """Init Duration is in the first report only, as the later calls did not pay it."""
        duration = (time.perf_counter() - self._started) * 1000
        fields = [
            f"REPORT RequestId: {invocation.request_id}",
            f"Duration: {duration:.2f} ms",
            f"Billed Duration: {math.ceil(duration)} ms",
            f"Memory Size: {self._spec.memory_mb} MB",
            f"Max Memory Used: {self._peak_mb} MB",
        ]
        if self._init_ms is not None:
            fields.append(f"Init Duration: {self._init_ms:.2f} ms")
            self._init_ms = None
        return f"END RequestId: {invocation.request_id}", "\t".join(fields)
