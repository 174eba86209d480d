"""Clients that listen hear that rows were loaded: subscriptions of 2026-07-28, and the streams of older versions."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp.client.subscriptions import Subscription
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated
from mcp_types import ResourceListChangedNotification

from tests.integration.proxy.conftest import MANIFEST, Proxy, StartProxy, soon
from tests.integration.proxy.scripted_lambda import Call, ScriptedLambda, Step

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}
STOCK, SHELF, LETTER = "workbench://stock", "workbench://shelf/7", "workbench://letter"


@dataclass
class Loaded:
    """What the scripted `news` function says was loaded."""

    rows: int = 0
    looks: int = 0

    def answer(self, call: Call) -> Step | None:
        if call.function != "quarry-news":
            return None
        self.looks += 1
        return Step({"changes": {"parts": self.rows, "orders": 0}})


@pytest.fixture
def loaded(functions: ScriptedLambda) -> Iterator[Loaded]:
    loaded = Loaded()
    functions.otherwise = loaded.answer
    yield loaded
    functions.otherwise = None


@pytest.fixture(scope="module")
def live_manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    manifest = json.loads(MANIFEST.read_text("utf-8"))
    next(entry for entry in manifest["resource_templates"] if "shelf" in entry["uriTemplate"])["lists"] = True
    path: Path = tmp_path_factory.mktemp("manifest") / "manifest.json"
    path.write_text(json.dumps(manifest), "utf-8")
    return path


@pytest.fixture(scope="module")
def live(start_proxy: StartProxy, live_manifest: Path) -> Iterator[Proxy]:
    with start_proxy(MANIFEST_PATH=str(live_manifest), NEWS_SECONDS="0.1") as proxy:
        yield proxy


@asynccontextmanager
async def listening(url: str, **wanted: Any) -> AsyncIterator[Subscription]:
    async with asyncio.timeout(60), Client(url) as client, client.listen(**wanted) as subscription:
        yield subscription


def test_a_client_hears_of_an_ingest_and_of_nothing_it_did_not_ask_for(live: Proxy, loaded: Loaded) -> None:
    async def heard() -> set[object]:
        uris = [STOCK, SHELF, LETTER, "workbench://nothing"]
        async with listening(f"{live.url}/mcp", resources_list_changed=True, resource_subscriptions=uris) as news:
            assert news.honored.resource_subscriptions == [STOCK, SHELF]
            loaded.rows += 1
            return {await anext(news) for _ in range(3)}

    assert asyncio.run(heard()) == {ResourcesListChanged(), ResourceUpdated(STOCK), ResourceUpdated(SHELF)}


def test_a_selection_without_such_resources_promises_nothing(live: Proxy, loaded: Loaded) -> None:
    async def honored() -> Any:
        wanted = {"tools_list_changed": True, "resources_list_changed": True, "resource_subscriptions": [STOCK]}
        async with listening(f"{live.url}/mcp/orders", **wanted) as news:
            return news.honored

    said = asyncio.run(honored())
    assert (said.resources_list_changed, said.resource_subscriptions) == (None, None)


def test_nobody_listening_means_that_nobody_looks(live: Proxy, loaded: Loaded) -> None:
    async def leave() -> None:
        async with listening(f"{live.url}/mcp", resources_list_changed=True):
            assert await asyncio.to_thread(soon, lambda: loaded.looks > 2)

    asyncio.run(leave())

    def quiet() -> bool:
        before = loaded.looks
        time.sleep(1)
        return loaded.looks == before

    assert soon(quiet)


def test_one_principal_holds_so_many_streams_and_no_more(live: Proxy, loaded: Loaded) -> None:
    async def many() -> int:
        held = 0
        async with asyncio.timeout(60), Client(f"{live.url}/mcp") as client:

            async def one() -> None:
                nonlocal held
                async with client.listen(resources_list_changed=True):
                    held += 1
                    await asyncio.Event().wait()

            streams = [asyncio.create_task(one()) for _ in range(21)]
            done, rest = await asyncio.wait(streams, return_when=asyncio.FIRST_COMPLETED)
            for stream in rest:
                stream.cancel()
            [refused] = done
            assert isinstance(refused.exception(), MCPError)
            await asyncio.gather(*rest, return_exceptions=True)
        return held

    assert asyncio.run(many()) == 20


def test_an_older_client_hears_of_lists_on_the_stream_that_it_holds(live: Proxy, loaded: Loaded) -> None:
    said = live.legacy("initialize", INITIALIZE).json()["result"]["capabilities"]["resources"]
    assert said["listChanged"] is True
    with live.http.stream("GET", f"{live.url}/mcp", headers={"Accept": "text/event-stream"}, timeout=60) as stream:
        assert soon(lambda: loaded.looks > 1)
        loaded.rows += 1
        data = next(line for line in stream.iter_lines() if line.startswith("data: {"))
    assert json.loads(data[6:]) == {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
    assert live.http.get(f"{live.url}/mcp").status_code == 405


def test_over_stdio_an_older_client_hears_of_lists_on_its_one_connection(
    environment: dict[str, str], loaded: Loaded, live_manifest: Path
) -> None:
    async def heard() -> None:
        news = asyncio.Event()

        async def note(message: object) -> None:
            if isinstance(message, ResourceListChangedNotification):
                news.set()

        variables = {**environment, "NEWS_SECONDS": "0.1", "MANIFEST_PATH": str(live_manifest)}
        server = StdioServerParameters(command=sys.executable, args=["-m", "proxy", "--stdio"], env=variables)
        async with asyncio.timeout(60), Client(server, mode="legacy", message_handler=note):
            assert await asyncio.to_thread(soon, lambda: loaded.looks > 1)
            loaded.rows += 1
            await news.wait()

    asyncio.run(heard())


def test_streams_end_in_good_order_when_the_front_stops(
    start_proxy: StartProxy, live_manifest: Path, loaded: Loaded
) -> None:
    with start_proxy(MANIFEST_PATH=str(live_manifest), NEWS_SECONDS="0.1") as front:

        async def until_the_end() -> list[object]:
            async with listening(f"{front.url}/mcp", resources_list_changed=True) as news:
                front.process.terminate()
                return [event async for event in news]

        assert asyncio.run(until_the_end()) == []
