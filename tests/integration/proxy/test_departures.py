"""Clients that go away: the wait ends."""

from typing import Any

import httpx2
import pytest

from tests.integration.proxy.conftest import Proxy, request_parts, soon
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_client_that_leaves_ends_the_wait(proxy: Proxy, functions: ScriptedLambda, era: str) -> None:
    functions.script["find_parts"] = [Step(seconds=20)]
    params: dict[str, Any] = {"name": "find_parts", "arguments": {"query": "x"}}
    proxy.http.timeout = 0.4
    try:
        with pytest.raises(httpx2.ReadTimeout):
            proxy.modern("tools/call", params) if era == "modern" else proxy.legacy("tools/call", params)
    finally:
        proxy.http.timeout = 30
    assert soon(lambda: functions.left == ["find_parts"])
    assert soon(lambda: [event["outcome"] for event in proxy.events("tool_called")] == ["CANCELLED"])


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_client_that_leaves_an_event_stream_ends_the_wait(
    proxy: Proxy, functions: ScriptedLambda, era: str
) -> None:
    functions.script["find_parts"] = [Step(seconds=20)]
    meta, headers = request_parts("tools/call", "find_parts") if era == "modern" else ({}, {})
    params = {"name": "find_parts", "arguments": {"query": "x"}, "_meta": meta | {"progressToken": 1}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    accept = {"Accept": "application/json, text/event-stream"}
    with proxy.http.stream("POST", f"{proxy.url}/mcp", json=body, headers=headers | accept) as response:
        assert "progress" in next(line for line in response.iter_lines() if line.startswith("data"))
    assert soon(lambda: functions.left == ["find_parts"])
    assert soon(lambda: [event["outcome"] for event in proxy.events("tool_called")] == ["CANCELLED"])
