"""Workers of the embedding queue that are slow, fail or are killed: no write waits for them and no row is lost."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from local.files import ROOT
from operations.embed_pending import handler
from quarry.embedding import queue as embedding_queue
from tests.deployment import Deployment, invoke
from tests.integration.lambda_server import eventually
from tests.provider import Provider, running_provider
from tests.sample_rows import product

WORKER = """
from quarry.data import database
from quarry.embedding import queue as embedding_queue
embedding_queue.drain(database.session().connection, may_go_on=lambda: True, lease_s=1)
"""


@pytest.fixture
def provider(deployment: Deployment) -> Iterator[Provider]:
    deployment.rows("DELETE FROM equipment.products")
    with running_provider() as provider, deployment.serving("quarry_ingest", OPENAI_BASE_URL=provider.url):
        yield provider


def start_worker() -> "subprocess.Popen[bytes]":
    """A process of its own, with a lease of one second."""
    return subprocess.Popen([sys.executable, "-c", WORKER], cwd=ROOT, env={**os.environ, "PYTHONPATH": pythonpath()})


def pythonpath() -> str:
    return os.pathsep.join(str(ROOT / folder) for folder in ("functions", "layers/quarry", "."))


def put(deployment: Deployment, count: int) -> None:
    deployment.put_products(*(product(f"A{n}") for n in range(count)))


def vectors(deployment: Deployment) -> int:
    [row] = deployment.rows("SELECT count(*) AS rows FROM equipment.products_vectors")
    return int(row["rows"])


def settled(deployment: Deployment) -> bool:
    return deployment.rows("SELECT 1 FROM quarry.embedding_queue") == [] and not deployment.rows(
        "SELECT * FROM search.inconsistencies('equipment.products')"
    )


def test_a_write_does_not_wait_for_a_provider_that_thinks(provider: Provider, deployment: Deployment) -> None:
    put(deployment, 1)
    provider.may_answer.clear()
    with ThreadPoolExecutor(1) as pool:
        worker = pool.submit(invoke, handler, {})
        assert eventually(lambda: len(provider.asked) == 1)
        started = time.monotonic()
        deployment.put_products(product("A0", description="Changed."))
        deployment.rows("DELETE FROM equipment.products")
        assert time.monotonic() - started < 2
        provider.may_answer.set()
        worker.result(10)
    assert vectors(deployment) == 0
    assert settled(deployment)


def test_rows_of_a_killed_worker_are_embedded_by_another(provider: Provider, deployment: Deployment) -> None:
    put(deployment, 2 * embedding_queue.BATCH)
    provider.may_answer.clear()
    worker = start_worker()
    assert eventually(lambda: len(provider.asked) == embedding_queue.BATCH)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    provider.may_answer.set()
    assert eventually(lambda: invoke(handler, {})["pending"] == 0)
    assert vectors(deployment) == 2 * embedding_queue.BATCH
    assert settled(deployment)


def test_a_worker_whose_lease_ran_out_harms_nothing(provider: Provider, deployment: Deployment) -> None:
    put(deployment, 3)
    provider.may_answer.clear()
    worker = start_worker()
    assert eventually(lambda: len(provider.asked) == 3)
    worker.send_signal(signal.SIGSTOP)
    time.sleep(1.2)
    provider.may_answer.set()
    assert invoke(handler, {})["embedded"] == 3
    deployment.put_products(product("A1", description="Changed."))
    worker.send_signal(signal.SIGCONT)
    assert worker.wait(60) == 0
    assert eventually(lambda: invoke(handler, {})["pending"] == 0)
    assert vectors(deployment) == 3
    assert settled(deployment)


def test_two_workers_share_the_queue_while_rows_change(provider: Provider, deployment: Deployment) -> None:
    put(deployment, 4 * embedding_queue.BATCH)
    workers = [start_worker() for _ in range(2)]
    for n in range(0, 4 * embedding_queue.BATCH, 7):
        deployment.put_products(product(f"A{n}", description=f"Changed {n}."))
    assert [worker.wait(60) for worker in workers] == [0, 0]
    assert eventually(lambda: invoke(handler, {})["pending"] == 0)
    assert vectors(deployment) == 4 * embedding_queue.BATCH
    assert settled(deployment)


GATE = 4711

# Holds a change between the removal of its old vector and its look at what is queued.
PAUSE = f"""
    CREATE FUNCTION public.pause() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_advisory_xact_lock_shared({GATE}); RETURN NULL; END';
    CREATE TRIGGER pause AFTER DELETE ON equipment.products_vectors
        FOR EACH STATEMENT EXECUTE FUNCTION public.pause();
"""


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
