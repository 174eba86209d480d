"""The judged set on real Postgres with real embeddings, held against the floors of tests/trades."""

import pytest

from tests.deployment import Deployment
from tests.trade.asking import RECORDED, as_recorded, outcomes_of, put_sample
from tests.trade.cases import FOLDER, HELD_OUT, PLAIN, read_cases
from tests.trade.rows import read_corpus
from tests.trades.figures import ALL, figures, shortfalls, table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sample(deployment: Deployment) -> Deployment:
    put_sample(deployment)
    return deployment


def test_needs_as_models_filled_them_do_as_well_as_they_are_held_to(sample: Deployment) -> None:
    how = as_recorded(sorted(RECORDED.glob("*.jsonl")))
    with sample.serving("quarry_read"):
        found = figures(outcomes_of(read_cases(HELD_OUT), read_corpus(), how=how))
    below = shortfalls(found[ALL], "sample, recorded needs")
    assert not below, "\n".join([*below, "", table(found)])


def test_everyday_texts_do_as_well_as_they_are_held_to(sample: Deployment) -> None:
    cases = [case for folder in (FOLDER, HELD_OUT) for case in read_cases(folder) if case.everyday]
    with sample.serving("quarry_read"):
        found = figures(outcomes_of(cases, read_corpus()))
    below = shortfalls(found[PLAIN], "sample, everyday text")
    assert not below, "\n".join([*below, "", table(found)])
