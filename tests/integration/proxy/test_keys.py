"""API keys at the front: one question per key and minute, nothing but its hash leaves, and nobody gets another's."""

import hashlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest

from proxy.shared_rate import GRACE
from tests.integration.proxy.conftest import Proxy, StartProxy
from tests.integration.proxy.scripted_lambda import Call, ScriptedLambda, Step

SECRET = "s" * 43
TESTS = count(1)
FIND = {"name": "find_parts", "arguments": {"query": "x"}}


OwnKey = Callable[..., str]


@pytest.fixture(scope="module")
def guarded(start_proxy: StartProxy) -> Iterator[Proxy]:
    with start_proxy(AUTH_MODE="api_key", REFUSALS_PER_MINUTE="1000") as proxy:
        yield proxy


def key(number: int) -> str:
    return f"qk_{number:012d}_{SECRET}"


@pytest.fixture
def own_key() -> OwnKey:
    """Keys by number that no test before presented, for a proxy remembers whose each was."""
    test = next(TESTS)
    return lambda number=1: key(test * 1000 + number)


def granted(tenant: str = "acme", *scopes: str, **more: Any) -> Step:
    found = {"valid": True, "tenant": tenant, "subject": f"agent:{tenant}", "scopes": list(scopes or ["parts:read"])}
    return Step(result={**found, "expires_at": None, **more})


def questions(functions: ScriptedLambda) -> list[Call]:
    return [call for call in functions.calls if call.function == "quarry-verify_api_key"]


@pytest.mark.parametrize("header", ["Authorization", "X-API-Key"])
def test_a_key_is_verified_once_by_its_hash_and_names_who_calls(
    guarded: Proxy, functions: ScriptedLambda, own_key: OwnKey, header: str
) -> None:
    functions.script["verify_api_key"] = [granted()]
    headers = {header: own_key() if header == "X-API-Key" else f"Bearer {own_key()}"}
    for send in (guarded.modern, guarded.legacy, guarded.modern):
        assert send("tools/call", FIND, headers=headers).status_code == 200
    [asked] = questions(functions)
    assert asked.event == {"id": own_key().split("_")[1], "sha256": hashlib.sha256(SECRET.encode()).hexdigest()}
    called = [call.custom for call in functions.calls if call.function == "quarry-find_parts"]
    assert {(custom["tenant"], custom["subject"]) for custom in called} == {("acme", "agent:acme")}


def test_callers_at_the_same_moment_share_one_question(
    guarded: Proxy, functions: ScriptedLambda, own_key: OwnKey
) -> None:
    functions.script["verify_api_key"] = [Step(result=granted().result, seconds=0.3)]
    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda _: guarded.modern("tools/list", headers={"X-API-Key": own_key()}), range(5)))
    assert [answer.status_code for answer in answers] == [200] * 5
    assert len(questions(functions)) == 1


def test_a_key_that_is_not_valid_stays_out_and_is_asked_for_once(
    guarded: Proxy, functions: ScriptedLambda, own_key: OwnKey
) -> None:
    functions.script["verify_api_key"] = [Step(result={"valid": False})]
    for send in (guarded.modern, guarded.legacy):
        answer = send("tools/call", FIND, headers={"X-API-Key": own_key()})
        assert answer.status_code == 401
        # Clients that look for a JSON-RPC error show its words; of any other body they show nothing.
        assert answer.json()["error"] == {"code": -32600, "message": "The API key is not valid, or has ended."}
        # No issuer is configured, so none is advertised.
        assert "resource_metadata" not in answer.headers["www-authenticate"]
    assert [call.function for call in functions.calls] == ["quarry-verify_api_key"]
    assert guarded.http.get(f"{guarded.url}/.well-known/oauth-protected-resource/mcp").status_code == 404


@pytest.mark.parametrize("malformed", ["qk_", "qk_short_x", f"qk_{'a' * 12}_{'é' * 43}", "x" * 60, "eyJ.a.b"])
def test_what_has_not_the_form_of_a_key_is_refused_without_asking(
    guarded: Proxy, functions: ScriptedLambda, malformed: str
) -> None:
    headers = {b"Authorization": f"Bearer {malformed}".encode()}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert guarded.http.post(f"{guarded.url}/mcp", json=body, headers=headers).status_code == 401
    assert not functions.calls


