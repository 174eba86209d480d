"""Lambda's reply, read as an outcome of the tool contract and written as the MCP result that the client gets."""

import logging
import re
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Annotated, Any

import mcp_types as types
from pydantic import BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as validated
from pydantic_core import from_json, to_json

from proxy.telemetry import log

_logger = logging.getLogger(__name__)

UNAVAILABLE = "UNAVAILABLE"
INTERNAL_ERROR = "INTERNAL_ERROR"
VALIDATION_ERROR = "VALIDATION_ERROR"

RESERVED = "_mcp"
"""Key in a function's answer, and in the event of a tool that asks questions, for MCP's fields beside the data."""

ERROR_META_KEY = "quarry/error"
"""Key in `_meta` under which a failed result has its code, message and details for programs.

They are not in structuredContent, which MCP's TypeScript SDK checks against the tool's output schema even in an
error, and then loses with the message.
"""

WireResult = dict[str, Any]

_RETRIED_STATUS = frozenset({429, 500, 502, 503, 504})
_NOT_READY = frozenset({"ResourceNotReadyException", "ResourceConflictException"})
"""Lambda's error types for a function that nobody called for weeks, while it sets up its network again."""
_PROCESS_ENDED = "Runtime.ExitError"
_COUNTED = "CallFailed"
"""Error type that a function raises for an unexpected error after its handler has logged and counted it."""
_TIMED_OUT = re.compile(r"Task timed out after ([0-9.]+) seconds")
FORGED = re.compile(r"<(?=[/|!?\w\[])|[\u0085\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?<=[|/])>")
"""Characters that could make a text look like the end of an answer or the start of a turn: openings of tags and of
chat models' turn markers, and invisible characters that end a line or change its direction."""
_BLOCKS: TypeAdapter[list[types.ContentBlock]] = TypeAdapter(list[types.ContentBlock])


@dataclass(frozen=True, slots=True)
class Function:
    """A function; ``repeatable`` if a second run is harmless, ``keyed`` if an `idempotency_key` can make it so."""

    name: str
    timeout_s: float
    repeatable: bool
    keyed: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """The Invoke API's answer. ``body`` is None where it was larger than allowed."""

    status: int
    function_error: bool
    error_type: str
    body: bytes | None

    @property
    def refused(self) -> bool:
        """Whether the service, rather than the function, said no."""
        return self.status != HTTPStatus.OK

    @property
    def died(self) -> bool:
        """Whether the function ended outside its handler: it ran out of time or memory, or could not be imported."""
        return self.function_error and _raised(self).error_type != _COUNTED

    @property
    def passing(self) -> bool:
        """Whether a retry could succeed: the service is busy or unwell, or the function's process ended."""
        if self.body is None:
            return False
        return self.status in _RETRIED_STATUS or (self.function_error and _raised(self).error_type == _PROCESS_ENDED)


@validated(frozen=True, slots=True)
class Failure:
    """An error for the calling model: ``code`` from the tool contract, and in ``message`` what to change or try."""

    code: Annotated[str, Field(min_length=1, max_length=64)]
    message: str
    details: Annotated[dict[str, Any], BeforeValidator(lambda given: {} if given is None else given)] = field(
        default_factory=dict
    )
    retryable: bool = False


_FAILURE = TypeAdapter(Failure)
Outcome = dict[str, Any] | Failure
"""The result object as the function returned it, or why there is none."""


class _Raised(BaseModel):
    error_type: str = Field("", alias="errorType")
    error_message: str = Field("", alias="errorMessage")


# From the reply to the outcome


def outcome_of(reply: Reply, *, function: Function, request_id: str, most: int) -> Outcome:
    """Reads the reply by the tool contract. The text of an unexpected failure is not passed on."""
    tool = function.name
    if reply.body is None:
        return Failure(INTERNAL_ERROR, f"{tool} ran, but its result exceeds {most:,} bytes; ask for less.")
    if reply.refused:
        return _refusal(reply, function=function, request_id=request_id)
    if reply.function_error:
        raised = _raised(reply)
        stated = _TIMED_OUT.search(raised.error_message)
        if stated or raised.error_type == "Sandbox.Timedout":
            seconds = float(stated[1]) if stated else function.timeout_s
            return timed_out(function, seconds=seconds, request_id=request_id)
        if raised.error_type == _PROCESS_ENDED:
            return unsure(function, "was cut off as its process ended", request_id=request_id)
        return broken(function.name, request_id=request_id)
    try:
        answer = from_json(reply.body, allow_inf_nan=False)
        if isinstance(answer, dict):
            return _FAILURE.validate_python(answer) if answer.get("error") is True else answer
    except ValueError:  # it is no JSON, or not what the contract has for an error
        pass
    return broken(tool, request_id=request_id)


