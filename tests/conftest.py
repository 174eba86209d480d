"""Servers that are started once per run, and a fresh database per module."""

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from moto.server import ThreadedMotoServer

from local.database import prepare
from local.files import ROOT
from local.ports import free_port
from local.postgres import Database, EmbeddedPostgres
from local.postgres_cluster import remove_cluster
from tests.deployment import DIMENSIONS, MODEL, PASSWORD, ROLES, Deployment, new_deployment


@pytest.fixture(scope="session")
def postgres() -> Iterator[Database]:
    """A server whose database `quarry` is migrated and empty; copy it, never write to it."""
    folder = Path(mkdtemp(prefix="quarry-"))
    folder.chmod(0o755)
    with EmbeddedPostgres(folder) as server:
        prepare(server.dsn(), model=MODEL, dimensions=DIMENSIONS, passwords=dict.fromkeys(ROLES, PASSWORD))
        yield server
    remove_cluster(folder)


@pytest.fixture(scope="session")
def embeddings_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    url = f"http://127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "local.embeddings", f"--port={url.rpartition(':')[2]}"]
    cache = tmp_path_factory.mktemp("models")
    process = subprocess.Popen([*command, f"--cache-dir={cache}"], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        # The port is bound before the model is loaded: the first request waits for it.
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{url}/healthz", timeout=60).close()  # noqa: S310 - our own URL
                break
            except OSError:
                assert process.poll() is None, "the embeddings server ended"
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield f"{url}/v1"
    finally:
        process.terminate()
        process.wait(10)


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
