"""ask: answers a question from the documents by an agent whose run is bounded in time."""

import asyncio
import re
from typing import Any, Literal

import httpx2
from mcp import MCPError
from pydantic import Field

from assistant.agent import Agent, AgentRun, Meter
from assistant.chat import ChatModel, chat_model
from assistant.knowledge_base import (
    SHOWN_TO_MODEL,
    AgentSearch,
    KnowledgeServer,
    TokenRefused,
    connect,
    knowledge_server,
)
from assistant.scratchpad import AgentTask, Scratchpad
from quarry.data.settings import settings
from quarry.tool.contract import Args, Part, Result, Tool
from quarry.tool.errors import Unavailable
from quarry.tool.identity import Caller
from quarry.tool.runtime import logger, serve


class Source(Part):
    doc_id: int = Field(description="The document's number.")
    title: str | None = Field(description="Title, where it has one.")
    content: str = Field(description="Its text, as far as the model read it; of one not cited 2,000 characters.")
    score: float | None = Field(description="Best cosine similarity that a search found it with.")
    confidence: str | None = Field(description="The search's verdict: likely_good, analog or probable_miss.")
    cited: bool = Field(description="Whether the answer names it.")


class Tokens(Part):
    prompt: int = Field(description="Tokens sent to the chat model, over all turns.")
    completion: int = Field(description="Tokens it wrote.")
    total: int = Field(description="Both together.")
    estimated: bool = Field(description="True when the provider did not count and this is an estimate.")


CITED = re.compile(r"\[docs?\b([^\]]{0,200}+)\]", re.IGNORECASE)
"""Matches documents as the model is asked to cite them: [doc 4], [docs 4, 7 and 10]."""

LONGEST_SOURCE = 2_000
LONGEST_LINE = 100
MOST_LISTED = 10


def refuse_empty_run(run: AgentRun) -> None:
    """Raises Unavailable if something failed and there is no part of an answer."""
    if run.scratchpad.final_answer is not None or run.scratchpad.completed() or run.evidence.passages:
        return
    if run.failure is not None:
        raise Unavailable(
            f"The chat model failed: {run.failure}. "
            + ("Try again later." if run.failure.retryable else "Check the CHAT_ settings."),
            details=_spent(run),
            retryable=run.failure.retryable,
        )
    reason = run.lost
    if run.evidence.searches and not run.evidence.searched:
        reason = run.evidence.searches[-1].error
    if reason is not None:
        raise Unavailable(f"The documents could not be searched: {reason}.", details=_spent(run), retryable=True)


def answer_of(run: AgentRun) -> str:
    """Returns the final answer, else the results of complete tasks, else why there is none and what was found."""
    if run.scratchpad.final_answer is not None:
        return run.scratchpad.final_answer
    if run.refusal is not None:
        return f"The model declined to answer: {run.refusal}"
    if done := run.scratchpad.completed():
        return "\n".join(["Partial answer:", *(f"- {task.description}: {task.result}" for task in done)])
    reason = run.warnings[-1].removeprefix("Stopped: ").removeprefix("Stopped ") if run.warnings else ""
    said = f"No answer was reached: {reason}" if reason else "No answer was reached."
    best = sorted(run.evidence.passages.values(), key=lambda passage: -(passage.score or 0))[:MOST_LISTED]
    found = [f"- [doc {item.doc_id}] {item.title or item.content[:LONGEST_LINE]}" for item in best]
    return "\n".join([said, "Documents that were found, best first:", *found]) if found else said


def status_of(run: AgentRun) -> Literal["complete", "partial"]:
    """Returns complete if there is an answer and every task was at least searched, else partial."""
    finished = all(run.scratchpad.status(task) in ("complete", "running") for task in run.scratchpad.tasks.values())
    return "complete" if run.scratchpad.final_answer is not None and finished else "partial"


