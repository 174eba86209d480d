"""What the supervisor says: steps, the logs of its processes, and the last words of a start."""

import json
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from local.files import ROOT

_LEAST_PAUSE = 0.5
_TAIL_LINES = 15
_KEY = "Bearer qk_…"
_MAKE_A_KEY = """
  It asks for a key, which stands in place of qk_… below:
                  make keys DO="create 'for my agent' --scopes all"
"""


class Console:
    def __init__(self, out: TextIO) -> None:
        self._out = out

    def line(self, text: str = "") -> None:
        # Where the output is a file, its disk may be full: that ends nothing.
        with suppress(OSError):
            print(text, file=self._out, flush=True)


class Progress:
    """The lines of one step: `[3/8] corpus: 120 of 400 rows`."""

    def __init__(self, console: Console, *, number: int, total: int, name: str) -> None:
        self._console = console
        self._prefix = f"[{number}/{total}] {name}:"
        self._started = time.monotonic()
        self._last = 0.0

    def begin(self, text: str) -> None:
        self._started = time.monotonic()
        self._console.line(f"{self._prefix} {text} …")

    def report(self, text: str) -> None:
        """Reports that follow each other closely are dropped."""
        now = time.monotonic()
        if now - self._last >= _LEAST_PAUSE:
            self._last = now
            self._console.line(f"{self._prefix} {text}")

    def end(self, text: str) -> None:
        self._console.line(f"{self._prefix} {text} in {time.monotonic() - self._started:.1f} s")


def fresh_log(folder: Path, *, name: str) -> Path:
    """The path of an empty log; that of the last start is kept as `.1`."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{name}.log"
    if log.exists():
        log.replace(folder / f"{name}.log.1")
    log.touch(mode=0o600)
    return log


def tail(log: Path) -> str:
    with log.open(encoding="utf-8", errors="replace") as file:
        last = deque(file, maxlen=_TAIL_LINES)
    return "".join(f"  | {line.rstrip()}\n" for line in last) or "  | (empty)\n"


def farewell(*, endpoint: str, tools: int, seconds: float, data_dir: Path, takes_keys: bool = False) -> str:
    remote: dict[str, object] = {"type": "http", "url": endpoint}
    header = ""
    if takes_keys:
        remote["headers"] = {"Authorization": _KEY}
        header = f' --header "Authorization: {_KEY}"'
    spawned = {
        "command": sys.executable,
        "args": ["-m", "local.stdio"],
        "env": {"PYTHONPATH": str(ROOT), "DATA_DIR": str(data_dir)},
    }
    return f"""
Quarry is ready at {endpoint} with {tools} tools, after {seconds:.1f} s.
{_MAKE_A_KEY if takes_keys else ""}
  Claude Code     claude mcp add --transport http quarry {endpoint}{header}
  VS Code         .vscode/mcp.json
                  {_json({"servers": {"quarry": remote}})}
  Most clients    {_json({"mcpServers": {"quarry": remote}})}
  Claude Desktop  claude_desktop_config.json (it starts a process that uses this stack)
                  {_json({"mcpServers": {"quarry": spawned}})}

Logs are in {data_dir / "logs"}. Ctrl-C stops."""


def _json(configuration: object) -> str:
    return json.dumps(configuration, ensure_ascii=False)
