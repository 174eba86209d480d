"""A worker that stores a vector at the one moment at which a change of its row could overlook it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from operations.embed_pending import handler
from tests.deployment import Deployment, invoke
from tests.integration.lambda_server import eventually
from tests.provider import Provider, running_provider
from tests.sample_rows import product

GATE = 4711

# Holds a change between the removal of its old vector and its look at what is queued.
PAUSE = f"""
    CREATE FUNCTION public.pause() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_advisory_xact_lock_shared({GATE}); RETURN NULL; END';
    CREATE TRIGGER pause AFTER DELETE ON equipment.products_vectors
        FOR EACH STATEMENT EXECUTE FUNCTION public.pause();
"""


@pytest.fixture
def provider(deployment: Deployment) -> Iterator[Provider]:
    with running_provider() as provider, deployment.serving("quarry_ingest", OPENAI_BASE_URL=provider.url):
        yield provider


def test_a_change_is_embedded_even_when_the_old_vector_arrives_while_it_is_written(
    provider: Provider, deployment: Deployment
) -> None:
    deployment.put_products(product("A1"))
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as gate, ThreadPoolExecutor(1) as pool:
        gate.execute(PAUSE.encode())
        gate.execute("SELECT pg_advisory_lock(%s)", [GATE])
        change = pool.submit(deployment.put_products, product("A1", description="Changed."))
        waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        assert eventually(lambda: gate.execute(waiting).fetchone() is not None)
        assert invoke(handler, {})["embedded"] == 1
        gate.execute("SELECT pg_advisory_unlock(%s)", [GATE])
        change.result(10)
    assert deployment.rows("SELECT * FROM search.inconsistencies('equipment.products')") == []
    assert invoke(handler, {})["embedded"] == 1
    assert provider.asked[-1].endswith("Changed.")
