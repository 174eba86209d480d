"""A function that prints, with the buckets it needs, and quotes in the states that matter to it."""

import hashlib
import io
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from pypdf import PdfReader

from cpq.quote_pdf import handler
from cpq.quote_price import handler as pricing
from local.files import ROOT
from operations.publish_templates import handler as publishing
from tests.aws import client
from tests.deployment import Deployment, invoke
from tests.integration.cpq.drafts import Line, draft, rows

PROFILE = (ROOT / "templates/pdf/companies/sample.toml").read_text("utf-8")


@contextmanager
def printer(deployment: Deployment, aws_url: str, aws_variables: Mapping[str, str], **more: str) -> Iterator[Any]:
    """quote_pdf with this release's layouts and the sample's company; gives an S3 client of the test's own."""
    s3 = client("s3", aws_url)
    buckets = {name: f"{name}-{uuid4().hex[:8]}" for name in ("templates", "documents")}
    for bucket in buckets.values():
        s3.create_bucket(Bucket=bucket)
    named = {"TEMPLATE_BUCKET": buckets["templates"], "DOCUMENT_BUCKET": buckets["documents"]}
    folder = {"TEMPLATES_DIR": str(ROOT / "templates")}
    with deployment.serving("quarry_write", **aws_variables, **named, **folder, **more):
        invoke(publishing, {})
        s3.put_object(Bucket=buckets["templates"], Key="templates/pdf/company.toml", Body=PROFILE)
        yield s3


def priced(
    deployment: Deployment, *lines: Line, discount: float = 0, account: str = "acct_acme_001", **fields: Any
) -> str:
    quote_id = draft(deployment, *lines, account=account, **fields)
    answer = invoke(pricing, {"quote_id": quote_id, "requested_discount_pct": discount})
    assert answer.get("error") is None, answer
    return quote_id


def approve(deployment: Deployment, quote_id: str) -> None:
    """As the approval page leaves it."""
    rows(
        deployment,
        """
        WITH decided AS (
            UPDATE cpq.quote_versions SET status = 'approved', finalized_at = now()
            WHERE quote_id = %s RETURNING tenant, quote_id, version, content_hash)
        INSERT INTO cpq.approval_requests (tenant, id, quote_id, version, content_hash, status, approver_role,
            justification, context, requested_by, expires_at, decided_at, decided_by, approver_name, decision_comment)
        SELECT d.tenant, replace(d.quote_id, 'Q-', 'APR-'), d.quote_id, d.version, d.content_hash, 'approved', a.role,
            'ours', '{}', 'agent:test', now(), now(), a.id, a.name, 'for our eyes only'
        FROM decided d, (SELECT id, role, name FROM cpq.approvers WHERE role = 'sales_manager' LIMIT 1) a
        RETURNING id
        """,
        quote_id,
    )


def print_quote(quote_id: str, **options: object) -> dict[str, Any]:
    return invoke(handler, {"quote_id": quote_id, **options})


def downloaded(answer: Mapping[str, Any]) -> bytes:
    """Over the link, without credentials, as a customer's browser does; its checksum is the one that was told."""
    with urllib.request.urlopen(answer["download_url"], timeout=60) as response:  # noqa: S310 - our own URL
        assert response.headers["Content-Type"] == "application/pdf"
        content: bytes = response.read()
    assert len(content) == answer["file_size_bytes"]
    assert f"sha256:{hashlib.sha256(content).hexdigest()}" == answer["checksum"]
    return content


def text_of(answer: Mapping[str, Any]) -> str:
    pages = PdfReader(io.BytesIO(downloaded(answer))).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())
