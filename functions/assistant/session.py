"""One run from its connections to its end: bounded in time, and whatever breaks is reported."""

import asyncio

import httpx2
from mcp import MCPError

from assistant.agent import Agent, Run
from assistant.chat import open_chat
from assistant.configuration import KnowledgeServer, Provider
from assistant.knowledge_base import connect
from quarry.errors import Unavailable


async def work(run: Run, *, provider: Provider, server: KnowledgeServer, seconds: float, traceparent: str) -> None:
    """Fills ``run``. Raises Unavailable when the knowledge server cannot be reached at all."""
    try:
        async with asyncio.timeout(seconds) as clock:
            await _connected(run, provider, server, traceparent=traceparent)
    except TimeoutError:
        if not clock.expired():
            raise
        run.warnings.append(f"Stopped: the time budget of {seconds:g} seconds is used up.")


async def _connected(run: Run, provider: Provider, server: KnowledgeServer, *, traceparent: str) -> None:
    reached = False
    try:
        async with connect(server, traceparent=traceparent) as knowledge, open_chat(provider) as model:
            reached = True
            await Agent(run, model=model, knowledge=knowledge).work()
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
