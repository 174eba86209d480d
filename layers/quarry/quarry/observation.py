"""Observability of functions: log lines, what they may tell of an error, and metrics."""

import json
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import partial
from typing import Any, TextIO

import psycopg
from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from quarry.data.settings import kept, settings

MOST_CAUSES = 4
MOST_FRAMES = 8
ABOUT_NAMES = "42"
"""SQLSTATE class whose messages speak of tables, columns and syntax: of our own code, not of a caller's data."""


class _StandardOutput(logging.StreamHandler[TextIO]):
    """Writes to whatever standard output is at that moment, because tests replace it."""

    @property
    def stream(self) -> TextIO:
        return sys.stdout

    @stream.setter
    def stream(self, value: TextIO) -> None:
        """Ignores the assignment by the base class's constructor."""


@kept
def logger(service: str) -> Logger:
    """Returns a logger of one JSON object per line: the event under `message`, its keys beside it.

    Arguments, secrets and embeddings are never among them.
    """
    made = Logger(
        service=service,
        level=settings().log_level,
        logger_handler=_StandardOutput(),
        # In ASCII, because half a surrogate pair in somebody's text cannot be written.
        json_serializer=partial(json.dumps, default=str),
        use_rfc3339=True,
        utc=True,
        location=None,
    )
    made.setLevel(settings().log_level)  # the constructor does not change that of a logger which exists already
    return made


def log_failure(service: str, event: str, error: BaseException, *, extra: Mapping[str, Any]) -> None:
    """Logs an unexpected error, without its text unless the level is DEBUG."""
    log = logger(service)
    whole = {"exception": "".join(traceback.format_exception(error))} if log.log_level == logging.DEBUG else {}
    log.error(event, extra={**extra, "errors": described(error), **whole})


def described(error: BaseException) -> list[dict[str, object]]:
    """Describes an error and its causes by type and place, not by text, which may repeat arguments.

    Frames run towards the place where it was raised.
    """
    return [_one(each) for each in _chain(error)]


def _chain(error: BaseException) -> Iterator[BaseException]:
    following: BaseException | None = error
    for _ in range(MOST_CAUSES):
        if following is None:
            return
        yield following
        following = following.__cause__ or (None if following.__suppress_context__ else following.__context__)


def _one(error: BaseException) -> dict[str, object]:
    frames = traceback.extract_tb(error.__traceback__)[-MOST_FRAMES:]
    said: dict[str, object] = {
        "type": f"{type(error).__module__}.{type(error).__qualname__}",
        "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
    match getattr(error, "response", None):
        case {"Error": {"Code": str(code)}}:
            said["aws_error"] = code
    if isinstance(error, psycopg.Error) and error.sqlstate is not None:
        named = {"sqlstate": error.sqlstate, "table": error.diag.table_name, "constraint": error.diag.constraint_name}
        said |= {key: value for key, value in named.items() if value is not None}
        if error.sqlstate.startswith(ABOUT_NAMES):
            said["message"] = error.diag.message_primary
    return said


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
"""Metrics in milliseconds; all others are counts. RUN_TIME keeps what takes long out of LATENCY's alarm."""

Measured = dict[Metric, float]

_measured: ContextVar[Measured | None] = ContextVar("measured", default=None)


@contextmanager
def measuring() -> Iterator[Measured]:
    """Collects what is noted within the block."""
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
    """Notes a search's hits, one confidence each; a hit without one counts as a hit only."""
    note(Metric.HITS, len(confidences))
    note(Metric.DEGRADED, degraded)
    for confidence in confidences:
        if confidence is not None:
            note(Metric[confidence.upper()])


def embedded(measured: Mapping[Metric, float], *, stack: str, tool: str, release: str = "") -> dict[str, object]:
    """Returns metrics in CloudWatch's embedded format, for the stack as a whole and for the tool by itself. Each is a
    number, not Powertools' list of one, so that Logs Insights can add them up. Internal errors also count for the
    release, because they end its roll-out.
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
