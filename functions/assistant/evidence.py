"""Every search of a run and every document it found."""

import re
from dataclasses import dataclass, field
from typing import Any

from assistant.knowledge_base import Passage

SHOWN_TO_MODEL = 6_000
"""Characters of one document in a search result."""

CITATION = re.compile(r"\bdocs?\.?\s*#?((?:\d+(?:\s*(?:,|and|&)\s*(?:docs?\.?\s*#?)?)?)+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Search:
    """``error`` is why it failed, else None; ``task_id`` where the agent searched by itself for a task."""

    query: str
    task_id: int | None
    doc_ids: tuple[int, ...]
    error: str | None


@dataclass(slots=True)
class Evidence:
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


def cited(answer: str) -> set[int]:
    """Numbers of the documents that an answer names, as in [doc 4] or [docs 4, 7]."""
    return {int(number) for group in CITATION.findall(answer) for number in re.findall(r"\d{1,9}", group)}


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
