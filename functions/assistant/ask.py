"""ask: a question in, an answer from the documents out, by an agent that plans, searches and puts together."""

import asyncio
from typing import Literal

from pydantic import Field

from assistant import report, session
from assistant.agent import AgentRun, Meter
from assistant.chat import chat_provider
from assistant.knowledge_base import knowledge_server
from assistant.report import AgentSearch, AgentTask, Source, Tokens
from assistant.scratchpad import Scratchpad
from quarry.data.settings import settings
from quarry.tool.contract import Args, Result, Tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import logger, serve

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
    work = session.work(
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
        searches=report.searches_of(state),
        turns=state.turns,
        tokens=tokens,
    )


handler = serve(TOOL, AskArgs, run)
