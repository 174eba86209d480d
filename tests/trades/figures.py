"""What the answers to judged requests are worth, per class and in all, and the table of it."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bench.judging import ndcg
from tests.trades.asking import Answer, Asked, Hit, Tool
from tests.trades.baseline import PlainJudge
from tests.trades.requests import RIGHT, UNJUDGED, Judgement

DEPTH = 10
FLOORS = Path(__file__).parent / "floors.toml"
ALL = "all"


class Judged(Protocol):
    """A request with what rows are worth for it; it counts in ``groups``, and ``best`` is the highest grade."""

    @property
    def title(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def groups(self) -> Sequence[str]: ...
    @property
    def judgements(self) -> Mapping[str, Judgement]: ...
    @property
    def grades(self) -> Mapping[str, float]: ...
    @property
    def best(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """A request with its answer; only the first ten hits count."""

    judged: Judged
    answer: Answer

    @property
    def shown(self) -> list[tuple[Hit, Judgement]]:
        return [(hit, self.judged.judgements.get(hit.key, UNJUDGED)) for hit in self.answer.hits[:DEPTH]]

    @property
    def enough(self) -> int:
        """The grade that counts as right: where nothing is, the nearest there is."""
        return min(RIGHT, self.judged.best)

    @property
    def satisfiable(self) -> bool:
        return self.judged.best >= RIGHT

    @property
    def first_right(self) -> bool:
        return bool(self.shown) and self.shown[0][1].grade >= max(1, self.enough)

    @property
    def ndcg(self) -> float:
        return ndcg([hit.key for hit, _ in self.shown], self.judged.grades, depth=DEPTH)

    @property
    def contradicted(self) -> bool:
        """A row that contradicts the request stands above the first right one, or there is none that is right."""
        for _, judgement in self.shown:
            if judgement.grade >= self.enough:
                return False
            if judgement.contradicts:
                return True
        return False

    @property
    def unexplained(self) -> bool:
        return not self.answer.hits and not self.answer.notice

    @property
    def says_so(self) -> bool:
        """Of a request that nothing satisfies: nothing with a reason, or no row that is said to be good."""
        if not self.answer.hits:
            return bool(self.answer.notice)
        return all(hit.confidence != "likely_good" for hit, _ in self.shown)

    @property
    def fails(self) -> bool:
        if not self.satisfiable:
            return not self.says_so
        return not self.first_right or self.contradicted


@dataclass(frozen=True, slots=True)
class Figure:
    """``least`` says whether more is better; ``of`` gives a number in [0, 1] for each request or hit that counts."""

    name: str
    title: str
    least: bool
    of: Callable[[Sequence[Outcome]], list[float]]


def _cases(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those to which some row is an answer; where it is but close, an empty answer with its reason is one too."""
    return [one for one in outcomes if one.satisfiable or (one.judged.best and (one.answer.hits or one.unexplained))]


def _right_first(outcomes: Sequence[Outcome]) -> list[str | None]:
    """The labels of first hits that are right."""
    return [one.shown[0][0].confidence for one in outcomes if one.satisfiable and one.first_right]


def _said_good(outcomes: Sequence[Outcome]) -> list[float]:
    """Of rows that are judged."""
    return [
        float(judgement.grade >= RIGHT)
        for one in outcomes
        for hit, judgement in one.shown
        if hit.confidence == "likely_good" and judgement is not UNJUDGED
    ]


def _labelled(label: str) -> Callable[[Sequence[Outcome]], list[float]]:
    return lambda outcomes: [float(found == label) for found in _right_first(outcomes)]


def _of_cases(worth: Callable[[Outcome], float]) -> Callable[[Sequence[Outcome]], list[float]]:
    return lambda outcomes: [float(worth(one)) for one in _cases(outcomes)]


def plainly(judge: PlainJudge, tool: Tool, asked: Asked) -> Answer:
    """The plain judge calls good what meets every need, and a miss what contradicts one."""
    ranked = judge.ranked(tool, asked.arguments())[:DEPTH]
    return Answer([Hit(key, _called(signs), signs=signs) for key, signs in ranked], None if ranked else "none")


