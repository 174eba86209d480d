"""One supervisor per data directory: a lock that the kernel releases however its holder ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from local.failure import LocalError

_PATIENCE = 0.3


@contextmanager
def exclusive(data_dir: Path) -> Iterator[None]:
    data_dir.mkdir(parents=True, exist_ok=True)
    with _file(data_dir).open("a+") as file:
        if not _take_patiently(file):
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise LocalError(
                f"A stack is already running on {data_dir} (process {holder}). Use it, stop it with Ctrl-C or "
                f"`kill {holder}`, or run a second one apart: DATA_DIR=.quarry2 PORT=8010 make serve"
            )
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def is_held(data_dir: Path) -> bool:
    try:
        with _file(data_dir).open("r+") as file:
            return not _take(file)
    except FileNotFoundError:
        return False


def _file(data_dir: Path) -> Path:
    return data_dir / "lock"


def _take_patiently(file: IO[str]) -> bool:
    """`is_held` takes the lock for an instant; a supervisor must not mistake that for another one."""
    deadline = time.monotonic() + _PATIENCE
    while not (taken := _take(file)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return taken


def _take(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
