"""What a caller gets when the function, not the request, is at fault: Lambda's own error payloads."""

import json
import signal

from local.lambda_api.limits import MAX_RESPONSE_BYTES


def fault(error_type: str, message: str) -> bytes:
    return json.dumps({"errorType": error_type, "errorMessage": message}).encode()


def timed_out(request_id: str, *, seconds: float) -> bytes:
    message = f"RequestId: {request_id} Error: Task timed out after {seconds:.2f} seconds"
    return fault("Sandbox.Timedout", message)


def init_timed_out(request_id: str, *, seconds: float) -> bytes:
    message = f"RequestId: {request_id} Error: Initialization timed out after {seconds:.2f} seconds"
    return fault("Sandbox.Timedout", message)


def exited(request_id: str, *, returncode: int) -> bytes:
    return fault("Runtime.ExitError", f"RequestId: {request_id} Error: {exit_reason(returncode)}")


def response_too_large() -> bytes:
    message = f"Response payload size exceeded maximum allowed payload size ({MAX_RESPONSE_BYTES} bytes)."
    return fault("Function.ResponseSizeTooLarge", message)


def exit_reason(returncode: int) -> str:
    """Lambda's wording; a negative `returncode` is the signal that ended the process."""
    if returncode == 0:
        return "Runtime exited without providing a reason"
    if returncode > 0:
        return f"Runtime exited with error: exit status {returncode}"
    # Some systems append the number ("Killed: 9"); Lambda's wording has none.
    name = (signal.strsignal(-returncode) or f"signal {-returncode}").partition(":")[0]
    return f"Runtime exited with error: signal: {name.lower()}"
