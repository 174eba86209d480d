"""Bearer tokens of an issuer: which are let in, what they may do, and keys that rotate or cannot be read."""

import base64
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.proxy import issuer as issuers
from tests.integration.proxy.conftest import Proxy, StartProxy
from tests.integration.proxy.issuer import AUDIENCE, Issuer
from tests.integration.proxy.scripted_lambda import ScriptedLambda

LIST = "tools/list"
COGNITO: dict[str, Any] = {"custom:tenant": "acme"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with issuers.serving() as running:
        running.add("curve", algorithm="ES256")
        running.add("short", bits=1024)
        running.add("stranger", publish=False)
        yield running


def variables(issuer: Issuer, **more: str) -> dict[str, str]:
    return {
        "AUTH_MODE": "oauth",
        "REFUSALS_PER_MINUTE": "10000",
        "OAUTH_ISSUER": issuer.url,
        "OAUTH_AUDIENCE": AUDIENCE,
        "OAUTH_JWKS_PAUSE_SECONDS": "0",
        **more,
    }


@pytest.fixture(scope="module")
def _guarded(start_proxy: StartProxy, issuer: Issuer) -> Iterator[Proxy]:
    with start_proxy(**variables(issuer, RATE_BURST="10000", OAUTH_CLIENT_IDS="app")) as proxy:
        yield proxy


@pytest.fixture
def guarded(_guarded: Proxy, functions: ScriptedLambda) -> Proxy:
    _guarded.log.clear()
    return _guarded


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def status(proxy: Proxy, token: str) -> int:
    codes = {send(LIST, headers=bearer(token)).status_code for send in (proxy.modern, proxy.legacy)}
    assert len(codes) == 1
    return codes.pop()


def test_a_good_token_is_let_in_by_either_algorithm(guarded: Proxy, issuer: Issuer) -> None:
    now = time.time()
    for token in (
        issuer.token(),
        issuer.token("curve", algorithm="ES256"),
        issuer.token(header={"typ": "at+jwt"}),
        issuer.token(aud=["https://other.example", AUDIENCE + "/"], azp="whoever"),
        issuer.token(exp=now - 30),
        issuer.token(nbf=now + 30, iat=now + 30),
        issuer.token(aud=None, client_id="app", token_use="access"),
        issuer.token(tenant=None, **COGNITO),
    ):
        assert status(guarded, token) == 200


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "https://quotes.example"},
        {"aud": AUDIENCE + "x"},
        {"aud": None},
        {"aud": None, "client_id": "other"},
        {"aud": {"a": 1}},
        {"aud": [1]},
        {"token_use": "id"},
        {"exp": 1},
        {"exp": None},
        {"exp": "soon"},
        {"exp": float("inf")},
        {"exp": time.time() + 2 * 86_400},
        {"exp": 2**62},
        {"nbf": 4_000_000_000},
        {"iat": 4_000_000_000},
        {"sub": None},
        {"sub": ""},
        {"sub": "x" * 201},
        {"sub": "a\nb"},
        {"tenant": None},
        {"tenant": ""},
        {"tenant": "Acme"},
        {"tenant": "a/../b"},
        {"tenant": ["acme"]},
        {"tenant": 7},
        {"more": "x" * 9000},
    ],
)
def test_a_token_with_a_bad_claim_is_refused(
    guarded: Proxy, issuer: Issuer, functions: ScriptedLambda, claims: dict[str, Any]
) -> None:
    assert status(guarded, issuer.token(**claims)) == 401
    assert not functions.calls


def encoded(part: dict[str, Any]) -> str:
    return plain(json.dumps(part).encode())


