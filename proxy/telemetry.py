"""The proxy's telemetry: structured log lines, and OpenTelemetry by MCP's semantic conventions.

A line on stderr is one JSON object and never has arguments, results or secrets. Each message has a span, a duration
and a trace for Lambda. Only OpenTelemetry's API is a dependency: without its SDK nothing is recorded, and the trace
context of a client is passed on as it came.
"""

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Container, Mapping
from datetime import UTC, datetime
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types.methods import SPEC_CLIENT_METHODS, SPEC_CLIENT_NOTIFICATION_METHODS
from opentelemetry import metrics, trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from pydantic import ValidationError

_EVENT = "event_fields"
_QUOTING = ("mcp", "aiohttp")
_INTERNAL = "InternalErrors"
_ENCODER = json.JSONEncoder(separators=(",", ":"), default=str)


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        # The SDK's own messages quote headers and bodies of clients, so only their place in the code is logged.
        is_quoting = record.name.startswith(_QUOTING)
        line: dict[str, object] = {
            "ts": datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": f"sdk_message at {record.filename}:{record.lineno}" if is_quoting else record.getMessage(),
        }
        if (own := lambda_segment()) is not None:
            line["xray_trace_id"] = own.partition(";")[0].removeprefix("Root=")
        line.update(getattr(record, _EVENT, {}))
        if record.exc_info and record.exc_info[1] is not None:
            exception = record.exc_info[1]
            # The exception's own text stays out: it may echo arguments, results or a signed URL.
            frames = traceback.extract_tb(exception.__traceback__)[-6:]
            line["exception"] = {
                "type": type(exception).__qualname__,
                "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
            }
        return _ENCODER.encode(line)


def lambda_segment() -> str | None:
    """Returns the proxy's own position in X-Ray's trace, which Lambda's runtime changes with every request."""
    return os.environ.get("_X_AMZN_TRACE_ID")


def configure() -> None:
    """Sends every logger of the process to stderr, because stdout belongs to the stdio transport."""
    # No log line shows these, and each record would look them up.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("proxy").setLevel(logging.INFO)


def log(logger: logging.Logger, event: str, *, level: int = logging.INFO, **fields: object) -> None:
    if logger.isEnabledFor(level):
        # Not by Logger.log, which walks the stack for a place in the code that no log line shows.
        logger.handle(logger.makeRecord(logger.name, level, "", 0, event, (), None, extra={_EVENT: fields}))


def internal_error(tool: str, *, stack: str, release: str) -> dict[str, object]:
    """Returns the log line's keys by which CloudWatch counts an internal error (embedded metric format).

    It counts for the stack, the tool and the release, whose roll-out it ends; without a stack there is no CloudWatch.
    """
    if not stack:
        return {"tool": tool}
    dimensions = [["Stack"], ["Stack", "Tool"], ["Stack", "Release"]][: 3 if release else 2]
    counted = {"Namespace": "Quarry", "Dimensions": dimensions, "Metrics": [{"Name": _INTERNAL, "Unit": "Count"}]}
    return {
        "_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [counted]},
        "Stack": stack,
        "Tool": tool,
        "Release": release,
        _INTERNAL: 1,
    }


_NAME = "quarry.proxy"
_PROPAGATOR = TraceContextTextMapPropagator()
_METHODS = SPEC_CLIENT_METHODS | SPEC_CLIENT_NOTIFICATION_METHODS
_CALL, _PROMPT = "tools/call", "prompts/get"
_TOOL_ERROR = "tool_error"
"""The conventions' `error.type` of a result with `isError`."""
# OpenTelemetry's value for a label outside its known set.
_OTHER = "_OTHER"
# The boundaries that MCP's semantic conventions advise.
_BOUNDARIES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)


class Telemetry:
    """Records spans and durations. What a client sends becomes a name only where the manifest has it."""

    def __init__(self, *, tools: Container[str], prompts: Container[str]) -> None:
        self._targets = {_CALL: ("gen_ai.tool.name", tools), _PROMPT: ("gen_ai.prompt.name", prompts)}
        self._tracer = trace.get_tracer(_NAME)
        self._duration = metrics.get_meter(_NAME).create_histogram(
            "mcp.server.operation.duration",
            unit="s",
            description="Time from a message's arrival at the server to its answer.",
            explicit_bucket_boundaries_advisory=_BOUNDARIES,
        )

    async def middleware(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Replaces the SDK's own OpenTelemetry middleware, which does not read HTTP headers. A message's span is the
        current one while it is served.
        """
        name = ctx.method if ctx.method in _METHODS else _OTHER
        labels = {"mcp.method.name": name, "mcp.protocol.version": ctx.protocol_version}
        if ctx.method == _CALL:
            labels["gen_ai.operation.name"] = "execute_tool"
        if (target := self._target(ctx.method, ctx.params)) is not None:
            labels[target[0]] = target[1]
            name = f"{name} {target[1]}"
        attributes = labels if ctx.request_id is None else {**labels, "jsonrpc.request.id": str(ctx.request_id)}
        parent = parent_of(ctx.meta or {}, {} if ctx.request is None else ctx.request.headers)
        span = self._tracer.start_span(name, context=parent, kind=SpanKind.SERVER, attributes=attributes)
        error, started = "", time.perf_counter()
        # Without descriptions: messages may quote what the client sent.
        with trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            try:
                result = await call_next(ctx)
                error = _TOOL_ERROR if isinstance(result, dict) and result.get("isError") is True else ""
                return result
            except BaseException as failure:
                error = _error_type(failure)
                raise
            finally:
                if error:
                    labels["error.type"] = error
                    span.set_attribute("error.type", error)
                    span.set_status(StatusCode.ERROR)
                self._duration.record(time.perf_counter() - started, labels)

    def _target(self, method: str, params: Mapping[str, Any] | None) -> tuple[str, str] | None:
        """Returns (attribute, name) of the tool or prompt that is called; None if the manifest has no such name."""
        if params is None or (found := self._targets.get(method)) is None:
            return None
        attribute, known = found
        name = params.get("name")
        return (attribute, name) if isinstance(name, str) and name in known else None


def parent_of(*carriers: Mapping[str, Any]) -> Context | None:
    """Returns the trace context of the first carrier that holds a valid W3C `traceparent`, or None."""
    for carrier in carriers:
        if "traceparent" not in carrier:
            continue
        try:
            context = _PROPAGATOR.extract(carrier)
        except (ValueError, TypeError):
            # A bad trace header must not fail a call.
            continue
        if trace.get_current_span(context).get_span_context().is_valid:
            return context
    return None


def current_traceparent() -> str | None:
    """Returns W3C's `traceparent` of the current span: the proxy's own where an SDK records, else the client's."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier.get("traceparent")


def xray_header(traceparent: str | None) -> str | None:
    """Returns the position in the trace in the format of X-Amzn-Trace-Id.

    On Lambda it is the proxy's own segment, as botocore passes it on, so that X-Ray has both functions in one trace;
    a client's trace is in the logs of both.
    """
    own = lambda_segment()
    if own and not trace.get_current_span().is_recording():
        return own
    if traceparent is None:
        return None
    _, trace_id, span_id, flags = traceparent.split("-")
    return f"Root=1-{trace_id[:8]}-{trace_id[8:]};Parent={span_id};Sampled={int(flags, 16) & 1}"


def _error_type(failure: BaseException) -> str:
    if isinstance(failure, MCPError):
        return str(failure.error.code)
    if isinstance(failure, ValidationError):
        return str(types.INVALID_PARAMS)
    return type(failure).__qualname__
