"""The one call that is measured, as a Lambda invocation and as tools/call of both eras, and what answers at once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "search_equipment"
ARGUMENTS: dict[str, Any] = {
    "query": "oilless compressor",
    "hp_min": 30,
    "hp_max": 150,
    "lubrication": "oilless",
    "top_k": 5,
}
EXPECT = '"score"'
"""In every answer that found something."""
OUT_OF_BOUNDS: dict[str, Any] = {"top_k": 0}
REFUSED = "VALIDATION_ERROR"
"""In the answer to arguments out of their bounds, which are refused before anything is looked up."""
_HIT = {"text": "oilless rotary vane compressor, 30 HP, 100 CFM at 100 PSIG", "score": 0.62, "unit": None}
RESULT = {"hits": [{"id": number, **_HIT} for number in range(5)], "degraded": False}
"""What every function answers that answers at once."""

ERAS = ("modern", "legacy")
_MODERN, _LEGACY = "2026-07-28", "2025-11-25"
_META = {
    "io.modelcontextprotocol/protocolVersion": _MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
_MANIFEST = Path(__file__).parents[2] / "proxy" / "manifest.json"


@dataclass(frozen=True, slots=True)
class Message:
    """What a client posts; ``expect`` stands in each right answer."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    expect: str = EXPECT


def invocation(api: str, arguments: Mapping[str, Any], *, expect: str = EXPECT) -> Message:
    """An invocation at the Lambda API at ``api``."""
    url = f"{api}/2015-03-31/functions/quarry-{NAME}/invocations"
    return Message(url, {"X-Amz-Invocation-Type": "RequestResponse"}, json.dumps(arguments).encode(), expect)


def tools_call(url: str, *, era: str) -> Message:
    params: dict[str, Any] = {"name": NAME, "arguments": ARGUMENTS}
    # Streaming servers insist on both types; those that can answer in JSON do.
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    if era == "modern":
        headers |= {"MCP-Protocol-Version": _MODERN, "Mcp-Method": "tools/call", "Mcp-Name": NAME}
        params["_meta"] = _META
    else:
        headers["MCP-Protocol-Version"] = _LEGACY
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    return Message(url, headers, body.encode())


def tool_card() -> dict[str, Any]:
    """The tool in wire form, as the product's manifest has it; its result may be anything."""
    tools = json.loads(_MANIFEST.read_text())["tools"]
    found = next(tool for tool in tools if tool["name"] == NAME)
    return {name: found[name] for name in ("name", "title", "description", "inputSchema")}
