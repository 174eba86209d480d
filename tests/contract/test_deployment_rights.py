"""Roles of template.yaml against what their functions ask of AWS, judged by moto's IAM."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from botocore.exceptions import ClientError

from cpq.documents import s3, typesetting
from local.files import ROOT
from local.lambda_api.intrinsics import Resolver, StackValues, read_template
from tests.aws import client
from tests.deployment import Deployment

TEMPLATE = read_template(ROOT / "template.yaml")
RESOLVER = Resolver(TEMPLATE, StackValues(name="rights"))
PROPERTIES = {name: resource.get("Properties", {}) for name, resource in TEMPLATE["Resources"].items()}
TEMPLATES, DOCUMENTS = (str(RESOLVER.value({"Ref": name})) for name in ("TemplateBucket", "DocumentBucket"))
LAYOUT = f"{PROPERTIES['QuotePdf']['Environment']['Variables']['TEMPLATE_PREFIX']}{typesetting.FOLDER}standard.typ"
NO_DATABASE = Deployment(host="none.invalid", port=5432, name="none", superuser_dsn="")


def s3_statements(role: str) -> list[dict[str, Any]]:
    """Those that need no more of the stack than the names of its buckets."""
    (policy,) = PROPERTIES[role]["Policies"]
    statements = policy["PolicyDocument"]["Statement"]
    return [RESOLVER.value(statement) for statement in statements if '"s3:' in json.dumps(statement["Action"])]


def credentials_of(role: str, aws_url: str) -> dict[str, str]:
    """What Lambda puts into the environment of a function with this role."""
    iam = client("iam", aws_url)
    trust = json.dumps(PROPERTIES[role]["AssumeRolePolicyDocument"])
    name = f"{role}-{uuid4().hex[:8]}"
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    policy = {"Version": "2012-10-17", "Statement": s3_statements(role)}
    iam.put_role_policy(RoleName=name, PolicyName="s3", PolicyDocument=json.dumps(policy))
    given = client("sts", aws_url).assume_role(RoleArn=arn, RoleSessionName="function")["Credentials"]
    return {
        "AWS_ACCESS_KEY_ID": given["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": given["SecretAccessKey"],
        "AWS_SESSION_TOKEN": given["SessionToken"],
    }


@contextmanager
def enforced(aws_url: str) -> Iterator[None]:
    """From here on moto asks the policies of whoever calls."""

    def unquestioned(calls: str) -> None:
        httpx2.post(f"{aws_url}/moto-api/reset-auth", content=calls).raise_for_status()

    unquestioned("0")
    try:
        yield
    finally:
        unquestioned("inf")


@contextmanager
def acting(role: str, aws_url: str, aws_variables: dict[str, str], *, database: str) -> Iterator[None]:
    """As a function with that role, beside both buckets."""
    administrator = client("s3", aws_url)
    for bucket in (TEMPLATES, DOCUMENTS):
        administrator.create_bucket(Bucket=bucket)
    administrator.put_object(Bucket=TEMPLATES, Key=LAYOUT, Body=b"layout")
    given = credentials_of(role, aws_url)
    variables = {**aws_variables, **given, "TEMPLATE_BUCKET": TEMPLATES, "DOCUMENT_BUCKET": DOCUMENTS}
    with NO_DATABASE.serving(database, **variables), enforced(aws_url):
        yield


@pytest.fixture
def as_quote_pdf(aws_url: str, aws_variables: dict[str, str]) -> Iterator[None]:
    with acting("DocumentRole", aws_url, aws_variables, database="quarry_write"):
        yield


@pytest.fixture
def as_draft_get(aws_url: str, aws_variables: dict[str, str]) -> Iterator[None]:
    with acting("LetterRole", aws_url, aws_variables, database="quarry_read"):
        yield


@pytest.mark.usefixtures("as_quote_pdf")
def test_quote_pdf_may_fetch_its_layouts() -> None:
    typesetting.published().require("standard.typ")


@pytest.mark.usefixtures("as_quote_pdf")
def test_quote_pdf_may_put_a_document_look_for_it_and_link_to_it() -> None:
    content = b"%PDF"
    s3.put(DOCUMENTS, "acme/quote.pdf", content, metadata={})
    assert s3.size(DOCUMENTS, "acme/quote.pdf") is not None
    # Whoever follows a link does so with the rights of the role that signed it.
    assert s3.read(DOCUMENTS, "acme/quote.pdf") == content


@pytest.mark.usefixtures("as_quote_pdf")
def test_quote_pdf_may_not_change_a_layout() -> None:
    with pytest.raises(ClientError, match="AccessDenied"):
        s3.put(TEMPLATES, LAYOUT, b"", metadata={})


@pytest.mark.usefixtures("as_draft_get")
def test_draft_get_may_fetch_its_layouts_put_a_letter_and_have_it_read_over_its_link() -> None:
    typesetting.published().require("standard.typ")
    s3.put(DOCUMENTS, "acme/letter.docx", b"PK", metadata={})
    assert s3.read(DOCUMENTS, "acme/letter.docx") == b"PK"
    with pytest.raises(ClientError, match="AccessDenied"):
        s3.put(TEMPLATES, LAYOUT, b"", metadata={})


def test_quote_pdf_is_told_404_of_a_lost_document() -> None:
    """S3 answers 403 to whoever may not list the bucket, which moto does not imitate."""
    listed = [each["Resource"] for each in s3_statements("DocumentRole") if each["Action"] == "s3:ListBucket"]
    assert listed == [[f"arn:aws:s3:::{TEMPLATES}", f"arn:aws:s3:::{DOCUMENTS}"]]
