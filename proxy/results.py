"""Shapes an outcome into the MCP result: the same data as text and as structured content."""

import logging
from typing import Any

import mcp_types as types
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from proxy.events import log
from proxy.outcome import RESERVED, VALIDATION_ERROR, Failure, Outcome, Success

_logger = logging.getLogger(__name__)

_BLOCKS: TypeAdapter[list[types.ContentBlock]] = TypeAdapter(list[types.ContentBlock])

WireResult = dict[str, Any]


def call_result(outcome: Outcome, *, tool: str, request_id: str) -> WireResult:
    """The tools/call result in wire names; the SDK validates and shapes it for the client's version."""
    if isinstance(outcome, Success):
        return _success(outcome.result, tool=tool, request_id=request_id)
    return _failure(outcome)


def plain_success(outcome: Outcome) -> bytes | None:
    """The same result as JSON, left open for more keys, where it is a success without extra blocks; else None."""
    if not isinstance(outcome, Success) or RESERVED in outcome.result:
        return None
    data = _encoded(outcome.result)
    text = to_json(data.decode())
    return b'{"content":[{"type":"text","text":' + text + b'}],"structuredContent":' + data + b',"isError":false'


def bad_arguments(tool: str, problems: list[str]) -> Failure:
    """Nothing was invoked; each problem says what to change."""
    return Failure(VALIDATION_ERROR, f"{tool} was not run. " + " ".join(problems))


def _success(result: dict[str, Any], *, tool: str, request_id: str) -> WireResult:
    data = {name: value for name, value in result.items() if name != RESERVED} if RESERVED in result else result
    content: list[dict[str, Any]] = [{"type": "text", "text": _encoded(data).decode()}]
    if RESERVED in result:
        content += _extra_blocks(result[RESERVED], tool=tool, request_id=request_id)
    return {"content": content, "structuredContent": data, "isError": False, "resultType": "complete"}


def _encoded(data: dict[str, Any]) -> bytes:
    # A number too large for a float, such as 1e400, has been read as infinity, which JSON cannot say.
    return to_json(data, inf_nan_mode="null")


def _extra_blocks(reserved: object, *, tool: str, request_id: str) -> list[dict[str, Any]]:
    try:
        blocks = _BLOCKS.validate_python(
            reserved["content"] if isinstance(reserved, dict) else reserved, by_name=False
        )
    except (KeyError, ValidationError):
        # The answer itself is sound; losing it over an attachment would be worse.
        log(_logger, "content_block_invalid", level=logging.ERROR, tool=tool, request_id=request_id)
        return []
    return [block.model_dump(by_alias=True, mode="json", exclude_none=True) for block in blocks]


def _failure(failure: Failure) -> WireResult:
    text = f"{failure.code}: {failure.message}"
    if failure.details:
        text += f"\ndetails: {to_json(failure.details).decode()}"
    if failure.retryable:
        text += "\nretryable: true"
    return {"content": [{"type": "text", "text": text}], "isError": True, "resultType": "complete"}
