"""What the front accepts at most, what every answer carries, and web pages that may call."""

import socket
import time
from typing import Any

import pytest

from tests.integration.proxy.conftest import Proxy, StartProxy
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step

ALWAYS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store"}


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"query": nested(40)}, 200),
        ({"query": nested(80)}, 400),
        ({"query": [0] * 19_000}, 200),
        ({"query": [0] * 21_000}, 400),
        ({"query": "[{," * 30_000}, 200),
    ],
)
def test_depth_and_number_of_values_are_bounded_and_text_is_not_mistaken_for_them(
    proxy: Proxy, arguments: dict[str, Any], expected: int
) -> None:
    params = {"name": "find_parts", "arguments": arguments}
    assert proxy.modern("tools/call", params).status_code == expected
    assert proxy.legacy("tools/call", params).status_code == expected


def test_large_headers_are_refused_however_they_arrive(proxy: Proxy) -> None:
    assert proxy.modern("tools/list", headers={"X-Much": "x" * 40_000}).status_code == 431
    assert proxy.modern("tools/list", headers={f"X-{n}": "x" for n in range(120)}).status_code == 431
    with connected(proxy) as plug:
        plug.sendall(b"POST /mcp HTTP/1.1\r\nX-Much: ")
        assert received(plug, while_sending=b"x" * 4096).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"POST /mcp HTT",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    ],
)
def test_a_request_that_trickles_in_is_given_up(start_proxy: StartProxy, begun: bytes) -> None:
    with start_proxy(HEADER_SECONDS="0.3", BODY_SECONDS="0.3") as proxy, connected(proxy) as plug:
        plug.sendall(begun)
        assert received(plug).startswith(b"HTTP/1.1 408 ")


def connected(proxy: Proxy) -> socket.socket:
    host, _, port = proxy.url.removeprefix("http://").rpartition(":")
    return socket.create_connection((host, int(port)), timeout=60)


def received(plug: socket.socket, *, while_sending: bytes = b"") -> bytes:
    deadline = time.monotonic() + 60
    plug.settimeout(0.05)
    while time.monotonic() < deadline:
        try:
            if while_sending:
                plug.sendall(while_sending)
            return plug.recv(4096)
        except TimeoutError:
            continue
    raise AssertionError("no answer")


def test_every_answer_carries_the_headers_that_keep_it_private(proxy: Proxy) -> None:
    answers = [
        proxy.modern("tools/list"),
        proxy.legacy("tools/list"),
        proxy.legacy("tools/list", headers={"Accept": "text/event-stream"}),
        proxy.modern("tools/list", path="/mcp/nothing"),
        proxy.http.get(f"{proxy.url}/healthz"),
        proxy.http.get(f"{proxy.url}/nowhere"),
        proxy.http.get(f"{proxy.url}/mcp"),
        proxy.modern("tools/list", headers={"Host": "evil.example"}),
    ]
    for answer in answers:
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert {name: answer.headers[name] for name in ALWAYS if name != "cache-control"}.items() <= ALWAYS.items()
        assert "no-store" in answer.headers["cache-control"]


def test_a_large_answer_is_compressed_for_whoever_takes_it_so(proxy: Proxy, functions: ScriptedLambda) -> None:
    for accepted, size in (("gzip", 40_000), ("gzip", 400), ("identity", 40_000)):
        functions.script["find_parts"] = [Step(result={"text": "x" * size})]
        call = {"name": "find_parts", "arguments": {"query": "x"}}
        answer = proxy.modern("tools/call", call, headers={"Accept-Encoding": accepted})
        assert ("content-encoding" in answer.headers) is (accepted == "gzip" and size > 16_384)
        assert answer.json()["result"]["structuredContent"] == {"text": "x" * size}


def test_a_web_page_may_call_only_from_an_origin_that_was_named(start_proxy: StartProxy) -> None:
    page = "https://inspector.example"
    with start_proxy(ALLOWED_ORIGINS=page) as proxy:
        asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,mcp-name"}
        allowed = proxy.http.options(f"{proxy.url}/mcp", headers={"Origin": page, **asked})
        assert allowed.status_code == 200
        assert allowed.headers["access-control-allow-origin"] == page
        assert "mcp-name" in allowed.headers["access-control-allow-headers"]
        assert proxy.modern("tools/list", headers={"Origin": page}).headers["access-control-allow-origin"] == page
        stranger = proxy.modern("tools/list", headers={"Origin": "https://evil.example"})
        assert stranger.status_code == 403
        assert "access-control-allow-origin" not in stranger.headers