@pytest.mark.parametrize(
    "step", [Step(status=400), Step(result={"valid": "perhaps"}), Step(raised={"errorType": "E"})]
)
def test_a_key_that_cannot_be_checked_is_neither_let_in_nor_called_invalid(
    guarded: Proxy, functions: ScriptedLambda, own_key: OwnKey, step: Step
) -> None:
    functions.script["verify_api_key"] = [step, granted()]
    answer = guarded.modern("tools/list", headers={"X-API-Key": own_key()})
    assert (answer.status_code, "retry-after" in answer.headers) == (503, True)
    assert guarded.modern("tools/list", headers={"X-API-Key": own_key()}).status_code == 200


def test_a_key_is_not_remembered_beyond_its_end(guarded: Proxy, functions: ScriptedLambda, own_key: OwnKey) -> None:
    functions.script["verify_api_key"] = [granted(expires_at=time.time() + 1), Step(result={"valid": False})]
    assert guarded.modern("tools/list", headers={"X-API-Key": own_key()}).status_code == 200
    time.sleep(1.1)
    assert guarded.modern("tools/list", headers={"X-API-Key": own_key()}).status_code == 401


def test_answers_of_one_key_never_reach_the_bearer_of_another(
    guarded: Proxy, functions: ScriptedLambda, own_key: OwnKey
) -> None:
    functions.script["verify_api_key"] = [granted("acme", "parts:read"), granted("rival", "orders:read")]
    seen: dict[int, set[str]] = {1: set(), 2: set()}
    for _ in range(2):
        for number in seen:
            tools = guarded.modern("tools/list", headers={"X-API-Key": own_key(number)}).json()["result"]["tools"]
            seen[number] |= {tool["name"] for tool in tools}
    assert seen == {1: {"find_parts", "get_part"}, 2: {"list_orders"}}
    mine = {"name": "list_orders", "arguments": {}}
    guarded.modern("tools/call", mine, headers={"X-API-Key": own_key(2)})
    assert functions.calls[-1].custom["tenant"] == "rival"
    assert guarded.modern("tools/call", mine, headers={"X-API-Key": own_key(1)}).status_code == 403


def test_the_same_id_with_another_secret_is_another_question(
    guarded: Proxy, functions: ScriptedLambda, own_key: OwnKey
) -> None:
    functions.script["verify_api_key"] = [granted(), Step(result={"valid": False})]
    assert guarded.modern("tools/list", headers={"X-API-Key": own_key()}).status_code == 200
    other = own_key()[:-1] + "t"
    assert guarded.modern("tools/list", headers={"X-API-Key": other}).status_code == 401


