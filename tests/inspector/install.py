"""MCP Inspector and a Node.js new enough for it, installed with npm beside this file and run from there."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MODULES = FOLDER / "node_modules"

INSTALL_SECONDS = 600
RUN_SECONDS = 60


class InstallError(Exception):
    """The message says what is missing on this machine."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """``code`` is Inspector's exit code: 5 for a tool error, 6 for a schema that breaks clients."""

    code: int
    stdout: str
    stderr: str


def install() -> None:
    """Leaves an installation alone that has the versions of package.json."""
    if _installed() == _wanted():
        return
    npm = shutil.which("npm")
    if npm is None:
        raise InstallError("MCP Inspector is installed with npm, which is not on the PATH: install Node.js first.")
    print(f"Installing MCP Inspector into {MODULES} (about 300 MB, Node.js included) ...", flush=True)
    command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(command, cwd=FOLDER, timeout=INSTALL_SECONDS, check=False, capture_output=True, text=True)
    if done.returncode != 0 or _installed() != _wanted():
        raise InstallError(f"npm could not install MCP Inspector:\n{done.stdout}{done.stderr}")


def run(arguments: Sequence[str]) -> Outcome:
    command = [str(MODULES / "node" / "bin" / "node"), str(MODULES / ".bin" / "mcp-inspector"), "--cli", *arguments]
    # It keeps a catalogue of servers and stored logins in the home directory; neither is ours to touch or to use.
    environment = {**os.environ, "HOME": str(MODULES / ".home"), "NO_PROXY": "127.0.0.1,localhost"}
    done = subprocess.run(command, env=environment, timeout=RUN_SECONDS, check=False, capture_output=True, text=True)
    return Outcome(done.returncode, done.stdout, done.stderr)


def _wanted() -> dict[str, str]:
    wanted: dict[str, str] = json.loads((FOLDER / "package.json").read_text("utf-8"))["dependencies"]
    return wanted


def _installed() -> dict[str, str]:
    manifests = {name: MODULES / name / "package.json" for name in _wanted()}
    if not (MODULES / "node" / "bin" / "node").is_file():
        return {}
    return {
        name: json.loads(path.read_text("utf-8"))["version"] for name, path in manifests.items() if path.is_file()
    }
