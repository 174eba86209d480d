"""The judged contexts, what find_related answers to each, and the figures that must hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from mcp import Client

from local.corpus_loader import CORPUS
from operations.reading import read
from quarry.ingestion import Accepted
from stories.find_related import handler
from stories.ingestion import STORIES
from tests.deployment import Deployment, invoke

CASES = Path(__file__).parent / "cases"
FLOORS = {True: 0.85, False: 0.95}
"""Least P@1 of contexts about something, least share of empty answers to those about nothing."""


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    split: str
    form: str
    about: tuple[str, ...]
    context: str


@dataclass(frozen=True, slots=True)
class Outcome:
    case: Case
    areas: tuple[tuple[str, float], ...]
    """Sections that came, best first, each with the evidence of its best story."""

    @property
    def right(self) -> bool:
        if not self.case.about:
            return not self.areas
        return bool(self.areas) and self.areas[0][0] in self.case.about

    def line(self) -> str:
        came = ", ".join(f"{section} {evidence:.2f}" for section, evidence in self.areas[:3]) or "nothing"
        return f"{self.case.split} {self.case.id}: {came}; right: {', '.join(self.case.about) or 'nothing'}"


def read_cases() -> list[Case]:
    return [
        Case(item["id"], split, item["form"], tuple(item["about"]), item["context"])
        for split in ("tune", "check")
        for item in yaml.safe_load((CASES / f"{split}.yaml").read_text("utf-8"))
    ]


def put_sample_stories(deployment: Deployment) -> None:
    with (CORPUS / "stories/stories.csv").open("rb") as file:
        found = list(read(file, STORIES, file_name="stories.csv"))
    deployment.put(STORIES, [item.row.model_dump() for item in found if isinstance(item, Accepted)])
    deployment.embed()


def outcomes(cases: Sequence[Case]) -> list[Outcome]:
    return [Outcome(case, _areas(invoke(handler, {"context": case.context}))) for case in cases]


async def outcomes_over_mcp(cases: Sequence[Case], *, url: str, mode: str) -> list[Outcome]:
    """As a client of one era gets them from an endpoint with the sample stories."""
    async with Client(url, mode=mode) as client:
        answers = [await client.call_tool("find_related", {"context": case.context}) for case in cases]
    return [Outcome(case, _areas(answer.structured_content)) for case, answer in zip(cases, answers, strict=True)]


def _areas(answer: Any) -> tuple[tuple[str, float], ...]:
    assert answer is not None, "an error"
    assert "error" not in answer, answer
    return tuple((area["section_key"], area["stories"][0]["evidence"]) for area in answer["areas"])


def share(found: Sequence[Outcome], *, split: str | None, something: bool) -> float:
    """The share answered rightly of the contexts about something, or of those about nothing."""
    asked = [one.right for one in found if split in (None, one.case.split) and bool(one.case.about) == something]
    return sum(asked) / len(asked) if asked else 1.0


def meets_floors(found: Sequence[Outcome]) -> bool:
    return all(share(found, split=None, something=something) >= least for something, least in FLOORS.items())
