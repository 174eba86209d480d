"""docs/architecture.md names the files of a tools/call that a reader opens; they are the ones that run."""

import asyncio
from collections.abc import Mapping

import httpx2
import pytest

from proxy.app import create_app
from proxy.settings import Settings
from tests.integration.proxy.conftest import request_parts
from tests.integration.proxy.scripted_lambda import ScriptedLambda
from tests.reading import check


def test_the_files_named_for_one_call_hold_nearly_all_of_what_it_runs(
    environment: Mapping[str, str], functions: ScriptedLambda, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    app = create_app(Settings.from_environment())
    meta, headers = request_parts("tools/call", "find_parts")
    params = {"name": "find_parts", "arguments": {"query": "x"}, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    async def served(times: int) -> None:
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1:1") as client,
        ):
            for _ in range(times):
                answer = await client.post("/mcp", json=body, headers={"Accept": "application/json"} | headers)
                assert answer.json()["result"]["isError"] is False

    asyncio.run(served(1))
    check("To follow one `tools/call`", most=18, share=0.9, work=lambda: asyncio.run(served(1)))
