"""Toolset paths, the read-only mode, and that neither can be slipped."""

import pytest

from tests.integration.proxy.conftest import Proxy, StartProxy
from tests.integration.proxy.scripted_lambda import ScriptedLambda

ORDER = {"name": "place_order", "arguments": {"number": "A-1"}}


def tools(proxy: Proxy, path: str, **headers: str) -> list[str]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return [tool["name"] for tool in proxy.modern("tools/list", path=path, headers=sent).json()["result"]["tools"]]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/mcp/parts", ["find_parts", "get_part"]),
        ("/mcp/orders", ["place_order", "list_orders"]),
        ("/mcp/orders,parts", ["find_parts", "get_part", "place_order", "list_orders"]),
        ("/mcp/orders/readonly", ["list_orders"]),
        ("/mcp/orders/readonly/", ["list_orders"]),
        ("/mcp/readonly", ["find_parts", "get_part", "list_orders"]),
    ],
)
def test_a_path_selects_toolsets_and_mode(proxy: Proxy, path: str, expected: list[str]) -> None:
    assert tools(proxy, path) == expected


def test_a_header_narrows_what_the_path_allows(proxy: Proxy) -> None:
    assert tools(proxy, "/mcp/orders", X_MCP_Readonly="true") == ["list_orders"]
    assert tools(proxy, "/mcp/readonly", X_MCP_Readonly="false") == ["find_parts", "get_part", "list_orders"]


@pytest.mark.parametrize("path", ["/mcp/ordres", "/mcp/parts,ordres", "/mcp/parts,", "/mcp/parts/readnoly", "/mcpx"])
def test_a_path_that_names_nothing_known_is_a_404_that_names_what_is(proxy: Proxy, path: str) -> None:
    for response in (proxy.modern("tools/list", path=path), proxy.legacy("tools/list", path=path)):
        assert response.status_code == 404
        assert "parts, orders" in response.json()["error"]["message"]


@pytest.mark.parametrize("value", ["ture", "yes", "", "true,false", "on"])
def test_a_malformed_readonly_header_closes_the_door(proxy: Proxy, functions: ScriptedLambda, value: str) -> None:
    response = proxy.modern("tools/call", ORDER, headers={"X-MCP-Readonly": value})
    assert response.status_code == 400
    assert "X-MCP-Readonly" in response.json()["error"]["message"]
    assert not functions.calls


def test_a_read_only_address_passes_no_scope_that_writes_on(proxy: Proxy, functions: ScriptedLambda) -> None:
    for path, writes in (("/mcp", True), ("/mcp/readonly", False)):
        proxy.modern("tools/call", {"name": "list_orders", "arguments": {}}, path=path)
        assert ("orders:read" in functions.calls[-1].custom["scopes"]) is True
        assert ("orders:write" in functions.calls[-1].custom["scopes"]) is writes


@pytest.mark.parametrize("path", ["/mcp/readonly", "/mcp/orders/readonly"])
def test_read_only_refuses_a_tool_that_writes_even_unlisted(
    proxy: Proxy, functions: ScriptedLambda, path: str
) -> None:
    for response in (
        proxy.modern("tools/call", ORDER, path=path),
        proxy.legacy("tools/call", ORDER, path=path),
        proxy.modern("tools/call", ORDER, headers={"X-MCP-Readonly": "TRUE"}),
    ):
        error = response.json()["error"]
        assert error["code"] == -32602
        assert "read-only" in error["message"]
    assert not functions.calls


def test_a_tool_outside_the_selected_toolsets_is_refused(proxy: Proxy, functions: ScriptedLambda) -> None:
    error = proxy.modern("tools/call", ORDER, path="/mcp/parts").json()["error"]
    assert error["code"] == -32602
    assert "toolset 'orders' is not selected" in error["message"]
    assert not functions.calls


def test_resources_and_prompts_follow_the_toolset(proxy: Proxy) -> None:
    def listed(method: str, key: str, path: str) -> list[str]:
        return [entry["name"] for entry in proxy.modern(method, path=path).json()["result"][key]]

    assert listed("resources/list", "resources", "/mcp/parts") == ["stock", "unpublished", "garbled"]
    assert listed("resources/list", "resources", "/mcp/orders") == ["letter"]
    assert listed("resources/templates/list", "resourceTemplates", "/mcp/orders") == []
    assert listed("prompts/list", "prompts", "/mcp/parts") == []
    hidden = proxy.modern("resources/read", {"uri": "workbench://letter"}, path="/mcp/parts")
    assert hidden.json()["error"]["code"] == -32602


def test_settings_limit_toolsets_and_mode_for_every_client(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    with start_proxy(TOOLSETS="orders", READ_ONLY="true") as proxy:
        assert tools(proxy, "/mcp") == ["list_orders"]
        disabled = proxy.modern("tools/list", path="/mcp/parts")
        assert disabled.status_code == 404
        assert disabled.json()["error"]["message"].endswith("Toolsets: orders.")
        assert proxy.modern("tools/call", ORDER).json()["error"]["code"] == -32602
        assert not functions.calls
