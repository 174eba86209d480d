"""What the proxy counts, as Prometheus reads it."""

import asyncio
import re
from typing import Any

import pytest
from starlette.requests import Request

from proxy.metrics import Metrics

SAMPLE = re.compile(r'([a-z_]+)(?:\{([a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*)\})? (-?[0-9.e+-]+)')


def samples(metrics: Metrics) -> dict[str, float]:
    """Values by name and labels; every line has to be a comment or a sample."""
    page = metrics.page()
    assert page.endswith("\n")
    found = {}
    for line in page.splitlines():
        if line.startswith("# "):
            assert line.split()[1] in ("HELP", "TYPE")
            continue
        matched = SAMPLE.fullmatch(line)
        assert matched, line
        found[line.rpartition(" ")[0]] = float(matched[3])
    return found


def test_calls_are_counted_by_tool_and_outcome_and_timed() -> None:
    metrics = Metrics(["lookup", "idle"])
    for seconds in (0.003, 0.005, 0.3, 60.0):
        metrics.began()
        metrics.ended("lookup", "OK", seconds=seconds)
    metrics.began()
    metrics.ended("lookup", "NOT_FOUND", seconds=0.02)
    found = samples(metrics)
    assert found['quarry_tool_calls_total{tool="lookup",code="OK"}'] == 4
    assert found['quarry_tool_calls_total{tool="lookup",code="NOT_FOUND"}'] == 1
    bucket = 'quarry_tool_call_seconds_bucket{{tool="lookup",le="{}"}}'
    assert [found[bucket.format(bound)] for bound in ("0.005", "0.025", "0.5", "30", "+Inf")] == [2, 3, 4, 4, 5]
    assert found['quarry_tool_call_seconds_count{tool="lookup"}'] == 5
    assert found['quarry_tool_call_seconds_sum{tool="lookup"}'] == 60.328
    assert found['quarry_tool_call_seconds_count{tool="idle"}'] == 0


def test_large_counts_keep_every_digit() -> None:
    metrics = Metrics([])
    metrics._retries["lookup"] = 123_456_789
    assert samples(metrics)['quarry_retries_total{function="lookup"}'] == 123_456_789


def test_what_a_caller_sends_becomes_no_label() -> None:
    metrics = Metrics(["lookup"])
    for tool, code in (('x"} 1\nevil{a="', "UNKNOWN_TOOL"), ("lookup", 'NOT"FOUND'), ("another", "UNKNOWN_TOOL")):
        metrics.began()
        metrics.ended(tool, code, seconds=0.001)
    calls = {name for name in samples(metrics) if name.startswith("quarry_tool_calls_total")}
    assert calls == {
        'quarry_tool_calls_total{tool="unknown",code="UNKNOWN_TOOL"}',
        'quarry_tool_calls_total{tool="lookup",code="OTHER"}',
    }


def test_calls_under_way_are_a_gauge() -> None:
    metrics = Metrics(["lookup"])
    metrics.began()
    metrics.began()
    assert samples(metrics)["quarry_tool_calls_in_flight"] == 2
    metrics.ended("lookup", "OK", seconds=0.1)
    assert samples(metrics)["quarry_tool_calls_in_flight"] == 1


@pytest.mark.parametrize(("peer", "status"), [("127.0.0.1", 200), ("::1", 200), ("203.0.113.9", 404), (None, 404)])
def test_only_this_machine_reads_them(peer: str | None, status: int) -> None:
    scope: dict[str, Any] = {"type": "http", "headers": [], "client": None if peer is None else (peer, 4711)}
    answer = asyncio.run(Metrics(["lookup"]).answer(Request(scope)))
    assert answer.status_code == status
