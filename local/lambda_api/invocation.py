"""One invocation and its outcome, Lambda's words for a function that failed, and the Invoke API's errors."""

import asyncio
import json
import signal
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the function answered."""

    payload: bytes
    is_error: bool


@dataclass(slots=True, eq=False)
class Invocation:
    """A call whose caller waits for `outcome`."""

    request_id: str
    payload: bytes
    arn: str
    version: str
    trace_id: str
    client_context: str | None = None
    outcome: asyncio.Future[Outcome] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    patience: asyncio.TimerHandle | None = None

    def resolve(self, outcome: Outcome) -> None:
        # The waiting handler may have been cancelled by a shutdown; the function's work is done all the same.
        if not self.outcome.done():
            self.outcome.set_result(outcome)

    def refuse(self, error: Exception) -> None:
        if not self.outcome.done():
            self.outcome.set_exception(error)

    def stop_waiting(self) -> None:
        if self.patience is not None:
            self.patience.cancel()
            self.patience = None


def fault(error_type: str, message: str) -> bytes:
    return json.dumps({"errorType": error_type, "errorMessage": message}).encode()


def timed_out(request_id: str, *, seconds: float, what: str = "Task") -> bytes:
    message = f"RequestId: {request_id} Error: {what} timed out after {seconds:.2f} seconds"
    return fault("Sandbox.Timedout", message)


def exited(request_id: str, *, returncode: int) -> bytes:
    return fault("Runtime.ExitError", f"RequestId: {request_id} Error: {exit_reason(returncode)}")


def exit_reason(returncode: int) -> str:
    """Lambda's wording; a negative `returncode` is the signal that ended the process."""
    if returncode == 0:
        return "Runtime exited without providing a reason"
    if returncode > 0:
        return f"Runtime exited with error: exit status {returncode}"
    # Some systems append the number ("Killed: 9"); Lambda's wording has none.
    name = (signal.strsignal(-returncode) or f"signal {-returncode}").partition(":")[0]
    return f"Runtime exited with error: signal: {name.lower()}"


class ApiError(Exception):
    """An answer other than success, as botocore reads it; ``kind`` is the name of AWS's exception."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind

    def response(self, request_id: str) -> web.Response:
        headers = {"X-Amzn-RequestId": request_id, "x-amzn-ErrorType": self.kind}
        return web.json_response({"message": str(self)}, status=self.status, headers=headers)


class TooManyRequests(ApiError):
    def __init__(self) -> None:
        super().__init__(429, "TooManyRequestsException", "Rate Exceeded.")
