"""Where a query's vector comes from, and what it costs in round trips."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest

from equipment import search_equipment
from quarry.data import database
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
    """As many hits as are asked for, so that nothing has to be explained."""
    return invoke(search_equipment.handler, {"query": query, "hp_min": 1, "top_k": 1})


def test_the_tenant_of_a_read_ends_with_it(deployment: Deployment) -> None:
    with deployment.serving():
        invoke(search_equipment.handler, {"query": "oilless"})
        [row] = database.session().connection.execute("SELECT quarry.current_tenant() AS tenant")
    assert row["tenant"] is None
