"""`make golden`: runs every golden case against an MCP endpoint as a real client and prints the verdicts.

Exit code 1 when a case failed; a call that got no clear answer counts as lost and fails too.
"""

import argparse
import asyncio
import os
import sys

from httpx2 import TransportError
from mcp import MCPError

from local.files import ROOT
from local.serve.own_keys import key_for
from local.settings import read_settings
from operations.golden.asking import Verdict, run_all

GOLDEN = ROOT / "tests" / "golden"


async def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.golden", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000/mcp")
    parser.add_argument("--loop", type=int, default=1, help="how many times to run them all")
    arguments = parser.parse_args()
    key = key_for(arguments.url, read_settings(os.environ))
    failed = 0
    for turn in range(1, arguments.loop + 1):
        verdicts: list[Verdict] = []
        try:
            verdicts = await run_all(arguments.url, GOLDEN, key=key)
        except* (OSError, MCPError, TransportError) as group:
            print(f"turn {turn}: the endpoint did not answer: {group.exceptions[0]!r}", file=sys.stderr)
            failed += 1
        for verdict in verdicts:
            state = "ok  " if not verdict.faults else "FAIL"
            print(f"{state} {verdict.ms:7.1f} ms  {verdict.case.name}")
            for fault in verdict.faults:
                print(f"       {fault}")
        failed += sum(bool(verdict.faults) for verdict in verdicts)
    print(f"{'all golden cases passed' if not failed else f'{failed} failed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
