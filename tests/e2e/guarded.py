"""The session's stack for a while behind a front that asks for keys; with ARTIFACTS=1 that front is the built one."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from local.keys import every_scope
from local.stack import SAMPLE_TENANT, Stack
from tests.e2e.visits import invoke
from tests.house import House

CHAT_KEY = "of the scripted chat model"


@dataclass(frozen=True)
class Guarded:
    """``key`` opens everything of the default tenant."""

    stack: Stack
    key: str

    def visit[T](self, doing: Callable[[Client], Awaitable[T]], *, mode: str = "auto", **headers: str) -> T:
        async def main() -> T:
            sent = {"Authorization": f"Bearer {self.key}", **headers}
            async with (
                asyncio.timeout(120),
                httpx2.AsyncClient(headers=sent, timeout=60) as http,
                Client(streamable_http_client(self.stack.mcp, http_client=http), mode=mode) as client,
            ):
                return await doing(client)

        return asyncio.run(main())

    def said(self) -> list[tuple[str, dict[str, Any]]]:
        """The JSON lines of all its processes since its start, each with what wrote it."""
        lines = [
            line.rpartition(" | ") if line.startswith("quarry-") else (path.stem, "", line)
            for path in sorted((self.stack.data_dir / "logs").glob("*.log"))
            for line in path.read_text("utf-8").splitlines()
        ]
        return [(who, json.loads(told)) for who, _, told in lines if told.startswith("{")]


@contextmanager
def guarded(house: House, *, chat_url: str) -> Iterator[Guarded]:
    house.stop()
    try:
        stack = house.start(AUTH_MODE="api_key", CHAT_API_KEY=CHAT_KEY, CHAT_BASE_URL=chat_url)
        event = {"action": "create", "tenant": SAMPLE_TENANT, "name": "e2e", "scopes": every_scope()}
        yield Guarded(stack, invoke(stack, "api_keys", event)["key"])
    finally:
        house.stop()
        house.start()
