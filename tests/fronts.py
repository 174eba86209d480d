"""Further fronts before the functions of a running stack, and the command that makes API keys."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from local.environment import child_base, proxy_environment
from local.files import ROOT
from local.ports import free_port
from local.serve.probe import answers
from local.stack import require
from tests.house import ENVIRONMENT

START_SECONDS = 20


def keys(data_dir: Path, *words: str) -> str:
    """What the command prints."""
    command = [sys.executable, "-m", "local.keys", *words]
    environment = ENVIRONMENT | {"DATA_DIR": str(data_dir)}
    done = subprocess.run(command, cwd=ROOT, env=environment, timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def front(data_dir: Path, **variables: str) -> Iterator[str]:
    """The address of one that is configured otherwise, once it answers."""
    url = f"http://127.0.0.1:{free_port()}"
    proxy = proxy_environment(require(data_dir), host="127.0.0.1", port=int(url.rpartition(":")[2]))
    process = subprocess.Popen(
        [sys.executable, "-m", "proxy"],
        cwd=ROOT,
        env=child_base(ENVIRONMENT, data_dir=data_dir) | proxy | variables,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not asyncio.run(answers(f"{url}/healthz")):
            assert process.poll() is None, "the front ended"
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(60)


def guarded_front(data_dir: Path) -> AbstractContextManager[str]:
    """One that asks for API keys."""
    return front(data_dir, AUTH_MODE="api_key")
