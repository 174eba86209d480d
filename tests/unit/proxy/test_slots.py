"""One slow function cannot take every slot."""

import asyncio

import pytest

from proxy.invocation import BusyError, Slots


def test_a_function_that_fills_its_own_slots_leaves_the_rest_to_others() -> None:
    async def main() -> None:
        slots = Slots(total=3, per_function=2, wait_seconds=0.05)
        async with slots.one("slow"), slots.one("slow"):
            with pytest.raises(BusyError):
                async with slots.one("slow"):
                    raise AssertionError("a third slot was given")
            async with slots.one("quick"):
                with pytest.raises(BusyError):
                    async with slots.one("other"):
                        raise AssertionError("a fourth slot was given")
            async with slots.one("other"):
                pass

    asyncio.run(main())


def test_a_caller_that_gives_up_or_fails_leaves_no_slot_taken() -> None:
    async def hold(slots: Slots) -> None:
        async with slots.one("f"):
            await asyncio.sleep(10)

    async def main() -> None:
        slots = Slots(total=1, per_function=1, wait_seconds=5)
        holder, waiter = asyncio.create_task(hold(slots)), asyncio.create_task(hold(slots))
        await asyncio.sleep(0)
        for task in (waiter, holder):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        with pytest.raises(ZeroDivisionError):
            async with slots.one("f"):
                raise ZeroDivisionError
        async with asyncio.timeout(1), slots.one("f"):
            pass

    asyncio.run(main())
