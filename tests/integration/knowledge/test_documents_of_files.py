"""Files of a folder as documents: ingested, found by passage, listed whole, and replaced when they change."""

from knowledge.list_documents import handler as list_documents
from knowledge.search import handler as search
from operations.ingest import handler as ingest
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
    changed = arrivals.report("acme/documents/staff/handbook.md", HANDBOOK.replace("## Travel", "## Trips"))
    assert (changed["inserted"], changed["updated"], changed["removed"]) == (1, 1, 1)
    titles = deployment.rows(
        "SELECT title FROM knowledge.documents WHERE source = 'staff/handbook.md' ORDER BY title"
    )
    assert [row["title"].rpartition(" ")[2] for row in titles] == ["Leave", "Trips"]
    assert len(deployment.rows("SELECT 1 FROM knowledge.documents")) == 4


def test_one_document_is_taken_out_by_its_name_and_brought_back(arrivals: Arrivals, deployment: Deployment) -> None:
    for name in ("staff/handbook.md", "other/handbook.md"):
        arrivals.report(f"acme/documents/{name}", HANDBOOK)
    arrivals.report("acme/documents/rows.csv", "doc_id,content\n7,Seven\n8,Eight\n")
    stored = "SELECT doc_id, content, source FROM knowledge.documents ORDER BY doc_id"
    before = deployment.rows(stored)
    taken = [invoke(ingest, {"take_out": name}, tenant="acme")["reports"][0] for name in ("staff/handbook.md", "7")]
    assert [report["removed"] for report in taken] == [2, 1]
    assert {row["source"] for row in deployment.rows(stored)} == {"other/handbook.md", None}
    listed = invoke(ingest, {"ingests": True}, tenant="acme")["ingests"][:5]
    assert [each["file"] for each in listed] == [
        "7", "staff/handbook.md", "rows.csv", "other/handbook.md", "staff/handbook.md",
    ]  # fmt: skip
    for report in taken:
        invoke(ingest, {"undo": report["ingest_id"]}, tenant="acme")
    assert deployment.rows(stored) == before
    refused = invoke(ingest, {"take_out": "handbook.md"}, tenant="acme")
    assert "nearest: other/handbook.md, staff/handbook.md" in refused["message"]


def test_a_passage_takes_no_other_files_place(arrivals: Arrivals, deployment: Deployment) -> None:
    one, other = "m2119.md", "m56400.md"  # both have the same hash
    assert arrivals.counts(f"acme/documents/{one}", "One.") == {"inserted": 1}
    report = arrivals.report(f"acme/documents/{other}", "Other.")
    assert (report["rejected"], "rename the file" in str(report)) == (1, True)
    assert arrivals.counts(f"acme/documents/{one}", "One, changed.") == {"updated": 1}
    assert {row["source"] for row in deployment.rows("SELECT source FROM knowledge.documents")} >= {one}
