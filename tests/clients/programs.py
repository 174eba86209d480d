"""The clients' programs: where each runs, what it is to see, and the lines it says it in."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from local.files import ROOT
from tests.npm import Packages

FOLDER = Path(__file__).resolve().parent
TYPESCRIPT = Packages(FOLDER, "MCP's TypeScript SDK", 180)
SECOND_GENERATION = ROOT / ".venv-clients"
LANGCHAIN = ROOT / ".venv-langchain"

EVERYWHERE = (
    *("protocol", "tools", "search", "tool error", "resources", "resource", "templated", "prompt"),
    *("tools with a key", "refusal"),
)
COMPLETION = (*EVERYWHERE, "completion")


@dataclass(frozen=True)
class Program:
    """``sees`` leaves out what a client has no method for."""

    title: str
    command: tuple[str, ...]
    eras: tuple[str, ...]
    sees: tuple[str, ...]


@dataclass(frozen=True)
class Sight:
    what: str
    value: Any


def _python(venv: Path, module: str) -> tuple[str, ...]:
    return (str(venv / "bin" / "python"), "-m", f"tests.clients.{module}")


def _node(generation: str) -> tuple[str, ...]:
    return (TYPESCRIPT.node, str(FOLDER / "with_typescript.mjs"), generation)


PROGRAMS = (
    Program("OpenAI Agents SDK", _python(SECOND_GENERATION, "with_openai_agents"), ("modern",), EVERYWHERE),
    Program("FastMCP", _python(SECOND_GENERATION, "with_fastmcp"), ("modern", "legacy"), COMPLETION),
    Program("LangChain", _python(LANGCHAIN, "with_langchain"), ("legacy",), EVERYWHERE),
    Program("TypeScript SDK, client 2", _node("client"), ("modern", "legacy"), COMPLETION),
    Program("TypeScript SDK, sdk 1", _node("sdk"), ("legacy",), COMPLETION),
)


def watch(program: Program, task: Mapping[str, object]) -> Iterator[Sight]:
    """What the program sees, as it sees it; its death, if that comes first, is a sight too."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1,localhost"}
    with TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            program.command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(task))
        process.stdin.close()
        for line in process.stdout:
            said = json.loads(line)
            yield Sight(said["saw"], said["value"])
        if process.wait() != 0:
            errors.seek(0)
            yield Sight("end", errors.read())
