"""`python -m local.serve`: the whole system on this machine until Ctrl-C.

Exit code 0 after Ctrl-C or SIGTERM, 1 when the stack could not start or could not be kept up.
"""

import argparse
import asyncio
import os
import sys
import time
from functools import partial
from textwrap import indent
from typing import Never

from local.failure import LocalError
from local.lifeline import die_with_parent
from local.notices import Notices
from local.ports import free_port, require_free
from local.serve.console import Console, farewell
from local.serve.plan import choose_parts, count_tools, steps
from local.serve.probe import status_of
from local.serve.supervisor import Supervisor
from local.settings import LOOPBACK, Settings, read_settings
from local.stack import Stack, exclusive, stack_file

# The processes of a killed run need a moment to notice and let go of their ports.
_LEFTOVER_PATIENCE = 3.0

# template.yaml runs the first once a minute; here nobody waits that long for a row to become searchable.
_SCHEDULED = {"embed_pending": 5.0, "expire_approvals": 60.0}
_ANNOUNCE_SECONDS = 0.5


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.serve", description=__doc__.splitlines()[0])
    parser.add_argument("--end-with-parent", action="store_true", help="stop when the starting process ends")
    options = parser.parse_args()
    if options.end_with_parent:
        die_with_parent()
    try:
        settings = read_settings()
        with exclusive(settings.data_dir):
            code = _serve(settings, console=Console(sys.stdout))
    except LocalError as failure:
        sys.exit(str(failure))
    except KeyboardInterrupt:
        code = 0  # before there was anything to stop
    sys.stdout.flush()
    # A step that was given up may still sit in a thread, waiting for an answer that will not come.
    os._exit(code)


def _serve(settings: Settings, *, console: Console) -> int:
    _refuse_an_open_door(settings)
    started = time.monotonic()
    record = stack_file(settings.data_dir)
    mcp_port = settings.port or free_port()
    require_free(mcp_port, patience=_LEFTOVER_PATIENCE if record.exists() else 0.0)
    record.unlink(missing_ok=True)
    parts = choose_parts(settings, mcp_port=mcp_port, pid=os.getpid(), environment=os.environ)

    def on_ready(processes: dict[str, int]) -> None:
        first = not record.exists()
        parts.stack.model_copy(update={"processes": processes}).write()
        if first:
            seconds = time.monotonic() - started
            said = farewell(
                endpoint=parts.stack.mcp,
                tools=count_tools(),
                seconds=seconds,
                data_dir=settings.data_dir,
                takes_keys=settings.takes_keys,
            )
            console.line(said)

    async def run() -> int:
        supervisor = Supervisor(
            steps(parts),
            logs=settings.data_dir / "logs",
            console=console,
            on_ready=on_ready,
            background=[
                *(partial(invoke_every, seconds, parts.stack, name) for name, seconds in _SCHEDULED.items()),
                lambda: announce_approvals(parts.stack, console),
            ],
        )
        return await supervisor.run()

    try:
        return asyncio.run(run())
    finally:
        record.unlink(missing_ok=True)


def _refuse_an_open_door(settings: Settings) -> None:
    """Before anything is made; the proxy would refuse it last."""
    if settings.host not in LOOPBACK and settings.auth_mode == "none":
        raise LocalError(
            f"HOST={settings.host} lets other machines in, and nobody would ask them for a key: AUTH_MODE=api_key "
            f"HOST={settings.host} make serve, then a key for each of them with `make keys`."
        )


async def invoke_every(seconds: float, stack: Stack, function: str) -> Never:
    """Invokes the function as its schedule does on AWS; it finds out by itself if there is nothing to do."""
    url = f"{stack.lambda_api}/2015-03-31/functions/quarry-{function}/invocations"
    while True:
        await status_of(url, method="POST", headers={"X-Amz-Invocation-Type": "Event"})
        await asyncio.sleep(seconds)


async def announce_approvals(stack: Stack, console: Console) -> Never:
    """Reads out what approvers are sent: on this machine the console is their mailbox."""
    notices = Notices(stack.data_dir)
    said = len(notices.read())
    while True:
        for notice in notices.read(skip=said):
            console.line(f"\n{notice.subject}\n{indent(notice.link_and_whose or notice.text, '  ')}")
            said += 1
        await asyncio.sleep(_ANNOUNCE_SECONDS)


if __name__ == "__main__":
    main()
