"""Files of a folder as documents: ingested, found by passage, and replaced when they change."""

from collections.abc import Iterator
from typing import Any

import pytest

from knowledge.search import handler as search
from operations.ingest import handler
from tests.aws import client
from tests.deployment import Deployment, invoke

BUCKET = "papers"
HANDBOOK = "# Handbook\n\n## Leave\n\nThirty days of holiday a year.\n\n## Travel\n\nBy train, second class.\n"


@pytest.fixture
def s3(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[Any]:
    bucket = client("s3", aws_url)
    bucket.create_bucket(Bucket=BUCKET)
    with deployment.serving("quarry_ingest", **aws_variables):
        yield bucket


def arrive(s3: Any, key: str, content: str) -> dict[str, int]:
    s3.put_object(Bucket=BUCKET, Key=key, Body=content.encode())
    answer = invoke(handler, {"bucket": BUCKET, "key": key, "kind": "documents"}, tenant="acme")
    assert "error" not in answer, answer
    [report] = answer["reports"]
    return {name: report[name] for name in ("inserted", "updated", "unchanged", "rejected") if report[name]}


def test_a_markdown_file_is_found_by_passage_and_replaced_when_it_changes(s3: Any, deployment: Deployment) -> None:
    assert arrive(s3, "acme/documents/staff/handbook.md", HANDBOOK) == {"inserted": 2}
    assert arrive(s3, "acme/documents/other/handbook.md", HANDBOOK) == {"inserted": 2}
    assert arrive(s3, "acme/documents/staff/handbook.md", HANDBOOK) == {"unchanged": 2}
    deployment.embed()
    with deployment.serving("quarry_read"):
        best = invoke(search, {"query": "how many days of holiday"})["results"][0]
    assert best["title"].endswith("handbook › Handbook › Leave")
    assert best["content"] == "Thirty days of holiday a year."
    arrive(s3, "acme/documents/staff/handbook.md", HANDBOOK.replace("## Travel", "## Trips"))
    titles = deployment.rows(
        "SELECT title FROM knowledge.documents WHERE source = 'staff/handbook.md' ORDER BY title"
    )
    assert [row["title"].rpartition(" ")[2] for row in titles] == ["Leave", "Trips"]
    assert len(deployment.rows("SELECT 1 FROM knowledge.documents")) == 4
