"""The short cut answers as the SDK does: the same requests to a proxy with it and to one without, compared."""

import asyncio
import json
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import httpx2
import pytest
from botocore.credentials import Credentials
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from proxy.calls import ToolCalls
from proxy.catalog import Catalog
from proxy.endpoint import open_endpoint
from proxy.manifest import load_manifest
from proxy.outcome import Outcome
from proxy.runtime import open_runtime
from proxy.settings import Settings
from proxy.shortcut import recognise
from tests.integration.proxy.conftest import MANIFEST, MODERN, Proxy, StartProxy, request_parts
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step

LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
CALL = {"name": "find_parts", "arguments": {"query": "x", "top_k": 3}}
BLOCK = {"type": "resource_link", "uri": "s3://b/quote.pdf", "name": "quote.pdf"}
ANSWERS: list[Any] = [
    {},
    {"a": None, "b": {"c": [None, {"d": None}]}, "e": [], "f": ""},
    {
        "text": '½ inch – 10 µm \u2028 \u0000 \U0001f600 </script> \\ "',
        "n": [0, -0.0, 1e-7, 1e22, 0.1, 2**63, 10**30],
    },
    {"error": False, "code": "x"},
    {"error": True, "code": "NOT_FOUND", "message": "No part 'B'.", "details": {"nearest": ["A"], "none": None}},
    {"error": True, "code": "UNAVAILABLE", "message": "Down.", "retryable": True},
    {"error": True},
    {"n": 1, "_mcp": {"content": [BLOCK, {"type": "text", "text": "more", "annotations": {"priority": 0.5}}]}},
    {"n": 1, "_mcp": {"content": [{"type": "wrong"}]}},
    {"_mcp": None},
    [1, 2],
    "text",
    None,
]
STEPS = [Step(result=answer) for answer in ANSWERS] + [
    Step(body=b'{"a": 1, "a": 2, "big": 1e400}'),
    Step(body=b'{"a": NaN}'),
    Step(body=b'{"a": "\\ud800"}'),
    Step(body=b"\xff"),
    Step(body=b""),
    Step(raised={"errorType": "KeyError", "errorMessage": "secret"}),
    Step(status=403),
]


@pytest.fixture(scope="session")
def _sdk_proxy(start_proxy: StartProxy) -> Iterator[Proxy]:
    with start_proxy(SHORTCUT="false") as proxy:
        yield proxy


@pytest.fixture
def both(proxy: Proxy, _sdk_proxy: Proxy) -> tuple[Proxy, Proxy]:
    return proxy, _sdk_proxy


def sent(both: tuple[Proxy, Proxy], headers: list[tuple[str, str]], body: bytes, path: str = "/mcp") -> list[Any]:
    """Status, headers and body of each, without what no two answers share."""
    return [comparable(proxy.http.post(proxy.url + path, content=body, headers=headers)) for proxy in both]


def comparable(response: httpx2.Response) -> Any:
    headers = {name: value for name, value in response.headers.items() if name not in ("date", "content-length")}
    text = re.sub(r"\b[0-9a-f]{32}\b", "<request id>", response.text)
    try:
        # Not a number equals nothing, itself included; a word does.
        return response.status_code, headers, json.loads(text, parse_constant=str)
    except ValueError:
        return response.status_code, headers, text


def request(method: str, params: dict[str, Any], *, modern: bool) -> tuple[dict[str, str], dict[str, Any]]:
    meta, headers = request_parts(method, params.get("name")) if modern else ({}, {})
    params = params | ({"_meta": meta} if modern else {})
    common = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    return common | headers, {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def recognised(headers: dict[str, str], message: object) -> bool:
    pairs = {name.lower().encode(): value.encode() for name, value in headers.items()}
    return recognise(pairs, json.dumps(message).encode()) is not None


@pytest.mark.parametrize("modern", [True, False])
@pytest.mark.parametrize("step", STEPS)
def test_whatever_a_function_answers_reaches_the_client_alike(
    both: tuple[Proxy, Proxy], functions: ScriptedLambda, step: Step, modern: bool
) -> None:
    headers, message = request("tools/call", CALL, modern=modern)
    assert recognised(headers, message)
    functions.script["find_parts"] = [step, step]
    short, sdk = sent(both, list(headers.items()), json.dumps(message).encode())
    assert short == sdk
    assert len(functions.calls) == 2
    assert functions.calls[0].event == functions.calls[1].event


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN, None])
@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("path", ["/mcp", "/mcp/orders/readonly"])
def test_lists_are_the_sdks_own(both: tuple[Proxy, Proxy], method: str, version: str | None, path: str) -> None:
    headers, message = request(method, {}, modern=version == MODERN)
    if version is not None:
        headers["MCP-Protocol-Version"] = version
    assert recognised(headers, message)
    body = json.dumps(message).encode()
    first, _ = sent(both, list(headers.items()), body, path)
    short, sdk = sent(both, list(headers.items()), body, path)
    assert short == sdk == first


