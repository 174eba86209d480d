"""Quotes are made from the sample catalogue."""

from collections.abc import Iterator

import pytest

from local.corpus_loader import CORPUS, SAMPLE
from local.stack import Database
from tests.deployment import Deployment, new_deployment
from tests.integration.cpq.printing import printer
from tests.integration.cpq.processes import Calls, calling_processes
from tests.trades.loading import put_file

LETTERS_REST_ON = ("families", "units", "attributes", "products", "past_quotes", "line_items")


@pytest.fixture(scope="module")
def deployment(postgres: Database, catalogue: str, embeddings_url: str) -> Iterator[Deployment]:
    """A database of the module's own that holds the sample catalogue; it is dropped afterwards."""
    with new_deployment(postgres, embeddings_url, template=catalogue) as deployed:
        yield deployed


@pytest.fixture(scope="module")
def writing(deployment: Deployment) -> Iterator[None]:
    """Tools run as those do that write."""
    with deployment.serving("quarry_write"):
        yield


@pytest.fixture(scope="session")
def sample(postgres: Database, catalogue: str, embeddings_url: str) -> Iterator[str]:
    """The name of a database that holds the sample's machines and past quotes too; copy it, never write to it."""
    with new_deployment(postgres, embeddings_url, template=catalogue) as deployed:
        for kind, name in SAMPLE:
            if kind in LETTERS_REST_ON:
                put_file(deployed, CORPUS / name, kind=kind)
        deployed.close()
        yield deployed.name


@pytest.fixture(scope="module")
def letters(
    postgres: Database, sample: str, embeddings_url: str, aws_url: str, aws_variables: dict[str, str]
) -> Iterator[Deployment]:
    """Where letters can be composed of the sample and read back, in a database of the module's own."""
    with (
        new_deployment(postgres, embeddings_url, template=sample) as deployed,
        printer(deployed, aws_url, aws_variables),
    ):
        yield deployed


@pytest.fixture(scope="module")
def in_processes(deployment: Deployment) -> Iterator[Calls]:
    with calling_processes(deployment) as calls:
        yield calls
