"""The processes of a measurement: servers on free ports, each on a core if there are two, and those that ask them."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

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


def environment(**own: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, IMPORT_ROOTS)), **own}


@contextmanager
def serving(
    module: str,
    *arguments: str,
    log: Path,
    core: int | None = None,
    python: str = sys.executable,
    variables: Mapping[str, str] | None = None,
) -> Iterator[tuple[int, int]]:
    """Port and pid of ``python -m module``; ``{port}`` in an argument or a variable becomes the port."""
    port = free_port()

    def filled(text: str) -> str:
        return text.replace("{port}", str(port))

    own = {name: filled(value) for name, value in (variables or {}).items()}
    with log.open("w") as output:
        process = subprocess.Popen(
            [python, "-m", module, *map(filled, arguments)],
            env=environment(**own),
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


class Asker:
    """A load generator: an order in, what it measured out."""

    def __init__(self, command: Sequence[str], *, variables: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", *command],
            env=environment(**(variables or {})),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "Asker":
        return self

    def __exit__(self, *_: object) -> None:
        _pipe(self._process.stdin).close()
        _stop(self._process)

    def ask(self, line: str) -> str:
        _pipe(self._process.stdin).write(line + "\n")
        _pipe(self._process.stdin).flush()
        answer = _pipe(self._process.stdout).readline()
        if not answer:
            raise LocalError(f"{self._process.args!r} ended; what it said stands above.")
        return answer


def _pipe(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise LocalError("a pipe was asked for and is not there")
    return pipe


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


def _stop(process: "subprocess.Popen[bytes] | subprocess.Popen[str]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
