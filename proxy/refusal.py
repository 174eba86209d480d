"""Answers to requests that are not let in, as JSON-RPC errors: of a bare body most clients show only the status."""

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
    """``number`` is the request's id, where it was looked at."""
    error = {"code": code, "message": message}
    return JSONResponse({"jsonrpc": "2.0", "id": number, "error": error}, status, headers)
