"""Requests for approval come from the sample catalogue."""

from collections.abc import Iterator

import pytest

from local.stack import Database
from tests.deployment import Deployment, new_deployment


@pytest.fixture(scope="module")
def deployment(postgres: Database, catalogue: str, embeddings_url: str) -> Iterator[Deployment]:
    """A database of the module's own that holds the sample catalogue; it is dropped afterwards."""
    with new_deployment(postgres, embeddings_url, template=catalogue) as deployed:
        yield deployed
