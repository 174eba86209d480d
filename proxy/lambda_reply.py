"""Reads what the Invoke API answers: service errors and function errors."""

import re
from dataclasses import dataclass

from pydantic import BaseModel, Field, ValidationError

from proxy.outcome import (
    INTERNAL_ERROR,
    UNAVAILABLE,
    VALIDATION_ERROR,
    Failure,
    broken,
    not_run,
    timed_out,
    unsure,
)

_OK = 200
_NOT_FOUND = 404
_TOO_LARGE = 413
_THROTTLED = 429
_SERVER_ERROR = 500
_TIMED_OUT = re.compile(r"Task timed out after ([0-9.]+) seconds")


@dataclass(frozen=True, slots=True)
class Function:
    """A function to call. `repeatable`: a second run does no harm."""

    name: str
    timeout_s: float
    repeatable: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """`body` is None where it was larger than allowed."""

    status: int
    function_error: bool
    error_type: str
    body: bytes | None


class _Raised(BaseModel):
    error_type: str = Field("", alias="errorType")
    error_message: str = Field("", alias="errorMessage")


def failure_of(reply: Reply, *, function: Function, request_id: str) -> Failure | None:
    """None where the function answered. Nothing the service or the function wrote is passed on."""
    if reply.status == _OK:
        return _function_error(reply, function=function, request_id=request_id)
    tool = function.name
    if reply.status == _NOT_FOUND:
        return Failure(UNAVAILABLE, f"{tool} is not deployed; request id {request_id}.")
    if reply.status == _TOO_LARGE:
        return Failure(VALIDATION_ERROR, f"The arguments of {tool} are too large; send less at once.")
    if reply.status == _THROTTLED:
        return not_run(tool, "it is throttled", request_id=request_id)
    if reply.status >= _SERVER_ERROR:
        what = "met an error of the function service"
        return unsure(tool, what, repeatable=function.repeatable, request_id=request_id)
    # 400, 403 and the like: the proxy's own configuration or permissions.
    return Failure(INTERNAL_ERROR, f"{tool} could not be invoked; request id {request_id}.")


def crashed(reply: Reply) -> bool:
    """Whether the function's process ended under the call: killed, out of memory, or of itself."""
    return reply.function_error and _raised(reply).error_type == "Runtime.ExitError"


def _raised(reply: Reply) -> _Raised:
    """What the runtime says of a function error; empty where it cannot be read."""
    try:
        return _Raised.model_validate_json(reply.body or b"{}")
    except ValidationError:
        return _Raised()


def _function_error(reply: Reply, *, function: Function, request_id: str) -> Failure | None:
    if not reply.function_error:
        return None
    raised = _raised(reply)
    stated = _TIMED_OUT.search(raised.error_message)
    if stated or raised.error_type == "Sandbox.Timedout":
        seconds = float(stated[1]) if stated else function.timeout_s
        return timed_out(function.name, seconds=seconds, repeatable=function.repeatable, request_id=request_id)
    return broken(function.name, request_id=request_id)
