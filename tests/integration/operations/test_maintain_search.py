"""maintain_search: what is wrong with an index is found, and a rebuild mends it while searches go on."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from local.database import OWNER
from operations.maintain_search import handler
from tests.deployment import Context, Deployment, as_tenant, invoke
from tests.integration.lambda_server import eventually
from tests.sample_rows import product, quote

PRODUCTS = "equipment.products"


@pytest.fixture
def spoilt(deployment: Deployment) -> Iterator[Deployment]:
    """Two tenants; the index of acme's products is wrong."""
    for tenant in ("acme", "rival"):
        deployment.put_products(product("A1"), product("A2"), tenant=tenant)
        deployment.put_quotes(quote("Q1"), tenant=tenant)
    deployment.rows("UPDATE equipment.products_terms SET df = df + 1")
    with deployment.serving(OWNER):
        yield deployment
    deployment.rows("SELECT search.rebuild('equipment.products')")


def maintain(action: str, **where: str) -> dict[str, Any]:
    return invoke(handler, {"action": action, **where})


def test_a_check_names_what_is_wrong_and_where(spoilt: Deployment) -> None:
    [index] = maintain("check")["indexes"]
    assert (index["tenant"], index["corpus"]) == ("acme", PRODUCTS)
    assert [problem["problem"] for problem in index["problems"]] == ["terms whose document frequency is off"]


def test_a_check_may_be_of_one_tenant_or_one_corpus(spoilt: Deployment) -> None:
    assert maintain("check", tenant="rival")["indexes"] == []
    assert maintain("check", corpus="quotes.past_quotes") == {"action": "check", "done": 2, "left": 0, "indexes": []}


def test_a_rebuild_mends_it(spoilt: Deployment) -> None:
    answer = maintain("rebuild", tenant="acme", corpus=PRODUCTS)
    assert answer["indexes"] == [{"tenant": "acme", "corpus": PRODUCTS, "rows": 2}]
    assert maintain("check")["indexes"] == []


def test_little_time_leaves_the_rest_and_says_so(spoilt: Deployment) -> None:
    answer = handler({"action": "rebuild"}, Context(remaining_ms=1000))
    assert (answer["done"], answer["left"] > 0) == (0, True)


def test_a_rebuild_waits_for_a_writer_and_not_for_a_reader(spoilt: Deployment) -> None:
    with spoilt.connect("quarry_read") as reader, as_tenant(reader, "acme"):
        reader.execute("SELECT count(*) FROM equipment.products_postings")
        assert maintain("rebuild", tenant="acme", corpus=PRODUCTS)["done"] == 1
    with spoilt.connect("quarry_ingest") as writer, ThreadPoolExecutor(1) as pool:
        with as_tenant(writer, "acme"):
            writer.execute("UPDATE equipment.products SET description = 'Changed.'")
            rebuild = pool.submit(maintain, "rebuild", tenant="acme", corpus=PRODUCTS)
            assert eventually(lambda: waiting(spoilt))
        assert rebuild.result(10)["done"] == 1
    assert maintain("check")["indexes"] == []


def waiting(deployment: Deployment) -> bool:
    return bool(deployment.rows("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"))


@pytest.mark.parametrize(
    ("event", "code"),
    [({}, "VALIDATION_ERROR"), ({"action": "check", "tenant": 7}, "VALIDATION_ERROR"),
     ({"action": "check", "tenant": "nobody"}, "NOT_FOUND")],
)  # fmt: skip
def test_what_it_cannot_do_it_says(spoilt: Deployment, event: dict[str, object], code: str) -> None:
    assert invoke(handler, event)["code"] == code
