"""Scopes filter what is listed and guard what is called; challenges and metadata say what to ask for."""

import asyncio
import re
from collections.abc import Iterator

import httpx2
import pytest
from mcp import Client
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from local.ports import free_port
from tests.integration.proxy import issuer as issuers
from tests.integration.proxy.conftest import MODERN, Proxy, StartProxy
from tests.integration.proxy.issuer import Issuer
from tests.integration.proxy.scripted_lambda import ScriptedLambda
from tests.integration.proxy.test_tokens import bearer, variables

ORDER = {"name": "place_order", "arguments": {"number": "A-1"}}
WELL_KNOWN = "/.well-known/oauth-protected-resource"


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with issuers.serving() as running:
        yield running


@pytest.fixture(scope="module")
def _guarded(start_proxy: StartProxy, issuer: Issuer) -> Iterator[Proxy]:
    with start_proxy(**variables(issuer, RATE_BURST="10000")) as proxy:
        yield proxy


@pytest.fixture
def guarded(_guarded: Proxy, functions: ScriptedLambda) -> Proxy:
    _guarded.log.clear()
    return _guarded


def parameter(response: httpx2.Response, name: str) -> str:
    found = re.search(rf'{name}="([^"]*)"', response.headers["www-authenticate"])
    return found[1] if found else ""


def listed(proxy: Proxy, method: str, key: str, token: str, field: str = "name") -> list[str]:
    return [entry[field] for entry in proxy.modern(method, headers=bearer(token)).json()["result"][key]]


def test_lists_hold_what_the_scopes_allow_whoever_asked_before(guarded: Proxy, issuer: Issuer) -> None:
    everything, parts, nothing = issuer.token(), issuer.token(scope="parts:read"), issuer.token(scope="")
    for _ in range(2):
        assert listed(guarded, "tools/list", "tools", everything) == [
            "find_parts",
            "get_part",
            "place_order",
            "list_orders",
        ]
        assert listed(guarded, "tools/list", "tools", parts) == ["find_parts", "get_part"]
        assert listed(guarded, "tools/list", "tools", nothing) == []
        assert listed(guarded, "prompts/list", "prompts", parts) == []
        assert "letter" not in listed(guarded, "resources/list", "resources", parts)
        assert "letter" in listed(guarded, "resources/list", "resources", everything)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", ORDER),
        ("prompts/get", {"name": "draft_order", "arguments": {"need": "x"}}),
        ("resources/read", {"uri": "workbench://letter"}),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "draft_order"}, "argument": {"name": "tone", "value": "f"}},
        ),
    ],
)
def test_what_a_scope_hides_is_forbidden_with_the_scope_that_opens_it(
    guarded: Proxy, issuer: Issuer, functions: ScriptedLambda, method: str, params: dict[str, object]
) -> None:
    needed = "orders:write" if method == "tools/call" else "orders:read"
    for send in (guarded.modern, guarded.legacy):
        answer = send(method, params, headers=bearer(issuer.token(scope="parts:read")))
        assert answer.status_code == 403
        assert parameter(answer, "error") == "insufficient_scope"
        assert parameter(answer, "scope").split() == [needed, "parts:read"]
        assert parameter(answer, "resource_metadata") == f"{guarded.url}{WELL_KNOWN}/mcp"
        assert answer.json()["id"] == 1
        assert needed in answer.json()["error"]["message"]
    assert not functions.calls


def test_read_only_is_not_opened_by_a_scope_and_an_unknown_name_is_not_a_matter_of_scopes(
    guarded: Proxy, issuer: Issuer
) -> None:
    headers = bearer(issuer.token(scope="orders:read"))
    read_only = guarded.modern("tools/call", ORDER, path="/mcp/readonly", headers=headers)
    assert "read-only" in read_only.json()["error"]["message"]
    unknown = guarded.modern("tools/call", {"name": "nothing", "arguments": {}}, headers=headers)
    assert unknown.json()["error"]["code"] == -32602
    assert unknown.status_code != 403


