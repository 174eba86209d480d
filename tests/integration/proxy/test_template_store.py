"""The template cache against a bucket that changes, vanishes and comes back."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
import pytest
from aiohttp import web
from botocore.credentials import Credentials
from mcp import MCPError

from proxy.invocation import Signer
from proxy.resources import TemplateStore
from proxy.settings import Settings


@dataclass
class Bucket:
    """One object that can be changed, taken away or made unreadable."""

    body: bytes = b"one"
    status: int = 200
    seen: list[tuple[str, str | None]] = field(default_factory=list)

    async def get(self, request: web.Request) -> web.Response:
        etag = f'"{hash(self.body)}"'
        self.seen.append((request.raw_path, request.headers.get("If-None-Match")))
        assert request.headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKID/")
        if self.status != 200:
            return web.Response(status=self.status)
        if request.headers.get("If-None-Match") == etag:
            return web.Response(status=304)
        return web.Response(body=self.body, headers={"ETag": etag})


Visit = Callable[[TemplateStore, Bucket], Coroutine[None, None, None]]


def _with_store(visit: Visit, *, ttl: float) -> None:
    async def main() -> None:
        bucket = Bucket()
        async with _serving(bucket) as url, aiohttp.ClientSession() as session:
            signer = Signer(Credentials("AKID", "secret"), region="eu-central-1")
            settings = Settings(template_bucket="b", template_ttl_seconds=ttl)
            await visit(TemplateStore(settings, signer=signer, session=session, endpoint=url), bucket)

    asyncio.run(main())


@asynccontextmanager
async def _serving(bucket: Bucket) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_get("/{path:.*}", bucket.get)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    yield f"http://{host}:{port}"
    await runner.cleanup()


def test_a_fresh_copy_is_served_from_memory_and_fetched_once_for_many() -> None:
    async def visit(store: TemplateStore, bucket: Bucket) -> None:
        assert set(await asyncio.gather(*(store.read("a b.md") for _ in range(10)))) == {b"one"}
        assert bucket.seen == [("/b/templates/a%20b.md", None)]

    _with_store(visit, ttl=60)


def test_an_old_copy_is_revalidated_and_replaced_when_it_changed() -> None:
    async def visit(store: TemplateStore, bucket: Bucket) -> None:
        await store.read("k")
        assert await store.read("k") == b"one"
        bucket.body = b"two"
        assert await store.read("k") == b"two"
        assert [etag is None for _, etag in bucket.seen] == [True, False, False]

    _with_store(visit, ttl=0)


@pytest.mark.parametrize("status", [500, 403, 503])
def test_a_copy_is_served_while_the_bucket_is_unreadable_and_the_bucket_is_left_in_peace(status: int) -> None:
    async def visit(store: TemplateStore, bucket: Bucket) -> None:
        await store.read("k")
        bucket.status = status
        assert [await store.read("k") for _ in range(3)] == [b"one"] * 3
        assert len(bucket.seen) == 2

    _with_store(visit, ttl=0)


def test_without_a_copy_the_reason_is_told_apart() -> None:
    async def visit(store: TemplateStore, bucket: Bucket) -> None:
        bucket.status = 500
        with pytest.raises(MCPError, match="cannot be reached"):
            await store.read("k")
        bucket.status = 404
        with pytest.raises(MCPError, match="has not been published"):
            await store.read("k")

    _with_store(visit, ttl=0)


def test_an_object_that_was_deleted_is_forgotten() -> None:
    async def visit(store: TemplateStore, bucket: Bucket) -> None:
        await store.read("k")
        bucket.status = 404
        with pytest.raises(MCPError, match="has not been published"):
            await store.read("k")

    _with_store(visit, ttl=0)
