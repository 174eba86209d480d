"""Logs of a process that checks credentials: neither they nor what was asked with them, good or bad."""

from collections.abc import Iterator

import pytest

from tests.integration.proxy import issuer as issuers
from tests.integration.proxy.conftest import Proxy, StartProxy, soon
from tests.integration.proxy.issuer import Issuer
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step
from tests.integration.proxy.test_tokens import bearer, variables

CANARY = "CanaryCanaryCanaryCanaryCanaryCanaryCanary7"
KEY = f"qk_aaaaaaaaaaaa_{CANARY}"


@pytest.fixture
def both(start_proxy: StartProxy, functions: ScriptedLambda) -> Iterator[tuple[Proxy, Issuer]]:
    with issuers.serving() as issuer, start_proxy(**variables(issuer, AUTH_MODE="oauth+api_key")) as proxy:
        yield proxy, issuer


def test_no_log_line_carries_credentials_or_arguments(both: tuple[Proxy, Issuer], functions: ScriptedLambda) -> None:
    proxy, issuer = both
    grant = {"valid": True, "tenant": "acme", "subject": "agent", "scopes": ["parts:read"], "expires_at": None}
    functions.script["verify_api_key"] = [Step(raised={"errorMessage": CANARY}), Step(result=grant)]
    functions.script["find_parts"] = [Step(), Step(status=500), Step(status=500), Step(status=500)]
    tokens = [
        issuer.token(sub="s", more=CANARY),
        issuer.token(exp=1, more=CANARY),
        issuer.token(tenant=f"T {CANARY}"),
        issuer.token(aud=CANARY),
        issuer.token(header={"kid": CANARY}),
        issuer.token(header={"alg": "RS256", "typ": CANARY}),
        CANARY,
    ]
    find = {"name": "find_parts", "arguments": {"query": CANARY}}
    attempts = [bearer(token) for token in tokens] + [{"X-API-Key": KEY}] * 3 + [bearer(f"qk_{CANARY}")]
    codes = [proxy.modern("tools/call", find, headers=headers).status_code for headers in attempts]
    assert codes == [200, *[401] * 6, 503, 200, 200, 401]
    assert (
        proxy.legacy("tools/call", {"name": CANARY, "arguments": {}}, headers={"Cookie": CANARY}).status_code == 401
    )
    proxy.http.get(f"{proxy.url}/mcp?access_token={CANARY}", headers={"Host": f"{CANARY}.example"})
    assert soon(lambda: len(proxy.events("token_refused")) == 6)
    assert soon(lambda: len(proxy.events("tool_called")) == 3)
    said = "".join(proxy.log)
    assert CANARY not in said
    for token in tokens[:-1]:
        assert all(part not in said for part in token.split("."))
