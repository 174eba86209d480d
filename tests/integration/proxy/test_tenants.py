"""What the proxy keeps in memory it keeps for one caller: two tenants with equal scopes, in any order and at once."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.integration.proxy.conftest import Proxy, StartProxy
from tests.integration.proxy.scripted_lambda import Call, ScriptedLambda, Step
from tests.integration.proxy.test_keys import granted, key

SCOPES = ("parts:read", "orders:read")
SHELF = "workbench://shelf/{id}"
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("tools/list", {}),
    ("prompts/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("tools/call", {"name": "find_parts", "arguments": {"query": "x"}}),
    ("resources/read", {"uri": "workbench://shelf/4"}),
    ("resources/read", {"uri": "workbench://letter"}),
    ("completion/complete", {"ref": {"type": "ref/resource", "uri": SHELF}, "argument": {"name": "id", "value": ""}}),
    ("prompts/get", {"name": "draft_order", "arguments": {"need": "bolts", "tone": "plain"}}),
]


@pytest.fixture
def guarded(start_proxy: StartProxy, functions: ScriptedLambda) -> Iterator[Proxy]:
    functions.otherwise = told
    functions.script["verify_api_key"] = [granted(tenant, *SCOPES) for tenant in ("acme", "rival")]
    with start_proxy(AUTH_MODE="api_key") as proxy:
        for number in (1, 2):
            assert proxy.modern("tools/list", headers={"X-API-Key": key(number)}).status_code == 200
        yield proxy
    functions.otherwise = None


def told(call: Call) -> Step | None:
    """A live value that names whose it is."""
    tenant = call.custom["tenant"]
    match call.event:
        case {"complete": _}:
            return Step(result={"values": [f"shelf of {tenant}"]})
        case {"uri": uri}:
            return Step(result={"contents": [{"uri": uri, "mimeType": "text/markdown", "text": f"by {tenant}"}]})
        case {"query": _}:
            return Step(result={"parts": [f"part of {tenant}"]})
    return None


def answer(proxy: Proxy, number: int, asked: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    response = proxy.modern(*asked, headers={"X-API-Key": key(number)})
    assert response.headers["cache-control"].endswith("no-store")
    result: dict[str, Any] = response.json()["result"]
    return result


def test_answers_of_two_tenants_at_once_are_each_ones_own(guarded: Proxy, functions: ScriptedLambda) -> None:
    turns = [(number, asked) for number in (1, 2) for asked in ASKED] * 6
    random.Random(7).shuffle(turns)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda turn: answer(guarded, *turn), turns))
    for (number, (method, _)), said in zip(turns, answers, strict=True):
        own, other = ("acme", "rival") if number == 1 else ("rival", "acme")
        assert other not in str(said)
        if method in ("tools/call", "completion/complete"):
            assert own in str(said)
    assert {call.custom["tenant"] for call in functions.of("shelf_report")} == {"acme", "rival"}


def test_a_live_value_is_asked_for_anew_each_time_and_never_said_to_be_anothers_too(
    guarded: Proxy, functions: ScriptedLambda
) -> None:
    for number in (1, 2, 1):
        said = answer(guarded, number, ("resources/read", {"uri": "workbench://shelf/4"}))
        assert (said["cacheScope"], said["ttlMs"]) == ("private", 0)
    assert [call.custom["tenant"] for call in functions.of("shelf_report")] == ["acme", "rival", "acme"]
