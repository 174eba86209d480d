"""The log file of each process: rotated at start, its end quoted in failures, followed when asked."""

import asyncio
from collections import deque
from pathlib import Path

from local.serve.console import Console

_KEPT = 3
_TAIL_LINES = 15
_FOLLOW_SECONDS = 0.2


def fresh_log(folder: Path, *, name: str) -> Path:
    """The path of an empty log; earlier ones move on to `.1`, `.2`, `.3`."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{name}.log"
    for number in range(_KEPT, 0, -1):
        older = folder / f"{name}.log.{number}"
        newer = log if number == 1 else folder / f"{name}.log.{number - 1}"
        if newer.exists():
            newer.replace(older)
    log.touch(mode=0o600)
    return log


def tail(log: Path) -> str:
    with log.open(encoding="utf-8", errors="replace") as file:
        last = deque(file, maxlen=_TAIL_LINES)
    return "".join(f"  | {line.rstrip()}\n" for line in last) or "  | (empty)\n"


async def follow(log: Path, *, name: str, console: Console) -> None:
    with log.open(encoding="utf-8", errors="replace") as file:
        while True:
            for line in file:
                console.line(f"{name} | {line.rstrip()}")
            await asyncio.sleep(_FOLLOW_SECONDS)
