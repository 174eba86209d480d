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

from proxy.outcome import RESERVED, UNAVAILABLE, Failure, broken

_ANSWER = "inputRequired"
_CAPABILITIES = ("elicitation", "sampling", "roots")


@dataclass(frozen=True, slots=True)
class Round:
    """One round of questions: what the client can be asked, and what it has answered so far."""

    modern: bool
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    responses: Mapping[str, Any] = field(default_factory=dict)
    state: str | None = None

    def event(self) -> dict[str, Any]:
        """Returns what is added to the event of a function that asks. Older clients have no capabilities."""
        said: dict[str, Any] = {"clientCapabilities": dict(self.capabilities)}
        if self.responses:
            said["inputResponses"] = dict(self.responses)
        if self.state is not None:
            said["requestState"] = self.state
        return {RESERVED: said}


def round_of(
    params: types.InputResponseRequestParams, *, version: str, capabilities: types.ClientCapabilities | None
) -> Round:
    """Reads the round from a request, whose state the SDK has unsealed: what the function gave out, or None."""
    if version not in MODERN_PROTOCOL_VERSIONS:
        return Round(modern=False)
    declared = _wire(capabilities) if capabilities is not None else {}
    return Round(
        modern=True,
        capabilities={name: declared[name] for name in _CAPABILITIES if name in declared},
        responses={name: _wire(answer) for name, answer in (params.input_responses or {}).items()},
        state=params.request_state,
    )


def asks(result: Mapping[str, Any]) -> bool:
    reserved = result.get(RESERVED)
    return isinstance(reserved, dict) and _ANSWER in reserved


def question(
    result: Mapping[str, Any], *, name: str, round_: Round, request_id: str
) -> types.InputRequiredResult | Failure:
    """Returns the function's question, or a Failure for an older client. Raises MCPError if it lacks a capability."""
    try:
        asked = types.InputRequiredResult.model_validate(result[RESERVED][_ANSWER], by_name=False)
    except ValidationError:
        return broken(name, request_id=request_id)
    if not round_.modern:
        newer = f"MCP {MODERN_PROTOCOL_VERSIONS[0]} or newer"
        return Failure(UNAVAILABLE, f"{name} has a question first, and only clients of {newer} take one.")
    missing: dict[str, dict[str, Any]] = {}
    for request in (asked.input_requests or {}).values():
        capability, part = _need(request)
        if not _declared(round_.capabilities, capability, part):
            missing.setdefault(capability, {}).update({part: {}} if part else {})
    if missing:
        words = f"{name} needs a client that declares {', '.join(sorted(missing))}."
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, words, {"requiredCapabilities": missing})
    return asked


def sealing(
    keys: Sequence[str], *, owner: Callable[[ServerRequestContext[Any, Any]], str], audience: str
) -> RequestStateBoundary:
    """Seals the state between rounds, which goes through the client, for its owner and the same request alone."""
    security = RequestStateSecurity(keys=keys or (secrets.token_hex(),), bind_principal=owner)
    return RequestStateBoundary(security, default_audience=audience)


def _need(request: types.InputRequest) -> tuple[str, str | None]:
    """Returns the client capability that a question needs, and which part of it."""
    match request:
        case types.ElicitRequest(params=types.ElicitRequestURLParams()):
            return "elicitation", "url"
        case types.ElicitRequest():
            return "elicitation", "form"
        case types.CreateMessageRequest(params=params):
            return "sampling", "tools" if params.tools else None
        case _:
            return "roots", None


def _declared(capabilities: Mapping[str, Any], capability: str, part: str | None) -> bool:
    if (parts := capabilities.get(capability)) is None:
        return False
    # Elicitation without a mode means forms.
    return part is None or part in parts or (part == "form" and not parts)


def _wire(value: Any) -> Any:
    return value.model_dump(by_alias=True, mode="json", exclude_none=True)
