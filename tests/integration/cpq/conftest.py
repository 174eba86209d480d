"""Quotes are made from the sample catalogue."""

from collections.abc import Iterator

import pytest

from local.stack import Database
from tests.deployment import Deployment, new_deployment
from tests.integration.cpq.processes import Calls, calling_processes


@pytest.fixture(scope="module")
def deployment(postgres: Database, catalogue: str, embeddings_url: str) -> Iterator[Deployment]:
    """A database of the module's own that holds the sample catalogue; it is dropped afterwards."""
    with new_deployment(postgres, embeddings_url, template=catalogue) as deployed:
        yield deployed


@pytest.fixture(scope="module")
def in_processes(deployment: Deployment) -> Iterator[Calls]:
    with calling_processes(deployment) as calls:
        yield calls
