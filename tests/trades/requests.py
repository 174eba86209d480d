"""A trade's judged requests as data: what is asked, as needs and as text, and what each row is worth for it."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import yaml
from pydantic import ConfigDict, Field

from tests.trades.asking import Asked, Tool

RIGHT = 2
"""The lowest grade that answers a request."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """2 and more right, 1 close, 0 wrong; ``reasons`` say why not, where the judge knows."""

    grade: int
    contradicts: bool = False
    reasons: tuple[str, ...] = ()


UNJUDGED = Judgement(0)


class Request(Asked):
    """``contradicts`` are rows, or "rest": all that stand in no list."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ask: str
    tool: Tool
    of: str = Field(alias="class")
    kind: str
    style: str = ""
    right: Sequence[str]
    close: Sequence[str] = ()
    unknown: Sequence[str] = ()
    contradicts: Sequence[str] | Literal["rest"] = ()


@dataclass(frozen=True)
class Judged:
    request: Request
    families: Mapping[str, str]
    """Of all rows that the tool may answer, by key; "" where a row has none."""

    @property
    def title(self) -> str:
        return f"{self.request.of} {self.request.kind} · {self.request.tool}: {self.request.ask}"

    @property
    def kind(self) -> str:
        return f"{self.request.of}: {self.request.kind}"

    @property
    def groups(self) -> list[str]:
        return [self.request.of, f"all of {self.request.tool}"]

    @cached_property
    def judgements(self) -> Mapping[str, Judgement]:
        return {key: self._judgement(key) for key in self.families}

    def _judgement(self, key: str) -> Judgement:
        asked = self.request
        if key in asked.right:
            return Judgement(RIGHT)
        if key in asked.close:
            return Judgement(1)
        foreign = asked.family is not None and self.families[key] not in ("", asked.family)
        if key in asked.unknown and not foreign:
            return Judgement(0, reasons=("unknown",))
        denied = asked.contradicts == "rest" or key in asked.contradicts
        return Judgement(0, contradicts=True) if foreign or denied else UNJUDGED

    @property
    def grades(self) -> Mapping[str, float]:
        return {key: float(one.grade) for key, one in self.judgements.items() if one.grade}

    @property
    def best(self) -> int:
        return int(max(self.grades.values(), default=0))


def read_requests(folder: Path) -> list[Judged]:
    keys = families_by_key(folder)
    found = [Request.model_validate(one) for one in yaml.safe_load((folder / "requests.yaml").read_text("utf-8"))]
    return [Judged(request, keys[request.tool]) for request in found]


def families_by_key(folder: Path) -> dict[Tool, dict[str, str]]:
    lines = json_lines(folder / "line_items.jsonl")
    return {
        "search_equipment": {row["model"]: row["family"] for row in table(folder / "products.csv")},
        "search_line_items": {f"{row['quote_number']}/{row['position']}": str(row["family"] or "") for row in lines},
        "search_past_quotes": {str(row["quote_number"]): "" for row in json_lines(folder / "past_quotes.jsonl")},
    }


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def json_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