def plain(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def hmac_signed(header: dict[str, Any], body: str, *, secret: bytes) -> str:
    """The old trick: the published key taken for a shared secret."""
    signed = f"{encoded(header)}.{body}"
    return f"{signed}.{plain(hmac.digest(secret, signed.encode(), 'sha256'))}"


def test_a_token_that_is_not_signed_by_the_issuer_is_refused(guarded: Proxy, issuer: Issuer) -> None:
    head, body, signature = issuer.token().split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    forged = [
        issuer.token("stranger"),
        issuer.token("stranger", header={"kid": "one"}),
        issuer.token("short"),
        issuer.token("one", header={"kid": "curve"}),
        issuer.token(header={"crit": ["x"], "x": 1}),
        issuer.token(header={"typ": "logout+jwt"}),
        issuer.token("one", algorithm="PS256"),
        issuer.token("one", algorithm="RS512"),
        hmac_signed({"alg": "HS256", "kid": "one"}, body, secret=json.dumps(issuer.published[0]).encode()),
        f"{encoded({'alg': 'none', 'kid': 'one'})}.{body}.",
        f"{head}.{encoded({**claims, 'tenant': 'rival'})}.{signature}",
        f"{head}.{body}.",
        f"{head}.{body}",
        f"{head}.{body}.{signature}.x",
        "x",
        "....",
    ]
    assert [status(guarded, token) for token in forged] == [401] * len(forged)


def test_credentials_count_once_and_only_in_a_header(guarded: Proxy, issuer: Issuer) -> None:
    token = issuer.token()
    body = {"jsonrpc": "2.0", "id": 1, "method": LIST}
    for headers, query in (
        ([], f"?access_token={token}"),
        ([("Authorization", f"Bearer {token}"), ("Authorization", f"Bearer {token}")], ""),
        ([("Authorization", f"Basic {token}")], ""),
        ([("Authorization", "Bearer")], ""),
        ([("X-API-Key", token)], ""),
        ([("X-API-Key", "qk_x"), ("Authorization", f"Bearer {token}")], ""),
    ):
        assert guarded.http.post(f"{guarded.url}/mcp{query}", json=body, headers=headers).status_code == 401


def test_the_function_learns_tenant_subject_and_scopes_of_the_token(
    guarded: Proxy, issuer: Issuer, functions: ScriptedLambda
) -> None:
    token = issuer.token(scope=None, scp=["parts:read", "openid", "nuclear:launch"], sub="kim@acme")
    guarded.call("find_parts", {"query": "x"}, headers=bearer(token))
    custom = functions.calls[0].custom
    assert (custom["tenant"], custom["subject"], custom["scopes"]) == ("acme", "kim@acme", ["parts:read"])


def test_a_caller_is_named_by_the_claim_that_approvers_are_listed_by(
    start_proxy: StartProxy, issuer: Issuer, functions: ScriptedLambda
) -> None:
    with start_proxy(**variables(issuer), OAUTH_SUBJECT_CLAIM="email,sub") as proxy:
        proxy.call(
            "find_parts", {"query": "x"}, headers=bearer(issuer.token(sub="auth0|5f3a", email="kim@acme.test"))
        )
    assert functions.calls[-1].custom["subject"] == "kim@acme.test"


def test_a_rotated_key_is_found_and_a_withdrawn_one_is_not(start_proxy: StartProxy) -> None:
    with issuers.serving() as rotating, start_proxy(**variables(rotating)) as proxy:
        assert status(proxy, rotating.token()) == 200
        old = rotating.token()
        rotating.published.clear()
        rotating.add("two")
        assert status(proxy, rotating.token("two")) == 200
        assert status(proxy, old) == 401


@pytest.mark.parametrize(
    "odd", [{"kty": "oct", "alg": "HS256"}, {"kty": "RSA", "alg": "none"}, {"kty": "RSA", "alg": ["RS256"]}, 7]
)
def test_an_odd_entry_of_the_key_set_shuts_nobody_out(start_proxy: StartProxy, odd: Any) -> None:
    with issuers.serving() as mixed, start_proxy(**variables(mixed)) as proxy:
        mixed.published.insert(0, odd)
        assert status(proxy, mixed.token()) == 200


def test_an_issuer_that_is_away_shuts_out_only_who_was_never_seen(start_proxy: StartProxy) -> None:
    with issuers.serving() as failing:
        failing.away = True
        with start_proxy(**variables(failing)) as proxy:
            early = proxy.modern(LIST, headers=bearer(failing.token()))
            assert (early.status_code, early.headers["retry-after"]) == (503, "2")
            failing.away = False
            assert status(proxy, failing.token()) == 200
            failing.away = True
            failing.add("two")
            assert status(proxy, failing.token()) == 200
            assert status(proxy, failing.token("two")) == 401


@pytest.mark.parametrize("empty", [[], [{"kty": "oct", "k": "AAAA", "kid": "one"}]], ids=["no key", "no usable key"])
def test_an_empty_key_set_replaces_no_good_one(start_proxy: StartProxy, empty: list[dict[str, str]]) -> None:
    with issuers.serving() as slipping, start_proxy(**variables(slipping)) as proxy:
        assert status(proxy, slipping.token()) == 200
        slipping.published[:] = empty
        slipping.add("stranger", publish=False)
        reads = slipping.key_reads
        assert status(proxy, slipping.token("stranger")) == 401
        assert slipping.key_reads > reads
        assert status(proxy, slipping.token()) == 200


def test_unknown_key_ids_do_not_make_the_proxy_hammer_the_issuer(start_proxy: StartProxy) -> None:
    with issuers.serving() as calm, start_proxy(**variables(calm, OAUTH_JWKS_PAUSE_SECONDS="60")) as proxy:
        calm.add("stranger", publish=False)
        for number in range(20):
            assert status(proxy, calm.token("stranger", header={"kid": str(number)})) == 401
        assert calm.key_reads == 1
