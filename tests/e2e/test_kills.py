"""Any process may be killed while clients are at work: no call ends silently wrong, and service comes back."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.request import urlopen

import psutil
import pytest

from local.stack import Stack, running
from tests.e2e.looping import Answer, Ending, looping, passes

pytestmark = [pytest.mark.stack, pytest.mark.slow]

BACK_SECONDS = 45
"""On a machine whose two processors other tests want too; alone it takes three."""

CORRECT, DEGRADED, FAILED, CUT = Ending.CORRECT, Ending.DEGRADED, Ending.FAILED, Ending.CUT

PARTS: dict[str, tuple[set[Ending], set[Ending], float]] = {
    "postgres": ({FAILED}, set(), 7.5),  # functions wait 6 s for the database
    "aws": (set(), {FAILED}, 2),  # templates are cached, and of the tools quote_pdf alone needs it
    "embeddings": ({DEGRADED}, set(), 2),
    "lambda": ({FAILED}, set(), 2),
    "proxy": ({CUT}, set(), 2),
    "approvals": (set(), set(), 2),  # people's page, not a tool's
}
"""What a client meets while the part is gone, what it may meet, besides correct answers, and for how many seconds."""


def answers_around(stack: Stack, kill: Callable[[], None], *, outage: float | None = None) -> list[Answer]:
    """Every answer to clients that work through a kill and its repair, then through one that is repaired late."""

    async def main() -> list[Answer]:
        async with asyncio.timeout(240), looping(stack.mcp) as answers:
            assert_only(answers, {CORRECT})
            await asyncio.to_thread(kill)
            await recovered(stack)
            if outage is not None:
                async with supervisor_paused(stack, seconds=outage):
                    await asyncio.to_thread(kill)
                await recovered(stack)
        return answers

    return asyncio.run(main())


def assert_only(answers: list[Answer], allowed: set[Ending]) -> None:
    assert [answer for answer in answers if answer.ending not in allowed] == []


@asynccontextmanager
async def supervisor_paused(stack: Stack, *, seconds: float) -> AsyncIterator[None]:
    """The supervisor repairs within a second, too quick for clients to meet the outage for sure."""
    os.kill(stack.pid, signal.SIGSTOP)
    try:
        yield
        await asyncio.sleep(seconds)
    finally:
        os.kill(stack.pid, signal.SIGCONT)


async def recovered(stack: Stack) -> None:
    """Raises TimeoutError unless every part runs and a new client gets a case of each toolset right in time."""
    async with asyncio.timeout(BACK_SECONDS):
        while True:
            if all_alive(stack) and await passes(stack.mcp):
                return
            await asyncio.sleep(0.1)


def all_alive(stack: Stack) -> bool:
    now = running(stack.data_dir)
    if now is None or set(now.processes) != set(PARTS):
        return False
    return all(is_alive(pid) for pid in now.processes.values())


def is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def kill_part(stack: Stack, name: str) -> None:
    now = running(stack.data_dir)
    assert now is not None
    pid = now.processes[name]
    os.kill(pid, signal.SIGKILL)
    while is_alive(pid):  # dying takes a moment, in which it would pass for its successor
        time.sleep(0.01)


def kill_environment(stack: Stack, *, state: str) -> None:
    """Waits until an execution environment of a search is in this state: a busy one takes its call with it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with urlopen(f"{stack.lambda_api}/_quarry/environments") as response:  # noqa: S310 - our own URL
            listed = json.load(response)["environments"]
        for environment in listed:
            if environment["state"] == state and "search" in environment["function"]:
                os.kill(environment["pid"], signal.SIGKILL)
                return
    pytest.fail(f"no execution environment of a search was {state}")


def kill_database_session(stack: Stack) -> None:
    """PostgreSQL ends all other sessions too then, for one that died may have left shared memory in a mess."""
    for session in psutil.Process(stack.processes["postgres"]).children():
        if "quarry_read" in " ".join(session.cmdline()):
            session.kill()
            return
    pytest.fail("no function holds a database session")


@pytest.mark.parametrize("name", PARTS)
def test_a_killed_part_loses_no_call_silently_whether_repaired_at_once_or_late(stack: Stack, name: str) -> None:
    while_gone, possible, outage = PARTS[name]
    answers = answers_around(stack, lambda: kill_part(stack, name), outage=outage)
    assert_only(answers, {CORRECT} | while_gone | possible)
    assert {answer.ending for answer in answers} >= while_gone, "nobody met the outage"


@pytest.mark.parametrize("state", ["busy", "idle"])
def test_a_killed_execution_environment_costs_no_call_of_a_tool_that_reads(stack: Stack, state: str) -> None:
    assert_only(answers_around(stack, lambda: kill_environment(stack, state=state)), {CORRECT})


def test_a_killed_database_session_loses_no_call_silently(stack: Stack) -> None:
    assert_only(answers_around(stack, lambda: kill_database_session(stack)), {CORRECT, FAILED})
