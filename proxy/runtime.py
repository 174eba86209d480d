"""The parts that one running proxy holds open: sessions, signer, Lambda client, template store."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import aiohttp
import botocore.session
from botocore.credentials import Credentials

from proxy.catalog import Catalog
from proxy.invocation import LambdaClient, Signer
from proxy.resources import Library, TemplateStore
from proxy.settings import Settings, SettingsError
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
        telemetry = Telemetry(tools=catalog.everything.tools, prompts=catalog.everything.prompts)
        yield Runtime(settings, catalog, functions, library, telemetry, session)


def _session(settings: Settings) -> aiohttp.ClientSession:
    """Opens the session for the bucket and the issuer, which are read whole and may be asked twice."""
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEPALIVE_SECONDS, ttl_dns_cache=60)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=settings.connect_seconds)
    return aiohttp.ClientSession(connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar())


def find_credentials() -> Credentials:
    """Looks in the environment, a profile, the container and the instance. Raises SettingsError if there are none."""
    found = botocore.session.get_session().get_credentials()
    if found is None:
        raise SettingsError("no AWS credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    return found


def endpoint_url(service: str, *, region: str, override: str | None) -> str:
    """Returns the service's URL: the override, else the region's public endpoint."""
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return (override or f"https://{service}.{region}.{suffix}").rstrip("/")
