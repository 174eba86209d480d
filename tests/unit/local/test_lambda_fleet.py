"""How the functions of the local Lambda API share the machine."""

import asyncio
from types import SimpleNamespace
from typing import Any

from local.lambda_api.environments import State
from local.lambda_api.fleet import PROCESSORS, SECOND_ONES, STARTING, Fleet
from local.lambda_api.process import Limits


def pool(*states: State) -> Any:
    environments = [SimpleNamespace(state=state, since=place, kill=None) for place, state in enumerate(states)]
    idle = [each for each in environments if each.state is State.IDLE]
    return SimpleNamespace(environments=environments, idle=idle, waiting=[])


def fleet_of(*pools: Any, most: int | None = None) -> Fleet:
    fleet = Fleet([], host=SimpleNamespace(limits=Limits(max_total=most)))  # type: ignore[arg-type] # all it is asked
    fleet.pools = {str(place): each for place, each in enumerate(pools)}
    return fleet


def test_a_second_environment_waits_while_every_processor_starts_one_and_a_first_one_for_few() -> None:
    async def scene() -> None:
        busy, starting, none = pool(State.BUSY), pool(*[State.STARTING] * PROCESSORS), pool()
        fleet = fleet_of(busy, starting, none)
        assert not fleet.make_room(busy)
        assert not fleet.make_room(starting)
        assert fleet.make_room(none)
        many = [pool(State.STARTING) for _ in range(STARTING)]
        crowded = fleet_of(none, *many)
        assert not crowded.make_room(none)
        crowded.pools = {}
        await crowded.close()
        starting.environments.pop()
        assert fleet.make_room(busy)
        fleet.pools = {}
        await fleet.close()

    asyncio.run(scene())


def test_every_function_has_room_for_its_first_environment_whatever_others_are_asked() -> None:
    async def scene() -> None:
        crowd = pool(*[State.BUSY] * (SECOND_ONES + 1))
        others = [pool(State.IDLE) for _ in range(30)]
        fleet = fleet_of(crowd, *others, none := pool())
        assert not fleet.make_room(crowd)
        assert not fleet.make_room(others[0])
        assert fleet.make_room(none)
        fleet.pools = {}
        await fleet.close()

    asyncio.run(scene())


def test_where_room_is_scarce_a_second_environment_ends_before_anothers_only_one() -> None:
    async def scene() -> None:
        ended = list[str]()
        single, double, none = pool(State.IDLE), pool(State.BUSY, State.IDLE), pool()
        for name, each in (("single", single), ("double", double)):
            each.idle[0].kill = lambda name=name: ended.append(name)
        fleet = fleet_of(single, double, none, most=3)
        assert fleet.make_room(none)
        assert ended == ["double"]
        double.idle.clear()
        assert not fleet.make_room(double)
        assert fleet.make_room(none)
        assert ended == ["double", "single"]
        fleet.pools = {}
        await fleet.close()

    asyncio.run(scene())
