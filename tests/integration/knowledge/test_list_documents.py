"""list_documents: all of a tenant's documents, page by page, and what an ingest refuses."""

import io
import json
from typing import Any

import pytest

from knowledge import queries
from knowledge.ingestion import DOCUMENTS, LONGEST_CONTENT
from knowledge.list_documents import handler
from operations.reading import read
from quarry.ingestion import Accepted, Rejected
from tests.deployment import Deployment, invoke

pytestmark = pytest.mark.usefixtures("reading")

NUMBERS = [0, 2, 3, 7, 11]


@pytest.fixture(scope="module", autouse=True)
def documents(deployment: Deployment) -> None:
    deployment.put(DOCUMENTS, [{"doc_id": number, "content": f"Document {number}."} for number in NUMBERS])
    deployment.put(DOCUMENTS, [{"doc_id": 5, "content": "Theirs."}], tenant="rival")


def page(**arguments: object) -> dict[str, Any]:
    return invoke(handler, arguments)


def test_all_documents_come_in_order() -> None:
    answer = page()
    assert [document["doc_id"] for document in answer["documents"]] == NUMBERS
    assert answer["documents"][1] == {
        "doc_id": 2, "title": None, "source": None, "content": "Document 2.", "passages": []
    }  # fmt: skip
    assert answer["next_cursor"] is None


def cut(name: str, passages: dict[str, str], *, first: int) -> list[dict[str, Any]]:
    """Rows of a file that was cut; numbers fall, so that they cannot be what orders it."""
    return [
        {"doc_id": first - n, "title": title, "content": text, "source": f"{name}.md", "version": "1", "position": n}
        for n, (title, text) in enumerate(passages.items())
    ]


def test_a_file_that_was_cut_is_listed_whole_with_the_numbers_of_its_passages(deployment: Deployment) -> None:
    staff = {
        "staff": "Welcome.",
        "staff › Leave": "Thirty days.",
        "staff › Leave › Sick": "Call in.",
        "staff › Travel › Air": "Never.",
    }
    rows = [
        *cut("staff", staff, first=104),
        *cut("other", {"other": "Else."}, first=200),
        {"doc_id": 9, "content": "x"},
    ]
    deployment.put(DOCUMENTS, rows, tenant="library")
    seen, cursor = [], None
    while True:
        answer = invoke(handler, {"limit": 1, "cursor": cursor}, tenant="library")
        seen += answer["documents"]
        if (cursor := answer["next_cursor"]) is None:
            break
    assert [(one["doc_id"], one["title"], one["passages"]) for one in seen] == [
        (9, None, []),
        (101, "staff", [104, 103, 102, 101]),
        (200, "other", [200]),
    ]
    assert seen[1]["content"] == (
        "Welcome.\n\n# Leave\n\nThirty days.\n\n## Sick\n\nCall in.\n\n# Travel\n\n## Air\n\nNever."
    )


def test_a_page_ends_before_its_documents_are_more_than_a_function_may_answer() -> None:
    pages = [queries.page("acme", after=after, most=100, characters=25) for after in (-1, NUMBERS[2])]
    assert [([one.doc_id for one in documents], more) for documents, more in pages] == [
        (NUMBERS[:3], True),
        (NUMBERS[3:], False),
    ]


def test_a_tenant_without_documents_gets_an_empty_list() -> None:
    answer = invoke(handler, {}, tenant="nobody")
    assert (answer["documents"], answer["next_cursor"]) == ([], None)


def test_rows_that_do_not_fit_are_rejected_with_their_reason() -> None:
    rows = [
        {"doc_id": 1, "content": "good"},
        {"doc_id": -1, "content": "negative"},
        {"doc_id": 2},
        {"doc_id": 3, "content": "x" * (LONGEST_CONTENT + 1)},
        {"doc_id": 4, "content": "y", "author": "unknown column"},
    ]
    stream = io.BytesIO("\n".join(map(json.dumps, rows)).encode())
    items = list(read(stream, DOCUMENTS, file_name="documents.jsonl"))
    assert [type(item) for item in items] == [Accepted, *[Rejected] * 4]
    csv = io.BytesIO(b"doc_id,title,content\n7,Prices,The AX-7 costs a lot.\n8,,No title.\n")
    accepted = [item.row for item in read(csv, DOCUMENTS, file_name="d.csv") if isinstance(item, Accepted)]
    named = [row.model_dump(exclude_none=True) for row in accepted]
    assert named == [
        {"doc_id": 7, "title": "Prices", "content": "The AX-7 costs a lot."},
        {"doc_id": 8, "content": "No title."},
    ]
