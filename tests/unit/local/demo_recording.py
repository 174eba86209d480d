"""Recorded answers of the two tools that the demo calls, and an MCP server that replays them over the templates."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

TEMPLATES = Path(__file__).parents[3] / "templates"
Answers = Callable[[str, Mapping[str, Any]], dict[str, Any] | str]

WORDS = (
    "DRYSTAR Model DS-100 oilless air compresser, 100HP, compleate w/ aftercooler.\n\n"
    "Factory startup for Alder Valley Creamery, Inc. included. Adder for remote panel $1,250.00 net.\n"
    "12 month warrenty; oil/water separator by others."
)
BLOCK = """**OIL-FREE ROTARY SCREW AIR COMPRESSOR**

CHARACTERISTICS

- Model: DS-100
- Weight: 5200 lb
- Noise level: [NOT IN CATALOGUE – confirm]

Warranty: [WARRANTY]

Model DS-100 as described above, quantity 1: Net $[PRICE] Each

Delivery: [DELIVERY]"""


def item(**changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "item": 1,
        "query": "100HP oilless compressor for food-grade plant",
        "understood": ["100 hp (74.6 kW)", "oilless"],
        "offers": [
            {"manufacturer": "Drystar", "model": "DS-100", "facts": "100 HP, 412 cfm", "fit": "hp 100 met",
             "confidence": "likely_good", "product_id": "prod_ds_100", "list_price": "111,900.00 USD"},
            {"manufacturer": "Drystar", "model": "DS-50", "machines": 2, "facts": "50 HP, 200 cfm",
             "fit": "hp 50, asked 100: contradicted"},
        ],
        "text": WORDS,
        "source": {"quote_number": "Q-2210", "position": 1, "quote_date": "2024-03-11", "status": "won",
                   "customer": "Alder Valley Creamery, Inc.", "model": "DS100", "confidence": "likely_good",
                   "mentions": ["company: Alder Valley Creamery, Inc.", "price: $1,250.00", "place: Boston"]},
        "prices": ["Drystar DS-100: Sold once, for 98,450.00 USD (Q-2210)."],
        "precedents": [
            "Q-2210/1, 2024-03-11, Alder Valley Creamery, Inc., sold 98,450.00 USD: List less 12, repeat buyer"
        ],
        "ask": ["At which pressure?"],
        "characteristics": BLOCK,
    }  # fmt: skip
    return {name: value for name, value in {**found, **changes}.items() if value is not None}


def answer(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    usual = {
        "usual": ["INSTALLATION: in 7 of 12 quotes; newest Q-2210/2"],
        "lead_times": ["Drystar DS-100: 14 weeks"],
    }
    return {"items": list(items), **usual, **more}


def golden(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
    """The archive has one oilless machine and one proven text."""
    if tool == "check_draft":
        return {"faults": 1, "findings": [{"verdict": "contradicted", "kind": "figure", "line": 7, "text": "99 HP"}]}
    assert tool == "find_for_request"
    assert arguments["customer"]
    return answer(item())


def replay(answers: Answers) -> Server[Any]:
    """A string stands for a tool's failure."""

    async def call_tool(_: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        answer = answers(params.name, params.arguments or {})
        if isinstance(answer, str):
            return types.CallToolResult(content=[types.TextContent(text=answer)], is_error=True)
        return types.CallToolResult(content=[types.TextContent(text=json.dumps(answer))], structured_content=answer)

    async def read(_: ServerRequestContext[Any], params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return types.ReadResourceResult(contents=[template(params.uri)])

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])

    return Server("replay", on_call_tool=call_tool, on_read_resource=read, on_list_tools=list_tools)


def template(uri: str) -> types.TextResourceContents:
    text = (TEMPLATES / f"{uri.removeprefix('quarry://templates/')}.md").read_text()
    return types.TextResourceContents(uri=uri, text=text, mime_type="text/markdown")
