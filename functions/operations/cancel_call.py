"""cancel_call: notes that the client of a call went away, so that a tool that runs long can stop."""

from typing import Any

from quarry.tool import cancellation
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import operate


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Which call is the client context's request_id: a caller can give up only what it asked for itself."""
    cancellation.note(caller.tenant, request_id=caller.request_id[:200])
    return {"cancelled": caller.request_id}


handler = operate("cancel_call", run)
