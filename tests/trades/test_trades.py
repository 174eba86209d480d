"""One trade that is none of the sample's, asked as needs of real Postgres with real embeddings."""

import pytest

from local.stack import Database
from tests.trades.__main__ import answered
from tests.trades.baseline import PlainJudge
from tests.trades.figures import ALL, Outcome, figures, plainly, shortfalls, table
from tests.trades.loading import TRADES, trade_deployment
from tests.trades.requests import Judged, read_requests

VALVES = TRADES / "valves"


def everyday() -> list[Judged]:
    return [one for one in read_requests(VALVES) if one.request.of == "everyday"]


@pytest.mark.slow
def test_everyday_needs_of_another_trade_do_as_well_as_held(postgres: Database, embeddings_url: str) -> None:
    with (
        trade_deployment(postgres, embeddings_url, VALVES) as deployment,
        deployment.serving("quarry_read"),
    ):
        found = figures([Outcome(one, answered(one, way="needs")) for one in everyday()])
    below = shortfalls(found[ALL], "valves, everyday needs")
    assert not below, "\n".join([*below, "", table(found)])


def test_the_plain_judge_understands_needs_so_that_it_is_worth_comparing_with() -> None:
    judge = PlainJudge(VALVES)
    found = figures([Outcome(one, plainly(judge, one.request.tool, one.request)) for one in everyday()])
    assert (found[ALL]["p1"] or 0) > 0.95
