"""From tools/call to Lambda and back: what arrives, what comes back, and what goes wrong."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from quarry.observation import NAMESPACE, Metric
from tests.integration.proxy.conftest import Proxy, StartProxy, request_parts, soon
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
OTHER_TRACE = "00-11111111111111111111111111111111-2222222222222222-00"


def text(result: dict[str, Any]) -> str:
    assert result["isError"] is True
    assert "structuredContent" not in result
    return str(result["content"][0]["text"])


def test_a_function_gets_bare_arguments_and_learns_who_asks(proxy: Proxy, functions: ScriptedLambda) -> None:
    proxy.call("find_parts", {"query": "päper"}, meta={"traceparent": TRACE}, headers={"traceparent": OTHER_TRACE})
    (call,) = functions.calls
    assert (call.function, call.qualifier, call.event) == ("quarry-find_parts", "live", {"query": "päper"})
    assert len(call.custom.pop("request_id")) == 32
    assert call.custom == {
        "tool": "find_parts",
        "tenant": "acme",
        "subject": "local",
        "scopes": ["orders:read", "orders:write", "parts:read"],
        "traceparent": TRACE,
    }
    _, trace_id, span_id, _ = TRACE.split("-")
    assert call.trace_header == f"Root=1-{trace_id[:8]}-{trace_id[8:]};Parent={span_id};Sampled=1"


def test_the_trace_header_serves_where_meta_has_none(proxy: Proxy, functions: ScriptedLambda) -> None:
    proxy.call("find_parts", {"query": "x"}, headers={"traceparent": OTHER_TRACE})
    proxy.call("find_parts", {"query": "x"}, headers={"traceparent": "rubbish"})
    assert [call.custom.get("traceparent") for call in functions.calls] == [OTHER_TRACE, None]


def test_the_clients_trace_is_on_the_log_line(proxy: Proxy) -> None:
    # A tool that the test before does not call: its lines may come late.
    proxy.call("get_part", {"number": "x"}, headers={"traceparent": OTHER_TRACE})
    proxy.call("get_part", {"number": "x"}, headers={"traceparent": "none"})

    def told() -> list[dict[str, Any]]:
        return [line for line in proxy.events("tool_called") if line["tool"] == "get_part"]

    assert soon(lambda: len(told()) == 2)
    traced, untraced = told()
    assert traced["trace_id"] == OTHER_TRACE.split("-")[1]
    assert "trace_id" not in untraced


def test_text_and_structured_content_carry_the_same_data(proxy: Proxy, functions: ScriptedLambda) -> None:
    data = {"hits": [{"näme": "QMB30", "score": 0.75}], "total": 1, "note": None}
    functions.script["find_parts"] = [Step(result=data)]
    result = proxy.call("find_parts", {"query": "x"})
    assert result["structuredContent"] == data
    assert result["content"] == [
        {"type": "text", "text": json.dumps(data, ensure_ascii=False, separators=(",", ":"))}
    ]


def test_extra_content_is_appended_and_kept_out_of_the_data(proxy: Proxy, functions: ScriptedLambda) -> None:
    link = {"type": "resource_link", "uri": "https://example.com/a.pdf", "name": "PDF"}
    functions.script["get_part"] = [Step(result={"n": 1, "_mcp": {"content": [link]}})]
    result = proxy.call("get_part", {"number": "A"})
    assert result["structuredContent"] == {"n": 1}
    assert [block["type"] for block in result["content"]] == ["text", "resource_link"]
    assert result["content"][0]["text"] == '{"n":1}'


@pytest.mark.parametrize("reserved", [{"content": [{"type": "nonsense"}]}, {"content": "x"}, {}, 7, None])
def test_malformed_extra_content_does_not_cost_the_result(
    proxy: Proxy, functions: ScriptedLambda, reserved: object
) -> None:
    functions.script["find_parts"] = [Step(result={"n": 1, "_mcp": reserved})]
    result = proxy.call("find_parts", {"query": "x"})
    assert (result["isError"], result["structuredContent"], len(result["content"])) == (False, {"n": 1}, 1)


def test_an_expected_failure_is_told_to_the_model(proxy: Proxy, functions: ScriptedLambda) -> None:
    answer = {"error": True, "code": "NOT_FOUND", "message": "No part 'X'.", "details": {"nearest": ["Y"]}}
    functions.script["get_part"] = [Step(result=answer | {"retryable": False})]
    result = proxy.call("get_part", {"number": "X"})
    assert text(result) == 'NOT_FOUND: No part \'X\'.\ndetails: {"nearest":["Y"]}'
    assert result["_meta"]["quarry/error"] == answer | {"retryable": False}
    assert "structuredContent" not in result


def test_a_result_with_another_error_field_is_a_success(proxy: Proxy, functions: ScriptedLambda) -> None:
    functions.script["find_parts"] = [Step(result={"error": "none", "n": 1})]
    assert proxy.call("find_parts", {"query": "x"})["isError"] is False


def test_a_crash_shows_a_request_id_and_nothing_else(proxy: Proxy, functions: ScriptedLambda) -> None:
    raised = {"errorMessage": "password=hunter2", "errorType": "KeyError", "stackTrace": ["secret.py"]}
    for send in (proxy.modern, proxy.legacy):
        functions.script["find_parts"] = [Step(raised=raised)]
        answer = send("tools/call", {"name": "find_parts", "arguments": {"query": "x"}})
        message = text(answer.json()["result"])
        assert message.startswith("INTERNAL_ERROR: find_parts failed; request id ")
        assert functions.calls[-1].custom["request_id"] in message
        assert "hunter2" not in answer.text
        assert "secret.py" not in answer.text
    assert len(functions.calls) == 2


@pytest.mark.parametrize("body", [b"not json", b"[1]", b'"text"', b"null", b'{"n": NaN}', b'{"n": "\\ud800"}', b""])
def test_an_answer_outside_the_contract_is_an_internal_error(
    proxy: Proxy, functions: ScriptedLambda, body: bytes
) -> None:
    functions.script["find_parts"] = [Step(body=body)]
    answer = proxy.legacy("tools/call", {"name": "find_parts", "arguments": {"query": "x"}}).json()
    assert text(answer["result"]).startswith("INTERNAL_ERROR: find_parts failed")


def test_a_function_timeout_tells_a_reader_to_retry_and_a_writer_to_check(
    proxy: Proxy, functions: ScriptedLambda
) -> None:
    raised = {
        "errorType": "Sandbox.Timedout",
        "errorMessage": "RequestId: 1 Error: Task timed out after 3.00 seconds",
    }
    functions.script["find_parts"] = [Step(raised=raised)]
    functions.script["place_order"] = [Step(raised=raised)]
    read = text(proxy.call("find_parts", {"query": "x"}))
    assert "find_parts timed out after 3 s" in read
    assert "may be retried" in read
    write = text(proxy.call("place_order", {"number": "A"}))
    assert "outcome is unknown" in write
    assert "may be retried" not in write


@pytest.mark.parametrize(
    ("status", "said"),
    [(404, "is not deployed"), (413, "too large"), (403, "could not be invoked"), (400, "could not be invoked")],
)
def test_a_refusal_of_the_service_is_named_without_its_text(
    proxy: Proxy, functions: ScriptedLambda, status: int, said: str
) -> None:
    functions.script["find_parts"] = [Step(status=status)]
    message = text(proxy.call("find_parts", {"query": "x"}))
    assert said in message
    assert "arn:" not in message
    assert len(functions.calls) == 1


KILLED = Step(raised={"errorType": "Runtime.ExitError", "errorMessage": "RequestId: 1 Error: signal: killed"})


def test_a_function_that_no_handler_counts_is_counted_for_stack_tool_and_release(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    functions.script["place_order"] = [KILLED, Step(raised={"errorType": "CallFailed", "errorMessage": "x"})]
    functions.script["find_parts"] = [KILLED, Step(result={"n": 3}), KILLED, KILLED, KILLED]
    with start_proxy(STACK="quarry-prod", RELEASE="0123456789") as proxy:
        for _ in range(2):
            proxy.call("place_order", {"number": "A"})
            proxy.call("find_parts", {"query": "x"})
        assert soon(lambda: len(proxy.events("tool_called")) == 4)
        counted = proxy.events("function_died")
    assert [each["Tool"] for each in counted] == ["place_order", "find_parts"]
    (directive,) = counted[0]["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == NAMESPACE
    assert directive["Dimensions"] == [["Stack"], ["Stack", "Tool"], ["Stack", "Release"]]
    assert directive["Metrics"] == [{"Name": str(Metric.INTERNAL_ERRORS), "Unit": "Count"}]
    assert {**counted[0], "InternalErrors": 1, "Stack": "quarry-prod", "Release": "0123456789"} == counted[0]


@pytest.mark.parametrize("step", [Step(status=429), Step(status=503), Step(drop=True), KILLED])
def test_a_tool_that_reads_is_retried_after_a_passing_fault(
    proxy: Proxy, functions: ScriptedLambda, step: Step
) -> None:
    functions.script["find_parts"] = [step, step, Step(result={"n": 3})]
    assert proxy.call("find_parts", {"query": "x"})["structuredContent"] == {"n": 3}
    assert len(functions.calls) == 3
    assert len({call.custom["request_id"] for call in functions.calls}) == 1


def test_retries_end_with_the_third_attempt(proxy: Proxy, functions: ScriptedLambda) -> None:
    functions.script["find_parts"] = [Step(status=429)] * 5
    message = text(proxy.call("find_parts", {"query": "x"}))
    assert message.startswith("UNAVAILABLE: find_parts was not run: it is throttled")
    assert len(functions.calls) == 3


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Step(status=429), "was not run"),
        (Step(status=500), "outcome is unknown"),
        (Step(drop=True), "outcome is unknown"),
        (KILLED, "cut off as its process ended"),
        (KILLED, "outcome is unknown: check before you repeat it"),
    ],
)
def test_a_tool_that_writes_is_never_run_twice(
    proxy: Proxy, functions: ScriptedLambda, step: Step, said: str
) -> None:
    functions.script["place_order"] = [step]
    assert said in text(proxy.call("place_order", {"number": "A"}))
    assert len(functions.calls) == 1


def test_readers_share_kept_connections_and_writers_never_do(proxy: Proxy, functions: ScriptedLambda) -> None:
    for _ in range(3):
        proxy.call("find_parts", {"query": "x"})
    assert len({call.connection for call in functions.of("find_parts")}) == 1
    for _ in range(3):
        proxy.call("place_order", {"number": "A"})
    read, *writes = functions.calls[2:]
    assert read.connection not in {call.connection for call in writes}


def test_a_result_beyond_the_bound_is_refused(proxy: Proxy, functions: ScriptedLambda) -> None:
    functions.script["find_parts"] = [Step(body=b'{"n":"' + b"x" * (6 * 1024 * 1024) + b'"}')]
    assert "ask for less" in text(proxy.call("find_parts", {"query": "x"}))
    assert proxy.call("find_parts", {"query": "x"})["isError"] is False


def test_a_hanging_tool_is_cut_off_and_leaves_the_others_alone(proxy: Proxy, functions: ScriptedLambda) -> None:
    functions.script["find_parts"] = [Step(seconds=30)] * 8
    with ThreadPoolExecutor(8) as pool:
        hanging = [pool.submit(proxy.call, "find_parts", {"query": "x"}) for _ in range(8)]
        assert soon(lambda: len(functions.calls) == 8)
        started = time.monotonic()
        assert proxy.call("get_part", {"number": "A"})["isError"] is False
        assert time.monotonic() - started < 1
        for future in hanging:
            assert "find_parts timed out after 1.1 s" in text(future.result())


def test_a_crashing_tool_leaves_the_others_alone(proxy: Proxy, functions: ScriptedLambda) -> None:
    functions.script["find_parts"] = [Step(raised={}), Step(drop=True), Step(status=500), Step(body=b"x")] * 5
    with ThreadPoolExecutor(8) as pool:
        broken = [pool.submit(proxy.call, "find_parts", {"query": "x"}) for _ in range(10)]
        sound = [pool.submit(proxy.call, "get_part", {"number": str(n)}) for n in range(20)]
        for n, future in enumerate(sound):
            assert future.result()["structuredContent"] == {"echo": {"number": str(n)}}
        for future in broken:
            assert "content" in future.result()


def test_fifty_concurrent_calls_each_get_their_own_answer(proxy: Proxy, functions: ScriptedLambda) -> None:
    with ThreadPoolExecutor(50) as pool:
        futures = [pool.submit(proxy.call, "get_part", {"number": str(n)}) for n in range(50)]
        answers = [future.result()["structuredContent"]["echo"]["number"] for future in futures]
    assert answers == [str(n) for n in range(50)]
    assert len(functions.calls) == 50


def test_an_unknown_tool_is_a_protocol_error_with_the_nearest_names(proxy: Proxy) -> None:
    params = {"name": "find_part", "arguments": {}}
    modern, legacy = proxy.modern("tools/call", params), proxy.legacy("tools/call", params)
    assert (modern.status_code, legacy.status_code) == (400, 200)
    for response in (modern, legacy):
        error = response.json()["error"]
        assert error["code"] == -32602
        assert "Did you mean 'find_parts'" in error["message"]


def test_numbers_that_are_not_json_are_refused(proxy: Proxy, functions: ScriptedLambda) -> None:
    meta, headers = request_parts("tools/call", "find_parts")
    params = {"name": "find_parts", "arguments": {"query": "x", "hp_min": float("nan")}, "_meta": meta}
    headers |= {"Content-Type": "application/json", "Accept": "application/json"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    answer = proxy.http.post(f"{proxy.url}/mcp", content=body.encode(), headers=headers).json()
    assert text(answer["result"]).startswith("VALIDATION_ERROR")
    assert not functions.calls


def test_one_log_line_per_call_and_never_an_argument(proxy: Proxy, functions: ScriptedLambda) -> None:
    refused = {"error": True, "code": "VALIDATION_ERROR", "message": "hunter2"}
    functions.script["find_parts"] = [Step(), Step(raised={"errorMessage": "hunter2"}), Step(result=refused)]
    for _ in range(3):
        proxy.call("find_parts", {"query": "hunter2"})
    proxy.modern("tools/call", {"name": "nothing", "arguments": {"a": "hunter2"}})
    assert soon(lambda: len(proxy.events("tool_called")) == 4)
    lines = proxy.events("tool_called")
    codes = ["INTERNAL_ERROR", "INTERNAL_ERROR", "VALIDATION_ERROR", "UNKNOWN_TOOL"]
    assert [line["outcome"] for line in lines] == codes
    assert {line["tool"] for line in lines} == {"find_parts", "nothing"}
    assert all(line["ms"] >= 0 and len(line["request_id"]) == 32 for line in lines)
    assert "hunter2" not in "".join(proxy.log)
