"""What the SDK's transport leaves open, seen from outside: methods, paths, headers, sizes, both eras."""

import json
import socket
from typing import Any

import httpx2
import pytest

from tests.integration.proxy.conftest import MODERN, Proxy, request_parts
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step

QUERY = {"name": "find_parts", "arguments": {"query": "x"}}
LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


@pytest.mark.parametrize("version", LEGACY)
def test_every_legacy_version_initializes_and_calls(proxy: Proxy, version: str) -> None:
    hello = proxy.legacy(
        "initialize",
        {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}},
    ).json()["result"]
    assert hello["protocolVersion"] == version
    assert hello["serverInfo"]["title"] == "Workbench"
    assert hello["instructions"] == "Look a part up before you order it."
    answer = proxy.legacy("tools/call", QUERY, headers={"MCP-Protocol-Version": version}).json()
    assert answer["result"]["structuredContent"] == {"echo": {"query": "x"}}


def test_discover_names_the_server_and_its_capabilities(proxy: Proxy) -> None:
    found = proxy.modern("server/discover").json()["result"]
    assert found["supportedVersions"] == [MODERN]
    assert set(found["capabilities"]) == {"tools", "resources", "prompts", "completions"}
    assert found["ttlMs"] > 0


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/parts"])
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_other_methods_are_refused_at_once(proxy: Proxy, method: str, path: str) -> None:
    response = proxy.http.request(method, proxy.url + path, headers={"Accept": "text/event-stream"}, timeout=60)
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"


def test_a_trailing_slash_is_served_without_a_redirect(proxy: Proxy) -> None:
    assert proxy.modern("tools/list", path="/mcp/").status_code == 200
    assert proxy.legacy("tools/list", path="/mcp/").status_code == 200


def test_whitespace_after_a_header_value_does_not_matter(proxy: Proxy) -> None:
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": QUERY | {"_meta": request_parts("tools/call")[0]},
        }
    )
    head = (
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Accept: application/json \r\nMCP-Protocol-Version: {MODERN} \r\nMcp-Method: tools/call\t\r\n"
        f"Mcp-Name: find_parts  \r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", int(proxy.url.rsplit(":", 1)[1]))) as raw:
        raw.sendall((head + body).encode())
        answer = raw.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 200")


def got(proxy: Proxy, target: str, *hosts: str) -> bytes:
    named = "".join(f"Host: {host}\r\n" for host in hosts)
    with socket.create_connection(("127.0.0.1", int(proxy.url.rsplit(":", 1)[1]))) as raw:
        raw.sendall(f"GET {target} HTTP/1.1\r\n{named}Connection: close\r\n\r\n".encode())
        return raw.makefile("rb").read()


@pytest.mark.parametrize("path", ["/mcp", "/healthz"])
def test_two_host_headers_are_refused(proxy: Proxy, path: str) -> None:
    answer = got(proxy, path, "localhost", "evil.example")
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"Send one Host header." in answer


def test_a_target_that_names_another_host_than_the_header_is_refused(proxy: Proxy) -> None:
    assert got(proxy, "http://localhost:1/healthz", "localhost:1").startswith(b"HTTP/1.1 200")
    for target, hosts in (
        ("http://evil.example/healthz", ["localhost"]),
        ("http://localhost:2/healthz", ["localhost"]),
        ("http://localhost/healthz", []),
    ):
        assert got(proxy, target, *hosts).startswith(b"HTTP/1.1 400")
    assert proxy.http.get(f"{proxy.url}/healthz").status_code == 200


@pytest.mark.parametrize("body", [{"jsonrpc": "1.0", "id": 1}, {"method": 5}, {}, [1], "x", 7])
@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
def test_what_is_no_message_is_refused_in_words_of_our_own(proxy: Proxy, body: object, accept: str) -> None:
    answer = proxy.http.post(f"{proxy.url}/mcp", json=body, headers={"Accept": accept})
    assert answer.status_code == 400
    assert "pydantic" not in answer.text
    assert "Validation error" not in answer.text
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize("accept", ["application/json", "*/*", "application/json, text/event-stream", ""])
def test_json_is_answered_wherever_it_is_accepted(proxy: Proxy, accept: str) -> None:
    for response in (
        proxy.modern("tools/call", QUERY, headers={"Accept": accept}),
        proxy.legacy("tools/call", QUERY, headers={"Accept": accept}),
    ):
        assert response.headers["content-type"].startswith("application/json")
        assert response.json()["result"]["isError"] is False


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream"])
def test_a_client_that_accepts_no_json_is_told_so(proxy: Proxy, accept: str) -> None:
    for send in (proxy.modern, proxy.legacy):
        assert send("tools/call", QUERY, headers={"Accept": accept}).status_code == 406


def test_progress_is_streamed_in_both_eras_when_asked_for(proxy: Proxy, functions: ScriptedLambda) -> None:
    both = {"Accept": "application/json, text/event-stream"}
    for era in ("modern", "legacy"):
        functions.script["find_parts"] = [Step(result={"n": 1}, seconds=0.35)]
        response = (
            proxy.modern("tools/call", QUERY, headers=both, meta={"progressToken": "p"})
            if era == "modern"
            else proxy.legacy("tools/call", QUERY | {"_meta": {"progressToken": "p"}})
        )
        *beats, last = _events(response)
        assert last["result"]["structuredContent"] == {"n": 1}
        progress = [beat["params"]["progress"] for beat in beats]
        assert len(progress) >= 2
        assert progress == sorted(set(progress))
        assert {beat["params"]["progressToken"] for beat in beats} == {"p"}


