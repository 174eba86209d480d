"""The judged set on real Postgres with real embeddings, held against figures.toml."""

from tests.trade.figures import figures, outcomes_of, shortfalls, table
from tests.trade.floors import read_floors

from tests.deployment import Deployment
from tests.trade.asking import put_sample
from tests.trade.cases import read_cases
from tests.trade.rows import read_corpus


def test_no_class_of_trade_queries_does_worse_than_its_figures(deployment: Deployment) -> None:
    put_sample(deployment)
    with deployment.serving("quarry_read"):
        found = figures(outcomes_of(read_cases(), read_corpus()))
    below = shortfalls(found, read_floors())
    assert not below, "\n".join([*below, "", table(found)])
