"""The two hottest requests, tools/call and an unpaged list, answered past the SDK's transport exactly as by it.

`Shortcut.attempt` is the one entrance. The SDK decides what a request means: only one that its own validators pass,
in the plainest of shapes, is recognised here. Everything else, whatever is odd about it, takes the SDK's path and
gets the SDK's answer. Both paths share `ToolCalls`, the cached lists and the telemetry, and a differential test holds
them together.
"""

import json
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS, MCP_METHOD_HEADER, MCP_NAME_HEADER, MCP_PROTOCOL_VERSION_HEADER
from mcp_types import methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from pydantic_core import from_json, to_json
from starlette.requests import Request
from starlette.responses import Response

from proxy.calls import ToolCalls
from proxy.catalog import View
from proxy.outcome import Failure, WireResult, call_result, plain_success
from proxy.runtime import Runtime
from proxy.server import SCOPE_KEY, UNPAGED_LISTS, Addressed, caller_of, contained
from proxy.telemetry import TOOL_ERROR, Operation, parent_of

_VERSION, _METHOD, _NAME = (
    name.encode() for name in (MCP_PROTOCOL_VERSION_HEADER, MCP_METHOD_HEADER, MCP_NAME_HEADER)
)
_OK = 200
_CALL = "tools/call"
_CALL_PARAMS = frozenset({"name", "arguments", "_meta"})
_MOST_ID_CHARS = 128
_INTEGERS = 2**53

