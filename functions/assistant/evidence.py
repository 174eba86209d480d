"""The searches of a run: each is recorded with the documents it found, and worded as the model reads it."""

import json
from dataclasses import dataclass, field
from typing import Any, Protocol

from assistant.knowledge_base import Passage, SearchFailed
from assistant.scratchpad import Task

SHOWN_TO_MODEL = 6_000
"""Characters of one document in a search result."""


@dataclass(frozen=True, slots=True)
class Search:
    """``error`` is why it failed, else None; ``task_id`` where the agent searched by itself for a task."""

    query: str
    task_id: int | None
    doc_ids: tuple[int, ...]
    error: str | None


@dataclass(slots=True)
class EvidenceLog:
    searches: list[Search] = field(default_factory=list)
    passages: dict[int, Passage] = field(default_factory=dict)

    @property
    def searched(self) -> bool:
        """Whether at least one search worked, even if it found nothing."""
        return any(search.error is None for search in self.searches)

    def record(self, query: str, found: list[Passage], *, task_id: int | None) -> None:
        self.searches.append(Search(query, task_id, tuple(passage.doc_id for passage in found), None))
        for passage in found:
            held = self.passages.get(passage.doc_id)
            if held is None or (passage.score or 0) > (held.score or 0):
                self.passages[passage.doc_id] = passage

    def record_failure(self, query: str, reason: str, *, task_id: int | None) -> None:
        self.searches.append(Search(query, task_id, (), reason))


def for_model(query: str, found: list[Passage], *, task_id: int | None) -> dict[str, Any]:
    """What a search result looks like to the model."""
    results = [
        {
            "doc_id": passage.doc_id,
            "title": passage.title,
            "content": passage.content[:SHOWN_TO_MODEL],
            "score": passage.score,
            "confidence": passage.confidence,
        }
        for passage in found
    ]
    shown: dict[str, Any] = {"query": query, "results": results}
    if task_id is not None:
        shown["task_id"] = task_id
    return shown if found else {**shown, "note": "No document was found."}


TOP_K = 3


class Knowledge(Protocol):
    async def search(self, query: str, *, top_k: int) -> list[Passage]: ...


@dataclass(frozen=True, slots=True)
class Searcher:
    knowledge: Knowledge
    evidence: EvidenceLog

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
            found = await self.knowledge.search(query, top_k=top_k)
        except SearchFailed as failure:
            self.evidence.record_failure(query, failure.reason, task_id=task_id)
            raise
        self.evidence.record(query, found, task_id=task_id)
        return json.dumps(for_model(query, found, task_id=task_id), ensure_ascii=False)


def _failed(failure: SearchFailed) -> str:
    return f"The search failed: {failure.reason}"