def warnings_of(run: AgentRun) -> list[str]:
    found = list(run.warnings)
    answer = run.scratchpad.final_answer
    passages = run.evidence.passages
    if unfinished := [task.id for task in run.scratchpad.graph() if task.status != "complete"]:
        found.append(f"Tasks not completed: {', '.join(map(str, unfinished))}.")
    if failed := [search for search in run.evidence.searches if search.error is not None]:
        found.append(f"{len(failed)} of {len(run.evidence.searches)} searches failed: {failed[-1].error}.")
    if answer is not None and (invented := sorted(cited(run) - passages.keys())):
        found.append(f"The answer names documents that no search returned: {', '.join(map(str, invented))}.")
    if answer is not None and not passages:
        found.append("No document was found, so the answer rests on none.")
    elif answer is not None and not cited(run):
        found.append("The answer names no document, so nothing tells what it rests on: hold it against the sources.")
    return found


def cited(run: AgentRun) -> set[int]:
    """Returns the numbers of the documents that the answer relies on, by the finish call or by its own citations."""
    named = {int(number) for group in CITED.findall(answer_of(run)) for number in re.findall(r"\d{1,9}", group)}
    return named | run.scratchpad.relied_on


def sources_of(run: AgentRun) -> list[Source]:
    """Returns the documents found, cited ones first and otherwise in the order in which they were found."""
    named = cited(run)
    sources = []
    for passage in run.evidence.passages.values():
        is_cited = passage.doc_id in named
        content = passage.content[: SHOWN_TO_MODEL if is_cited else LONGEST_SOURCE]
        sources.append(Source(**{**passage.model_dump(), "content": content}, cited=is_cited))
    return sorted(sources, key=lambda source: not source.cited)


def tokens_of(run: AgentRun) -> Tokens:
    meter = run.meter
    return Tokens(
        prompt=meter.prompt,
        completion=meter.completion,
        total=meter.prompt + meter.completion,
        estimated=meter.estimated,
    )


def _spent(run: AgentRun) -> dict[str, Any]:
    return {"turns": run.turns, "tokens": tokens_of(run).model_dump()}


SHARE_TO_FINISH = 0.3
"""The share of a run's time at its end that is kept for writing the answer."""

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
    # The same question costs tokens again and may be answered in other words, by a model outside this system.
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
    server = knowledge_server(configuration, tenant=caller.tenant)
    model = chat_model(configuration)
    state = AgentRun(Scratchpad(args.question), Meter(configuration.ask_token_budget))
    seconds = configuration.ask_seconds
    asyncio.run(bounded(state, model=model, server=server, seconds=seconds, traceparent=caller.traceparent))
    tokens = tokens_of(state)
    logger("ask").info(
        "agent_run", extra={"request_id": caller.request_id, "turns": state.turns, "tokens": tokens.total}
    )
    refuse_empty_run(state)
    return AskResult(
        answer=answer_of(state),
        status=status_of(state),
        warnings=warnings_of(state),
        sources=sources_of(state),
        tasks=state.scratchpad.graph(),
        searches=state.evidence.searches,
        turns=state.turns,
        tokens=tokens,
    )


async def bounded(
    run: AgentRun, *, model: ChatModel, server: KnowledgeServer, seconds: float, traceparent: str
) -> None:
    """Runs the agent on ``run`` for at most ``seconds``. Raises Unavailable if the server cannot be reached."""
    last_part, reached = asyncio.get_running_loop().time() + (1 - SHARE_TO_FINISH) * seconds, False
    try:
        async with (
            asyncio.timeout(seconds) as clock,
            connect(server, traceparent=traceparent) as knowledge,
            model.client,
        ):
            reached = True
            await Agent(run, model=model, knowledge=knowledge, last_part=last_part).work()
    except TimeoutError:
        if not clock.expired():
            raise
        run.warnings.append(f"Stopped: the time budget of {seconds:g} seconds is used up.")
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