Headers = Mapping[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Asked:
    """A recognised request."""

    id: int | str
    method: str
    params: dict[str, Any]
    version: str

    @property
    def modern(self) -> bool:
        return self.version in MODERN_PROTOCOL_VERSIONS


def recognise(headers: Headers, body: bytes) -> Asked | None:
    """The request, or None for whatever the SDK should look at itself. ``headers`` must hold no name twice."""
    if headers.get(b"content-type") != b"application/json" or b"mcp-session-id" in headers:
        return None
    version = headers.get(_VERSION, types.DEFAULT_NEGOTIATED_VERSION.encode()).decode("latin-1")
    if version in MODERN_PROTOCOL_VERSIONS:
        modern = True
    elif version in HANDSHAKE_PROTOCOL_VERSIONS:
        modern = False
    else:
        return None
    try:
        # Each era's transport has its own parser, and they differ in what they take for JSON.
        message = json.loads(body) if modern else from_json(body)
    except (ValueError, RecursionError):
        return None
    match message:
        case {"jsonrpc": "2.0", "id": int() | str() as number, "method": str() as method, **rest}:
            params = rest.pop("params", {})
        case _:
            return None
    if rest or not isinstance(params, dict) or not _plain_id(number):
        return None
    if not (_call(params) if method == _CALL else method in UNPAGED_LISTS and params.keys() <= {"_meta"}):
        return None
    if not (_agrees(headers, method, params, version) if modern else _plain_meta(params)):
        return None
    try:
        methods.validate_client_request(method, version, params)
    except (ValidationError, KeyError):
        return None
    return Asked(number, method, params, version)


def _plain_id(number: int | str) -> bool:
    if isinstance(number, str):
        return number.isascii() and len(number) <= _MOST_ID_CHARS
    return not isinstance(number, bool) and abs(number) < _INTEGERS


def _call(params: dict[str, Any]) -> bool:
    return (
        params.keys() <= _CALL_PARAMS
        and isinstance(params.get("name"), str)
        and isinstance(params.get("arguments", {}), dict)
    )


def _plain_meta(params: dict[str, Any]) -> bool:
    meta = params.get("_meta", {})
    return isinstance(meta, dict) and "progressToken" not in meta


def _agrees(headers: Headers, method: str, params: dict[str, Any], version: str) -> bool:
    """Whether the headers say what the body says, letter by letter, and the envelope is there."""
    meta = params.get("_meta")
    return (
        isinstance(meta, dict)
        and "progressToken" not in meta
        and meta.get(types.PROTOCOL_VERSION_META_KEY) == version
        and types.CLIENT_CAPABILITIES_META_KEY in meta
        and headers.get(_METHOD) == method.encode()
        and (method != _CALL or headers.get(_NAME, b"").decode("latin-1") == params["name"])
    )


class Shortcut:
    """The short cut of one running proxy."""

    def __init__(self, runtime: Runtime, *, calls: ToolCalls, server_info: Mapping[str, Any]) -> None:
        self._calls = calls
        self._catalog = runtime.catalog
        self._telemetry = runtime.telemetry
        self._stamp = {"_meta": {types.SERVER_INFO_META_KEY: server_info}}
        self._rest = b',"resultType":"complete",' + to_json(self._stamp)[1:]

    def attempt(self, request: Request, body: bytes) -> Coroutine[Any, Any, Response] | None:
        """The work of answering the request, or None where the SDK is to answer it.

        That is decided before anything is invoked, for afterwards there is no way back to the SDK.
        """
        pairs: list[tuple[bytes, bytes]] = request.scope["headers"]
        headers = dict(pairs)
        if len(headers) != len(pairs) or (asked := recognise(headers, body)) is None:
            return None
        addressed: Addressed = request.scope[SCOPE_KEY]
        return self._answer(asked, addressed, request) if self._serves(asked, addressed.view) else None

    def _serves(self, asked: Asked, view: View) -> bool:
        if asked.method != _CALL:
            return (asked.method, asked.version) in view.listings
        name = asked.params["name"]
        return name in view.tools and not view.tools[name].asks and name not in self._catalog.header_schemas

    async def _answer(self, asked: Asked, addressed: Addressed, request: Request) -> Response:
        parent = parent_of(asked.params.get("_meta") or {}, request.headers)
        try:
            with self._telemetry.operation(
                asked.method, asked.params, version=asked.version, request_id=asked.id, parent=parent
            ) as operation:
                if asked.method == _CALL:
                    result = await contained(self._call(asked, addressed, operation))
                else:
                    result = to_json(addressed.view.listings[asked.method, asked.version])
        except MCPError as error:
            return _refusal(asked, error)
        number = json.dumps(asked.id).encode()
        return _json_response(b'{"jsonrpc":"2.0","id":' + number + b',"result":' + result + b"}")

    async def _call(self, asked: Asked, addressed: Addressed, operation: Operation) -> bytes:
        name, params = asked.params["name"], asked.params
        caller = caller_of(addressed.principal)
        outcome = await self._calls.outcome(name, params.get("arguments") or {}, view=addressed.view, caller=caller)
        if isinstance(outcome, Failure):
            operation.error = TOOL_ERROR
        if (plain := plain_success(outcome)) is not None:
            return plain + (self._rest if asked.modern else b"}")
        return to_json(self._shaped(call_result(outcome, tool=name, request_id=caller.request_id), asked))

    def _shaped(self, result: WireResult, asked: Asked) -> WireResult:
        """The result as the SDK shapes it for the client's version."""
        try:
            shaped = methods.serialize_server_result(_CALL, asked.version, result)
        except ValidationError:
            raise MCPError(types.INTERNAL_ERROR, "Handler returned an invalid result") from None
        if not asked.modern:
            return shaped
        return {**shaped, "_meta": {**shaped.get("_meta", {}), **self._stamp["_meta"]}}


def _refusal(asked: Asked, error: MCPError) -> Response:
    """A protocol error in each era's spelling: the newer leaves out what is null, the older what was not given."""
    message = types.JSONRPCError(jsonrpc="2.0", id=asked.id, error=error.error)
    status = ERROR_CODE_HTTP_STATUS.get(error.error.code, _OK) if asked.modern else _OK
    body = message.model_dump_json(by_alias=True, exclude_none=asked.modern, exclude_unset=not asked.modern)
    return _json_response(body.encode(), status=status)


def _json_response(body: bytes, *, status: int = _OK) -> Response:
    return Response(body, status, media_type="application/json")
