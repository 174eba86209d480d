"""One slow function cannot take every slot."""

import asyncio

import pytest

from proxy.gate import BusyError, Gate


def test_a_function_that_fills_its_own_slots_leaves_the_rest_to_others() -> None:
    async def main() -> None:
        gate = Gate(total=3, per_function=2, wait_seconds=0.05)
        async with gate.slot("slow"), gate.slot("slow"):
            with pytest.raises(BusyError):
                async with gate.slot("slow"):
                    raise AssertionError("a third slot was given")
            async with gate.slot("quick"):
                with pytest.raises(BusyError):
                    async with gate.slot("other"):
                        raise AssertionError("a fourth slot was given")
            async with gate.slot("other"):
                pass

    asyncio.run(main())


def test_a_caller_that_gives_up_or_fails_leaves_no_slot_taken() -> None:
    async def hold(gate: Gate) -> None:
        async with gate.slot("f"):
            await asyncio.sleep(10)

    async def main() -> None:
        gate = Gate(total=1, per_function=1, wait_seconds=5)
        holder, waiter = asyncio.create_task(hold(gate)), asyncio.create_task(hold(gate))
        await asyncio.sleep(0)
        for task in (waiter, holder):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        with pytest.raises(ZeroDivisionError):
            async with gate.slot("f"):
                raise ZeroDivisionError
        async with asyncio.timeout(1), gate.slot("f"):
            pass

    asyncio.run(main())
