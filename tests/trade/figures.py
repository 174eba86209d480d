"""What the answers to judged cases are worth, per class and in all, and the table of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.judging import ndcg
from tests.trade.asking import Answer, Hit, ask
from tests.trade.cases import RIGHT, Case, Judged, judged
from tests.trade.judge import Judgement
from tests.trade.rows import Corpus

DEPTH = 10
ALL = "all"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case with its answer; only the first ten hits count."""

    judged: Judged
    answer: Answer

    @property
    def shown(self) -> list[tuple[Hit, Judgement]]:
        return [(hit, self.judged.judgements[hit.key]) for hit in self.answer.hits[:DEPTH]]

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
        """Of a request that nothing satisfies: empty with a reason, or nothing but probable misses.

        Where something is close, that much may be shown as an analog.
        """
        if not self.answer.hits:
            return bool(self.answer.notice)
        return all(
            hit.confidence == "probable_miss" or (hit.confidence == "analog" and judgement.grade == 1)
            for hit, judgement in self.shown
        )


@dataclass(frozen=True, slots=True)
class Figure:
    """``least`` says whether more is better; ``of`` gives a number in [0, 1] for each case or hit that counts."""

    name: str
    title: str
    least: bool
    of: Callable[[Sequence[Outcome]], list[float]]


def outcomes_of(cases: Sequence[Case], corpus: Corpus, *, depth: int = DEPTH, explain: bool = False) -> list[Outcome]:
    """Within `Deployment.serving`."""
    return [Outcome(judged(case, corpus), ask(case, depth=depth, explain=explain)) for case in cases]


def _cases(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those to which some row is an answer; where it is but close, an empty answer with its reason is one too."""
    return [one for one in outcomes if one.satisfiable or (one.judged.best and (one.answer.hits or one.unexplained))]


def _right_first(outcomes: Sequence[Outcome]) -> list[str | None]:
    """The labels of first hits that are right."""
    return [one.shown[0][0].confidence for one in outcomes if one.satisfiable and one.first_right]


def _said_good(outcomes: Sequence[Outcome]) -> list[float]:
    return [
        float(judgement.grade >= RIGHT)
        for one in outcomes
        for hit, judgement in one.shown
        if hit.confidence == "likely_good"
    ]


def _labelled(label: str) -> Callable[[Sequence[Outcome]], list[float]]:
    return lambda outcomes: [float(found == label) for found in _right_first(outcomes)]


def _of_cases(worth: Callable[[Outcome], float]) -> Callable[[Sequence[Outcome]], list[float]]:
    return lambda outcomes: [float(worth(one)) for one in _cases(outcomes)]


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
    """By class, then by tool (`all of search_equipment`), `all` last; None where no case counts."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.judged.case.of, []).append(outcome)
    for outcome in sorted(outcomes, key=lambda one: one.judged.case.tool):
        groups.setdefault(f"{ALL} of {outcome.judged.case.tool}", []).append(outcome)
    return {name: _of(members) for name, members in [*groups.items(), (ALL, list(outcomes))]}


def _of(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    values = {figure.name: figure.of(outcomes) for figure in FIGURES}
    shares = {name: sum(value) / len(value) if value else None for name, value in values.items()}
    return {"queries": float(len(outcomes)), **shares}


def table(found: Mapping[str, Figures]) -> str:
    """In Markdown, with the confidence figures beside the ranking's."""
    lines = [
        "| class | queries | " + " | ".join(figure.title for figure in FIGURES) + " |",
        "|---|--:|" + "--:|" * len(FIGURES),
    ]
    for name, row in found.items():
        cells = [_cell(row[figure.name]) for figure in FIGURES]
        lines.append(f"| {name} | {row['queries']:.0f} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def shortfalls(found: Mapping[str, Figures], floors: Mapping[str, Mapping[str, float]]) -> list[str]:
    """A sentence for every figure that is worse than its floor."""
    said = []
    for name, held in floors.items():
        for figure in (figure for figure in FIGURES if figure.name in held):
            value, floor = found.get(name, {}).get(figure.name), held[figure.name]
            if value is not None and (value < floor if figure.least else value > floor):
                bound = "at least" if figure.least else "at most"
                said.append(f"{name}: {figure.title} is {value:.3f}, to be {bound} {floor:.3f}")
    return said
