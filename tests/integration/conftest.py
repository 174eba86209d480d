"""What modules ask for: the sample catalogue, an inbox for requests for approval, and files to ingest."""

from collections.abc import Iterator

import pytest

from local.stack import Database
from tests.arrivals import BUCKET, Arrivals
from tests.aws import client
from tests.deployment import Deployment, new_deployment
from tests.inbox import Inbox, open_inbox
from tests.integration.cpq.approving import variables
from tests.sample_catalogue import put_catalogue


@pytest.fixture(scope="session")
def catalogue(postgres: Database, embeddings_url: str) -> Iterator[str]:
    """The name of a database that holds the sample catalogue; copy it, never write to it."""
    with new_deployment(postgres, embeddings_url) as deployment:
        put_catalogue(deployment)
        deployment.close()
        yield deployment.name


@pytest.fixture(scope="module")
def inbox(aws_url: str) -> Iterator[Inbox]:
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
        yield Arrivals(s3, deployment)
