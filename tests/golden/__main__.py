"""`make golden`: runs every golden case against an MCP endpoint as a real client and prints the verdicts.

Exit code 1 when a case failed; a call that got no clear answer counts as lost and fails too.
"""

import argparse
import asyncio
import sys
import time
from dataclasses import dataclass

from httpx2 import TransportError
from mcp import Client, MCPError
from mcp_types import TextContent

from tests.golden.cases import Case, load
from tests.golden.judge import faults


@dataclass(frozen=True, slots=True)
class Verdict:
    """``lost``: neither a result nor a tool error came back."""

    case: Case
    faults: list[str]
    ms: float
    lost: bool = False
    unavailable: bool = False


async def run_case(client: Client, case: Case) -> Verdict:
    started = time.perf_counter()
    try:
        async with asyncio.timeout(60):
            answer = await client.call_tool(case.tool, case.arguments)
    except (MCPError, OSError, TimeoutError, TransportError) as error:
        return Verdict(case, [f"no answer: {type(error).__name__}: {error}"], _ms(started), lost=True)
    text = "".join(block.text for block in answer.content if isinstance(block, TextContent))
    found = faults(case, structured=answer.structured_content, text=text, is_error=bool(answer.is_error))
    elapsed = _ms(started)
    if case.within_ms is not None and elapsed > case.within_ms and not found:
        found = [f"took {elapsed:.0f} ms, allowed are {case.within_ms:.0f}"]
    unavailable = bool(answer.is_error) and case.error is None
    return Verdict(case, found, elapsed, unavailable=unavailable)


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000


async def run_all(url: str, cases: list[Case]) -> list[Verdict]:
    async with Client(url) as client:
        return [await run_case(client, case) for case in cases]


async def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000/mcp")
    parser.add_argument("--loop", type=int, default=1, help="how many times to run them all")
    arguments = parser.parse_args()
    failed = 0
    for turn in range(1, arguments.loop + 1):
        verdicts: list[Verdict] = []
        try:
            verdicts = await run_all(arguments.url, load())
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
