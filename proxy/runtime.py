"""The parts that one running proxy holds open: sessions, signer, Lambda client, template store."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import aiohttp
from botocore.credentials import Credentials

from proxy.catalog import Catalog
from proxy.credentials import Signer, endpoint_url
from proxy.invocation import LambdaClient
from proxy.resources import Library, TemplateStore
from proxy.settings import Settings
from proxy.telemetry import Telemetry

_KEEPALIVE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Runtime:
    """The open parts, which live as long as the event loop serves and are built anew for each run of the lifespan."""

    settings: Settings
    catalog: Catalog
    functions: LambdaClient
    library: Library
    telemetry: Telemetry
    session: aiohttp.ClientSession


@asynccontextmanager
async def open_runtime(settings: Settings, catalog: Catalog, *, credentials: Credentials) -> AsyncIterator[Runtime]:
    signer = Signer(credentials, region=settings.aws_region)
    async with AsyncExitStack() as stack:
        endpoint = endpoint_url("lambda", region=settings.aws_region, override=settings.aws_endpoint_url_lambda)
        functions = LambdaClient(settings, endpoint=endpoint, signer=signer)
        stack.push_async_callback(functions.close)
        session = await stack.enter_async_context(_session(settings))
        store = TemplateStore(
            settings,
            signer=signer,
            session=session,
            endpoint=endpoint_url("s3", region=settings.aws_region, override=settings.aws_endpoint_url_s3),
        )
        library = Library(catalog, store=store, functions=functions)
        telemetry = Telemetry(tools=catalog.tools, prompts=catalog.prompts)
        yield Runtime(settings, catalog, functions, library, telemetry, session)


def _session(settings: Settings) -> aiohttp.ClientSession:
    """Opens the session for the bucket and the issuer, which are read whole and may be asked twice."""
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEPALIVE_SECONDS, ttl_dns_cache=60)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=settings.connect_seconds)
    return aiohttp.ClientSession(connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar())
