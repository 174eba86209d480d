"""`python -m local.serve` and `python -m local.stdio` as a person or a client starts them."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from urllib.request import urlopen

import numpy as np
import psutil
import psycopg
import pytest

from local import stack as local_stack
from local.embeddings.model import load
from local.embeddings.sample import key_of, known_vectors, sample_texts
from local.embeddings.weights import find_model
from local.files import IMPORT_ROOTS
from local.postgres_cluster import remove_cluster
from local.stack import Stack


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="quarry-"))
    folder.chmod(0o755)
    yield folder
    remove_cluster(folder)
    rmtree(folder)


@pytest.fixture(scope="module")
def stack(data_dir: Path) -> Iterator[Stack]:
    with local_stack.start(data_dir) as started:
        yield started


def command(module: str, **variables: str) -> dict[str, Any]:
    paths = os.pathsep.join(map(str, IMPORT_ROOTS))
    return {
        "args": [sys.executable, "-m", module],
        "env": {**os.environ, "PYTHONPATH": paths, **variables},
        "text": True,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }


def now(data_dir: Path) -> Stack:
    found = local_stack.running(data_dir)
    assert found is not None
    return found


def test_a_taken_port_is_named_before_anything_is_made(tmp_path: Path) -> None:
    folder = tmp_path / ".quarry"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        done = subprocess.run(**command("local.serve", DATA_DIR=str(folder), PORT=port), timeout=60, check=False)
    assert done.returncode == 1
    assert f"Port {port} is taken by process {os.getpid()}" in done.stderr
    assert {file.name for file in folder.iterdir()} == {"lock"}


def test_other_machines_are_let_in_with_keys_only(tmp_path: Path) -> None:
    folder = tmp_path / ".quarry"
    asked = command("local.serve", DATA_DIR=str(folder), PORT="0", HOST="192.0.2.7", AUTH_MODE="none")
    done = subprocess.run(**asked, timeout=60, check=False)
    assert done.returncode == 1
    assert "AUTH_MODE=api_key HOST=192.0.2.7 make serve" in done.stderr
    assert {file.name for file in folder.iterdir()} == {"lock"}


def test_the_stack_file_names_living_parts(stack: Stack) -> None:
    assert set(stack.processes) == {"postgres", "aws", "embeddings", "lambda", "approvals", "proxy"}
    address = stack.mcp.removeprefix("http://").removesuffix("/mcp")
    assert urlopen(f"http://{address}/healthz").status == 200
    with psycopg.connect(stack.database.dsn) as connection:
        assert connection.execute("SELECT count(*) > 0 FROM pg_extension WHERE extname = 'vector'").fetchone() == (
            True,
        )
    assert stack.client("lambda").meta.endpoint_url == stack.lambda_api


def test_a_second_stack_on_the_same_folder_names_the_first(stack: Stack) -> None:
    done = subprocess.run(**command("local.serve", DATA_DIR=str(stack.data_dir), PORT="0"), timeout=60, check=False)
    assert done.returncode == 1
    assert f"A stack is already running on {stack.data_dir} (process {stack.pid})" in done.stderr


def test_the_samples_vectors_that_are_shipped_are_the_models(stack: Stack) -> None:
    known, texts = known_vectors(find_model()), sample_texts(stack.database.dsn)
    shipped = [text for text in texts if key_of(text) in known]
    assert len(shipped) > 0.95 * len(texts), "the sample corpus changed: `make vectors`, and commit what it writes"
    some = shipped[:: len(shipped) // 40]
    computed = load(cache_dir=stack.data_dir / "models").embed(some)
    cosines = np.sum(computed * np.array([known[key_of(text)] for text in some], dtype=np.float32), axis=1)
    assert cosines.min() > 0.9999


@pytest.mark.parametrize("name", ["postgres", "aws", "embeddings", "lambda", "approvals", "proxy"])
def test_a_killed_process_comes_back_and_the_others_stay(stack: Stack, name: str) -> None:
    before = now(stack.data_dir).processes
    os.kill(before[name], signal.SIGKILL)
    deadline = time.monotonic() + 60
    while (after := now(stack.data_dir).processes).get(name) in (None, before[name]):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert {other: pid for other, pid in after.items() if other != name} == {
        other: pid for other, pid in before.items() if other != name
    }


def test_secrets_and_buckets_are_there_after_aws_came_back(stack: Stack) -> None:
    buckets = {bucket["Name"] for bucket in stack.client("s3").list_buckets()["Buckets"]}
    assert buckets == {"quarry-documents", "quarry-templates", "quarry-ingest"}
    secret = stack.client("secretsmanager").get_secret_value(SecretId="quarry/quarry_read")
    account = json.loads(secret["SecretString"])
    with psycopg.connect(
        host=account["host"],
        port=account["port"],
        dbname=account["dbname"],
        user=account["username"],
        password=account["password"],
    ) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("quarry_read",)


def test_stdio_speaks_mcp_and_nothing_else_over_the_running_stack(stack: Stack) -> None:
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    options = command("local.stdio", DATA_DIR=str(stack.data_dir))
    with subprocess.Popen(**options, stdin=subprocess.PIPE, cwd="/") as client:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(json.dumps(request) + "\n")
        client.stdin.flush()
        first = json.loads(client.stdout.readline())
        rest, _ = client.communicate(timeout=60)
    assert first["result"]["serverInfo"]["name"] == "quarry"
    assert rest == ""


@pytest.mark.slow
# Last in the file: it ends the stack that the others share.
def test_nothing_outlives_a_killed_stack_and_the_next_one_has_its_rows(stack: Stack) -> None:
    with psycopg.connect(stack.database.dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE public.kept AS SELECT 7 AS n")
    family = psutil.Process(stack.pid).children(recursive=True)
    os.kill(stack.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(family, timeout=60)
    assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []
    assert local_stack.running(stack.data_dir) is None
    with local_stack.start(stack.data_dir) as again, psycopg.connect(again.database.dsn) as connection:
        assert connection.execute("SELECT n FROM public.kept").fetchone() == (7,)
        assert again.database.port == stack.database.port
