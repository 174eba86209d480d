"""One slow function cannot take every slot."""

import asyncio

import pytest

from proxy.invocation import BusyError, Slots


def test_a_function_that_fills_its_own_slots_leaves_the_rest_to_others() -> None:
    async def main() -> None:
        slots = Slots(total=3, per_function=2, per_tenant=3, wait_seconds=0.05)
        async with slots.one("slow", tenant=""), slots.one("slow", tenant=""):
            with pytest.raises(BusyError):
                async with slots.one("slow", tenant=""):
                    raise AssertionError("a third slot was given")
            async with slots.one("quick", tenant=""):
                with pytest.raises(BusyError):
                    async with slots.one("other", tenant=""):
                        raise AssertionError("a fourth slot was given")
            async with slots.one("other", tenant=""):
                pass

    asyncio.run(main())


def test_a_caller_that_gives_up_or_fails_leaves_no_slot_taken() -> None:
    async def hold(slots: Slots) -> None:
        async with slots.one("f", tenant=""):
            await asyncio.sleep(10)

    async def main() -> None:
        slots = Slots(total=1, per_function=1, per_tenant=1, wait_seconds=5)
        holder, waiter = asyncio.create_task(hold(slots)), asyncio.create_task(hold(slots))
        await asyncio.sleep(0)
        for task in (waiter, holder):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        with pytest.raises(ZeroDivisionError):
            async with slots.one("f", tenant=""):
                raise ZeroDivisionError
        async with asyncio.timeout(1), slots.one("f", tenant=""):
            pass

    asyncio.run(main())


def test_one_tenant_leaves_half_of_a_function_and_the_rest_of_all_to_the_others() -> None:
    async def main() -> None:
        slots = Slots(total=9, per_function=4, per_tenant=3, wait_seconds=0.05)
        async with slots.one("f", tenant="greedy"), slots.one("f", tenant="greedy"):
            with pytest.raises(BusyError):
                async with slots.one("f", tenant="greedy"):
                    raise AssertionError("a third of one function was given")
            async with slots.one("g", tenant="greedy"):
                with pytest.raises(BusyError):
                    async with slots.one("h", tenant="greedy"):
                        raise AssertionError("a fourth of one tenant was given")
                async with slots.one("f", tenant="other"), slots.one("f", tenant="other"):
                    pass

    asyncio.run(main())


def test_a_tenant_that_queues_for_itself_holds_no_slot_of_anothers() -> None:
    async def main() -> None:
        slots = Slots(total=4, per_function=4, per_tenant=2, wait_seconds=5)

        async def hold() -> None:
            async with slots.one("f", tenant="greedy"):
                await asyncio.sleep(60)

        crowd = [asyncio.create_task(hold()) for _ in range(180)]
        await asyncio.sleep(0)
        async with asyncio.timeout(1), slots.one("f", tenant="other"), slots.one("f", tenant="other"):
            pass
        for task in crowd:
            task.cancel()
        await asyncio.gather(*crowd, return_exceptions=True)
        assert not slots._functions

    asyncio.run(main())
