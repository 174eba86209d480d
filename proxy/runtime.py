"""The parts one running proxy holds open: connections, signer, Lambda client, template store."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import aiohttp
from botocore.credentials import Credentials

from proxy.catalog import Catalog
from proxy.connections import Connections, Origin
from proxy.credentials import Signer, endpoint_url
from proxy.invocation import LambdaClient
from proxy.knowledge import Library
from proxy.metrics import Metrics
from proxy.settings import Settings
from proxy.template_store import TemplateStore

_KEEPALIVE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Runtime:
    """Lives as long as the event loop serves; built anew for each run of the lifespan."""

    settings: Settings
    catalog: Catalog
    functions: LambdaClient
    library: Library
    metrics: Metrics
    session: aiohttp.ClientSession


@asynccontextmanager
async def open_runtime(
    settings: Settings, catalog: Catalog, *, credentials: Credentials, metrics: Metrics | None = None
) -> AsyncIterator[Runtime]:
    """Open everything, close everything. Without ``metrics`` nobody reads what is counted."""
    metrics = metrics or Metrics(catalog.checks)
    signer = Signer(credentials, region=settings.aws_region)
    await signer.renew()
    async with AsyncExitStack() as stack:
        endpoint = endpoint_url("lambda", region=settings.aws_region, override=settings.aws_endpoint_url_lambda)
        connections = Connections(
            Origin.of(endpoint), connect_seconds=settings.connect_seconds, idle_seconds=_KEEPALIVE_SECONDS
        )
        stack.callback(connections.close)
        functions = LambdaClient(settings, signer=signer, connections=connections, metrics=metrics)
        session = await stack.enter_async_context(_session(settings))
        store = TemplateStore(
            settings,
            signer=signer,
            session=session,
            endpoint=endpoint_url("s3", region=settings.aws_region, override=settings.aws_endpoint_url_s3),
        )
        library = Library(catalog, store=store, functions=functions)
        yield Runtime(settings, catalog, functions, library, metrics, session)


def _session(settings: Settings) -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEPALIVE_SECONDS, ttl_dns_cache=60)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=settings.connect_seconds)
    return aiohttp.ClientSession(connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar())
