"""The sample corpus in a deployment, and its judged cases asked of the search tools, as text or as needs."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from local.corpus_loader import CORPUS, SAMPLE
from tests.deployment import Deployment, new_deployment
from tests.servers import new_embeddings, new_postgres
from tests.trade.cases import Case, judged
from tests.trade.rows import Corpus
from tests.trades import asking
from tests.trades.asking import Answer, Asked
from tests.trades.baseline import PlainJudge
from tests.trades.figures import DEPTH, Outcome, plainly
from tests.trades.loading import embed, put_file

SEARCHED = ("families", "units", "attributes", "products", "past_quotes", "line_items", "vocabulary", "equivalents")
RECORDED = Path(__file__).parent / "needs"
Ask = Callable[[Case], Asked | None]
"""What a case is asked as; None where that cannot say it."""


def put_sample(deployment: Deployment, *, kinds: Collection[str] = SEARCHED) -> None:
    """The kinds that searches read, with what they need before them and their vectors."""
    declared = {"families", "units", "attributes", *kinds}
    for kind, name in ((kind, name) for kind, name in SAMPLE if kind in declared):
        put_file(deployment, CORPUS / name, kind=kind)
    embed(deployment)


@contextmanager
def sample_deployment() -> Iterator[Deployment]:
    """One of its own, for the command; tests share theirs."""
    with new_postgres() as postgres, new_embeddings() as url, new_deployment(postgres, url) as deployment:
        put_sample(deployment)
        yield deployment


def as_text(case: Case) -> Asked:
    return Asked(query=case.ask)


def as_recorded(paths: Iterable[Path]) -> Ask:
    """What models that saw tools, attributes and requests alone passed: JSON lines with the id of a case each."""
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    recorded = {row["id"]: Asked.model_validate(row) for row in rows}
    return lambda case: recorded.get(case.id)


def outcomes_of(cases: Sequence[Case], corpus: Corpus, *, how: Ask = as_text, depth: int = DEPTH) -> list[Outcome]:
    """Of the cases that ``how`` can say. Within `Deployment.serving`."""
    said = [(case, how(case)) for case in cases]
    return [
        Outcome(judged(case, corpus), ask(case, asked=asked, depth=depth))
        for case, asked in said
        if asked is not None
    ]


def ask(case: Case, *, asked: Asked | None = None, depth: int = DEPTH) -> Answer:
    """Within `Deployment.serving`; as text where nothing else is said."""
    sent = (asked or as_text(case)).arguments()
    return asking.ask(case.tool, {**sent, **case.given}, depth=depth)


def plain_outcomes(cases: Sequence[Case], corpus: Corpus, *, how: Ask) -> list[Outcome]:
    """What the plain judge answers to the same needs, on the same files."""
    judge = PlainJudge(CORPUS)
    said = [(case, how(case)) for case in cases]
    return [
        Outcome(judged(case, corpus), plainly(judge, case.tool, asked)) for case, asked in said if asked is not None
    ]
