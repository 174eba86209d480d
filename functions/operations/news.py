"""news: how far a call is that runs long, as the front tells a client that waits for it."""

from typing import Any

from quarry.tool import progress
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import operate


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Of the call with the client context's request id; None where it has said nothing."""
    return {"said": progress.last(caller.tenant, request_id=caller.request_id)}


handler = operate("news", run, repeat=True)
