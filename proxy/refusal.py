"""Answers to requests that are not served, as JSON-RPC errors: of a bare body most clients show only the status."""

from collections.abc import Mapping

import mcp_types as types
from starlette.responses import JSONResponse


def refusal(
    status: int,
    message: str,
    *,
    code: int = types.INVALID_REQUEST,
    number: int | str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    return JSONResponse(rpc_error(code, message, number=number), status, headers)


def rpc_error(code: int, message: str, *, number: int | str | None = None) -> dict[str, object]:
    """``number`` is the request's id, where it was looked at."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
