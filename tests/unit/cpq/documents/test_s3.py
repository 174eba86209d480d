"""Addresses of documents in the object store."""

from urllib.parse import urlsplit

import pytest

from cpq.documents import s3
from tests.deployment import fresh_environment


@pytest.mark.parametrize(
    "region", ["eu-central-1", "eu-central-2", "il-central-1", "ap-southeast-5", "us-gov-west-1"]
)
def test_a_link_names_the_region_whose_store_has_the_document(region: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regions after 2019 answer 400 to what was signed for the one address of all regions, others forward it."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", region)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    with fresh_environment():
        url, _ = s3.link("quarry-documents", "acme/Q-1.pdf", file_name="Q-1.pdf", seconds=60)
    link = urlsplit(url)
    assert link.netloc == f"quarry-documents.s3.{region}.amazonaws.com"
    assert f"%2F{region}%2Fs3%2F" in link.query
