"""Recorded answers of the tools that a draft by rule calls, and an MCP server that replays them."""

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
BLOCK = "**OILLESS AIR COMPRESSOR**\n\n- Drystar: DS-100\n- Weight: 5200 lb\n- Noise: [NOT IN CATALOGUE – confirm]"


def table(*rows: Mapping[str, str]) -> dict[str, Any]:
    return {"columns": list(rows[0]), "rows": [list(row.values()) for row in rows], "total": len(rows)}


def candidate(model: str, **changes: str) -> dict[str, str]:
    usual = {"list price": "111,900.00 USD", "newest sale": "98,450.00 USD 2024-03 won Q-2210/1"}
    return {"id": model, "fit": "++", **usual, **changes}


def past_line(line: str, **changes: str) -> dict[str, str]:
    return {"id": line, "fit": "++", "customer": "Alder Valley Creamery, Inc.", "status": "won", "model": "DS-100",
            **changes}  # fmt: skip


def item(**changes: Any) -> dict[str, Any]:
    found = {
        "item": 1,
        "what": "100HP oilless compressor for food-grade plant",
        "candidates": table(candidate("DS-100"), candidate("DS-50", fit="-+")),
        "lines": table(past_line("Q-2210/1")),
    }
    return {name: value for name, value in {**found, **changes}.items() if value is not None}


def answer(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    sold_with = table({"what": "installation", "quotes": "7 of 12", "newest line": "Q-2210/2"})
    return {"items": list(items), "sold_with": sold_with, **more}


def golden(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
    """The archive has one oilless machine and one proven text."""
    match tool:
        case "find_for_request":
            return answer(item())
        case "get_specs":
            products = [{"model": model, "characteristics": BLOCK, "product_id": f"prod_{model.lower()}"}
                        for model in arguments["models"]]  # fmt: skip
            return {"products": products, "not_found": []}
        case "get_quote":
            quote = {"customer": "Alder Valley Creamery, Inc.", "quote_date": "2024-03-11", "contact": "B. Poe"}
            return {"quote": quote, "line_items": [{"position": 1, "description": WORDS}]}
    assert tool == "check_draft"
    return {"faults": 1, "findings": [{"verdict": "contradicted", "kind": "figure", "line": 7, "text": "99 HP"}]}


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
