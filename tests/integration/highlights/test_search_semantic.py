"""search_semantic on real Postgres with real embeddings."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from highlights.search_semantic import handler
from local.ports import free_port
from tests.deployment import Deployment, invoke
from tests.integration.highlights.library import LIBRARY, load

pytestmark = pytest.mark.usefixtures("reading")

TAGS = ("Nature", "memory", "FOOD", "patience", "engineering", "unknown")


@pytest.fixture(scope="module", autouse=True)
def library(deployment: Deployment) -> None:
    load(deployment)
    deployment.embed()


def search(query: str, **arguments: object) -> dict[str, Any]:
    answer = invoke(handler, {"query": query, **arguments})
    assert "error" not in answer, answer
    return answer


def test_the_best_passage_comes_first_with_all_that_a_citation_needs() -> None:
    answer = search("why does a pond stay where it is", limit=2)
    best = answer["results"][0]
    assert {name: best[name] for name in ("rank", "chunk_id", "title", "author", "source", "tags")} == {
        "rank": 1,
        "chunk_id": "sw.1",
        "title": "Still Water",
        "author": "Ann Poole",
        "source": "kindle",
        "tags": ["nature"],
    }
    assert (best["chunk_index"], best["total_chunks"], best["parent_doc_id"]) == (0, 2, "still-water")
    assert best["full_content"] == "A pond is a river that has found a reason to stay."
    assert best["score"] > 0.4
    assert best["confidence"] in ("likely_good", "analog")
    assert (answer["query"], answer["result_count"]) == ("why does a pond stay where it is", 2)


def test_the_snippet_is_the_matching_part_of_a_long_chunk() -> None:
    best = search("canals water level paragraph 7", limit=1)["results"][0]
    assert best["parent_doc_id"] == "canals"
    assert len(best["snippet"]) < len(best["full_content"])
    assert "level" in best["snippet"]


def satisfies(row: dict[str, Any], filters: dict[str, Any]) -> bool:
    tags = {tag.lower() for tag in row.get("tags", [])}
    return (
        ("tags" not in filters or bool(tags & {tag.lower() for tag in filters["tags"]}))
        and ("author" not in filters or (row.get("author") or "").lower() == filters["author"].lower())
        and ("source" not in filters or row["source"].lower() == filters["source"].lower())
    )


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.sampled_from(["a pond", "bread", "zzyzx", "forgive"]),
    filters=st.fixed_dictionaries(
        {},
        optional={
            "tags": st.lists(st.sampled_from(TAGS), min_size=1, max_size=3),
            "author": st.sampled_from(["ann poole", "Bo Lind", "Nobody"]),
            "source": st.sampled_from(["Kindle", "articles", "readwise"]),
        },
    ).filter(bool),
)
def test_a_filtered_search_is_exactly_the_chunks_that_qualify(query: str, filters: dict[str, Any]) -> None:
    parents = {row.get("parent_doc_id", row["id"]) for row in LIBRARY if satisfies(row, filters)}
    ids = {row["id"] for row in LIBRARY if satisfies(row, filters)}
    if "canals" in ids:
        ids = (ids - {"canals"}) | {"canals~0", "canals~1", "canals~2"}
    if "anon" in ids:
        ids = (ids - {"anon"}) | {"anon~0"}
    answer = search(query, limit=100, **filters)
    assert {hit["chunk_id"] for hit in answer["results"]} == ids
    assert {hit["parent_doc_id"] for hit in answer["results"]} == parents


def test_without_filters_nonsense_finds_nothing() -> None:
    assert search("qqqq wwww zzzz")["results"] == []


def test_a_filter_that_nothing_has_is_named_with_the_nearest() -> None:
    answer = search("a pond", author="Anne Pool", tags=["natur", "food"])
    assert answer["results"] == []
    assert "No chunk has the tag 'natur'. Nearest: nature" in answer["notice"]
    assert "No chunk has the author 'Anne Pool'. Nearest: Ann Poole" in answer["notice"]
    assert answer["applied_filters"] == {"tags": ["natur", "food"], "author": "Anne Pool", "source": None}


def test_text_alone_answers_when_embeddings_are_down(deployment: Deployment) -> None:
    with deployment.serving(OPENAI_BASE_URL=f"http://127.0.0.1:{free_port()}/v1"):
        answer = search("cold oven")
    assert answer["degraded"] is True
    assert answer["results"][0]["chunk_id"] == "of.2"
    assert answer["results"][0]["score"] is None