def test_progress_asked_for_by_a_json_only_client_does_no_harm(proxy: Proxy, functions: ScriptedLambda) -> None:
    functions.script["find_parts"] = [Step(result={"n": 1}, seconds=0.25)]
    assert proxy.call("find_parts", {"query": "x"}, meta={"progressToken": 1})["structuredContent"] == {"n": 1}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8000"])
def test_a_foreign_host_header_is_refused(proxy: Proxy, host: str) -> None:
    answer = proxy.modern("tools/list", headers={"Host": host})
    assert answer.status_code == 421
    assert "ALLOWED_HOSTS" in answer.json()["error"]["message"]


def test_a_foreign_origin_is_refused_and_a_local_one_served(proxy: Proxy) -> None:
    assert proxy.modern("tools/list", headers={"Origin": "http://evil.example"}).status_code == 403
    assert proxy.modern("tools/list", headers={"Origin": "http://localhost:6274"}).status_code == 200


def test_a_mismatching_name_header_is_refused(proxy: Proxy) -> None:
    response = proxy.modern("tools/call", QUERY, headers={"Mcp-Name": "place_order"})
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)


def test_an_annotated_parameter_must_equal_its_header(proxy: Proxy) -> None:
    params = {"name": "get_part", "arguments": {"number": "A-1"}}
    assert proxy.modern("tools/call", params, headers={"Mcp-Param-Number": "A-1"}).status_code == 200
    assert proxy.modern("tools/call", params, headers={"Mcp-Param-Number": "B-2"}).status_code == 400


def test_a_body_beyond_the_bound_is_refused(proxy: Proxy, functions: ScriptedLambda) -> None:
    response = proxy.modern("tools/call", {"name": "find_parts", "arguments": {"query": "x" * 1_200_000}})
    assert response.status_code == 413
    chunks = (b"x" * 100_000 for _ in range(20))
    headers = {"Content-Type": "application/json"}
    assert proxy.http.post(f"{proxy.url}/mcp", content=chunks, headers=headers).status_code == 413
    assert not functions.calls


@pytest.mark.parametrize("accept", ["application/json, text/event-stream", "*/*"])
def test_nothing_is_told_later_and_whoever_would_listen_learns_it(proxy: Proxy, accept: str) -> None:
    params = {"notifications": {"toolsListChanged": True}}
    response = proxy.modern("subscriptions/listen", params, headers={"Accept": accept})
    assert (response.status_code, response.json()["error"]["code"]) == (404, -32601)


def test_an_unknown_method_is_a_protocol_error(proxy: Proxy) -> None:
    modern = proxy.modern("tools/frobnicate")
    assert (modern.status_code, modern.json()["error"]["code"]) == (404, -32601)
    assert proxy.legacy("tools/frobnicate").json()["error"]["code"] == -32601


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b'{"jsonrpc":"2.0","id":1}', b"\xff"])
def test_a_body_that_is_no_request_is_refused_in_both_eras(proxy: Proxy, body: bytes) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    for more in ({}, {"MCP-Protocol-Version": MODERN}):
        assert proxy.http.post(f"{proxy.url}/mcp", content=body, headers=headers | more).status_code == 400


@pytest.mark.parametrize("number", [1.5, True, [1], None])
def test_a_request_whose_id_is_none_is_refused_and_not_taken_for_a_notification(proxy: Proxy, number: object) -> None:
    body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": QUERY}
    answer = proxy.http.post(f"{proxy.url}/mcp", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("id: ")


def test_what_is_not_sent_as_json_is_refused_as_such(proxy: Proxy) -> None:
    for media_type, status in (("text/plain", 415), ("application/json; charset=utf-8", 202)):
        body, headers = b'{"jsonrpc":"2.0","method":"notifications/initialized"}', {"Content-Type": media_type}
        assert proxy.http.post(f"{proxy.url}/mcp", content=body, headers=headers).status_code == status


def test_a_notification_is_acknowledged(proxy: Proxy) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    headers = {"Accept": "application/json, text/event-stream"}
    assert proxy.http.post(f"{proxy.url}/mcp", json=body, headers=headers).status_code == 202


def test_lists_are_the_same_the_second_time_and_in_the_manifests_order(proxy: Proxy) -> None:
    for send in (proxy.modern, proxy.legacy):
        first, second = send("tools/list").json(), send("tools/list").json()
        assert first == second
        names = [tool["name"] for tool in first["result"]["tools"]]
        assert names == ["find_parts", "get_part", "place_order", "list_orders"]


def test_a_list_keeps_to_the_era_of_the_client(proxy: Proxy) -> None:
    proxy.modern("tools/list")
    assert set(proxy.legacy("tools/list").json()["result"]) == {"tools"}
    assert {"resultType", "ttlMs", "cacheScope"} <= set(proxy.modern("tools/list").json()["result"])


def test_a_tool_is_listed_with_all_hints_and_both_schemas(proxy: Proxy) -> None:
    tools = {tool["name"]: tool for tool in proxy.legacy("tools/list").json()["result"]["tools"]}
    order = tools["place_order"]
    hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]
    assert [order["annotations"][hint] for hint in hints] == [False, False, False, True]
    assert order["title"] == "Place an order"
    assert order["inputSchema"]["required"] == ["number"]
    assert order["outputSchema"] == {"type": "object"}


def test_an_invented_cursor_is_refused(proxy: Proxy) -> None:
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        assert proxy.legacy(method, {"cursor": "x"}).json()["error"]["code"] == -32602


def _events(response: httpx2.Response) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: ")]
