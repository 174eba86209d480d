"""Starting and ending the process of an execution environment."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping

from local.lambda_api.template import FunctionSpec
from local.lifeline import child_environment


async def start_process(
    spec: FunctionSpec, *, variables: Mapping[str, str], output: int
) -> asyncio.subprocess.Process:
    """`variables` is all the process sees; `output` is a descriptor for both stdout and stderr."""
    command = [sys.executable, "-m", "local.lambda_api.environment", spec.handler]
    return await asyncio.create_subprocess_exec(
        *command,
        *(["--built"] if spec.built else []),
        env=child_environment(variables),
        cwd=spec.task_root,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        # It leads a process group of its own: Ctrl-C reaches the server alone, which then ends its children in
        # order, and nothing a function started survives `kill_group`.
        start_new_session=True,
    )


def kill_group(pid: int) -> None:
    # macOS answers "not permitted" for a group of which only a zombie is left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
