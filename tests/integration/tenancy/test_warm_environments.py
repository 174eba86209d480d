"""What an execution environment keeps between calls it keeps for one tenant: calls of two, in any order, in one."""

import random

import pytest

from tests.integration.tenancy.calls import READS, Call
from tests.integration.tenancy.houses import NEIGHBOUR, TENANT, House, role_of

ASKED = [call for call in READS if role_of(call[0]) == "quarry_read" and call[0] != "quote_list"]
"""quote_list's cursor names the moment."""

Turn = tuple[str, Call]
TURNS: list[Turn] = [(tenant, call) for call in ASKED for tenant in (NEIGHBOUR, TENANT)]


def answer(house: House, turn: Turn) -> dict[str, object]:
    tenant, (tool, arguments) = turn
    return house.call(tool, arguments, tenant=tenant)


@pytest.fixture(scope="module")
def in_a_fresh_one(houses: tuple[House, House]) -> list[dict[str, object]]:
    """Each turn's answer by an environment that never met another tenant."""
    _, shared = houses
    found: dict[str, list[dict[str, object]]] = {}
    for one in (NEIGHBOUR, TENANT):
        with shared.serving("quarry_read"):
            found[one] = [answer(shared, turn) for turn in TURNS if turn[0] == one]
    return [found[tenant].pop(0) for tenant, _ in TURNS]


@pytest.mark.parametrize("seed", range(3))
def test_whoever_was_served_before_the_answer_is_the_same(
    houses: tuple[House, House], in_a_fresh_one: list[dict[str, object]], seed: int
) -> None:
    _, shared = houses
    places = list(range(len(TURNS)))
    random.Random(seed).shuffle(places)
    with shared.serving("quarry_read"):
        for place in places:
            assert answer(shared, TURNS[place]) == in_a_fresh_one[place], TURNS[place]


def test_the_two_are_answered_differently_so_that_a_mix_up_would_show(
    in_a_fresh_one: list[dict[str, object]],
) -> None:
    pairs = list(zip(in_a_fresh_one[::2], in_a_fresh_one[1::2], strict=True))
    assert sum(theirs != own for theirs, own in pairs) > len(pairs) * 0.8
