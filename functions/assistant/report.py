"""Turns a run into what the caller gets: an answer, a partial one, or a failure, and how it was reached."""

import re
from typing import Any, Literal

from pydantic import Field

from assistant.agent import AgentRun
from quarry.tool.contract import Part
from quarry.tool.errors import Unavailable


class Source(Part):
    doc_id: int = Field(description="The document's number.")
    title: str | None = Field(description="Title, where it has one.")
    content: str = Field(description="Its text, at most 2,000 characters.")
    score: float | None = Field(description="Best cosine similarity that a search found it with.")
    confidence: str | None = Field(description="The search's verdict: likely_good, analog or probable_miss.")
    cited: bool = Field(description="Whether the answer names it.")


class AgentTask(Part):
    id: int = Field(description="Number of the task.")
    description: str = Field(description="What was to be found out.")
    status: Literal["pending", "running", "complete", "blocked"] = Field(
        description="running: searched, not completed; blocked: its search, or that of a task it needs, failed."
    )
    depends_on: list[int] = Field(description="Tasks whose results it waits for.")
    result: str | None = Field(description="What was found; null until complete.")


class Tokens(Part):
    prompt: int = Field(description="Tokens sent to the chat model, over all turns.")
    completion: int = Field(description="Tokens it wrote.")
    total: int = Field(description="Both together.")
    estimated: bool = Field(description="True when the provider did not count and this is an estimate.")


CITED = re.compile(r"\[docs?\b([^\]]{0,200}+)\]", re.IGNORECASE)
"""Documents as the model is asked to name them: [doc 4], [docs 4, 7 and 10]."""

LONGEST_SOURCE = 2_000
LONGEST_LINE = 100
MOST_LISTED = 10


def refuse_empty_run(run: AgentRun) -> None:
    """Raises Unavailable where something failed and no part of an answer exists."""
    if run.scratchpad.final_answer is not None or run.scratchpad.completed() or run.evidence.passages:
        return
    if run.failure is not None:
        raise Unavailable(
            f"The chat model failed: {run.failure.reason}. "
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
    """The final answer, or what complete tasks hold, or why there is none and which documents were found."""
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
    """complete: there is an answer, and every task was searched at least."""
    finished = all(run.scratchpad.status(task) in ("complete", "running") for task in run.scratchpad.tasks.values())
    return "complete" if run.scratchpad.final_answer is not None and finished else "partial"


def warnings_of(run: AgentRun) -> list[str]:
    found = list(run.warnings)
    answer = run.scratchpad.final_answer
    graph, passages = tasks_of(run), run.evidence.passages
    if unfinished := [task.id for task in graph if task.status != "complete"]:
        found.append(f"Tasks not completed: {', '.join(map(str, unfinished))}.")
    if failed := [search for search in run.evidence.searches if search.error is not None]:
        found.append(f"{len(failed)} of {len(run.evidence.searches)} searches failed: {failed[-1].error}.")
    if answer is not None and (invented := sorted(cited(run) - passages.keys())):
        found.append(f"The answer names documents that no search returned: {', '.join(map(str, invented))}.")
    if answer is not None and not passages:
        found.append("No document was found, so the answer rests on none.")
    return found


def cited(run: AgentRun) -> set[int]:
    """Numbers of the documents that the answer relies on, as finish says them or the answer names them."""
    named = {int(number) for group in CITED.findall(answer_of(run)) for number in re.findall(r"\d{1,9}", group)}
    return named | run.scratchpad.relied_on


def sources_of(run: AgentRun) -> list[Source]:
    """Cited documents first, otherwise in the order they were found."""
    named = cited(run)
    sources = [
        Source(**{**passage.model_dump(), "content": passage.content[:LONGEST_SOURCE]}, cited=passage.doc_id in named)
        for passage in run.evidence.passages.values()
    ]
    return sorted(sources, key=lambda source: not source.cited)


def tasks_of(run: AgentRun) -> list[AgentTask]:
    return [AgentTask.model_validate(task) for task in run.scratchpad.as_dict()["tasks"]]


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
