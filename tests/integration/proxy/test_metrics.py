"""The metrics page of a running proxy, and the trace on its log line."""

import socket

import pytest

from tests.integration.proxy.conftest import Proxy, StartProxy, soon
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step

TRACE = "0af7651916cd43dd8448eb211c80319c"


def samples(proxy: Proxy) -> dict[str, float]:
    answer = proxy.http.get(f"{proxy.url}/metrics")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    lines = [line.rpartition(" ") for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def test_calls_errors_times_and_retries_of_both_paths_are_counted(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    functions.script["find_parts"] = [Step(status=503), Step(result={"hits": []}), Step(raised={"errorMessage": "x"})]
    with start_proxy() as proxy:
        proxy.call("find_parts", {"query": "retried, by the short cut"})
        proxy.legacy("tools/call", {"name": "find_parts", "arguments": {"query": "x"}, "_meta": {"progressToken": 1}})
        proxy.call("find_parts", {"query": "refused", "top_k": 99})
        proxy.legacy("tools/call", {"name": "no_such_tool", "arguments": {}})
        found = samples(proxy)
    calls = {name: value for name, value in found.items() if name.startswith("quarry_tool_calls_total")}
    assert calls == {
        'quarry_tool_calls_total{tool="find_parts",code="INTERNAL_ERROR"}': 1,
        'quarry_tool_calls_total{tool="find_parts",code="OK"}': 1,
        'quarry_tool_calls_total{tool="find_parts",code="VALIDATION_ERROR"}': 1,
        'quarry_tool_calls_total{tool="unknown",code="UNKNOWN_TOOL"}': 1,
    }
    assert found['quarry_tool_call_seconds_count{tool="find_parts"}'] == 3
    assert found['quarry_retries_total{function="find_parts"}'] == 1
    assert found["quarry_tool_calls_in_flight"] == 0


def test_answers_are_counted_by_status(start_proxy: StartProxy) -> None:
    with start_proxy() as proxy:
        proxy.http.get(f"{proxy.url}/mcp")
        proxy.modern("tools/list", path="/mcp/no_such_toolset")
        proxy.modern("tools/list")
        found = samples(proxy)
    statuses = {name: value for name, value in found.items() if name.startswith("quarry_http_responses_total")}
    assert statuses == {f'quarry_http_responses_total{{status="{status}"}}': 1 for status in (200, 404, 405)}


def test_a_call_under_way_shows_and_one_whose_client_left_is_counted_as_cancelled(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    functions.script["find_parts"] = [Step(seconds=30)]
    with start_proxy() as proxy:
        body = (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_parts","arguments":{"query":"x"}}}'
        )
        head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        with socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2]))) as client:
            client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            assert soon(lambda: samples(proxy)["quarry_tool_calls_in_flight"] == 1)
        cancelled = 'quarry_tool_calls_total{tool="find_parts",code="CANCELLED"}'
        assert soon(lambda: samples(proxy).get(cancelled) == 1)
        assert samples(proxy)["quarry_tool_calls_in_flight"] == 0


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_who_comes_through_another_proxy_finds_no_metrics(proxy: Proxy, header: str) -> None:
    assert proxy.http.get(f"{proxy.url}/metrics", headers={header: "for=127.0.0.1"}).status_code == 404


def test_the_clients_trace_is_on_the_log_line(proxy: Proxy, functions: ScriptedLambda) -> None:
    proxy.call("find_parts", {"query": "x"}, headers={"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"})
    proxy.call("find_parts", {"query": "x"}, headers={"traceparent": "none"})
    assert soon(lambda: len(proxy.events("tool_called")) == 2)
    traced, untraced = proxy.events("tool_called")
    assert traced["trace_id"] == TRACE
    assert "trace_id" not in untraced
