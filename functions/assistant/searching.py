"""The searches of a run: each recorded as evidence, and worded as the model reads its result."""

import json
from typing import Protocol

from assistant.evidence import Evidence, for_model
from assistant.knowledge_base import Passage, SearchFailed
from assistant.scratchpad import Task

TOP_K = 3


class Knowledge(Protocol):
    async def search(self, query: str, *, top_k: int) -> list[Passage]: ...


class Searcher:
    def __init__(self, knowledge: Knowledge, *, evidence: Evidence) -> None:
        self._knowledge = knowledge
        self._evidence = evidence

    @property
    def succeeded(self) -> bool:
        return self._evidence.searched

    async def for_task(self, task: Task) -> str:
        """By the task's description; a failure blocks the task."""
        task.running = True
        try:
            return await self._search(task.description, TOP_K, task_id=task.id)
        except SearchFailed as failure:
            task.failed, task.running = True, False
            return _failed(failure)

    async def for_model(self, query: str, *, top_k: int) -> str:
        try:
            return await self._search(query, top_k, task_id=None)
        except SearchFailed as failure:
            return _failed(failure)

    async def _search(self, query: str, top_k: int, *, task_id: int | None) -> str:
        try:
            found = await self._knowledge.search(query, top_k=top_k)
        except SearchFailed as failure:
            self._evidence.record_failure(query, failure.reason, task_id=task_id)
            raise
        self._evidence.record(query, found, task_id=task_id)
        return json.dumps(for_model(query, found, task_id=task_id), ensure_ascii=False)


def _failed(failure: SearchFailed) -> str:
    return f"The search failed: {failure.reason}"
