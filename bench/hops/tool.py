"""The tool that every contestant of the first table serves, and the call that is sent."""

import json
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
_MANIFEST = Path(__file__).parents[2] / "proxy" / "manifest.json"


def _tool() -> dict[str, Any]:
    """Its card in wire form, as the product's manifest has it; any result will do."""
    tools = json.loads(_MANIFEST.read_text())["tools"]
    found = next(tool for tool in tools if tool["name"] == NAME)
    return {name: found[name] for name in ("name", "title", "description", "inputSchema")}


TOOL = _tool()
