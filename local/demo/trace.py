"""The record of every tool call a draft rests on, and the summary table made from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from local.demo.results import LineItemHit, ProductHit, QuoteHit, Search, shown

Status = Literal[
    "used verbatim",
    "used with review",
    "used for specs",
    "context only",
    "not used",
    "no match",
    "degraded",
    "failed",
]
HEADER = "| section | tool and query | source | score | confidence | status |\n|---|---|---|---|---|---|"


def shown_score(score: float | None) -> str:
    return "–" if score is None else f"{score:.2f}"


@dataclass
class Row:
    section: str
    tool: str
    arguments: Mapping[str, object]
    source: str = "–"
    score: float | None = None
    confidence: str | None = None
    status: Status = "not used"

    def used(
        self, *, hit: ProductHit | LineItemHit | QuoteHit | None = None, source: str = "", status: Status
    ) -> None:
        if hit:
            self.source, self.score, self.confidence = hit.source, hit.score, hit.confidence
        self.source = source or self.source
        # That a search ran on words alone outweighs what its hit was used for.
        if self.status != "degraded":
            self.status = status

    def answered[H: (ProductHit, LineItemHit, QuoteHit)](self, search: Search[H]) -> None:
        if search.degraded:
            self.status = "degraded"
        elif not search.results:
            self.status = "no match"
        if search.results:
            best = search.results[0]
            self.source, self.score, self.confidence = best.source, best.score, best.confidence

    def __str__(self) -> str:
        query = ", ".join(f"{name}={shown(value)}" for name, value in self.arguments.items())
        cells = (
            self.section,
            f"`{self.tool}` {query}",
            self.source,
            shown_score(self.score),
            self.confidence or "–",
            self.status,
        )
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


@dataclass
class Trace:
    rows: list[Row] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def open(self, section: str, *, tool: str, arguments: Mapping[str, object]) -> Row:
        row = Row(section, tool, arguments)
        self.rows.append(row)
        return row

    def table(self) -> str:
        return "\n".join([HEADER, *map(str, self.rows)])
