"""An inbox for the approvers' links, and the page's function as it is deployed."""

from collections.abc import Iterator

import pytest

from tests.deployment import Deployment
from tests.inbox import Inbox, open_inbox
from tests.integration.cpq.approving import (
    variables,
)
from tests.sample_catalogue import put_catalogue


@pytest.fixture(scope="module")
def inbox(deployment: Deployment, aws_url: str) -> Iterator[Inbox]:
    put_catalogue(deployment)
    with open_inbox(aws_url) as inbox:
        yield inbox


@pytest.fixture(autouse=True)
def served(deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str]) -> Iterator[None]:
    inbox.empty()
    with deployment.serving("quarry_write", **variables(inbox, aws_variables)):
        yield
