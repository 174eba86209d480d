"""`make golden`: runs every golden case against an MCP endpoint as a real client and prints the verdicts.

Exit code 1 when a case failed; a call that got no clear answer counts as lost and fails too.
"""

import argparse
import asyncio
import os
import sys

from httpx2 import TransportError
from mcp import MCPError

from local import sample
from local.failure import run_command
from local.files import ROOT
from local.serve.own_keys import key_for
from local.settings import read_settings
from operations.golden.asking import Verdict, run_all

GOLDEN = ROOT / "tests" / "golden"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.golden", description=__doc__)
    parser.add_argument("--url", help="another endpoint than the running stack's")
    parser.add_argument("--loop", type=int, default=1, help="how many times to run them all")
    arguments = parser.parse_args()
    settings = read_settings(os.environ)
    url = sample.endpoint(settings, arguments.url)
    failed = asyncio.run(_run(url, key=key_for(url, settings), times=arguments.loop))
    print(f"{'all golden cases passed' if not failed else f'{failed} failed'}")
    return 1 if failed else 0


async def _run(url: str, *, key: str | None, times: int) -> int:
    """How many cases failed, each told as it ends."""
    failed = 0
    for turn in range(1, times + 1):
        verdicts: list[Verdict] = []
        try:
            verdicts = await run_all(url, GOLDEN, key=key)
        except* (OSError, MCPError, TransportError) as group:
            print(f"turn {turn}: the endpoint did not answer: {group.exceptions[0]!r}", file=sys.stderr)
            failed += 1
        for verdict in verdicts:
            state = "ok  " if not verdict.faults else "FAIL"
            print(f"{state} {verdict.ms:7.1f} ms  {verdict.case.name}")
            for fault in verdict.faults:
                print(f"       {fault}")
        failed += sum(bool(verdict.faults) for verdict in verdicts)
    return failed


if __name__ == "__main__":
    run_command(main)