def _refusal(reply: Reply, *, function: Function, request_id: str) -> Failure:
    tool = function.name
    if reply.status == HTTPStatus.NOT_FOUND:
        return Failure(UNAVAILABLE, f"{tool} is not deployed; request id {request_id}.")
    if reply.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return Failure(VALIDATION_ERROR, f"The arguments of {tool} are too large; send less at once.")
    if reply.status == HTTPStatus.TOO_MANY_REQUESTS:
        return not_run(tool, "it is throttled", request_id=request_id)
    if reply.error_type.partition(":")[0] in _NOT_READY:
        return not_run(tool, "it rested for weeks and is being made ready", request_id=request_id)
    if reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return unsure(function, "met an error of the function service", request_id=request_id)
    # 400, 403 and the like: the proxy's own configuration or permissions.
    return Failure(INTERNAL_ERROR, f"{tool} could not be invoked; request id {request_id}.")


def _raised(reply: Reply) -> _Raised:
    """Returns what Lambda's runtime says of a function error, with empty fields where it cannot be read."""
    try:
        return _Raised.model_validate_json(reply.body or b"{}")
    except ValidationError:
        return _Raised()


# Failures without a reply


def broken(tool: str, *, request_id: str) -> Failure:
    """Returns the failure for an unexpected error, whose cause is in the function's log alone."""
    return Failure(INTERNAL_ERROR, f"{tool} failed; request id {request_id}.")


def unsure(function: Function, what: str, *, request_id: str) -> Failure:
    """Returns the failure for a request without an answer; a tool that writes may or may not have written."""
    advice = "Its outcome is unknown: check before you repeat it."
    if function.repeatable:
        advice = "It may be retried."
    elif function.keyed:
        advice = (
            "Its outcome is unknown: repeat it with the same idempotency_key and arguments, which does it once; if "
            "you gave no key, check before you repeat it."
        )
    message = f"{function.name} {what}; request id {request_id}. {advice}"
    return Failure(UNAVAILABLE, message, retryable=function.repeatable)


def timed_out(function: Function, *, seconds: float, request_id: str) -> Failure:
    return unsure(function, f"timed out after {seconds:g} s", request_id=request_id)


def not_run(tool: str, reason: str, *, request_id: str) -> Failure:
    """The function was never started, so a retry is safe for any tool."""
    message = f"{tool} was not run: {reason}; request id {request_id}. It may be retried."
    return Failure(UNAVAILABLE, message, retryable=True)


# From the outcome to the result


def call_result(outcome: Outcome, *, tool: str, request_id: str) -> WireResult:
    """Returns the tools/call result in wire names; the SDK validates and shapes it for the client's version."""
    if isinstance(outcome, Failure):
        # A message may quote stored text, so it is kept on one line; what follows it is JSON.
        text = f"{outcome.code}: {FORGED.sub(_escaped, ' '.join(outcome.message.split()))}"
        if outcome.details:
            text += f"\ndetails: {_encoded(outcome.details).decode()}"
        if outcome.retryable:
            text += "\nretryable: true"
        return {
            "content": [{"type": "text", "text": text}],
            "isError": True,
            "resultType": "complete",
            "_meta": {ERROR_META_KEY: {"error": True, **asdict(outcome)}},
        }
    data = {name: value for name, value in outcome.items() if name != RESERVED}
    content: list[dict[str, Any]] = [{"type": "text", "text": _encoded(data).decode()}]
    if RESERVED in outcome:
        content += _extra_blocks(outcome[RESERVED], tool=tool, request_id=request_id)
    return {"content": content, "structuredContent": data, "isError": False, "resultType": "complete"}


def _encoded(data: dict[str, Any]) -> bytes:
    """Returns the data as JSON in which no text can look like anything but a text.

    No text can end JSON's quotes around it. Clients put other marks around an answer, such as tags, which a text
    could imitate: so FORGED is written in escapes, which leaves the data the same.
    """
    # A number too large for a float, such as 1e400, has been read as infinity, which JSON cannot say.
    return FORGED.sub(_escaped, to_json(data, inf_nan_mode="null").decode()).encode()


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in match[0])


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
