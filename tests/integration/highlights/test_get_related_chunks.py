"""get_related_chunks on real Postgres with real embeddings."""

from typing import Any

import pytest

from highlights import queries
from highlights.get_related_chunks import handler
from tests.deployment import Deployment, invoke
from tests.integration.highlights.library import CHUNKS, highlight, load

pytestmark = pytest.mark.usefixtures("reading")


@pytest.fixture(scope="module", autouse=True)
def library(deployment: Deployment) -> None:
    load(deployment)
    load(deployment, [highlight("rival.1", "A pond is a river that has found a reason to stay.")], tenant="rival")
    deployment.embed()


def related(chunk_id: str, **arguments: object) -> list[dict[str, Any]]:
    answer = invoke(handler, {"chunk_id": chunk_id, **arguments})
    assert "error" not in answer, answer
    results: list[dict[str, Any]] = answer["results"]
    return results


def test_the_nearest_come_first_without_the_chunk_itself_and_without_other_tenants() -> None:
    found = related("sw.1", limit=100)
    assert len(found) == CHUNKS - 1
    assert not {"sw.1", "rival.1"} & {hit["chunk_id"] for hit in found}
    assert [hit["rank"] for hit in found] == list(range(1, CHUNKS))
    scores = [hit["score"] for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert {hit["title"] for hit in found[:2]} <= {"Still Water", "Canals"}


def test_the_index_gives_what_the_exact_search_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = related("of.1", limit=4)
    monkeypatch.setattr(queries, "EXACT_UP_TO", 0)
    assert related("of.1", limit=4) == exact


def test_limit_bounds_the_list_and_the_source_is_named() -> None:
    answer = invoke(handler, {"chunk_id": "canals~1", "limit": 1})
    assert (answer["source_chunk_id"], answer["source_title"], answer["result_count"]) == ("canals~1", "Canals", 1)


def test_a_chunk_that_is_not_embedded_yet_says_so(deployment: Deployment) -> None:
    load(deployment, [highlight("late", "Came in a moment ago.", parent_doc_id="late-book")])
    answer = invoke(handler, {"chunk_id": "late"})
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
    assert "not embedded yet" in answer["message"]
    deployment.embed()
    with deployment.serving("quarry_read"):
        assert len(related("late")) == 5
    deployment.rows("DELETE FROM highlights.chunks WHERE chunk_id = 'late'")


def test_an_unknown_chunk_is_not_found_and_another_tenants_is_unknown() -> None:
    assert invoke(handler, {"chunk_id": "nope"})["code"] == "NOT_FOUND"
    assert invoke(handler, {"chunk_id": "rival.1"})["code"] == "NOT_FOUND"
