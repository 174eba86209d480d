"""The proxy as a Lambda function: function URL events through AWS's own runtime client, many to one process."""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.integration.lambda_server import LambdaServer, lambda_server
from tests.integration.proxy.conftest import MODERN, ROOT, request_parts, soon
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step
from tests.integration.runtime_service import Service

KEY = f"qk_{'0' * 12}_{'s' * 43}"
ORIGIN_KEY = "o" * 32
SETTINGS = {
    "ORIGIN_KEY": ORIGIN_KEY,
    "AUTH_MODE": "oauth+api_key",
    "ALLOWED_HOSTS": "*",
    "PUBLIC_URL": "https://mcp.example.com",
    "OAUTH_ISSUER": "https://issuer.example.com",
    "MAX_REQUEST_BYTES": "100000",
}
FIND = {"name": "find_parts", "arguments": {"query": "ü"}}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}


@pytest.fixture(scope="module")
def server(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[LambdaServer]:
    path = tmp_path_factory.mktemp("front") / "variables.json"
    path.write_text(json.dumps({"Parameters": environment | SETTINGS}), encoding="utf-8")
    template = ROOT / "tests/fixtures/front/template.yaml"
    with lambda_server("--env-file", str(path), "--init-seconds", "20", template=template) as running:
        yield running


@pytest.fixture
def front(server: LambdaServer, functions: ScriptedLambda) -> LambdaServer:
    """Its key is good, with the reading scopes; a process asks once per minute, and each test may get a new one."""
    granted = {"valid": True, "tenant": "acme", "subject": "agent:a", "expires_at": None}
    scopes = ["parts:read", "orders:read"]
    functions.script["verify_api_key"] = [Step(result={**granted, "scopes": scopes}) for _ in range(9)]
    return server


def event(method: str, path: str, body: bytes | None = None, **headers: str) -> dict[str, Any]:
    """As AWS documents payload format 2.0; a body comes in base64 unless its type is textual."""
    sent = {"host": "abc.lambda-url.us-east-1.on.aws", "x-forwarded-proto": "https", "x-api-key": KEY}
    sent |= {"x-origin-key": ORIGIN_KEY}
    sent |= {"x-forwarded-for": "203.0.113.9", **{name.replace("_", "-"): value for name, value in headers.items()}}
    address, _, query = path.partition("?")
    http = {"method": method, "path": address, "protocol": "HTTP/1.1", "sourceIp": "203.0.113.9"}
    context = {"domainName": sent["host"], "http": http, "requestId": "r", "timeEpoch": int(time.time() * 1000)}
    made: dict[str, Any] = {"version": "2.0", "rawPath": address, "rawQueryString": query, "headers": sent}
    made |= {"requestContext": context, "isBase64Encoded": body is not None}
    return made if body is None else {**made, "body": base64.b64encode(body).decode()}


def rpc(method: str, params: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    both = "application/json, text/event-stream"
    made = event("POST", "/mcp", None, content_type="application/json", accept=both, **headers)
    return {**made, "body": json.dumps(body, ensure_ascii=False), "isBase64Encoded": False}


def modern(method: str, params: dict[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
    envelope, sent = request_parts(method, (params or {}).get("name"))
    headers = {name.lower(): value for name, value in sent.items()}
    return rpc(method, {**(params or {}), "_meta": envelope | meta}, **headers)


def ask(front: LambdaServer, asked: dict[str, Any]) -> dict[str, Any]:
    answer = front.invoke("proxy", asked)
    assert answer.error is None, answer.payload
    payload: dict[str, Any] = answer.payload
    return payload


def result(answer: dict[str, Any]) -> Any:
    assert (answer["statusCode"], answer["isBase64Encoded"]) == (200, False), answer
    return json.loads(answer["body"])["result"]


def test_one_process_serves_both_eras_over_one_connection(front: LambdaServer, functions: ScriptedLambda) -> None:
    for _ in range(5):
        assert result(ask(front, rpc("initialize", HELLO)))["protocolVersion"] == "2025-11-25"
        listed = [ask(front, rpc("tools/list", mcp_protocol_version="2025-11-25")), ask(front, modern("tools/list"))]
        assert [len(result(answer)["tools"]) for answer in listed] == [3, 3]
        called = [ask(front, rpc("tools/call", FIND)), ask(front, modern("tools/call", FIND))]
        assert [result(answer)["structuredContent"] for answer in called] == [{"echo": {"query": "ü"}}] * 2
        assert result(ask(front, modern("server/discover")))["supportedVersions"] == [MODERN]
    assert len(front.pids("proxy")) == 1
    assert len({call.connection for call in functions.of("find_parts")}) == 1
    assert len(functions.of("verify_api_key")) <= 1


@pytest.mark.parametrize("sent", [{}, {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}], ids=["none", "the client's"])
def test_front_and_function_are_in_one_trace_of_lambdas(
    front: LambdaServer, functions: ScriptedLambda, sent: dict[str, str]
) -> None:
    ask(front, rpc("tools/call", FIND, **sent))
    (call,) = functions.of("find_parts")
    assert call.trace_header is not None
    assert re.match(r"Root=1-[0-9a-f]{8}-[0-9a-f]{24};", call.trace_header)
    assert "a" * 24 not in call.trace_header
    assert call.custom.get("traceparent") == sent.get("traceparent")


def test_concurrent_requests_get_environments_of_their_own(front: LambdaServer, functions: ScriptedLambda) -> None:
    functions.script["find_parts"] = [Step(result={"n": 1}, seconds=0.5)] * 2
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: ask(front, modern("tools/call", FIND)), range(2)))
    assert [result(answer)["structuredContent"] for answer in answers] == [{"n": 1}] * 2
    assert len(front.pids("proxy")) == 2


def test_what_is_no_mcp_request_is_answered_as_over_http(front: LambdaServer) -> None:
    assert json.loads(ask(front, event("GET", "/healthz?a=1&a=%20"))["body"])["version"] == "9.8.7"
    refused = ask(front, event("GET", "/mcp"))
    assert (refused["statusCode"], refused["headers"]["allow"]) == (405, "POST")
    stranger = ask(front, event("POST", "/mcp", b"{}", x_api_key=f"qk_{'0' * 12}_é"))
    assert stranger["statusCode"] == 401
    assert "https://mcp.example.com/.well-known/" in stranger["headers"]["www-authenticate"]
    found = ask(front, event("GET", "/.well-known/oauth-protected-resource/mcp"))
    assert json.loads(found["body"])["resource"] == "https://mcp.example.com/mcp"
    assert found["headers"]["x-content-type-options"] == "nosniff"


def test_whoever_comes_past_cloudfront_is_refused(front: LambdaServer, functions: ScriptedLambda) -> None:
    past = event("POST", "/mcp", b"{}")
    del past["headers"]["x-origin-key"]
    assert ask(front, past)["statusCode"] == 403
    assert not functions.calls


def test_a_scope_that_is_lacking_is_named(front: LambdaServer) -> None:
    answer = ask(front, modern("tools/call", {"name": "place_order", "arguments": {"number": "A"}}))
    assert answer["statusCode"] == 403
    assert "orders:write" in answer["headers"]["www-authenticate"]


def test_a_body_in_base64_is_read_and_a_broken_one_refused(front: LambdaServer) -> None:
    asked = modern("tools/list")
    encoded = {**asked, "body": base64.b64encode(asked["body"].encode()).decode(), "isBase64Encoded": True}
    assert len(result(ask(front, encoded))["tools"]) == 3
    assert ask(front, {**asked, "isBase64Encoded": True})["statusCode"] == 400


def test_a_body_above_the_limit_is_413(front: LambdaServer) -> None:
    params = {"name": "find_parts", "arguments": {"query": "x" * 200_000}}
    assert ask(front, modern("tools/call", params))["statusCode"] == 413


def test_an_event_stream_arrives_whole_at_its_end(front: LambdaServer, functions: ScriptedLambda) -> None:
    functions.script["find_parts"] = [Step(result={"n": 1}, seconds=0.5)]
    answer = ask(front, modern("tools/call", FIND, progressToken="p"))
    assert answer["headers"]["content-type"].startswith("text/event-stream")
    assert answer["isBase64Encoded"] is False
    events = [json.loads(line[5:]) for line in answer["body"].splitlines() if line.startswith("data:")]
    assert events[0]["method"] == "notifications/progress"
    assert events[-1]["result"]["structuredContent"] == {"n": 1}


def test_an_answer_larger_than_lambda_carries_is_refused_in_words(
    front: LambdaServer, functions: ScriptedLambda
) -> None:
    functions.script["get_part"] = [Step(result={"text": "x" * 4_000_000})]
    answer = ask(front, rpc("tools/call", {"name": "get_part", "arguments": {"number": "A"}}))
    assert answer["statusCode"] == 502
    assert "ask for less" in json.loads(answer["body"])["error"]["message"]


def test_connections_that_ended_while_it_was_frozen_are_replaced(
    front: LambdaServer, functions: ScriptedLambda
) -> None:
    ask(front, modern("tools/call", FIND))
    pids = front.pids("proxy")
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    functions.hang_up()
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    answer = front.invoke("proxy", modern("tools/call", FIND))
    assert result(answer.payload)["structuredContent"] == {"echo": {"query": "ü"}}
    first, second = functions.of("find_parts")
    assert first.connection != second.connection
    assert front.pids("proxy") == pids


def test_an_event_of_another_kind_fails_without_its_text_and_the_next_is_answered(front: LambdaServer) -> None:
    pids = front.pids("proxy")
    failed = front.invoke("proxy", {"secret": "s3cr3t"})
    assert (failed.error, failed.payload["errorType"]) == ("Unhandled", "AnswerFailedError")
    assert front.says('"event":"answer_failed"')
    assert "headers" not in failed.payload["errorMessage"]
    assert len(result(ask(front, modern("tools/list")))["tools"]) == 3
    assert pids <= front.pids("proxy")


def test_a_process_that_dies_takes_no_other_call_with_it(front: LambdaServer, functions: ScriptedLambda) -> None:
    functions.script["find_parts"] = [Step(result={"n": 1}, seconds=3)]
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(front.invoke, "proxy", modern("tools/call", FIND))
        assert soon(lambda: bool(functions.of("find_parts")))
        for pid in front.pids("proxy"):
            os.kill(pid, signal.SIGKILL)
        assert call.result().error == "Unhandled"
    assert result(ask(front, modern("tools/call", FIND)))["structuredContent"] == {"echo": {"query": "ü"}}


@pytest.mark.parametrize("meta", [{}, {"progressToken": "p"}])
def test_an_answer_that_would_come_too_late_is_504_and_the_process_lives(
    front: LambdaServer, functions: ScriptedLambda, meta: dict[str, Any]
) -> None:
    functions.script["get_part"] = [Step(result={"n": 1}, seconds=9)]
    ask(front, modern("tools/list"))
    pids = front.pids("proxy")
    params = {"name": "get_part", "arguments": {"number": "A"}}
    answer = ask(front, rpc("tools/call", {**params, "_meta": meta}))
    assert answer["statusCode"] == 504
    assert soon(lambda: functions.left == ["get_part"])
    assert len(result(ask(front, modern("tools/list")))["tools"]) == 3
    assert front.pids("proxy") == pids


def test_without_authentication_nothing_is_served(environment: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "variables.json"
    path.write_text(json.dumps({"Parameters": environment}), encoding="utf-8")
    template = ROOT / "tests/fixtures/front/template.yaml"
    with lambda_server("--env-file", str(path), "--init-seconds", "20", template=template) as running:
        answer = running.invoke("proxy", event("GET", "/healthz"))
    assert answer.payload["errorType"] == "SettingsError"
    assert "AUTH_MODE=none lets anyone in" in answer.payload["errorMessage"]


def test_a_snapshot_holds_no_socket_and_a_restored_copy_answers(
    environment: dict[str, str], functions: ScriptedLambda
) -> None:
    granted = {"valid": True, "tenant": "acme", "subject": "agent:a", "scopes": ["parts:read"], "expires_at": None}
    functions.script["verify_api_key"] = [Step(result=granted)]
    service = Service()
    runtime = f"127.0.0.1:{service.server.server_port}"
    own = {"AWS_LAMBDA_RUNTIME_API": runtime, "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"}
    command = [sys.executable, "-m", "awslambdaric", "proxy.aws_lambda.handler"]
    process = subprocess.Popen(command, env=environment | SETTINGS | own)
    try:
        assert service.next() == ("/restore/next", None)
        sockets = psutil.Process(process.pid).net_connections(kind="all")
        assert {socket.raddr[1] for socket in sockets} <= {service.server.server_port}
        service.answers.put({})
        assert service.next() == ("/invocation/next", None)
        assert result(service.call(modern("tools/call", FIND)))["structuredContent"] == {"echo": {"query": "ü"}}
    finally:
        process.kill()
        process.wait()
        service.server.shutdown()
        service.server.server_close()
