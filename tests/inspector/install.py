"""MCP Inspector's command line, installed with npm beside this file and run from there."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.npm import Packages

INSPECTOR = Packages(Path(__file__).resolve().parent, "MCP Inspector", 300)

RUN_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Outcome:
    """``code`` is Inspector's exit code: 5 for a tool error, 6 for a schema that breaks clients."""

    code: int
    stdout: str
    stderr: str


def run(arguments: Sequence[str]) -> Outcome:
    command = [INSPECTOR.node, str(INSPECTOR.modules / ".bin" / "mcp-inspector"), "--cli", *arguments]
    # It keeps a catalogue of servers and stored logins in the home directory; neither is ours to touch or to use.
    environment = {**os.environ, "HOME": str(INSPECTOR.modules / ".home"), "NO_PROXY": "127.0.0.1,localhost"}
    done = subprocess.run(command, env=environment, timeout=RUN_SECONDS, check=False, capture_output=True, text=True)
    return Outcome(done.returncode, done.stdout, done.stderr)
