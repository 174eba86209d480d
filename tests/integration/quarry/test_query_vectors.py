"""Where a query's vector comes from, and what it costs in round trips."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import psycopg
import pytest

from equipment import search_equipment
from quarry import products
from quarry.data import database
from quarry.embedding import query_vectors
from quarry.retrieval import legs
from quarry.retrieval.clauses import Condition
from tests.deployment import Deployment, invoke
from tests.provider import Provider, running_provider
from tests.relay import Relay, relaying
from tests.sample_rows import PRODUCTS


@pytest.fixture(scope="module", autouse=True)
def catalogue(deployment: Deployment) -> None:
    deployment.put_products(*PRODUCTS)
    deployment.embed()


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture
def relay(deployment: Deployment, provider: Provider) -> Iterator[Relay]:
    """A warm execution environment whose database is behind the relay."""
    with (
        relaying(deployment.host, deployment.port) as relay,
        deployment.serving(DB_PORT=str(relay.port), OPENAI_BASE_URL=provider.url),
    ):
        invoke(search_equipment.handler, {"query": "warm up", "hp_min": 1})
        invoke(search_equipment.handler, {"query": "warm up"})
        yield relay


@pytest.fixture
def query() -> str:
    """One that nobody asked before."""
    return f"oilless compressor {uuid4().hex}"


def round_trips(relay: Relay, act: Callable[[], object]) -> int:
    before = relay.round_trips
    act()
    return relay.round_trips - before


def search(query: str) -> dict[str, object]:
    """One round trip finds, one reads rows, one their sales; as many hits as are asked for need no explanation."""
    return invoke(search_equipment.handler, {"query": query, "hp_min": 1, "top_k": 1})


def test_a_vector_that_postgres_has_is_looked_up_by_the_legs_themselves(
    relay: Relay, provider: Provider, query: str
) -> None:
    first = search(query)
    query_vectors.recent().clear()
    answers = []
    assert round_trips(relay, lambda: answers.append(search(query))) == 3
    assert answers == [first]
    assert provider.asked.count(query) == 1


def test_a_vector_that_the_process_has_costs_no_round_trip_of_its_own(relay: Relay, query: str) -> None:
    search(query)
    # Names are read anew once a minute, which may be now.
    assert min(round_trips(relay, lambda: search(query)) for _ in range(2)) == 3


def test_a_new_query_costs_one_round_trip_more_and_is_remembered_by_postgres(
    relay: Relay, provider: Provider, query: str
) -> None:
    assert round_trips(relay, lambda: search(query)) == 4
    query_vectors.recent().clear()
    provider.down = True
    assert "degraded" not in search(query)


def test_with_the_provider_down_what_the_words_found_is_the_answer(
    relay: Relay, provider: Provider, query: str
) -> None:
    provider.down = True
    answers = []
    assert round_trips(relay, lambda: answers.append(search(query))) == 3
    assert answers[0]["degraded"] is True
    assert answers[0]["results"]


def test_the_tenant_of_a_read_ends_with_it(deployment: Deployment) -> None:
    with deployment.serving():
        invoke(search_equipment.handler, {"query": "oilless"})
        [row] = database.session().connection.execute("SELECT quarry.current_tenant() AS tenant")
    assert row["tenant"] is None


def test_a_vector_is_not_kept_when_the_search_after_it_failed(
    deployment: Deployment, provider: Provider, query: str
) -> None:
    failing = Condition("1 / (%(vector)s::vector IS NULL)::integer = 1")
    with deployment.serving(OPENAI_BASE_URL=provider.url):
        with pytest.raises(psycopg.errors.DivisionByZero):
            legs.find(products.PRODUCTS, query, tenant="acme", condition=failing, pool=10, limit=10)
        query_vectors.vector_of(query, tenant="acme")
    assert provider.asked == [query, query]
