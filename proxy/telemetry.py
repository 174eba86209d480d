"""OpenTelemetry by MCP's semantic conventions: a span and a duration per message, and the trace for Lambda.

Only OpenTelemetry's API is a dependency. Without its SDK in the process nothing is recorded, and the trace context
of a client is handed on as it came.
"""

import time
from collections.abc import Container, Mapping
from typing import Any, Self

import mcp_types as types
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types.methods import SPEC_CLIENT_METHODS, SPEC_CLIENT_NOTIFICATION_METHODS
from opentelemetry import metrics, trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from pydantic import ValidationError

from proxy.events import lambda_segment

_NAME = "quarry.proxy"
_PROPAGATOR = TraceContextTextMapPropagator()
_METHODS = SPEC_CLIENT_METHODS | SPEC_CLIENT_NOTIFICATION_METHODS
_CALL, _PROMPT = "tools/call", "prompts/get"
TOOL_ERROR = "tool_error"
"""The conventions' `error.type` of a result with `isError`."""
# OpenTelemetry's word where a value of a label is not one of a known set.
_OTHER = "_OTHER"
# The boundaries that MCP's semantic conventions advise.
_BOUNDARIES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)


class Operation:
    """One message while it is served, as a context manager: its span is the current one meanwhile.

    `error` is OpenTelemetry's `error.type`, empty for a success; an exception that passes through sets it.
    """

    def __init__(self, span: trace.Span, *, duration: metrics.Histogram, labels: dict[str, str]) -> None:
        self.error = ""
        self._span = span
        self._duration = duration
        self._labels = labels

    def __enter__(self) -> Self:
        self._token = attach(trace.set_span_in_context(self._span))
        self._started = time.perf_counter()
        return self

    def __exit__(self, _kind: object, failure: BaseException | None, _trace: object) -> None:
        detach(self._token)
        if failure is not None:
            self.error = _error_type(failure)
        if self.error:
            self._labels["error.type"] = self.error
            self._span.set_attribute("error.type", self.error)
            # Without a description: messages may quote what the client sent.
            self._span.set_status(StatusCode.ERROR)
        self._span.end()
        self._duration.record(time.perf_counter() - self._started, self._labels)


class Telemetry:
    """Spans and durations of one running proxy. What a client sends becomes a name only where the manifest has it."""

    def __init__(self, *, tools: Container[str], prompts: Container[str]) -> None:
        self._targets = {_CALL: ("gen_ai.tool.name", tools), _PROMPT: ("gen_ai.prompt.name", prompts)}
        self._tracer = trace.get_tracer(_NAME)
        self._duration = metrics.get_meter(_NAME).create_histogram(
            "mcp.server.operation.duration",
            unit="s",
            description="Time from a message's arrival at the server to its answer.",
            explicit_bucket_boundaries_advisory=_BOUNDARIES,
        )

    def operation(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        *,
        version: str,
        request_id: str | int | None,
        parent: Context | None,
    ) -> Operation:
        """The operation of one message. Enter it at once, for its span has started."""
        name = method if method in _METHODS else _OTHER
        labels = {"mcp.method.name": name, "mcp.protocol.version": version}
        if method == _CALL:
            labels["gen_ai.operation.name"] = "execute_tool"
        if (target := self._target(method, params)) is not None:
            labels[target[0]] = target[1]
            name = f"{name} {target[1]}"
        attributes = labels if request_id is None else {**labels, "jsonrpc.request.id": str(request_id)}
        span = self._tracer.start_span(name, context=parent, kind=SpanKind.SERVER, attributes=attributes)
        return Operation(span, duration=self._duration, labels=labels)

    async def middleware(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Stands in the SDK's server where its own OpenTelemetry middleware was, which knows no HTTP header."""
        parent = parent_of(ctx.meta or {}, {} if ctx.request is None else ctx.request.headers)
        with self.operation(
            ctx.method, ctx.params, version=ctx.protocol_version, request_id=ctx.request_id, parent=parent
        ) as operation:
            result = await call_next(ctx)
            if isinstance(result, dict) and result.get("isError") is True:
                operation.error = TOOL_ERROR
            return result

    def _target(self, method: str, params: Mapping[str, Any] | None) -> tuple[str, str] | None:
        """The attribute that names the tool or prompt, and the name."""
        if params is None or (found := self._targets.get(method)) is None:
            return None
        attribute, known = found
        name = params.get("name")
        return (attribute, name) if isinstance(name, str) and name in known else None


def parent_of(*carriers: Mapping[str, Any]) -> Context | None:
    """The trace context of the first carrier that holds a valid W3C `traceparent`, or None."""
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
    """W3C's `traceparent` of the current span: the proxy's own where an SDK records, else the client's."""
    span = trace.get_current_span().get_span_context()
    if not span.is_valid:
        return None
    return f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"


def xray_header(traceparent: str | None) -> str | None:
    """The position in the trace as X-Amzn-Trace-Id spells it.

    On Lambda it is the front's own segment, as botocore hands it on, so that X-Ray has both functions in one trace;
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
