"""A tenant's rate in common: how many requests several processes serve, and how often they ask."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from proxy.caller import Caller
from proxy.outcome import Failure, Function, Outcome
from proxy.shared_rate import GRACE, LASTS_SECONDS, SharedRate

PER_SECOND, BURST = 10, 30


class Ledger:
    """The database's part, with a clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0
        self.used, self.settled_at = 0.0, 100.0
        self.asked = 0
        self.down = False

    async def invoke(self, function: Function, event: Mapping[str, Any], *, caller: Caller) -> Outcome:
        assert (function.name, caller.principal.tenant) == ("verify_api_key", "")
        self.asked += 1
        await asyncio.sleep(0)
        if self.down:
            return Failure("UNAVAILABLE", "down")
        self.used = max(0.0, self.used - event["per_second"] * (self.now - self.settled_at))
        self.settled_at = self.now
        granted = int(max(0.0, min(event["wanted"], event["burst"] - self.used)))
        self.used += granted
        return {"granted": granted, "wait": max(0.0, self.used + 1 - event["burst"]) / event["per_second"]}

    def process(self) -> SharedRate:
        return SharedRate(self, per_minute=60 * PER_SECOND, burst=BURST, clock=lambda: self.now)  # type: ignore[arg-type] # it invokes


async def served(ledger: Ledger, processes: list[SharedRate], *, seconds: float, each: float) -> int:
    """How many of the requests pass, of which one comes to every process every ``each`` seconds."""
    passed = 0
    for _ in range(round(seconds / each)):
        for process in processes:
            passed += await process.take("acme") == 0
        ledger.now += each
        for _ in range(4):
            await asyncio.sleep(0)
    return passed


def run[T](scene: Callable[[Ledger], Any]) -> Any:
    return asyncio.run(scene(Ledger()))


def test_many_processes_together_serve_no_more_than_the_rate_and_the_grace_of_each() -> None:
    async def scene(ledger: Ledger) -> None:
        for number in (1, 2, 8):
            ledger.used, ledger.settled_at = 0.0, ledger.now
            processes = [ledger.process() for _ in range(number)]
            passed = await served(ledger, processes, seconds=20, each=0.02)
            assert passed <= BURST + PER_SECOND * (20 + LASTS_SECONDS) + GRACE * number
            assert passed >= 0.9 * PER_SECOND * 20

    run(scene)


def test_what_is_below_the_rate_passes_whoever_serves_it() -> None:
    async def scene(ledger: Ledger) -> None:
        processes = [ledger.process() for _ in range(4)]
        assert await served(ledger, processes, seconds=20, each=0.5) == 4 * 40

    run(scene)


def test_the_database_is_asked_once_a_second_and_never_for_every_request() -> None:
    async def scene(ledger: Ledger) -> None:
        await served(ledger, [ledger.process()], seconds=20, each=0.11)
        assert ledger.asked <= 30
        before = ledger.asked
        assert await served(ledger, [ledger.process()], seconds=100, each=10) == 10
        assert ledger.asked - before <= 5
        before = ledger.asked
        await served(ledger, [ledger.process()], seconds=20, each=0.01)
        assert ledger.asked - before <= 40

    run(scene)


def test_where_the_database_cannot_be_asked_a_process_is_left_to_its_own_limits() -> None:
    async def scene(ledger: Ledger) -> None:
        ledger.down = True
        process = ledger.process()
        assert await served(ledger, [process], seconds=5, each=0.02) == 250
        assert ledger.asked == 1
        ledger.down = False
        ledger.now += 10
        passed = await served(ledger, [process], seconds=20, each=0.02)
        assert passed <= BURST + PER_SECOND * (20 + LASTS_SECONDS) + GRACE

    run(scene)


def test_requests_that_come_at_once_share_two_questions_and_pass_up_to_the_burst() -> None:
    async def scene(ledger: Ledger) -> None:
        process = ledger.process()
        assert await asyncio.gather(*(process.take("acme") for _ in range(20))) == [0.0] * 20
        assert ledger.asked <= 2
        waits = await asyncio.gather(*(process.take("acme") for _ in range(20)))
        assert sum(wait == 0 for wait in waits) == BURST - 20
        assert all(wait >= 1 for wait in waits if wait)

    run(scene)


def test_one_tenants_refusal_is_not_anothers() -> None:
    async def scene(ledger: Ledger) -> None:
        process = ledger.process()
        ledger.used = BURST
        await served(ledger, [process], seconds=1, each=0.02)
        assert await process.take("acme") > 0
        assert await process.take("rival") == 0

    run(scene)