def _called(signs: str) -> str:
    return "probable_miss" if "-" in signs else "likely_good" if set(signs) <= {"+", "w"} else "analog"


FIGURES = (
    Figure("p1", title="P@1", least=True, of=_of_cases(lambda one: one.first_right)),
    Figure("ndcg", title="nDCG@10", least=True, of=_of_cases(lambda one: one.ndcg)),
    Figure("contradicted", title="contradicted above right", least=False, of=_of_cases(lambda one: one.contradicted)),
    Figure(
        "unexplained", title="empty, no reason", least=False, of=lambda every: [float(x.unexplained) for x in every]
    ),
    Figure("good_right", title="likely_good is right", least=True, of=_said_good),
    Figure("right_good", title="right first says likely_good", least=True, of=_labelled("likely_good")),
    Figure("right_miss", title="right first says probable_miss", least=False, of=_labelled("probable_miss")),
    Figure(
        "says_so",
        title="nothing fits and says so",
        least=True,
        of=lambda every: [float(one.says_so) for one in every if not one.satisfiable],
    ),
)

Figures = Mapping[str, float | None]


def figures(outcomes: Sequence[Outcome]) -> dict[str, Figures]:
    """By group, `all` last; None where no request counts."""
    groups: dict[str, list[Outcome]] = {}
    for name, outcome in sorted(((name, one) for one in outcomes for name in one.judged.groups), key=lambda x: x[0]):
        groups.setdefault(name, []).append(outcome)
    return {name: _of(members) for name, members in [*groups.items(), (ALL, list(outcomes))]}


def _of(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    values = {figure.name: figure.of(outcomes) for figure in FIGURES}
    shares = {name: sum(value) / len(value) if value else None for name, value in values.items()}
    return {"queries": float(len(outcomes)), **shares}


def table(found: Mapping[str, Figures]) -> str:
    """In Markdown, with the confidence figures beside the ranking's."""
    lines = [
        "| class | requests | " + " | ".join(figure.title for figure in FIGURES) + " |",
        "|---|--:|" + "--:|" * len(FIGURES),
    ]
    for name, row in found.items():
        cells = [_cell(row[figure.name]) for figure in FIGURES]
        lines.append(f"| {name} | {row['queries']:.0f} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def shortfalls(found: Figures, held: str) -> list[str]:
    """A sentence for every figure that is worse than what floors.toml holds under that name."""
    floors = tomllib.loads(FLOORS.read_text("utf-8"))[held]
    said = []
    for figure in (figure for figure in FIGURES if figure.name in floors):
        value, floor = found[figure.name], floors[figure.name]
        if value is not None and (value < floor if figure.least else value > floor):
            said.append(f"{held}: {figure.title} is {value:.3f}, to be {'≥' if figure.least else '≤'} {floor:.3f}")
    return said


SHOWN = 4


def failure(outcome: Outcome) -> str:
    """The request, the first rows with grade, label and signs, and what would have been right."""
    judged, answer = outcome.judged, outcome.answer
    lines = [judged.title]
    if answer.needs or answer.unread:
        lines.append(f"  judged by: {'; '.join(answer.needs)}" + "".join(f" · unread {one}" for one in answer.unread))
    for hit, judgement in outcome.shown[:SHOWN]:
        sign = "!" if judgement.contradicts else " "
        lines.append(
            f"  {judgement.grade}{sign} {hit.key} {hit.signs} {hit.confidence} {'; '.join(judgement.reasons)}"
        )
    if not outcome.shown:
        lines.append(f"  nothing came: {answer.notice or 'no reason given'}")
    best = sorted(judged.grades, key=lambda key: -judged.grades[key])[:SHOWN]
    signs = {hit.key: hit.signs for hit in answer.hits}
    right = ", ".join(f"{key} ({judged.grades[key]:.0f}) {signs.get(key, '')}".strip() for key in best)
    return "\n".join([*lines, f"  right: {right or 'nothing'}"])
