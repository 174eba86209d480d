"""Files of a folder as documents: ingested, found by passage, listed whole, and replaced when they change."""

from knowledge.list_documents import handler as list_documents
from knowledge.search import handler as search
from tests.arrivals import Arrivals
from tests.deployment import Deployment, invoke

HANDBOOK = "# Handbook\n\n## Leave\n\nThirty days of holiday a year.\n\n## Travel\n\nBy train, second class.\n"


def test_a_markdown_file_is_found_by_passage_and_replaced_when_it_changes(
    arrivals: Arrivals, deployment: Deployment
) -> None:
    assert arrivals.counts("acme/documents/staff/handbook.md", HANDBOOK) == {"inserted": 2}
    assert arrivals.counts("acme/documents/other/handbook.md", HANDBOOK) == {"inserted": 2}
    assert arrivals.counts("acme/documents/staff/handbook.md", HANDBOOK) == {"unchanged": 2}
    deployment.embed()
    with deployment.serving("quarry_read"):
        best = invoke(search, {"query": "how many days of holiday"})["results"][0]
        listed = invoke(list_documents, {})["documents"]
    assert best["title"].endswith("handbook › Handbook › Leave")
    assert best["content"] == "Thirty days of holiday a year."
    assert {one["title"] for one in listed} == {"staff/handbook", "other/handbook"}
    assert {one["content"] for one in listed} == {
        "# Handbook\n\n## Leave\n\nThirty days of holiday a year.\n\n## Travel\n\nBy train, second class."
    }
    assert best["doc_id"] in [number for one in listed for number in one["passages"]]
    arrivals.counts("acme/documents/staff/handbook.md", HANDBOOK.replace("## Travel", "## Trips"))
    titles = deployment.rows(
        "SELECT title FROM knowledge.documents WHERE source = 'staff/handbook.md' ORDER BY title"
    )
    assert [row["title"].rpartition(" ")[2] for row in titles] == ["Leave", "Trips"]
    assert len(deployment.rows("SELECT 1 FROM knowledge.documents")) == 4
