"""A served tenant whose requests for approval arrive in an inbox, for the modules that ask for it."""

from collections.abc import Iterator

import pytest

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
