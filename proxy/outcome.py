"""What became of a call: a function's result, or a failure the caller can act on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field, ValidationError

UNAVAILABLE = "UNAVAILABLE"
INTERNAL_ERROR = "INTERNAL_ERROR"
VALIDATION_ERROR = "VALIDATION_ERROR"

RESERVED = "_mcp"
"""Key of an answer, and of the event of a tool that asks, for what MCP says beside the data."""


@dataclass(frozen=True, slots=True)
class Success:
    """The result object as the function returned it."""

    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """Text for the model that called: `code` from the tool contract, and what to change or try."""

    code: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    retryable: bool = False


Outcome = Success | Failure


class _ExpectedFailure(BaseModel):
    code: str = Field(min_length=1, max_length=64)
    message: str
    details: dict[str, Any] | None = None
    retryable: bool = False


def outcome_of(answer: object, *, tool: str, request_id: str) -> Outcome:
    """Read a function's decoded answer by the tool contract."""
    if not isinstance(answer, dict):
        return broken(tool, request_id=request_id)
    if answer.get("error") is not True:
        return Success(answer)
    try:
        failure = _ExpectedFailure.model_validate(answer)
    except ValidationError:
        return broken(tool, request_id=request_id)
    return Failure(failure.code, failure.message, details=failure.details or {}, retryable=failure.retryable)


def broken(tool: str, *, request_id: str) -> Failure:
    """The function failed in a way nobody planned; its log has the rest."""
    return Failure(INTERNAL_ERROR, f"{tool} failed; request id {request_id}.")


def oversized(tool: str, *, most: int) -> Failure:
    """The function ran; its result is beyond the bound."""
    return Failure(INTERNAL_ERROR, f"{tool} ran, but its result exceeds {most:,} bytes; ask for less.")


def unsure(tool: str, what: str, *, repeatable: bool, request_id: str) -> Failure:
    """The request went out and no answer came; for a tool that writes, nobody knows whether it wrote."""
    advice = "It may be retried." if repeatable else "Its outcome is unknown: check before you repeat it."
    message = f"{tool} {what}; request id {request_id}. {advice}"
    return Failure(UNAVAILABLE, message, retryable=repeatable)


def timed_out(tool: str, *, seconds: float, repeatable: bool, request_id: str) -> Failure:
    """No answer in time."""
    return unsure(tool, f"timed out after {seconds:g} s", repeatable=repeatable, request_id=request_id)


def not_run(tool: str, reason: str, *, request_id: str) -> Failure:
    """The function was never started, so a retry is safe for any tool."""
    message = f"{tool} was not run: {reason}; request id {request_id}. It may be retried."
    return Failure(UNAVAILABLE, message, retryable=True)
