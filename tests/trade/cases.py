"""The cases as data: cases/*.yaml, one class of questions a file, and the grade of every row for each."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from tests.trade.judge import Needs, judge, passes
from tests.trade.rows import Corpus, Row
from tests.trades.asking import Tool
from tests.trades.requests import RIGHT, Judgement

FOLDER = Path(__file__).parent / "cases"
HELD_OUT = Path(__file__).parent / "held_out"

PLAIN = "everyday, no date, amount, outcome, superlative"

Split = Literal["tune", "check", "fresh4", "fresh5", "everyday"]
UNSEEN: tuple[Split, ...] = ("fresh4", "fresh5", "everyday")
"""Folders of cases that strangers wrote and that nothing is learned from: splits of their own."""


OF_ARGUMENTS = frozenset(("dated", "price", "total", "status", "optional"))
"""Terms of the judge that a text says in a sentence: days, amounts, how a deal ended."""


class Case(BaseModel):
    """``needs`` or several ``items``, graded from columns; keys are named where columns cannot tell.

    Where rows are named right, those that only meet the needs are 2 at best. ``extreme`` is "most" or "least" and a
    column: of the rows that meet the needs only those with the extreme value are right, the others are close.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    of: str
    tool: Tool
    ask: str
    given: Mapping[str, Any] = Field(default={})
    needs: Needs = Field(default={})
    items: Sequence[Needs] = Field(default=())
    right: Sequence[str] = Field(default=())
    fine: Sequence[str] = Field(default=())
    close: Sequence[str] = Field(default=())
    wrong: Sequence[str] = Field(default=())
    extreme: str = ""
    unseen: Split | None = None
    everyday: bool = False

    @property
    def id(self) -> str:
        content = json.dumps([self.tool, self.ask, dict(self.given)], sort_keys=True, default=str)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    @property
    def split(self) -> Split:
        """Weights are learned on one half and reported on the other; from unseen cases nothing is learned."""
        if self.unseen:
            return self.unseen
        return "tune" if int(self.id[0], 16) % 2 else "check"

    @property
    def of_arguments(self) -> bool:
        """What the tools take as needs, filters, sort or items of their own and no longer out of a text."""
        stated = {name for needs in (self.needs, self.needs.get("not", {})) for name in needs}
        return bool(self.items or self.extreme or stated & OF_ARGUMENTS)

    @property
    def named(self) -> dict[str, Judgement]:
        grades = {3: self.right, 2: self.fine, 1: self.close}
        named = {key: Judgement(grade) for grade, keys in grades.items() for key in keys}
        return named | {key: Judgement(0, True, ("named as wrong",)) for key in self.wrong}


@dataclass(frozen=True)
class Judged:
    """A case with every row's judgement; of lines that say the same, all have the best one's where no more is asked
    than what a line says.
    """

    case: Case
    judgements: Mapping[str, Judgement]
    once: frozenset[str] = field(repr=False)
    """Keys that stand for all: one of each group of lines that say the same."""

    @cached_property
    def grades(self) -> dict[str, float]:
        return {key: float(self.judgements[key].grade) for key in self.once if self.judgements[key].grade}

    @property
    def best(self) -> int:
        return int(max(self.grades.values(), default=0))

    @property
    def title(self) -> str:
        given = f" {dict(self.case.given)}" if self.case.given else ""
        return f"{self.case.id} {self.case.split} {self.case.of} · {self.case.tool}: {self.case.ask}{given}"

    @property
    def kind(self) -> str:
        return self.case.of

    @property
    def groups(self) -> list[str]:
        everyday = ("everyday", *(() if self.case.of_arguments else (PLAIN,))) if self.case.everyday else ()
        return [*everyday, f"all of {self.case.tool}"]


def read_cases(folder: Path = FOLDER) -> list[Case]:
    found = []
    for path in sorted(folder.rglob("*.yaml")):
        unseen = next((split for split in UNSEEN if path.parent.name == split), None)
        for one in yaml.safe_load_all(path.read_text("utf-8")):
            everyday = unseen == "everyday" or path.name.startswith("everyday")
            shared = {"of": one["class"], "tool": one.get("tool"), "unseen": unseen, "everyday": everyday}
            found += [Case.model_validate({**shared, **case}) for case in one["cases"]]
    return found


def judged(case: Case, corpus: Corpus) -> Judged:
    rows = corpus.rows[case.tool]
    named = case.named
    if strangers := set(named) - set(rows):
        raise ValueError(f"{case.of}: {case.ask!r} names rows that the corpus lacks: {sorted(strangers)}")
    single = {key: named.get(key) or _of_row(row, case) for key, row in rows.items()}
    if case.extreme:
        single = _extremes(single, rows, case.extreme)
    groups: dict[str, list[str]] = {}
    apart = _is_about_a_sale(case)
    for key, row in rows.items():
        said = f"{row.words} {single[key].grade}" if apart else row.words
        groups.setdefault(said if case.tool == "search_line_items" else key, []).append(key)
    shared, once = {}, set()
    for keys in groups.values():
        best = max((single[key] for key in keys), key=lambda one: (one.grade, not one.contradicts))
        shared.update(dict.fromkeys(keys, best))
        once.add(keys[0])
    return Judged(case, shared, frozenset(once))


OF_A_SALE = frozenset(
    ("customer", "industry", "salesperson", "status", "contact", "project", "dated", "price", "total", "quote")
)
"""Needs that one line meets and another of the same words does not."""


def _is_about_a_sale(case: Case) -> bool:
    wanted = [*case.items, case.needs]
    named = {name for needs in wanted for name in (*needs, *needs.get("not", ()), *needs.get("wishes", ()))}
    return (
        bool(case.extreme)
        or bool(named & OF_A_SALE)
        or bool({"customer", "status", "date_from", "date_to"} & set(case.given))
    )


def _extremes(found: Mapping[str, Judgement], rows: Mapping[str, Row], extreme: str) -> dict[str, Judgement]:
    """Prices are compared in dollars only: what stands in another currency is close at most."""
    direction, column = extreme.split()
    values: dict[str, Any] = {key: _value(rows[key], column) for key, one in found.items() if one.grade >= RIGHT}
    have = [value for value in values.values() if value is not None]
    best = (max if direction == "most" else min)(have, default=None)
    others = {key for key, value in values.items() if value != best or best is None}
    return {
        key: replace(one, grade=1, reasons=(*one.reasons, f"not the {extreme}")) if key in others else one
        for key, one in found.items()
    }


def _value(row: Row, column: str) -> float | str | None:
    if column == "quote_date":
        return row.string(column) or None
    if column.endswith("_price") and row.string("currency") not in ("", "USD"):
        return None
    return row.number(column)


def _of_row(row: Row, case: Case) -> Judgement:
    if not passes(row, case.given):
        return Judgement(0, True, ("left out by a filter",))
    wanted = list(case.items) or ([case.needs] if case.needs else [])
    found = [judge(row, needs) for needs in wanted]
    best = max(found, key=lambda one: (one.grade, not one.contradicts), default=Judgement(0))
    return replace(best, grade=min(best.grade, RIGHT)) if case.right else best
