"""The servers that are measured: on free ports, each on a core if there are two."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from local.failure import LocalError
from local.files import IMPORT_ROOTS, ROOT
from local.ports import HOST, free_port

_START_SECONDS = 30
_STOP_SECONDS = 10
PEERS_PYTHON = ROOT / ".venv-bench" / "bin" / "python"


def cores() -> tuple[int, int] | None:
    """One core for the server under test, one for whoever asks it; None where they cannot be had or chosen."""
    if sys.platform != "linux" or len(found := sorted(os.sched_getaffinity(0))) < 2:
        return None
    return found[-1], found[0]


@contextmanager
def serving(
    command: Sequence[str], *, log: Path, core: int | None = None, variables: Mapping[str, str] | None = None
) -> Iterator[tuple[int, int]]:
    """Port and pid of a server; ``{port}`` in its command or variables becomes the port."""
    port = free_port()
    filled = {name: value.replace("{port}", str(port)) for name, value in (variables or {}).items()}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    with log.open("w") as output:
        process = subprocess.Popen(
            [part.replace("{port}", str(port)) for part in command],
            env={**kept, "PYTHONPATH": os.pathsep.join(map(str, IMPORT_ROOTS)), **filled},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        try:
            if core is not None:
                os.sched_setaffinity(process.pid, {core})
            _await_port(process, port, log)
            yield port, process.pid
        finally:
            _stop(process)


def _await_port(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise LocalError(f"{process.args!r} does not answer on port {port}. It said:\n{log.read_text()[-2000:]}")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