def test_what_a_function_learns_of_its_caller_is_the_same(
    both: tuple[Proxy, Proxy], functions: ScriptedLambda
) -> None:
    trace = "00-" + "1" * 32 + "-" + "2" * 16 + "-01"
    for in_meta, in_header in ((trace, "nonsense"), (None, trace), ("nonsense", trace), (None, None)):
        functions.calls.clear()
        headers, message = request("tools/call", CALL, modern=True)
        message["params"]["_meta"] |= {"traceparent": in_meta} if in_meta else {}
        headers |= {"traceparent": in_header} if in_header else {}
        short, sdk = sent(both, list(headers.items()), json.dumps(message).encode())
        assert short == sdk
        first, second = ({**call.custom, "request_id": ""} for call in functions.calls)
        assert first == second


NASTY: list[Any] = [
    None, True, False, 0, -1, 1.5, 2**60, "", "x", "ü", "\ud800", "2.0", "1.0", MODERN, "2025-06-18", "2099-01-01",
    "tools/call", "tools/list", "ping", "initialize", "find_parts", "get_part", "place_order", "find_part",
    [], [1], {}, {"query": "x"}, {"query": ""}, {"query": "x", "hp_min": None}, {"query": "x", "hp_min": 10**400},
    {"progressToken": 1}, CALL, [CALL],
]  # fmt: skip
PLACES = [
    ("jsonrpc",), ("id",), ("method",), ("params",), ("extra",), ("result",),
    ("params", "name"), ("params", "arguments"), ("params", "_meta"), ("params", "cursor"), ("params", "task"),
    ("params", "inputResponses"), ("params", "arguments", "query"), ("params", "arguments", "hp_min"),
    ("params", "arguments", "unknown"), ("params", "_meta", "progressToken"), ("params", "_meta", "traceparent"),
    ("params", "_meta", "io.modelcontextprotocol/protocolVersion"),
    ("params", "_meta", "io.modelcontextprotocol/clientCapabilities"),
    ("params", "_meta", "io.modelcontextprotocol/clientInfo"),
]  # fmt: skip
HEADERS = ["Accept", "Content-Type", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Host",
           "Origin", "X-MCP-Readonly", "Mcp-Param-Number", "Content-Encoding"]  # fmt: skip
VALUES = ["", "application/json", "application/json; charset=utf-8", "text/event-stream", "*/*", "text/plain", MODERN,
          "2025-11-25", "2099-01-01", "tools/call", "tools/list", "find_parts", "=?base64?ZmluZF9wYXJ0cw==?=",
          "FIND_PARTS", "true", "parts", "orders", "evil.example", "http://localhost", "0"]  # fmt: skip
REMOVED = object()
Pairs = list[tuple[str, str]]


