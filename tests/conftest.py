"""Servers that are started once per run, and a fresh database per module."""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import settings
from moto.server import ThreadedMotoServer
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from local.stack import Database
from tests.deployment import Deployment, new_deployment
from tests.servers import new_embeddings, new_postgres

settings.register_profile("quarry", deadline=None)  # a busy machine stalls
settings.load_profile("quarry")

TOGETHER = ("tests/e2e/", "tests/integration/tenancy/")


class Scheduling(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """A file's tests go to one worker, and so do all files of a folder that shares what is dear to start.

    That is a whole stack, and two filled databases; two workers would start them twice.
    """

    def _split_scope(self, nodeid: str) -> str:
        return next((folder for folder in TOGETHER if nodeid.startswith(folder)), super()._split_scope(nodeid))


def pytest_collection_finish() -> None:
    """Thousands of collected tests are no garbage: looking through them took 0.6 s each time."""
    gc.collect()
    gc.freeze()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    return Scheduling(config, log)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Database]:
    """A server whose database `quarry` is migrated and empty; copy it, never write to it."""
    with new_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def embeddings_url() -> Iterator[str]:
    with new_embeddings() as url:
        yield url


@pytest.fixture(scope="session")
def aws_url() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="module")
def deployment(postgres: Database, embeddings_url: str) -> Iterator[Deployment]:
    """An empty database of the module's own; it is dropped afterwards."""
    with new_deployment(postgres, embeddings_url) as deployed:
        yield deployed


@pytest.fixture
def reading(deployment: Deployment) -> Iterator[None]:
    """This process is the environment of a function that reads."""
    with deployment.serving("quarry_read"):
        yield


@pytest.fixture(scope="session")
def aws_variables(aws_url: str) -> dict[str, str]:
    """What boto3 needs to talk to moto's server instead of AWS."""
    return {
        "AWS_ENDPOINT_URL": aws_url,
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
    }
