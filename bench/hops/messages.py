"""The HTTP requests that are sent: MCP in both eras, and a plain Lambda invocation."""

import json
from collections.abc import Mapping
from typing import Any

MODERN, LEGACY = "2026-07-28", "2025-11-25"
ERAS = ("modern", "legacy")
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


def tools_call(tool: str, arguments: Mapping[str, Any], *, era: str, path: str = "/mcp") -> str:
    return _mcp("tools/call", {"name": tool, "arguments": arguments}, era=era, path=path)


def tools_list(*, era: str, path: str = "/mcp") -> str:
    return _mcp("tools/list", {}, era=era, path=path)


def invocation(function: str, arguments: Mapping[str, Any]) -> str:
    path = f"/2015-03-31/functions/{function}/invocations"
    return _post(path, json.dumps(arguments), {"X-Amz-Invocation-Type": "RequestResponse"})


def _mcp(method: str, params: Mapping[str, Any], *, era: str, path: str) -> str:
    # Streaming servers insist on both types; those that can answer in JSON do.
    headers = {"Accept": "application/json, text/event-stream"}
    if era == "modern":
        headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        headers |= {"Mcp-Name": params["name"]} if "name" in params else {}
        params = {**params, "_meta": _META}
    else:
        headers["MCP-Protocol-Version"] = LEGACY
    return _post(path, json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), headers)


def _post(path: str, body: str, headers: Mapping[str, str]) -> str:
    """The whole request as Latin-1 text; ``body`` is ASCII, because json.dumps escapes."""
    lines = [f"{name}: {value}" for name, value in headers.items()]
    lines += ["Host: 127.0.0.1:8000", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([f"POST {path} HTTP/1.1", *lines, "", body])
