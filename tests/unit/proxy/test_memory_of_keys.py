"""What the proxy remembers of API keys, and for how long."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from proxy.auth.authentication import ApiKeys
from proxy.caller import Caller, RefusedError
from proxy.invocation import LambdaClient
from proxy.outcome import Function, Outcome

KEY = f"qk_{1:012d}_{'s' * 43}"


class Verifier(LambdaClient):
    """Answers as the function that knows the keys; no network."""

    def __init__(self) -> None:
        self.valid = True
        self.asked = 0

    async def invoke(self, function: Function, event: Mapping[str, Any], *, caller: Caller) -> Outcome:  # noqa: ARG002
        self.asked += 1
        return {"valid": self.valid, "tenant": "acme", "subject": "agent", "scopes": []}


class Clock:
    monotonic = 1000.0
    wall = 1_800_000_000.0

    def __call__(self) -> tuple[float, float]:
        return self.monotonic, self.wall


def yes(key_id: str) -> bool:
    return True


def no(key_id: str) -> bool:
    return False


def accepted(keys: ApiKeys, *, may_ask: Callable[[str], bool] = yes) -> bool:
    try:
        return asyncio.run(keys.principal(KEY, may_ask=may_ask)).tenant == "acme"
    except RefusedError:
        return False


def test_a_key_that_was_valid_is_asked_for_again_where_unknown_ones_may_not_be() -> None:
    verifier, clock = Verifier(), Clock()
    keys = ApiKeys(verifier, scopes=frozenset(), clock=clock)
    assert not accepted(keys, may_ask=no)
    assert accepted(keys)
    for minute in range(1, 4):
        clock.monotonic += 61
        clock.wall += 61
        assert accepted(keys, may_ask=no)
        assert verifier.asked == 1 + minute


@pytest.mark.parametrize(("monotonic", "wall"), [(61, -3600), (0, 61), (61, 61)], ids=["set back", "frozen", "usual"])
def test_a_revoked_key_ends_within_a_minute_by_whichever_clock_runs(monotonic: float, wall: float) -> None:
    verifier, clock = Verifier(), Clock()
    keys = ApiKeys(verifier, scopes=frozenset(), clock=clock)
    assert accepted(keys)
    verifier.valid = False
    assert accepted(keys)
    clock.monotonic += monotonic
    clock.wall += wall
    assert not accepted(keys, may_ask=no)
    # It is no longer a key that was valid, so it is not asked for beyond the limit.
    clock.monotonic += 61
    asked = verifier.asked
    assert not accepted(keys, may_ask=no)
    assert verifier.asked == asked