def test_a_principal_that_asks_too_often_waits_and_others_do_not(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    functions.script["verify_api_key"] = [granted("acme"), granted("rival")]
    with start_proxy(AUTH_MODE="api_key", RATE_PER_MINUTE="6", RATE_BURST="3") as proxy:
        mine = [proxy.modern("tools/list", headers={"X-API-Key": key(1)}) for _ in range(4)]
        assert [answer.status_code for answer in mine] == [200, 200, 200, 429]
        assert 1 <= int(mine[-1].headers["retry-after"]) <= 10
        assert mine[-1].json()["error"]["code"] == -32000
        assert proxy.modern("tools/list", headers={"X-API-Key": key(2)}).status_code == 200


def test_all_keys_of_one_tenant_have_one_rate_together_and_other_tenants_theirs(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    functions.script["verify_api_key"] = [granted("acme"), granted("acme", subject="another"), granted("rival")]
    limits = {"RATE_PER_MINUTE": "6", "RATE_BURST": "2", "TENANT_RATE_FACTOR": "1.5", "REFUSAL_HOLD_SECONDS": "0"}
    with start_proxy(AUTH_MODE="api_key", **limits) as proxy:
        asked = [(1, 200), (1, 200), (2, 200), (2, 429), (3, 200), (3, 200)]
        for number, status in asked:
            assert proxy.modern("tools/list", headers={"X-API-Key": key(number)}).status_code == status


def test_where_fronts_count_together_one_serves_what_it_was_granted_and_little_ahead(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    functions.script["verify_api_key"] = [granted("acme"), Step(result={"granted": 2, "wait": 9.0})]
    with start_proxy(AUTH_MODE="api_key", SHARE_TENANT_RATES="true", REFUSAL_HOLD_SECONDS="0") as proxy:
        answers = [proxy.modern("tools/list", headers={"X-API-Key": key(1)}) for _ in range(8)]
    served = [answer.status_code for answer in answers].count(200)
    assert 2 <= served <= 2 + GRACE
    assert [answer.status_code for answer in answers[served:]] == [429] * (8 - served)
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 2
    asked = questions(functions)[1]
    assert asked.event == {"tenant": "acme", "wanted": 6, "per_second": 50.0, "burst": 600.0}
    assert asked.custom["tenant"] == ""


def test_a_refusal_beyond_the_rate_is_held_back_and_keeps_nobody_else_waiting(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    functions.script["verify_api_key"] = [granted("acme"), granted("rival")]
    limits = {"RATE_PER_MINUTE": "1", "RATE_BURST": "1", "REFUSAL_HOLD_SECONDS": "1"}
    with start_proxy(AUTH_MODE="api_key", **limits) as proxy, ThreadPoolExecutor(1) as pool:
        assert proxy.modern("tools/list", headers={"X-API-Key": key(1)}).status_code == 200
        started = time.monotonic()
        held = pool.submit(proxy.modern, "tools/list", headers={"X-API-Key": key(1)})
        assert proxy.modern("tools/list", headers={"X-API-Key": key(2)}).status_code == 200
        assert held.result().status_code == 429
        assert time.monotonic() - started >= 1


def test_whoever_guesses_a_key_is_told_to_wait_and_neighbours_known_and_new_come_in(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    functions.script["verify_api_key"] = [granted(), *[Step(result={"valid": False})] * 3, granted("rival")]
    with start_proxy(AUTH_MODE="api_key", REFUSALS_PER_MINUTE="3") as proxy:
        assert proxy.modern("tools/list", headers={"X-API-Key": key(1)}).status_code == 200
        # Whatever a header says of where it comes from.
        guesses = [
            proxy.modern("tools/list", headers={"X-API-Key": key(2)[:-1] + str(n), "X-Forwarded-For": f"192.0.2.{n}"})
            for n in range(5)
        ]
        assert [answer.status_code for answer in guesses] == [401, 401, 401, 429, 429]
        assert 1 <= int(guesses[-1].headers["retry-after"]) <= 20
        assert len(questions(functions)) == 4
        assert proxy.modern("tools/list", headers={"X-API-Key": key(1)}).status_code == 200
        assert proxy.modern("tools/list", headers={"X-API-Key": key(3)}).status_code == 200
        assert proxy.modern("tools/list").status_code == 401


def test_who_presents_nothing_is_told_where_to_log_in_however_often(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    with start_proxy(AUTH_MODE="api_key", REFUSALS_PER_MINUTE="1") as proxy:
        assert [proxy.modern("tools/list").status_code for _ in range(3)] == [401] * 3
        assert "www-authenticate" in proxy.modern("tools/list").headers
    assert not functions.calls


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_a_key_is_checked_where_none_is_asked_for(
    start_proxy: StartProxy, functions: ScriptedLambda, own_key: OwnKey, scheme: str
) -> None:
    functions.script["verify_api_key"] = [granted("elsewhere"), Step(result={"valid": False})]
    with start_proxy() as proxy:
        send = proxy.modern("tools/call", FIND, headers={"Authorization": f"{scheme} {own_key(1)}"})
        assert send.status_code == 200
        [called] = [call.custom for call in functions.calls if call.function == "quarry-find_parts"]
        assert called["tenant"] == "elsewhere"
        assert proxy.modern("tools/call", FIND, headers={"X-API-Key": own_key(2)}).status_code == 401
        assert proxy.modern("tools/call", FIND).status_code == 200
