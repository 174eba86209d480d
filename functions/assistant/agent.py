"""The loop of one run: dispatch what can run, ask the model, do what it calls for, until it is finished."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from assistant.chat import Call, ProviderFailed, Reply
from assistant.evidence import Evidence
from assistant.limits import MOST_TURNS, Meter
from assistant.prompt import system_prompt
from assistant.scratchpad import Scratchpad
from assistant.searching import Knowledge, Searcher
from assistant.turn import SEARCH_FIRST, perform

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam

SAID_NOTHING = "That was empty. Call one of the functions."


class Model(Protocol):
    async def reply(self, messages: "Sequence[ChatCompletionMessageParam]", *, most_tokens: int) -> Reply: ...


@dataclass(slots=True)
class Run:
    """All that a run has come to; it is complete once the scratchpad has a final answer."""

    scratchpad: Scratchpad
    meter: Meter
    evidence: Evidence = field(default_factory=Evidence)
    warnings: list[str] = field(default_factory=list)
    turns: int = 0
    failure: ProviderFailed | None = None
    lost: str | None = None
    """Why the connection to the knowledge server broke, or None."""


class Agent:
    def __init__(self, run: Run, *, model: Model, knowledge: Knowledge) -> None:
        self._run = run
        self._model = model
        self._searcher = Searcher(knowledge, evidence=run.evidence)
        self._history: list[ChatCompletionMessageParam] = [{"role": "user", "content": run.scratchpad.question}]

    async def work(self) -> None:
        """Never raises for anything that the model, its provider or the knowledge server does."""
        run = self._run
        while run.scratchpad.final_answer is None:
            if run.turns == MOST_TURNS:
                run.warnings.append(f"Stopped after {MOST_TURNS} turns without a final answer.")
                return
            run.turns += 1
            await self._dispatch()
            reply = await self._ask()
            if reply is None:
                return
            if not reply.calls:
                self._take_plain_text(reply)
                continue
            results = await perform(reply.calls, pad=run.scratchpad, searcher=self._searcher)
            self._remember(reply.text, reply.calls, results)

    async def _dispatch(self) -> None:
        """Searches for all runnable tasks at once. A single one is left to the model, which words it better."""
        tasks = self._run.scratchpad.runnable()
        if len(tasks) < 2:
            return
        results = await asyncio.gather(*(self._searcher.for_task(task) for task in tasks))
        # The results reach the model as those of calls of its own, so that they count as data.
        calls = [
            Call(f"dispatch_{self._run.turns}_{task.id}", "search_knowledge", json.dumps({"query": task.description}))
            for task in tasks
        ]
        self._remember("", calls, results)

    async def _ask(self) -> Reply | None:
        """None when the run cannot go on."""
        run = self._run
        prompt = system_prompt(run.scratchpad, turn=run.turns, of=MOST_TURNS)
        messages: list[ChatCompletionMessageParam] = [{"role": "system", "content": prompt}, *self._history]
        room = run.meter.room(messages)
        if not room:
            run.warnings.append(f"Stopped: the budget of {run.meter.budget} tokens is used up.")
            return None
        try:
            reply = await self._model.reply(messages, most_tokens=room)
        except ProviderFailed as failure:
            run.failure = failure
            run.warnings.append(f"Stopped: the chat model failed: {failure.reason}.")
            return None
        run.meter.count(messages, reply)
        return reply

    def _take_plain_text(self, reply: Reply) -> None:
        """Plain text is the answer, unless nothing was searched: then it can only be prior knowledge."""
        if reply.text and self._searcher.succeeded:
            self._run.scratchpad.final_answer = reply.text
            if reply.cut:
                self._run.warnings.append("The model's answer was cut short by its provider.")
            return
        if reply.text:
            self._history.append({"role": "assistant", "content": reply.text})
        self._history.append({"role": "user", "content": SEARCH_FIRST if reply.text else SAID_NOTHING})

    def _remember(self, text: str, calls: Sequence[Call], results: Sequence[str]) -> None:
        self._history.append(
            {
                "role": "assistant",
                "content": text or None,
                "tool_calls": [
                    {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                    for call in calls
                ],
            }
        )
        for call, result in zip(calls, results, strict=True):
            self._history.append({"role": "tool", "tool_call_id": call.id, "content": result})
