"""Spans, durations and trace context of both paths, as an OpenTelemetry SDK in the process sees them."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2
import pytest
from botocore.credentials import Credentials
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from proxy.catalog import Catalog
from proxy.endpoint import open_endpoint
from proxy.manifest import load_manifest
from proxy.runtime import open_runtime
from proxy.settings import Settings
from tests.integration.proxy.conftest import MANIFEST, MODERN, request_parts
from tests.integration.proxy.scripted_lambda import ACCESS_KEY, REGION, SECRET_KEY, ScriptedLambda, Step

FIND = {"name": "find_parts", "arguments": {"query": "x"}}
REMOTE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
OTHER = "00-11111111111111111111111111111111-2222222222222222-01"
DURATION = "mcp.server.operation.duration"
Labels = dict[str, Any]


@dataclass
class Recorder:
    """What was recorded since the last look."""

    exporter: InMemorySpanExporter
    reader: InMemoryMetricReader
    seen: dict[str, int]

    def spans(self) -> list[ReadableSpan]:
        found = list(self.exporter.get_finished_spans())
        self.exporter.clear()
        return [span for span in found if span.kind is SpanKind.SERVER]

    def durations(self) -> list[Labels]:
        """The labels of each duration since the last look."""
        data = self.reader.get_metrics_data()
        points: list[HistogramDataPoint] = [
            point
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == DURATION and metric.unit == "s"
            for point in metric.data.data_points
            if isinstance(point, HistogramDataPoint)
        ]
        new: list[Labels] = []
        for point in points:
            key = json.dumps(dict(point.attributes or {}), sort_keys=True)
            new += [dict(point.attributes or {})] * (point.count - self.seen.get(key, 0))
            self.seen[key] = point.count
        return new


@pytest.fixture(scope="module")
def _recorder() -> Recorder:
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    # Once per process, as a distribution's configurator would.
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([reader]))
    return Recorder(exporter, reader, {})


@pytest.fixture
def recorder(_recorder: Recorder) -> Recorder:
    _recorder.spans(), _recorder.durations()
    return _recorder


class LambdaApi(Protocol):
    @property
    def url(self) -> str: ...


def ask(
    functions: LambdaApi,
    method: str,
    params: dict[str, Any],
    *,
    modern: bool,
    times: int = 1,
    meta_trace: str = "",
    header_trace: str = "",
) -> Any:
    """Send one request, `times` over, to an app in this process, and return the last answer."""

    async def main() -> Any:
        settings = Settings(manifest_path=MANIFEST, aws_endpoint_url_lambda=functions.url, aws_region=REGION)
        catalog = Catalog(load_manifest(settings.manifest_path))
        async with (
            open_runtime(settings, catalog, credentials=Credentials(ACCESS_KEY, SECRET_KEY)) as runtime,
            open_endpoint(runtime) as endpoint,
        ):
            transport = httpx2.ASGITransport(endpoint)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                answers = [await client.post("/mcp", json=body, headers=headers) for _ in range(times)]
                return answers[-1].json()

    meta, headers = request_parts(method, params.get("name")) if modern else ({}, {})
    headers |= {"Accept": "application/json, text/event-stream"}
    headers |= {"traceparent": header_trace} if header_trace else {}
    meta |= {"traceparent": meta_trace} if meta_trace else {}
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params | ({"_meta": meta} if meta else {})}
    return asyncio.run(main())


BOTH_ERAS = pytest.mark.parametrize("modern", [True, False], ids=["modern", "legacy"])


@BOTH_ERAS
def test_a_call_is_one_span_and_one_duration_with_mcps_names(
    recorder: Recorder, functions: ScriptedLambda, modern: bool
) -> None:
    ask(functions, "tools/call", FIND, modern=modern)
    (span,) = recorder.spans()
    labels = {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": MODERN if modern else "2025-03-26",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find_parts",
    }
    assert (span.name, span.parent, span.status.status_code) == ("tools/call find_parts", None, StatusCode.UNSET)
    assert dict(span.attributes or {}) == labels | {"jsonrpc.request.id": "7"}
    assert recorder.durations() == [labels]


FAILURES: list[tuple[dict[str, Any], Step, str]] = [
    (FIND, Step(raised={"errorMessage": "hunter2"}), "tool_error"),
    (FIND | {"arguments": {"query": "hunter2", "top_k": 999}}, Step(), "tool_error"),
    ({"name": "hunter2", "arguments": {}}, Step(), "-32602"),
]


@BOTH_ERAS
@pytest.mark.parametrize(("params", "step", "error"), FAILURES)
def test_a_failure_has_its_kind_and_none_of_what_was_sent(
    recorder: Recorder,
    functions: ScriptedLambda,
    modern: bool,
    params: dict[str, Any],
    step: Step,
    error: str,
) -> None:
    functions.script["find_parts"] = [step]
    ask(functions, "tools/call", params, modern=modern)
    (span,) = recorder.spans()
    assert (span.attributes or {})["error.type"] == error
    assert span.status.status_code is StatusCode.ERROR
    assert "hunter2" not in span.to_json()
    assert [labels["error.type"] for labels in recorder.durations()] == [error]


@BOTH_ERAS
def test_the_functions_trace_is_that_of_the_span(recorder: Recorder, functions: ScriptedLambda, modern: bool) -> None:
    for in_meta, in_header in (("", ""), ("", OTHER), (REMOTE, OTHER)):
        functions.calls.clear()
        ask(
            functions,
            "tools/call",
            FIND,
            modern=modern,
            meta_trace=in_meta,
            header_trace=in_header,
        )
        (span,) = recorder.spans()
        (call,) = functions.calls
        own = span.get_span_context()
        assert own is not None
        if expected := in_meta or in_header:
            assert span.parent is not None
            assert [f"{own.trace_id:032x}", f"{span.parent.span_id:016x}"] == expected.split("-")[1:3]
        trace_id = f"{own.trace_id:032x}"
        assert call.custom["traceparent"] == f"00-{trace_id}-{own.span_id:016x}-{own.trace_flags:02x}"
        xray = f"Root=1-{trace_id[:8]}-{trace_id[8:]};Parent={own.span_id:016x};Sampled=1"
        assert call.trace_header == xray


@BOTH_ERAS
def test_other_messages_have_spans_whose_names_stay_few(
    recorder: Recorder, functions: ScriptedLambda, modern: bool
) -> None:
    # The first list takes the SDK's path, and the second finds it in the cache.
    ask(functions, "tools/list", {}, modern=modern, times=2)
    ask(functions, "no/such_method", {}, modern=modern)
    assert [span.name for span in recorder.spans()] == ["tools/list", "tools/list", "_OTHER"]
    methods = sorted(labels["mcp.method.name"] for labels in recorder.durations())
    assert methods == ["_OTHER", "tools/list", "tools/list"]
