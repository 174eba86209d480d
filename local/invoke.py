"""Calls a function of the running stack, as its own callers would."""

import json
import time
from typing import Any

from local.failure import LocalError
from local.stack import Stack


def invoke(stack: Stack, function: str, event: dict[str, Any], *, seconds: int = 300) -> dict[str, Any]:
    """The function's result; a throttled call never ran, so it is repeated. Raises LocalError when it failed."""
    client = stack.client("lambda", read_timeout=seconds, retries={"total_max_attempts": 1})
    deadline = time.monotonic() + seconds
    while True:
        try:
            answer = client.invoke(FunctionName=f"quarry-{function}:live", Payload=json.dumps(event).encode())
            break
        except client.exceptions.TooManyRequestsException:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    result: dict[str, Any] = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        raise LocalError(f"{function} failed: {result.get('errorType')}: {result.get('errorMessage')}")
    if result.get("error") is True:
        raise LocalError(f"{function}: {result['message']}")
    return result
