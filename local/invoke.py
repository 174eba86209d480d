"""Calls a function of the running stack, as its own callers would."""

import json
from typing import Any

from local.failure import LocalError
from local.stack import Stack


def invoke(stack: Stack, function: str, event: dict[str, Any], *, seconds: int = 300) -> dict[str, Any]:
    """The function's result. Raises LocalError with its message when it failed."""
    client = stack.client("lambda", read_timeout=seconds, retries={"total_max_attempts": 1})
    answer = client.invoke(FunctionName=f"quarry-{function}:live", Payload=json.dumps(event).encode())
    result: dict[str, Any] = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        raise LocalError(f"{function} failed: {result.get('errorType')}: {result.get('errorMessage')}")
    if result.get("error") is True:
        raise LocalError(f"{function}: {result['message']}")
    return result
