"""Many callers at once: every one gets the answer a single caller gets, soon."""

import asyncio
import time
from collections.abc import Sequence
from itertools import chain
from random import Random
from statistics import fmean
from typing import Any

import pytest
from mcp import Client

from local.stack import Stack
from tests.e2e.sample_calls import ONE_CALL_OF_EACH, lasting
from tests.e2e.visits import ERAS, structured

pytestmark = pytest.mark.stack

CALLS = 50
SESSIONS = 5
BOUND_SECONDS = 30  # two cores start an environment in about a second, and one per tool starts

CHANGING = {"approval_request", "draft_compose", "draft_get", "quote_create", "quote_price"}
"""Writers, and what finds nothing before one of them wrote."""

Call = tuple[str, dict[str, Any]]


def plan() -> list[Call]:
    """Calls over all tools but those that change what others answer; searches with words nobody cached among them."""
    known = [call for call in ONE_CALL_OF_EACH.items() if call[0] not in CHANGING]
    calls = [known[number % len(known)] for number in range(CALLS - 10)]
    fresh = [("search_line_items", {"query": f"oilless compressor for line {n}", "top_k": 3}) for n in range(10)]
    return [*calls, *fresh]


async def answers(client: Client, calls: Sequence[Call]) -> list[dict[str, Any]]:
    replies = await asyncio.gather(*(client.call_tool(tool, arguments) for tool, arguments in calls))
    return [lasting(structured(reply)) for reply in replies]


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.slow
def test_fifty_calls_at_once_in_one_session_are_all_answered_as_alone(stack: Stack, mode: str) -> None:
    async def main() -> None:
        calls = plan()
        async with Client(stack.mcp, mode=mode) as client:
            started = time.monotonic()
            together = await answers(client, calls)
            assert time.monotonic() - started < BOUND_SECONDS
            alone = [lasting(structured(await client.call_tool(tool, arguments))) for tool, arguments in calls]
        assert all(not answer.get("degraded") for answer in together)
        for call, one, other in zip(calls, together, alone, strict=True):
            parts = {name: (one.get(name), other.get(name)) for name in one | other}
            assert one == other, f"{call}: { {name: both for name, both in parts.items() if both[0] != both[1]} }"

    asyncio.run(main())


def test_several_sessions_of_both_eras_at_once_get_the_same(stack: Stack) -> None:
    calls = plan()[:: CALLS // 10]

    async def session(mode: str) -> list[dict[str, Any]]:
        async with Client(stack.mcp, mode=mode) as client:
            return await answers(client, calls)

    async def main() -> list[list[dict[str, Any]]]:
        started = time.monotonic()
        all_sessions = await asyncio.gather(*(session(ERAS[number % 2]) for number in range(SESSIONS)))
        assert time.monotonic() - started < BOUND_SECONDS
        return all_sessions

    first, *others = asyncio.run(main())
    assert all(answer == first for answer in others)
    assert all(answer.get("results", answer) for answer in first)


@pytest.mark.slow
def test_ten_callers_over_all_tools_wait_less_than_twice_what_three_wait(stack: Stack) -> None:
    tools = [call for call in ONE_CALL_OF_EACH.items() if call[0] not in CHANGING]

    async def caller(number: int, *, until: float) -> list[float]:
        random, waits = Random(number), list[float]()
        async with Client(stack.mcp) as client:
            while time.monotonic() < until:
                started = time.monotonic()
                await client.call_tool(*random.choice(tools))
                waits.append(time.monotonic() - started)
                await asyncio.sleep(random.uniform(0.5, 1.5))
        return waits

    async def mean_wait(callers: int) -> float:
        until = time.monotonic() + 15
        return fmean(chain(*await asyncio.gather(*(caller(number, until=until) for number in range(callers)))))

    async def main() -> list[tuple[float, float]]:
        async with Client(stack.mcp) as client:
            for tool, arguments in tools:
                await client.call_tool(tool, arguments)
        return [(await mean_wait(3), await mean_wait(10)) for _ in range(2)]

    rounds = asyncio.run(main())
    assert any(ten < 2 * three for three, ten in rounds), rounds


def test_mistakes_and_good_calls_side_by_side_do_not_disturb_each_other(stack: Stack) -> None:
    async def main() -> None:
        async with Client(stack.mcp) as client:
            good, *bad = await asyncio.gather(
                answers(client, plan()[:10]),
                *(client.call_tool("get_product", {"model": f"NOPE-{number}"}) for number in range(10)),
            )
        assert len(good) == 10
        assert [reply.is_error for reply in bad] == [True] * 10

    asyncio.run(main())
