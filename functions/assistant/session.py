"""One run from its connections to its end: bounded in time, and whatever breaks is reported."""

import asyncio
from collections.abc import Callable
from functools import partial

import httpx2
from mcp import MCPError

from assistant.agent import Agent, AgentRun
from assistant.chat import Provider, open_chat
from assistant.knowledge_base import KnowledgeServer, TokenRefused, connect
from quarry.tool.errors import Unavailable

SHARE_TO_FINISH = 0.3
"""Of the time that a run has: the last part is kept for its answer."""


async def work(
    run: AgentRun,
    *,
    provider: Provider,
    server: KnowledgeServer,
    seconds: float,
    traceparent: str,
) -> None:
    """Fills ``run``. Raises Unavailable when the knowledge server cannot be reached at all."""
    try:
        async with asyncio.timeout(seconds) as clock:
            hurry = partial(_nearly_over, clock, seconds=seconds)
            await _connected(run, provider, server, traceparent=traceparent, hurry=hurry)
    except TimeoutError:
        if not clock.expired():
            raise
        run.warnings.append(f"Stopped: the time budget of {seconds:g} seconds is used up.")


def _nearly_over(clock: asyncio.Timeout, *, seconds: float) -> bool:
    return (clock.when() or 0) - asyncio.get_running_loop().time() < SHARE_TO_FINISH * seconds


async def _connected(
    run: AgentRun, provider: Provider, server: KnowledgeServer, *, traceparent: str, hurry: Callable[[], bool]
) -> None:
    reached = False
    try:
        async with connect(server, traceparent=traceparent) as knowledge, open_chat(provider) as model:
            reached = True
            await Agent(run, model=model, knowledge=knowledge, hurry=hurry).work()
    except TokenRefused as refused:
        raise Unavailable(
            "The knowledge server at KNOWLEDGE_MCP_URL refuses the token it was shown, or asks for one: the secret "
            "that KNOWLEDGE_MCP_SECRET_ID names, a JSON object of tokens by tenant, needs a good one for this tenant."
        ) from refused
    except ExceptionGroup as group:
        broken, other = group.split((httpx2.HTTPError, MCPError, httpx2.InvalidURL))
        if broken is None or other is not None:
            raise
        reason = _first(broken)
        if not reached:
            raise Unavailable(
                f"The knowledge server cannot be reached at KNOWLEDGE_MCP_URL ({reason}).", retryable=True
            ) from group
        if run.scratchpad.final_answer is None:
            run.lost = reason
            run.warnings.append(f"Stopped: the connection to the knowledge server broke ({reason}).")


def _first(group: ExceptionGroup[Exception]) -> str:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, ExceptionGroup) else f"{type(error).__name__}: {str(error)[:200]}"