@pytest.mark.parametrize(
    ("path", "scopes"),
    [
        ("/mcp", "orders:read orders:write parts:read"),
        ("/mcp/", "orders:read orders:write parts:read"),
        ("/mcp/parts", "parts:read"),
        ("/mcp/orders/readonly", "orders:read"),
        ("/mcp/readonly", "orders:read parts:read"),
    ],
)
def test_a_caller_without_credentials_is_led_to_the_metadata_of_the_address_it_typed(
    guarded: Proxy, issuer: Issuer, path: str, scopes: str
) -> None:
    answers = [guarded.modern("tools/list", path=path), guarded.legacy("initialize", path=path)]
    answers += [guarded.http.request(method, guarded.url + path) for method in ("GET", "DELETE")]
    for answer in answers:
        assert answer.status_code == 401
        assert parameter(answer, "scope") == scopes
        assert "error=" not in answer.headers["www-authenticate"]
        page = {"Origin": "https://page.example"}
        metadata = guarded.http.get(parameter(answer, "resource_metadata"), headers=page)
        assert metadata.headers["access-control-allow-origin"] == "*"
        document = metadata.json()
        assert document["resource"] == guarded.url + path
        assert document["authorization_servers"] == [issuer.url]
        assert document["scopes_supported"] == scopes.split()


def test_metadata_is_at_the_root_too_and_nowhere_else(guarded: Proxy) -> None:
    assert guarded.http.get(guarded.url + WELL_KNOWN).json()["resource"] == guarded.url + "/mcp"
    for path in ("/mcp/unknown", "/other", "/mcpx"):
        assert guarded.http.get(guarded.url + WELL_KNOWN + path).status_code == 404
    assert guarded.http.post(guarded.url + WELL_KNOWN).status_code == 405


def test_a_public_address_replaces_the_request_s_and_makes_typed_addresses_audiences(
    start_proxy: StartProxy, issuer: Issuer
) -> None:
    public = "https://quotes.example"
    with start_proxy(**variables(issuer, PUBLIC_URL=public, OAUTH_AUDIENCE="")) as proxy:
        lie = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http"}
        refused = proxy.modern("tools/list", path="/mcp/parts", headers=lie)
        assert parameter(refused, "resource_metadata") == f"{public}{WELL_KNOWN}/mcp/parts"
        assert refused.headers["strict-transport-security"]
        narrow = bearer(issuer.token(aud=f"{public}/mcp/parts"))
        assert proxy.modern("tools/list", path="/mcp/parts", headers=narrow).status_code == 200
        assert proxy.modern("tools/list", path="/mcp", headers=narrow).status_code == 401
        wide = bearer(issuer.token(aud=f"{public}/mcp"))
        assert proxy.modern("tools/list", path="/mcp/parts", headers=wide).status_code == 200


class Storage:
    """The SDK's token storage, in memory."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_the_sdk_s_client_finds_the_issuer_by_itself_and_gets_in(
    start_proxy: StartProxy, functions: ScriptedLambda, issuer: Issuer, mode: str
) -> None:
    async def visit(url: str) -> list[str]:
        auth = ClientCredentialsOAuthProvider(url, Storage(), "app", "secret", issuer=issuer.url)
        async with (
            httpx2.AsyncClient(auth=auth) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            called = await client.call_tool("find_parts", {"query": "x"})
            assert called.structured_content == {"echo": {"query": "x"}}
            return [tool.name for tool in (await client.list_tools()).tools]

    port = str(free_port())
    # The client asks for a token for the address it typed; PUBLIC_URL vouches for that one.
    public = f"http://127.0.0.1:{port}"
    with start_proxy(**variables(issuer, PUBLIC_URL=public, PORT=port, OAUTH_AUDIENCE="")) as proxy:
        assert asyncio.run(visit(f"{proxy.url}/mcp/parts")) == ["find_parts", "get_part"]
