"""What a call measures, as keys of its own log line that CloudWatch reads as metrics (embedded metric format)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

NAMESPACE = "Quarry"


class Metric(StrEnum):
    """Every metric of the functions. What is counted per call is left out where it does not apply."""

    CALLS = "Calls"
    ERRORS = "Errors"
    INTERNAL_ERRORS = "InternalErrors"
    LATENCY = "Latency"
    RUN_TIME = "RunTime"
    HITS = "Hits"
    LIKELY_GOOD = "LikelyGood"
    ANALOG = "Analog"
    PROBABLE_MISS = "ProbableMiss"
    CACHE_HITS = "CacheHits"
    DEGRADED = "Degraded"
    QUEUE_DEPTH = "QueueDepth"
    DEAD_LETTERS = "DeadLetters"
    CANARY_PASSED = "CanaryPassed"
    CANARY_CASES = "CanaryCases"
    CANARY_FAILURES = "CanaryFailures"
    CANARY_LATENCY = "CanaryLatency"
    AUDIT_INTACT = "AuditIntact"
    CROSS_TENANT_DENIED = "CrossTenantDenied"


TIMES = frozenset({Metric.LATENCY, Metric.RUN_TIME, Metric.CANARY_LATENCY})
"""In milliseconds; all others are counts. RUN_TIME is of what takes long by design, apart from LATENCY's alarm."""

CONFIDENCES = {
    "likely_good": Metric.LIKELY_GOOD,
    "analog": Metric.ANALOG,
    "probable_miss": Metric.PROBABLE_MISS,
}

Measured = dict[Metric, float]

_measured: ContextVar[Measured | None] = ContextVar("measured", default=None)


@contextmanager
def measuring() -> Iterator[Measured]:
    """Collects what is noted until the end of the block."""
    measured: Measured = {}
    token = _measured.set(measured)
    try:
        yield measured
    finally:
        _measured.reset(token)


def note(metric: Metric, value: float = 1.0) -> None:
    """Adds to the metric of the call that is under way; without one, as in a command, nothing happens."""
    measured = _measured.get()
    if measured is not None:
        measured[metric] = measured.get(metric, 0.0) + value


def note_search(confidences: Sequence[str | None], *, degraded: bool) -> None:
    """A search's hits, one confidence each; a hit without one counts as a hit only."""
    note(Metric.HITS, len(confidences))
    note(Metric.DEGRADED, degraded)
    for confidence in confidences:
        if confidence is not None:
            note(CONFIDENCES[confidence])


def embedded(measured: Mapping[Metric, float], *, stack: str, tool: str, release: str = "") -> dict[str, object]:
    """The keys, for the stack as a whole and for the tool by itself; a number each, not Powertools' lists of one,
    so that Logs Insights can add them up. Internal errors count for the release, too, whose roll-out they end.
    """
    provider = AmazonCloudWatchEMFProvider(namespace=NAMESPACE, dimension_set={"Stack": stack})
    provider.add_dimensions(Stack=stack, Tool=tool)
    for metric, value in measured.items():
        provider.add_metric(metric, MetricUnit.Milliseconds if metric in TIMES else MetricUnit.Count, value)
    keys: dict[str, Any] = dict(provider.serialize_metric_set())
    if release and Metric.INTERNAL_ERRORS in measured:
        named = [{"Name": str(Metric.INTERNAL_ERRORS), "Unit": MetricUnit.Count.value}]
        of_release = {"Namespace": NAMESPACE, "Dimensions": [["Stack", "Release"]], "Metrics": named}
        keys["_aws"]["CloudWatchMetrics"].append(of_release)
        keys["Release"] = release
    return {**keys, **{str(metric): value for metric, value in measured.items()}}
