"""News: clients that listen hear that rows were loaded which resources of theirs are made of.

Nothing tells the front of an ingest, so it looks: once per tenant and interval, and only while somebody listens.
"""

import asyncio
import json
import logging
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ResourceUpdated
from sse_starlette import EventSourceResponse
from starlette.responses import Response

from proxy.caller import Caller, Principal
from proxy.catalog import Catalog, View
from proxy.events import log
from proxy.invocation import LambdaClient
from proxy.outcome import Failure, Function

_logger = logging.getLogger(__name__)

_NEWS = Function("news", timeout_s=10, repeatable=True)
MOST_STREAMS = 1_000
MOST_STREAMS_OF_ONE = 20
"""Streams that one principal may keep open in one process."""

LONGEST_STREAM_SECONDS = 900.0
"""A stream then ends in good order: whoever listens on shows its credentials again."""

_PING_SECONDS = 15
_CHANGED = {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}

Hear = Callable[[frozenset[str]], Awaitable[None]]
"""Takes the toolsets whose rows changed."""


class News:
    """The listeners of one running front."""

    def __init__(self, functions: LambdaClient, *, catalog: Catalog, seconds: float) -> None:
        self._functions = functions
        self._catalog = catalog
        self._seconds = seconds
        self._watches: dict[str, _Listener] = {}
        self._open = Counter[tuple[str, str]]()
        self._closers: set[Callable[[], None]] = set()

    async def subscribe(
        self, ctx: ServerRequestContext, params: types.SubscriptionsListenRequestParams, *, view: View, by: Principal
    ) -> types.SubscriptionsListenResult:
        """Serves one stream of 2026-07-28. It acknowledges what may ever be told: tools and prompts never change."""
        wanted = params.notifications
        uris = {uri: toolset for uri in wanted.resource_subscriptions or () if (toolset := self._made(uri, view))}
        heard = types.SubscriptionFilter(
            resources_list_changed=(wanted.resources_list_changed and bool(_listing(view))) or None,
            resource_subscriptions=list(uris) or None,
        )
        bus = InMemorySubscriptionBus()
        handler = ListenHandler(bus)

        async def hear(toolsets: frozenset[str]) -> None:
            if toolsets & _listing(view):
                await bus.publish(ResourcesListChanged())
            for uri, toolset in uris.items():
                if toolset in toolsets:
                    await bus.publish(ResourceUpdated(uri))

        async with self._listening(by, hear, close=handler.close):
            return await handler(ctx, params.model_copy(update={"notifications": heard}))

    def stream(self, view: View, *, by: Principal) -> Response:
        """The stream that a client of an older version holds by GET: it hears of lists alone."""
        heard: asyncio.Queue[bool] = asyncio.Queue()

        async def hear(toolsets: frozenset[str]) -> None:
            if toolsets & _listing(view):
                heard.put_nowait(True)

        async def events() -> AsyncIterator[dict[str, str]]:
            with suppress(MCPError):
                async with self._listening(by, hear, close=lambda: heard.put_nowait(False)):
                    while await heard.get():
                        yield {"event": "message", "data": json.dumps(_CHANGED, separators=(",", ":"))}

        return EventSourceResponse(events(), ping=_PING_SECONDS)

    async def relay(self, tell: Callable[[], Awaitable[None]], *, view: View, by: Principal) -> None:
        """Tells a client that holds one connection for all, until cancelled."""

        async def hear(toolsets: frozenset[str]) -> None:
            if toolsets & _listing(view):
                await tell()

        async with self._listening(by, hear, close=lambda: None):
            await asyncio.Event().wait()

    def close(self) -> None:
        """Ends all streams in good order."""
        for close in list(self._closers):
            close()

    def _made(self, uri: str, view: View) -> str | None:
        """The toolset of a resource that is made of rows; None of any other."""
        entry = self._catalog.resource(uri)
        shown = entry is not None and (uri in view.resources or entry in view.resource_templates.values())
        return entry.toolset if entry is not None and shown and entry.function else None

    @asynccontextmanager
    async def _listening(self, principal: Principal, hear: Hear, *, close: Callable[[], None]) -> AsyncIterator[None]:
        """What is loaded from now on is heard. Raises MCPError where too many listen."""
        who = (principal.tenant, principal.subject)
        if self._open.total() >= MOST_STREAMS or self._open[who] >= MOST_STREAMS_OF_ONE:
            raise MCPError(types.INTERNAL_ERROR, "Too many streams listen; close one first.")
        end = asyncio.get_running_loop().call_later(LONGEST_STREAM_SECONDS, close)
        self._open[who] += 1
        self._closers.add(close)
        watch = self._watches.setdefault(principal.tenant, _Listener(self._look, principal, seconds=self._seconds))
        try:
            await watch.join(hear)
            yield
        finally:
            end.cancel()
            self._closers.discard(close)
            self._open[who] -= 1
            if watch.leave(hear):
                self._watches.pop(principal.tenant, None)

    async def _look(self, principal: Principal) -> dict[str, int] | None:
        """How many rows were ever loaded, by toolset; None where that cannot be said now."""
        outcome = await self._functions.invoke(_NEWS, {}, caller=Caller(principal, request_id=uuid.uuid4().hex))
        if isinstance(outcome, Failure):
            log(_logger, "news_failed", level=logging.WARNING, outcome=outcome.code)
            return None
        changes: dict[str, int] = outcome.result.get("changes", {})
        return changes


def _listing(view: View) -> frozenset[str]:
    """The toolsets whose rows are resources in a list."""
    return frozenset(entry.toolset for entry in view.resource_templates.values() if entry.lists)


class _Listener:
    """Looks for one tenant."""

    def __init__(
        self,
        look: Callable[[Principal], Awaitable[dict[str, int] | None]],
        principal: Principal,
        *,
        seconds: float,
    ) -> None:
        self._look = look
        self._principal = principal
        self._seconds = seconds
        self._hearers: set[Hear] = set()
        self._first = asyncio.Lock()
        self._seen: dict[str, int] | None = None
        self._task: asyncio.Task[None] | None = None

    async def join(self, hear: Hear) -> None:
        """Only the first one waits, for what there is to compare with."""
        self._hearers.add(hear)
        async with self._first:
            if self._task is None:
                self._seen = await self._look(self._principal)
                self._task = asyncio.create_task(self._go_on_looking())

    def leave(self, hear: Hear) -> bool:
        """Whether that was the last one."""
        self._hearers.discard(hear)
        if not self._hearers and self._task is not None:
            self._task.cancel()
        return not self._hearers

    async def _go_on_looking(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            now = await self._look(self._principal)
            if now is None:
                continue
            before, self._seen = self._seen, now
            changed = frozenset(name for name, rows in now.items() if before is not None and before.get(name) != rows)
            for hear in list(self._hearers) if changed else ():
                await hear(changed)
