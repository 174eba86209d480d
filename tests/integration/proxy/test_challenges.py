"""Challenges behind a function URL, which renames their header, and behind the edge, which gives it its name back."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from aiohttp import web
from mcp.client.auth.utils import build_protected_resource_metadata_discovery_urls

from local.files import ROOT
from local.front import application
from local.lambda_api.intrinsics import read_template
from tests.integration.lambda_server import LambdaServer
from tests.integration.proxy.conftest import request_parts
from tests.integration.proxy.scripted_lambda import ScriptedLambda
from tests.integration.proxy.test_aws_lambda import KEY, ORIGIN_KEY, front, server

__all__ = ["front", "server"]
"""Fixtures."""

RENAMED = "x-amzn-remapped-www-authenticate"
CODE = read_template(ROOT / "template.yaml")["Resources"]["ChallengeFunction"]["Properties"]["Code"]["ZipFile"]


def renaming(response: web.StreamResponse) -> None:
    """As a function URL does, by what three users reported and AWS documents for API Gateway."""
    if (challenge := response.headers.pop("www-authenticate", None)) is not None:
        response.headers[RENAMED] = challenge


def through_edge(response: web.StreamResponse) -> None:
    """Has the template's function of the edge see the answer, in the form in which CloudFront shows it one."""
    namespace: dict[str, Any] = {}
    exec(CODE, namespace)  # noqa: S102 - our own template's
    shown: dict[str, list[dict[str, str]]] = {}
    for name, value in response.headers.items():
        shown.setdefault(name.lower(), []).append({"key": name, "value": value})
    seen = {"status": str(response.status), "statusDescription": "", "headers": shown}
    event = {"Records": [{"cf": {"config": {"eventType": "origin-response"}, "request": {}, "response": seen}}]}
    given = namespace["handler"](event, None)
    assert given["status"] == seen["status"]
    response.headers.clear()
    for name, values in given["headers"].items():
        for each in values:
            assert each["key"].lower() == name
            response.headers.add(each["key"], each["value"])


@contextmanager
def served(lambda_api: str, *, edge: bool) -> Iterator[str]:
    """The address of a function URL of the front, with or without the edge before it."""
    app = application(lambda_api=lambda_api, function="quarry-proxy")

    async def prepare(_: web.Request, response: web.StreamResponse) -> None:
        renaming(response)
        if edge:
            through_edge(response)

    app.on_response_prepare.append(prepare)
    loop = asyncio.new_event_loop()
    runner = web.AppRunner(app, shutdown_timeout=1)
    loop.run_until_complete(runner.setup())
    site = web.TCPSite(runner, "127.0.0.1", 0)
    loop.run_until_complete(site.start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


def refused(url: str, *, key: str) -> httpx2.Response:
    """The answer to a call that this key may not make."""
    envelope, headers = request_parts("tools/call", "place_order")
    params = {"name": "place_order", "arguments": {"number": "A"}, "_meta": envelope}
    return httpx2.post(
        f"{url}/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
        headers={**headers, "x-origin-key": ORIGIN_KEY, "x-api-key": key},
        timeout=60,
        trust_env=False,
    )


@pytest.mark.parametrize(
    ("key", "status", "error"), [("qk_1", 401, "invalid_token"), (KEY, 403, "insufficient_scope")]
)
def test_through_the_edge_a_client_is_told_where_to_sign_in_and_which_scope_it_lacks(
    front: LambdaServer, functions: ScriptedLambda, key: str, status: int, error: str
) -> None:
    with served(front.url, edge=True) as url:
        answer = refused(url, key=key)
    assert answer.status_code == status
    (challenge,) = answer.headers.get_list("www-authenticate")
    assert "https://mcp.example.com/.well-known/" in challenge
    assert f'error="{error}"' in challenge
    assert "orders:write" in challenge
    assert RENAMED not in answer.headers
    assert answer.headers["content-type"] == "application/json"


def test_without_the_edge_a_client_finds_the_issuer_where_it_looks_when_nobody_tells_it(
    front: LambdaServer, functions: ScriptedLambda
) -> None:
    with served(front.url, edge=False) as url:
        answer = refused(url, key="qk_1")
        assert (answer.status_code, answer.headers.get("www-authenticate")) == (401, None)
        assert RENAMED in answer.headers
        found = [
            httpx2.get(address, headers={"x-origin-key": ORIGIN_KEY}, timeout=60, trust_env=False)
            for address in build_protected_resource_metadata_discovery_urls(None, f"{url}/mcp")
        ]
    assert found[0].json()["authorization_servers"] == ["https://issuer.example.com"]
