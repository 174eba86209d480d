"""Processes of execution environments: their variables, their start, their output, and the limits they keep to."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from local.lambda_api.intrinsics import StackValues, as_text
from local.lambda_api.template import FunctionSpec
from local.lifeline import child_environment

REPOSITORY = Path(__file__).resolve().parents[2]

# A function must not see what the developer's shell holds: on AWS it would not be there, and it may be secret.
_INHERITED = ("PATH", "HOME")

_LONGEST_LINE = 65_536


@dataclass(frozen=True, slots=True)
class Overrides:
    """An --env-file: values for all functions, and for single ones by logical id or name. None removes.

    ``passwords`` by database role: a function gets the one of its own DB_USER and no other.
    """

    shared: Mapping[str, str | None] = field(default_factory=dict)
    single: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    passwords: Mapping[str, str | None] = field(default_factory=dict, repr=False)

    def for_function(self, spec: FunctionSpec) -> dict[str, str | None]:
        role = spec.variables.get("DB_USER", "")
        password = {"DB_PASSWORD": self.passwords[role]} if role in self.passwords else {}
        return {**self.shared, **password, **self.single.get(spec.logical_id, {}), **self.single.get(spec.name, {})}


def read_overrides(path: Path) -> Overrides:
    """Takes the form of `sam local --env-vars`: an object per function, and under "Parameters" one for all."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict) or not all(isinstance(value, dict) for value in document.values()):
        raise ValueError(f"{path} must hold one JSON object with an object for each function.")
    groups = {name: _texts(value) for name, value in document.items()}
    return Overrides(shared=groups.pop("Parameters", {}), passwords=groups.pop("Passwords", {}), single=groups)


def _texts(values: dict[str, Any]) -> dict[str, str | None]:
    return {name: None if value is None else as_text(value) for name, value in values.items()}


def function_variables(spec: FunctionSpec, overrides: Overrides) -> dict[str, str]:
    """The template's variables with the overrides applied."""
    merged = {**spec.variables, **overrides.for_function(spec)}
    return {name: value for name, value in merged.items() if value is not None}


def process_environment(
    spec: FunctionSpec, *, variables: Mapping[str, str], region: str, runtime_api: str
) -> dict[str, str]:
    """All variables of a process; `runtime_api` is host:port, as the C++ client of AWS's runtime client wants it."""
    # Lambda unpacks layers over each other, so a later layer wins.
    path = [str(spec.task_root), *map(str, reversed(spec.layers)), str(REPOSITORY)]
    return {
        **{name: os.environ[name] for name in _INHERITED if name in os.environ},
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "TZ": ":UTC",
        "AWS_REGION": region,
        "AWS_DEFAULT_REGION": region,
        **variables,
        "AWS_LAMBDA_FUNCTION_NAME": spec.name,
        # Environments serve the alias and $LATEST alike, as both are the same code here.
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST" if spec.alias is None else "1",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(spec.memory_mb),
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{spec.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": f"local/{runtime_api.rpartition(':')[2]}",
        "AWS_LAMBDA_RUNTIME_API": runtime_api,
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{spec.runtime}",
        "LAMBDA_TASK_ROOT": str(spec.task_root),
        "LAMBDA_RUNTIME_DIR": _runtime_folder(),
        "_HANDLER": spec.handler,
        # The repository comes last, for `local` alone; the child takes it off again before any handler runs.
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONUNBUFFERED": "1",
        "PYTHONNOUSERSITE": "1",
    }


def _runtime_folder() -> str:
    spec = find_spec("awslambdaric")
    if spec is None or spec.origin is None:
        raise RuntimeError("awslambdaric is not installed: `pip install awslambdaric`.")
    return str(Path(spec.origin).parent.parent)


async def start_process(spec: FunctionSpec, *, variables: Mapping[str, str]) -> asyncio.subprocess.Process:
    """`variables` is all the process sees; its stdout and stderr share a pipe, so that their order is kept."""
    command = [sys.executable, "-m", "local.lambda_api.bootstrap", spec.handler]
    return await asyncio.create_subprocess_exec(
        *command,
        *(["--built"] if spec.built else []),
        env=child_environment(variables),
        cwd=spec.task_root,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        # It leads a process group of its own: Ctrl-C reaches the server alone, which then ends its children in
        # order, and nothing a function started survives `kill_group`.
        start_new_session=True,
    )


async def forward_output(process: asyncio.subprocess.Process, *, name: str) -> None:
    """Says line by line what the process writes, until its end."""
    assert process.stdout is not None
    begun = b""
    while chunk := await process.stdout.read(_LONGEST_LINE):
        # The RIC joins the lines of a stack trace with a carriage return, which a terminal would overwrite.
        *lines, begun = (begun + chunk).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if len(begun) > _LONGEST_LINE:
            lines.append(begun)
            begun = b""
        say(name, *(line.decode(errors="replace") for line in lines))
    if begun:
        say(name, begun.decode(errors="replace"))


def say(name: str, *lines: str) -> None:
    """Lines of a function's log, under its name."""
    # A line that finds no room on a full disk is lost; the call it tells of is not.
    with contextlib.suppress(OSError):
        sys.stderr.write("".join(f"{name} | {line}\n" for line in lines))
        sys.stderr.flush()


def kill_group(pid: int) -> None:
    # macOS answers "not permitted" for a group of which only a zombie is left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


MEGABYTE = 1024 * 1024
# The exact figures of AWS's messages; the response may be a little larger than the request.
MAX_REQUEST_BYTES = 6 * MEGABYTE
MAX_RESPONSE_BYTES = 6_291_556
MAX_CLIENT_CONTEXT_BYTES = 3583


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds."""

    max_environments: int = 4
    max_total: int | None = None
    """Unset: a process for each function, and a few for those that are asked at once."""
    max_queue: int = 100
    queue_seconds: float = 20
    init_seconds: float = 10
    idle_seconds: float = 600
    grace_seconds: float = 5
    event_delays: tuple[float, ...] = (1, 2)


@dataclass(frozen=True, slots=True)
class Host:
    limits: Limits
    stack: StackValues
    overrides: Overrides
