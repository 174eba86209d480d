"""The servers that tests and their commands start: Postgres with the migrations applied, and the local embeddings."""

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from local.database import prepare
from local.files import ROOT
from local.ports import free_port
from local.postgres import EmbeddedPostgres
from local.postgres_cluster import remove_cluster
from local.stack import Database
from tests.deployment import DIMENSIONS, MODEL, PASSWORD, ROLES


@contextmanager
def new_postgres() -> Iterator[Database]:
    """A server whose database `quarry` is migrated and empty; copy it, never write to it."""
    folder = Path(mkdtemp(prefix="quarry-"))
    folder.chmod(0o755)
    # What a power cut would cost it is nothing: it is removed at the end.
    with EmbeddedPostgres(folder, settings={"fsync": "off"}) as server:
        prepare(server.dsn, model=MODEL, dimensions=DIMENSIONS, passwords=dict.fromkeys(ROLES, PASSWORD))
        yield server
    remove_cluster(folder)


@contextmanager
def new_embeddings() -> Iterator[str]:
    """The base URL of an embeddings server that answers."""
    url = f"http://127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "local.embeddings", f"--port={url.rpartition(':')[2]}"]
    with TemporaryDirectory(prefix="quarry-models-") as cache:
        process = subprocess.Popen([*command, f"--cache-dir={cache}"], cwd=ROOT, stderr=subprocess.DEVNULL)
        try:
            # The port is bound before the model is loaded: the first request waits for it.
            await_http(f"{url}/healthz", process)
            yield f"{url}/v1"
        finally:
            process.kill()  # it keeps nothing, and would wait for whom it serves
            process.wait()


def await_http(url: str, process: subprocess.Popen[bytes]) -> None:
    """Returns when the server of ``process`` answers; raises AssertionError when it ends or takes over a minute."""
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(url, timeout=60).close()  # noqa: S310 - our own URL
            return
        except OSError:
            assert process.poll() is None, f"the server of {url} ended"
            assert time.monotonic() < deadline, f"{url} does not answer"
            time.sleep(0.05)
