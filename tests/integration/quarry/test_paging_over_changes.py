"""Cursors over data that changes between two pages: nothing is skipped or repeated silently."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from knowledge import list_documents, search
from knowledge.ingestion import DOCUMENTS
from tests.deployment import Deployment, invoke

LONG = "The pump has a valve. " * 200


@pytest.fixture(autouse=True)
def serving(deployment: Deployment) -> Iterator[str]:
    """A tenant of the test's own with five documents; the fifth is long."""
    tenant = f"t-{uuid4().hex}"
    texts = [f"Document {number} on pumps." for number in range(4)] + [LONG]
    put(deployment, tenant, {number * 10: text for number, text in enumerate(texts)})
    with deployment.serving("quarry_read"):
        yield tenant


def put(deployment: Deployment, tenant: str, documents: dict[int, str]) -> None:
    rows = [{"doc_id": number, "content": text} for number, text in documents.items()]
    deployment.put(DOCUMENTS, rows, tenant=tenant)


def listed(tenant: str, **arguments: object) -> dict[str, Any]:
    return invoke(list_documents.handler, arguments, tenant=tenant)


def found(tenant: str, **arguments: object) -> dict[str, Any]:
    return invoke(search.handler, {"query": "pump document", "top_k": 50, **arguments}, tenant=tenant)


def numbers(answer: dict[str, Any], *, into: str) -> list[int]:
    assert "error" not in answer, answer
    return [document["doc_id"] for document in answer[into]]


def test_a_listing_goes_on_behind_what_was_shown_whatever_came_or_went(deployment: Deployment, serving: str) -> None:
    page = listed(serving, limit=2)
    put(deployment, serving, {5: "Came before.", 15: "Came behind."})
    deployment.rows("DELETE FROM knowledge.documents WHERE doc_id IN (10, 20)", tenant=serving)
    assert numbers(page, into="documents") == [0, 10]
    assert numbers(listed(serving, limit=2, cursor=page["next_cursor"]), into="documents") == [15, 30]


def test_a_listing_may_be_read_in_pages_of_different_sizes(serving: str) -> None:
    page = listed(serving, limit=1)
    assert numbers(listed(serving, limit=100, cursor=page["next_cursor"]), into="documents") == [10, 20, 30, 40]


def test_a_refusal_names_what_a_next_page_may_change(serving: str) -> None:
    cursor = listed(serving, limit=1)["next_cursor"]
    assert "(only max_tokens may change)" in found(serving, cursor=cursor)["message"]
    cursor = found(serving, max_tokens=300)["next_cursor"]
    assert "(only limit and max_tokens may change)" in listed(serving, cursor=cursor)["message"]


def test_a_ranking_goes_on_while_what_was_shown_stands_where_it_stood(deployment: Deployment, serving: str) -> None:
    page = found(serving, max_tokens=300)
    shown = numbers(page, into="results")
    put(deployment, serving, {7: "Freight and gaskets, and much else that no document is about but this one."})
    rest = numbers(found(serving, cursor=page["next_cursor"]), into="results")
    assert sorted([*shown, *rest]) == [0, 7, 10, 20, 30, 40]


def test_a_ranking_whose_beginning_changed_is_a_conflict(deployment: Deployment, serving: str) -> None:
    page = found(serving, max_tokens=300)
    put(deployment, serving, {3: "Pump document pump document."})
    answer = found(serving, cursor=page["next_cursor"])
    assert answer["code"] == "CONFLICT"
    assert "The data has changed since the page before" in answer["message"]
