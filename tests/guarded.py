"""A front that asks for API keys before the functions of a running stack, and the command that makes the keys."""

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.environment import child_base, proxy_environment
from local.files import ROOT
from local.ports import free_port
from local.stack import require
from tests.house import ENVIRONMENT


def keys(data_dir: Path, *words: str) -> str:
    """What the command prints."""
    command = [sys.executable, "-m", "local.keys", *words]
    environment = ENVIRONMENT | {"DATA_DIR": str(data_dir)}
    done = subprocess.run(command, cwd=ROOT, env=environment, timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def guarded_front(data_dir: Path) -> Iterator[str]:
    """Its address, once it answers."""
    url = f"http://127.0.0.1:{free_port()}"
    proxy = proxy_environment(require(data_dir), host="127.0.0.1", port=int(url.rpartition(":")[2]))
    process = subprocess.Popen(
        [sys.executable, "-m", "proxy"],
        cwd=ROOT,
        env=child_base(ENVIRONMENT, data_dir=data_dir) | proxy | {"AUTH_MODE": "api_key"},
        stderr=subprocess.DEVNULL,
    )
    try:
        _await(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(15)


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            urllib.request.urlopen(url, timeout=10).close()  # noqa: S310 - our own URL
        except urllib.error.HTTPError:
            return  # any answer is one
        except OSError:
            assert process.poll() is None, "the front ended"
            assert time.monotonic() < deadline
            time.sleep(0.1)
        else:
            return
