"""Recorded tool answers, and an in-process MCP server that replays them over the repository's templates."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

TEMPLATES = Path(__file__).parents[3] / "templates"
Answers = Callable[[str, Mapping[str, Any]], dict[str, Any] | str]

DRYSTAR: dict[str, Any] = {
    "model": "DS-100",
    "manufacturer": "Drystar",
    "series": "DS",
    "category": "Oil-free rotary screw air compressor",
    "family": "compressor",
    "description": "Two-stage dry screw package.",
    "hp": 100.0,
    "cfm": 412.0,
    "psi": 125.0,
    "lubrication": "oilless",
    "cooling": "Air",
    "voltage": "460/3/60",
    "drive": "Gear",
    "motor": "100 HP, 1780 RPM, TEFC",
    "vacuum_inhg": None,
    "dewpoint_f": None,
    "length_in": 110.0,
    "width_in": 62.5,
    "height_in": 74.0,
    "weight_lb": 5200.0,
    "noise_dba": None,
    "air_quality": "ISO 8573-1 Class 0",
}
SCOPE = (
    "DRYSTAR Model DS-100 oilless air compresser, 100HP, compleate w/ aftercooler.\n\n"
    "Factory startup for Alder Valley Creamery, Inc. included. Adder for remote panel $1,250.00 net.\n"
    "12 month warrenty; oil/water separator by others."
)


def line_hit(**changes: Any) -> dict[str, Any]:
    item: dict[str, Any] = {
        "quote_number": "Q-2210",
        "position": 1,
        "category": "OIL-FREE COMPRESSOR",
        "family": "compressor",
        "manufacturer": "Drystar",
        "model": "DS100",
        "catalogue_model": "DS-100",
        "description": SCOPE,
        "quantity": "1",
        "unit_price": "98450.00",
        "extended_price": "98450.00",
        "currency": "USD",
        "hp": 100.0,
        "lubrication": "oilless",
        "price_note": "List less 12, repeat buyer",
    }
    source = {
        "customer": "Alder Valley Creamery, Inc.",
        "quote_date": "2024-03-11",
        "project": "Plant 2 air",
        "status": "won",
    }
    hit = {"score": 0.74, "confidence": "likely_good", "legs": ["vector", "text"]}
    return {
        **{name: changes.pop(name, value) for name, value in hit.items()},
        "source_quote": source | changes.pop("source_quote", {}),
        "line_item": item | changes,
    }


def golden(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
    """The archive has one oilless machine and one proven text."""
    quote = {**line_hit()["source_quote"], "quote_number": "Q-2210"}
    match tool:
        case "search_equipment":
            return found([{"product": DRYSTAR, "score": 0.71, "confidence": "likely_good"}])
        case "get_specs":
            return {"products": [DRYSTAR] if arguments["models"] == ["DS-100"] else []}
        case "search_line_items":
            return found([line_hit()])
        case "search_past_quotes":
            return found([{"quote": quote, "summary": "Dry air", "score": 0.61, "confidence": "analog"}])
    dryer = line_hit(position=2, family="dryer", model="AX-500")["line_item"]
    return {"quote": quote, "line_items": [line_hit()["line_item"], dryer]}


def found(results: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"results": results, "degraded": False, "notice": None, "applied_filters": {}} | more


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
