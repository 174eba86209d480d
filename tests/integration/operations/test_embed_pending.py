"""embed_pending and its queue: every row is embedded once, and nothing is lost when the provider fails."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from operations.embed_pending import handler
from quarry.embedding import queue as embedding_queue
from tests.deployment import Context, Deployment, as_tenant, invoke
from tests.integration.lambda_server import eventually
from tests.provider import FATAL, LARGE, REFUSED, Provider, running_provider
from tests.sample_rows import product


@pytest.fixture
def provider(deployment: Deployment) -> Iterator[Provider]:
    """The provider of an embed_pending function whose queue is empty."""
    for tenant in ("acme", "rival"):
        deployment.rows("DELETE FROM equipment.products", tenant=tenant)
    with running_provider() as provider, deployment.serving("quarry_ingest", OPENAI_BASE_URL=provider.url):
        yield provider


def drain() -> dict[str, Any]:
    return invoke(handler, {})


def outcome(**counts: object) -> dict[str, Any]:
    return {"embedded": 0, "refused": 0, "stopped": None, "pending": 0, "dead": 0, **counts}


def embedded(deployment: Deployment, tenant: str = "acme") -> set[str]:
    rows = deployment.rows(
        "SELECT p.model FROM equipment.products p JOIN equipment.products_vectors v ON v.doc = p.id", tenant=tenant
    )
    return {row["model"] for row in rows}


def make_due(deployment: Deployment) -> None:
    deployment.rows("UPDATE quarry.embedding_queue SET available_at = now()")


def test_the_rows_of_every_tenant_are_embedded_and_the_queue_is_empty(
    provider: Provider, deployment: Deployment
) -> None:
    deployment.put_products(*(product(f"A{n}") for n in range(embedding_queue.BATCH + 6)))
    deployment.put_products(product("R1"), tenant="rival")
    assert drain() == outcome(embedded=embedding_queue.BATCH + 7)
    assert embedded(deployment, "rival") == {"R1"}
    assert drain() == outcome()


def test_title_and_words_of_attributes_are_embedded_with_the_text(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(product("A1", hp=7.5, description="Quiet."))
    drain()
    assert provider.asked == ["Acme A1\nAcme A1\nrotary screw air compressor\nQuiet."]


def test_each_vector_belongs_to_its_row(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(*(product(f"A{n}") for n in range(5)))
    drain()
    [found] = deployment.rows(
        "SELECT count(DISTINCT v.embedding) AS vectors, count(*) AS rows FROM equipment.products_vectors v"
    )
    assert found == {"vectors": 5, "rows": 5}
    [first] = deployment.rows(
        "SELECT v.embedding::text AS v FROM equipment.products p JOIN equipment.products_vectors v ON v.doc = p.id"
        " WHERE p.model = 'A3'"
    )
    [text] = [text for text in provider.asked if text.startswith("Acme A3")]
    _, answer = provider.answer([text])
    assert [float(value) for value in first["v"].strip("[]").split(",")] == answer["data"][0]["embedding"]


def test_two_drains_at_once_embed_each_row_once(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(*(product(f"A{n}") for n in range(4 * embedding_queue.BATCH)))

    def one(_: int) -> int:
        with deployment.connect("quarry_ingest") as connection:
            return embedding_queue.drain(connection, may_go_on=lambda: True).embedded

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(one, range(2)))
    assert sum(done) == len(provider.asked) == len(set(provider.asked)) == 4 * embedding_queue.BATCH


def test_a_provider_that_is_down_postpones_and_kills_nothing(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(product("A1"), product("A2"))
    provider.down = True
    for _ in range(embedding_queue.MOST_ATTEMPTS + 1):
        answer = drain()
        assert (answer["stopped"], answer["pending"], answer["dead"]) == ("InternalServerError (HTTP 503)", 2, 0)
        make_due(deployment)
    provider.down = False
    assert drain() == outcome(embedded=2)


def test_a_postponed_row_waits_before_the_next_try(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(product("A1"))
    provider.down = True
    drain()
    provider.down = False
    assert drain() == outcome(pending=1)


def test_a_refused_text_becomes_a_dead_letter_and_the_others_are_embedded(
    provider: Provider, deployment: Deployment
) -> None:
    deployment.put_products(product("A1"), product("BAD", description=REFUSED), product("A2"))
    assert drain() == outcome(embedded=2, refused=1, pending=1)
    for _ in range(embedding_queue.MOST_ATTEMPTS - 1):
        make_due(deployment)
        answer = drain()
    assert answer == outcome(refused=1, dead=1)
    assert embedded(deployment) == {"A1", "A2"}
    [letter] = deployment.rows("SELECT * FROM quarry.embedding_queue")
    assert (letter["attempts"], letter["last_error"]) == (embedding_queue.MOST_ATTEMPTS, "BadRequestError (HTTP 400)")
    make_due(deployment)
    assert drain() == outcome(dead=1)


def test_a_dead_letter_whose_text_is_mended_is_embedded(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(product("BAD", description=REFUSED))
    for _ in range(embedding_queue.MOST_ATTEMPTS):
        drain()
        make_due(deployment)
    deployment.put_products(product("BAD", description="Speakable."))
    assert drain() == outcome(embedded=1)


def test_an_outage_between_two_refused_texts_counts_against_none(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(
        product("A1"), product("A2", description=FATAL), product("A3"), product("BAD", description=REFUSED)
    )
    answer = drain()
    assert (answer["embedded"], answer["refused"], answer["pending"]) == (1, 0, 3)
    assert answer["stopped"] == "InternalServerError (HTTP 503)"
    assert {row["attempts"] for row in deployment.rows("SELECT attempts FROM quarry.embedding_queue")} == {0}


def test_a_row_that_is_gone_leaves_the_queue(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(product("A1"), product("A2"))
    deployment.rows("DELETE FROM equipment.products WHERE model = 'A1'")
    assert drain() == outcome(embedded=1)


def test_a_changed_row_loses_its_old_vector_at_once_and_gets_a_new_one(
    provider: Provider, deployment: Deployment
) -> None:
    deployment.put_products(product("A1"), product("A2"))
    drain()
    deployment.put_products(product("A1", description="Changed."))
    assert embedded(deployment) == {"A2"}
    assert drain() == outcome(embedded=1)
    assert embedded(deployment) == {"A1", "A2"}


def test_little_time_left_starts_no_batch(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(product("A1"))
    answer = handler({}, Context(remaining_ms=7000))
    assert answer == outcome(stopped="out of time", pending=1)
    assert provider.asked == []


def test_a_vector_of_the_wrong_length_is_never_stored(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(product("A1"))
    provider.dimensions = 100
    answer = drain()
    assert "returned 1 vectors of [100] dimensions" in answer["stopped"]
    assert (answer["pending"], embedded(deployment)) == (1, set())


def test_a_worker_with_another_model_embeds_nothing(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(product("A1"))
    with deployment.serving("quarry_ingest", OPENAI_BASE_URL=provider.url, EMBEDDING_MODEL="another-model"):
        answer = drain()
    assert answer["code"] == "UNAVAILABLE"
    assert "another-model" in answer["message"]
    assert provider.asked == []


def test_a_row_that_changes_while_its_old_text_is_being_embedded_ends_with_the_new_vector(
    provider: Provider, deployment: Deployment
) -> None:
    deployment.put_products(product("A1"))
    provider.may_answer.clear()
    with ThreadPoolExecutor(1) as pool, deployment.connect("quarry_ingest") as connection:
        worker = pool.submit(embedding_queue.drain, connection, may_go_on=lambda: not provider.may_answer.is_set())
        assert eventually(lambda: len(provider.asked) == 1)
        deployment.put_products(product("A1", description="Changed."))
        provider.may_answer.set()
        worker.result(10)
    assert embedded(deployment) == set()
    assert drain() == outcome(embedded=1)
    assert provider.asked[-1].endswith("Changed.")
    assert deployment.rows("SELECT * FROM search.inconsistencies('equipment.products')") == []
    assert deployment.rows("SELECT 1 FROM quarry.embedding_queue") == []


def test_query_vectors_of_a_month_ago_are_forgotten(provider: Provider, deployment: Deployment) -> None:
    with deployment.connect("quarry_read") as connection, as_tenant(connection, "acme"):
        connection.execute(
            "INSERT INTO quarry.embedding_cache (tenant, model, text_hash, embedding, created_at) VALUES "
            "('acme', 'm', 'old', '[1]', now() - interval '31 days'), ('acme', 'm', 'new', '[1]', now())"
        )
    drain()
    kept = deployment.rows(
        "SELECT convert_from(text_hash, 'UTF8') AS hash FROM quarry.embedding_cache WHERE model = 'm'"
    )
    assert [row["hash"] for row in kept] == ["new"]


def test_a_text_too_large_for_the_provider_counts_as_refused(provider: Provider, deployment: Deployment) -> None:
    deployment.put_products(product("A1", description=LARGE))
    assert drain() == outcome(refused=1, pending=1)