def with_body(message: dict[str, Any], place: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A copy with something else in one place, or nothing; unchanged where the place is no longer there."""
    message = deepcopy(message)
    *way, last = place
    target: Any = message
    for step in way:
        target = target.get(step) if isinstance(target, dict) else None
    if isinstance(target, dict):
        target.pop(last, None)
        if value is not REMOVED:
            target[last] = deepcopy(value)
    return message


def with_header(pairs: Pairs, name: str, value: object, *, doubled: bool) -> Pairs:
    kept = [pair for pair in pairs if doubled or pair[0].lower() != name.lower()]
    return kept if value is REMOVED else [*kept, (name, str(value))]


@pytest.mark.parametrize("modern", [True, False])
@pytest.mark.parametrize("place", PLACES, ids=".".join)
def test_one_disturbed_place_of_the_body_changes_both_answers_alike(
    both: tuple[Proxy, Proxy], functions: ScriptedLambda, place: tuple[str, ...], modern: bool
) -> None:
    headers, message = request("tools/call", CALL, modern=modern)
    for value in [*NASTY, REMOVED]:
        short, sdk = sent(both, list(headers.items()), json.dumps(with_body(message, place, value)).encode())
        assert short == sdk, value
    assert len(functions.calls) % 2 == 0


@pytest.mark.parametrize("modern", [True, False])
@pytest.mark.parametrize("name", HEADERS)
def test_one_disturbed_header_changes_both_answers_alike(
    both: tuple[Proxy, Proxy], functions: ScriptedLambda, name: str, modern: bool
) -> None:
    headers, message = request("tools/call", CALL, modern=modern)
    for value in [*VALUES, REMOVED]:
        for doubled in (False, True) if name != "Host" else (False,):  # no client library sends two hosts
            pairs = with_header(list(headers.items()), name, value, doubled=doubled)
            short, sdk = sent(both, pairs, json.dumps(message).encode())
            assert short == sdk, (value, doubled)
    assert len(functions.calls) % 2 == 0


@st.composite
def disturbed(draw: st.DrawFn) -> tuple[Pairs, bytes]:
    """A hot request with a few places of its body and its headers changed, doubled or gone."""
    method = draw(st.sampled_from(["tools/call", "tools/list", "prompts/list"]))
    head, message = request(method, CALL if method == "tools/call" else {}, modern=draw(st.booleans()))
    for place in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3)):
        message = with_body(message, place, draw(st.sampled_from([*NASTY, REMOVED])))
    pairs = list(head.items())
    for name in draw(st.lists(st.sampled_from(HEADERS), max_size=2, unique=True)):
        doubled = name != "Host" and draw(st.booleans())
        pairs = with_header(pairs, name, draw(st.sampled_from([*VALUES, REMOVED])), doubled=doubled)
    body = json.dumps(message).encode()
    return pairs, draw(st.sampled_from([body, body, body, body[:-1], b"\xef\xbb\xbf" + body, b"[" + body + b"]"]))


@hypothesis_settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(disturbed())
def test_several_disturbances_change_both_answers_alike(
    both: tuple[Proxy, Proxy], functions: ScriptedLambda, case: tuple[Pairs, bytes]
) -> None:
    short, sdk = sent(both, *case)
    assert short == sdk
    assert len(functions.calls) % 2 == 0


@pytest.mark.parametrize("modern", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        {"id": None}, {"id": True}, {"id": 1.0}, {"id": "ü"}, {"id": 2**60}, {"jsonrpc": "1.0"}, {"extra": 1},
        {"method": "ping"}, {"params": None}, {"params": CALL | {"name": 1}}, {"params": CALL | {"task": {}}},
        {"params": CALL | {"arguments": None}}, {"params": CALL | {"_meta": {"progressToken": 1}}},
    ],
)  # fmt: skip
def test_anything_odd_is_left_to_the_sdk(change: dict[str, Any], modern: bool) -> None:
    headers, message = request("tools/call", CALL, modern=modern)
    assert recognised(headers, message)
    assert not recognised(headers, message | change)


def test_doubled_headers_and_annotated_tools_are_left_to_the_sdk(
    both: tuple[Proxy, Proxy], functions: ScriptedLambda
) -> None:
    headers, message = request("tools/call", {"name": "get_part", "arguments": {"number": "A"}}, modern=True)
    short, sdk = sent(both, list(headers.items()), json.dumps(message).encode())
    assert short == sdk
    assert short[2]["error"]["code"] == -32020
    headers, message = request("tools/call", CALL, modern=True)
    short, sdk = sent(both, [*headers.items(), ("Mcp-Name", "find_parts")], json.dumps(message).encode())
    assert short == sdk
    assert short[2]["error"]["code"] == -32020
    assert not functions.calls


class Broken(ToolCalls):
    async def outcome(self, *_: Any, **__: Any) -> Outcome:
        raise KeyError("secret")


@pytest.mark.parametrize("modern", [True, False])
def test_an_error_of_our_own_looks_the_same_and_tells_nothing(environment: dict[str, str], modern: bool) -> None:
    async def ask(*, shortcut: bool) -> Any:
        settings = Settings(
            manifest_path=MANIFEST, aws_endpoint_url_lambda=environment["AWS_ENDPOINT_URL_LAMBDA"], shortcut=shortcut
        )
        catalog = Catalog(load_manifest(settings.manifest_path))
        async with (
            open_runtime(settings, catalog, credentials=Credentials("a", "b")) as runtime,
            open_endpoint(runtime, calls=Broken(runtime)) as endpoint,
        ):
            transport = httpx2.ASGITransport(endpoint)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                headers, message = request("tools/call", CALL, modern=modern)
                return comparable(await client.post("/mcp", content=json.dumps(message), headers=headers))

    short, sdk = (asyncio.run(ask(shortcut=shortcut)) for shortcut in (True, False))
    assert short == sdk
    assert short[2]["error"]["code"] == -32603
    assert "secret" not in str(short)
