"""The Runtime API: how the process of one execution environment takes invocations and answers them.

Each environment has a listener of its own, as the RIC names no environment in its requests.
"""

import asyncio
import json
from http import HTTPStatus
from typing import TYPE_CHECKING

from aiohttp import web

from local.lambda_api.process import MAX_RESPONSE_BYTES

if TYPE_CHECKING:
    from local.lambda_api.environments import Environment

_PREFIX = "/2018-06-01/runtime/"
# The RIC puts an X-Ray cause of up to a megabyte into one header of an error.
_MAX_HEADER_BYTES = 2 * 1024 * 1024


class RuntimeApi:
    """A listener on a free port of the loopback interface."""

    def __init__(self, environment: "Environment") -> None:
        self._environment = environment
        self._server = web.Server(
            self._handle, auto_decompress=False, max_line_size=_MAX_HEADER_BYTES, max_field_size=_MAX_HEADER_BYTES
        )
        self._listener: asyncio.Server | None = None

    async def listen(self) -> str:
        """Starts to listen and returns host:port."""
        self._listener = await asyncio.get_running_loop().create_server(self._server, "127.0.0.1", 0)
        return f"127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        if self._listener is not None:
            self._listener.close()
        await self._server.shutdown(0)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        parts = request.path.removeprefix(_PREFIX).split("/")
        match (request.method, parts):
            case ("GET", ["invocation", "next"]):
                return await self._next()
            case ("POST", ["invocation", request_id, ("response" | "error") as kind]):
                return await self._answer(request, request_id, is_error=kind == "error")
            case ("POST", ["init", "error"]):
                self._environment.fail_init(await _body(request))
                return _status(HTTPStatus.ACCEPTED)
        return _status(HTTPStatus.NOT_FOUND, "NotFound", f"{request.method} {request.path} is not served.")

    async def _next(self) -> web.StreamResponse:
        invocation = await self._environment.next_invocation()
        headers = {
            "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
            "Lambda-Runtime-Deadline-Ms": str(self._environment.deadline_ms()),
            "Lambda-Runtime-Invoked-Function-Arn": invocation.arn,
            "Lambda-Runtime-Trace-Id": invocation.trace_id,
        }
        if invocation.client_context is not None:
            headers["Lambda-Runtime-Client-Context"] = invocation.client_context
        return web.Response(body=invocation.payload, headers=headers, content_type="application/json")

    async def _answer(self, request: web.BaseRequest, request_id: str, *, is_error: bool) -> web.StreamResponse:
        payload = await _body(request)
        known = self._environment.answer(request_id, payload, is_error=is_error)
        if not known:
            message = f"No invocation {request_id} is running here."
            return _status(HTTPStatus.BAD_REQUEST, "InvalidRequestID", message)
        if len(payload) > MAX_RESPONSE_BYTES:
            return _status(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "RequestEntityTooLarge", "Payload too large.")
        return _status(HTTPStatus.ACCEPTED)


async def _body(request: web.BaseRequest) -> bytes:
    """Reads the body until a little over the limit, which is enough to see that it is exceeded."""
    parts: list[bytes] = []
    size = 0
    async for chunk in request.content.iter_any():
        if size <= MAX_RESPONSE_BYTES:
            parts.append(chunk)
        size += len(chunk)
    return b"".join(parts)


def _status(status: HTTPStatus, error_type: str | None = None, message: str = "") -> web.Response:
    body = {"status": "OK"} if error_type is None else {"errorType": error_type, "errorMessage": message}
    return web.Response(status=status, body=json.dumps(body).encode(), content_type="application/json")
