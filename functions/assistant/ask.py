"""ask: a question in, an answer from the documents out, by an agent whose run is bounded in time."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Literal

import httpx2
from mcp import MCPError
from pydantic import Field

from assistant import report
from assistant.agent import Agent, AgentRun, Meter
from assistant.chat import Provider, chat_provider, open_chat
from assistant.knowledge_base import AgentSearch, KnowledgeServer, TokenRefused, connect, knowledge_server
from assistant.report import AgentTask, Source, Tokens
from assistant.scratchpad import Scratchpad
from quarry.data.settings import settings
from quarry.tool.contract import Args, Result, Tool
from quarry.tool.errors import Unavailable
from quarry.tool.identity import Caller
from quarry.tool.runtime import logger, serve

SHARE_TO_FINISH = 0.3
"""Of the time that a run has: the last part is kept for its answer."""

TOOL = Tool(
    name="ask",
    title="Ask the documents",
    description=(
        "Answers a question from the tenant's documents: an agent splits it into tasks, searches, in parallel where "
        "it can, and puts the findings together with their sources. For questions that need several facts; for one "
        "fact a search is faster. It calls a language model, takes up to two minutes and costs tokens."
    ),
    toolset="assistant",
    read_only=True,
    destructive=False,
    # The same question costs tokens again and may be answered in other words, by a model elsewhere.
    idempotent=False,
    open_world=True,
)


class AskArgs(Args):
    question: str = Field(min_length=1, max_length=4000, description="The question, in full sentences.")


class AskResult(Result):
    answer: str = Field(description="The answer; documents it rests on are named as [doc 4].")
    status: Literal["complete", "partial"] = Field(
        description="partial: a limit, a refusal or a failure ended the run, or tasks were never searched."
    )
    warnings: list[str] = Field(description="What the reader should know about this answer; else empty.")
    sources: list[Source] = Field(description="Documents that were found on the way, those the answer names first.")
    tasks: list[AgentTask] = Field(description="The task graph as it was at the end.")
    searches: list[AgentSearch] = Field(description="Every search, in the order they came back.")
    turns: int = Field(description="Turns of the model, at most 10.")
    tokens: Tokens = Field(description="What the run cost.")


def run(args: AskArgs, caller: Caller) -> AskResult:
    configuration = settings()
    provider = chat_provider(configuration)
    server = knowledge_server(configuration, tenant=caller.tenant)
    state = AgentRun(Scratchpad(args.question), Meter(configuration.ask_token_budget))
    work = bounded(
        state,
        provider=provider,
        server=server,
        seconds=configuration.ask_seconds,
        traceparent=caller.traceparent,
    )
    asyncio.run(work)
    tokens = report.tokens_of(state)
    logger("ask").info(
        "agent_run", extra={"request_id": caller.request_id, "turns": state.turns, "tokens": tokens.total}
    )
    report.refuse_empty_run(state)
    return AskResult(
        answer=report.answer_of(state),
        status=report.status_of(state),
        warnings=report.warnings_of(state),
        sources=report.sources_of(state),
        tasks=report.tasks_of(state),
        searches=state.evidence.searches,
        turns=state.turns,
        tokens=tokens,
    )


async def bounded(
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


handler = serve(TOOL, AskArgs, run)
