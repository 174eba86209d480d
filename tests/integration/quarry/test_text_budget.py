"""A text leg that may not read everything: what it returns is scored exactly, and the best is not missed."""

import random
from collections.abc import Iterator

import pytest
from psycopg.sql import SQL

from quarry.corpora import PRODUCTS
from quarry.data import database
from quarry.retrieval import legs
from quarry.retrieval.condition import Condition
from quarry.retrieval.search import POOL
from tests.deployment import Deployment
from tests.sample_rows import product

TENANT = "wordy"
MODELS = SQL("SELECT id, model FROM equipment.products WHERE tenant = %(tenant)s")
ROWS = 1500
COMMON = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
type Scores = dict[str, tuple[float, float]]
QUERIES = ("alpha beta", "alpha beta gamma delta", "rare7 alpha zeta", "epsilon", "rare3", "unheard alpha")


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    chance = random.Random(1)
    texts = [
        " ".join([*chance.sample(COMMON, k=chance.randint(1, 5)), f"rare{n % 300}", "filler " * chance.randint(0, 9)])
        for n in range(ROWS)
    ]
    deployment.put_products(*(product(f"W{n}", description=text) for n, text in enumerate(texts)), tenant=TENANT)
    with deployment.serving("quarry_read"):
        yield


def found(query: str, *, budget: int, least: int = 0, exact_up_to: int = legs.EXACT_UP_TO) -> Scores:
    """(score, coverage) by model of the ten best from the model W<least> on; no row of this tenant has a vector."""
    numbered = Condition("substring(d.model FROM 2)::integer >= %(least)s", {"least": least})
    condition = numbered if least else Condition()
    rows = database.fetch(
        TENANT,
        legs.text_leg(PRODUCTS, condition=condition, exact=False, budget=budget),
        {
            **condition.parameters,
            "tenant": TENANT,
            "query": query,
            "pool": POOL,
            "limit": 10,
            "exact_up_to": exact_up_to,
            "search": "of this test",
        },
    )
    by_doc = models()
    return {by_doc[row["doc"]]: (row["raw"], row["coverage"]) for row in rows[:10]}


def models() -> dict[int, str]:
    rows = database.fetch(TENANT, MODELS, {"tenant": TENANT})
    return {row["id"]: row["model"] for row in rows}


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    ("least", "exact_up_to"), [(0, legs.EXACT_UP_TO), (600, legs.EXACT_UP_TO), (600, 0), (1450, 0)]
)
def test_scores_are_exact_and_the_best_are_nearly_as_good(query: str, least: int, exact_up_to: int) -> None:
    everything, little = (
        found(query, budget=budget, least=least, exact_up_to=exact_up_to) for budget in (10**9, 600)
    )
    for model in little.keys() & everything.keys():
        assert little[model] == pytest.approx(everything[model])
    assert total(little) >= 0.8 * total(everything)


def total(rows: Scores) -> float:
    return sum(score for score, _ in rows.values())


@pytest.mark.parametrize("others", ["", "alpha", "beta gamma epsilon"])
def test_rows_with_a_rare_term_are_never_missed(others: str) -> None:
    bearers = {f"W{n}" for n in range(7, ROWS, 300)}
    assert bearers <= found(f"rare7 {others}", budget=600).keys()


def test_a_filter_holds_whatever_is_read() -> None:
    assert set(found("alpha beta", budget=400, least=1490)) <= {f"W{n}" for n in range(1490, ROWS)}
