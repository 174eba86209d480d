"""How the functions of the local Lambda API share the machine."""

import asyncio
from types import SimpleNamespace
from typing import Any

from local.lambda_api.environments import State
from local.lambda_api.fleet import PROCESSORS, Fleet
from local.lambda_api.process import Limits


def pool(*states: State) -> Any:
    return SimpleNamespace(environments=[SimpleNamespace(state=state) for state in states], idle=[], waiting=[])


def test_a_second_environment_waits_while_every_processor_starts_one_and_a_first_one_never_does() -> None:
    async def scene() -> None:
        fleet = Fleet([], host=SimpleNamespace(limits=Limits()))  # type: ignore[arg-type] # all that is asked of it
        busy, starting, none = pool(State.BUSY), pool(*[State.STARTING] * PROCESSORS), pool()
        fleet.pools = {"busy": busy, "starting": starting, "none": none}
        assert not fleet.make_room(busy)
        assert not fleet.make_room(starting)
        assert fleet.make_room(none)
        starting.environments.pop()
        assert fleet.make_room(busy)
        fleet.pools = {}
        await fleet.close()

    asyncio.run(scene())
