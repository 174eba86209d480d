"""What modules ask for: a tenant whose requests for approval arrive in an inbox, and files that are ingested."""

from collections.abc import Iterator

import pytest

from tests.arrivals import BUCKET, Arrivals
from tests.aws import client
from tests.deployment import Deployment
from tests.inbox import Inbox, open_inbox
from tests.integration.cpq.approving import variables
from tests.sample_catalogue import put_catalogue


@pytest.fixture(scope="module")
def inbox(deployment: Deployment, aws_url: str) -> Iterator[Inbox]:
    put_catalogue(deployment)
    with open_inbox(aws_url) as inbox:
        yield inbox


@pytest.fixture
def served(deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str]) -> Iterator[None]:
    """As a tool that writes is, with nothing in the inbox."""
    inbox.empty()
    inbox.slack_says = (200, {"ok": True})
    with deployment.serving("quarry_write", **variables(inbox, aws_variables)):
        yield


@pytest.fixture
def arrivals(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[Arrivals]:
    s3 = client("s3", aws_url)
    s3.create_bucket(Bucket=BUCKET)
    with deployment.serving("quarry_ingest", **aws_variables):
        yield Arrivals(s3)
