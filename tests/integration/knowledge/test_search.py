"""search, over a tenant's documents, on real Postgres with real embeddings."""

import json
from typing import Any

import pytest

from knowledge.ingestion import DOCUMENTS
from knowledge.search import handler
from local.files import ROOT
from local.ports import free_port
from tests.deployment import Deployment, invoke

pytestmark = pytest.mark.usefixtures("reading")

SAMPLE = [
    json.loads(line) for line in (ROOT / "local/corpus/knowledge/documents.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module", autouse=True)
def documents(deployment: Deployment) -> None:
    deployment.put(DOCUMENTS, SAMPLE)
    deployment.embed()


def search(query: str, *, tenant: str = "acme", **arguments: object) -> dict[str, Any]:
    answer = invoke(handler, {"query": query, **arguments}, tenant=tenant)
    assert "error" not in answer, answer
    return answer


@pytest.mark.parametrize(
    ("query", "doc_id"),
    [
        ("What is the flagship product?", 2),
        ("Who developed GridMind?", 3),
        ("largest single customer", 9),
        ("main competitor", 6),
        ("hospital logistics vision", 7),
        ("expansion into the European market", 10),
        ("How much funding was raised?", 4),
    ],
)
def test_the_seeds_steps_find_their_document_among_three(query: str, doc_id: int) -> None:
    hits = search(query)["results"]
    assert len(hits) <= 3
    assert doc_id in [hit["doc_id"] for hit in hits]


def test_a_word_that_nearly_every_document_has_does_not_outrank_meaning() -> None:
    hits = search("Acme funding", top_k=10)["results"]
    assert hits[0]["doc_id"] == 4
    assert {hit["confidence"] for hit in hits[len(hits) // 2 :]} == {"probable_miss"}


def test_a_hit_is_the_whole_document_with_its_score() -> None:
    best = search("Who developed GridMind?")["results"][0]
    assert best["content"] == SAMPLE[2]["content"]
    assert (best["title"], best["legs"]) == (None, ["vector", "text"])
    assert 0.4 < best["score"] <= 1
    assert best["confidence"] in ("analog", "likely_good")


def test_a_question_in_other_words_than_the_document_is_not_held_back() -> None:
    best = search("biggest customer relationship")["results"][0]
    assert best["doc_id"] == 9
    assert best["confidence"] in ("analog", "probable_miss")


def test_nonsense_gets_the_nearest_marked_as_misses() -> None:
    hits = search("zxqv flurble wibble")["results"]
    assert [hit["confidence"] for hit in hits] == ["probable_miss"] * 3


def test_a_tenant_without_documents_finds_nothing() -> None:
    assert search("anything", tenant="nobody")["results"] == []


def test_words_still_find_documents_without_embeddings(deployment: Deployment) -> None:
    with deployment.serving("quarry_read", OPENAI_BASE_URL=f"http://127.0.0.1:{free_port()}/v1"):
        answer = search("lidar pathfinding robot", top_k=1)
    assert (answer["degraded"], answer["results"][0]["doc_id"], answer["results"][0]["score"]) == (True, 2, None)


def test_a_changed_document_is_found_by_its_new_text(deployment: Deployment) -> None:
    changed = {**SAMPLE[4], "content": "The AX-7 also sorts parcels at Zuckerhut airport.", "title": "Airports"}
    query = "Which airport sorts parcels at Zuckerhut?"
    assert search(query)["results"][0]["content"] != changed["content"]
    deployment.put(DOCUMENTS, [changed])
    unembedded = next(hit for hit in search(query)["results"] if hit["doc_id"] == 5)
    assert (unembedded["title"], unembedded["score"], unembedded["legs"]) == ("Airports", None, ["text"])
    deployment.embed()
    embedded = search(query)["results"][0]
    assert (embedded["doc_id"], embedded["legs"]) == (5, ["vector", "text"])
    assert embedded["score"] > 0.5
