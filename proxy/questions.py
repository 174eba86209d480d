"""Questions: what a function needs from the client's user before it can answer, in rounds without a session."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from proxy.outcome import RESERVED, UNAVAILABLE, Failure

_ANSWER = "inputRequired"
# Capability that a client must declare for each kind of question.
_NEEDED: Mapping[str, str] = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}


@dataclass(frozen=True, slots=True)
class Round:
    """What the client can be asked, and what it has said so far."""

    modern: bool
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    responses: Mapping[str, Any] = field(default_factory=dict)
    state: str | None = None

    def event(self) -> dict[str, Any]:
        """For the function, under its reserved key; older clients have no way to be asked and so no capabilities."""
        said: dict[str, Any] = {"clientCapabilities": dict(self.capabilities)}
        if self.responses:
            said["inputResponses"] = dict(self.responses)
        if self.state is not None:
            said["requestState"] = self.state
        return {RESERVED: said}


def round_of(
    params: types.InputResponseRequestParams, *, version: str, capabilities: types.ClientCapabilities | None
) -> Round:
    """The state has been unsealed by the SDK's boundary: it is what the function gave out, or none."""
    if version not in MODERN_PROTOCOL_VERSIONS:
        return Round(modern=False)
    declared = _wire(capabilities) if capabilities is not None else {}
    return Round(
        modern=True,
        capabilities={name: declared[name] for name in _NEEDED.values() if name in declared},
        responses={name: _wire(answer) for name, answer in (params.input_responses or {}).items()},
        state=params.request_state,
    )


def asks(result: Mapping[str, Any]) -> bool:
    """Whether a function's answer is a question."""
    reserved = result.get(RESERVED)
    return isinstance(reserved, dict) and _ANSWER in reserved


def question(
    result: Mapping[str, Any], *, name: str, round_: Round, request_id: str
) -> types.InputRequiredResult | Failure:
    """The function's question, for a client that can answer it; MCPError for one that did not declare it can."""
    try:
        asked = types.InputRequiredResult.model_validate(result[RESERVED][_ANSWER], by_name=False)
    except ValidationError:
        return Failure("INTERNAL_ERROR", f"{name} failed; request id {request_id}.")
    if not round_.modern:
        words = (
            f"{name} has a question first, and only clients of MCP {MODERN_PROTOCOL_VERSIONS[0]} or newer take one."
        )
        return Failure(UNAVAILABLE, words)
    wanted = {_NEEDED[request.method] for request in (asked.input_requests or {}).values()}
    if missing := sorted(wanted - round_.capabilities.keys()):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            f"{name} needs the client capability {', '.join(missing)}.",
            {"requiredCapabilities": {capability: {} for capability in missing}},
        )
    return asked


def sealing(
    keys: Sequence[str], *, owner: Callable[[ServerRequestContext[Any, Any]], str], audience: str
) -> RequestStateBoundary:
    """What a function keeps between rounds goes through the client: sealed, for its owner and the same request only."""
    security = RequestStateSecurity(keys=keys or (secrets.token_hex(),), bind_principal=owner)
    return RequestStateBoundary(security, default_audience=audience)


def _wire(value: Any) -> Any:
    return value.model_dump(by_alias=True, mode="json", exclude_none=True)
