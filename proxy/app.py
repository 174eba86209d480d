"""The ASGI application: the MCP endpoint, its OAuth metadata, two health checks, and pages of other functions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from mcp_types import INTERNAL_ERROR
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from yarl import URL

from proxy.auth.resource import metadata_route
from proxy.calls import ToolCalls
from proxy.catalog import ROOT, Catalog
from proxy.credentials import find_credentials
from proxy.endpoint import open_endpoint, read_body
from proxy.http_answers import ALWAYS, AnswerHeaders, refusal
from proxy.manifest import load_manifest
from proxy.runtime import Runtime, open_runtime
from proxy.settings import Settings, SettingsError, is_loopback

_PREFLIGHT_SECONDS = 3600

PATHS = ("/approve", "/documents")
_SECONDS = aiohttp.ClientTimeout(total=60)
# Of one connection and not of the message (RFC 9110, section 7.6.1), or said anew.
_OF_THE_WAY = frozenset(
    (b"connection", b"keep-alive", b"te", b"trailer", b"transfer-encoding", b"upgrade", b"content-length", b"expect",
     b"accept-encoding", b"proxy-authorization", b"proxy-connection",
     b"date", b"server")
)  # fmt: skip


def create_app(settings: Settings, *, credentials_later: bool = False) -> Starlette:
    """The app of one process. The manifest is read and credentials are found now, so that a mistake shows early.

    With ``credentials_later`` each lifespan finds them for itself: those of now would be in Lambda's snapshot.
    """
    manifest = load_manifest(settings.manifest_path)
    if manifest.keeps_state and not (settings.request_state_keys or is_loopback(settings.host)):
        raise SettingsError(
            "REQUEST_STATE_KEYS: some of these tools keep state, and the answer may come to another process."
        )
    catalog = Catalog(manifest, enabled=settings.toolsets)
    found = None if credentials_later else find_credentials()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        credentials = found or find_credentials()
        async with (
            open_runtime(settings, catalog, credentials=credentials) as runtime,
            open_endpoint(runtime, calls=ToolCalls(runtime)) as endpoint,
        ):
            app.state.runtime, app.state.endpoint = runtime, endpoint
            yield

    async def healthz(_request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok", "version": manifest.version, "tools": len(manifest.tools)})

    routes = [
        # First, because routes are tried in order. A plain one would answer `/mcp/` with a redirect, on which some
        # clients drop their credentials.
        Route(f"{ROOT}{{selection:path}}", _Endpoint()),
        Route("/healthz", healthz),
        Route("/readyz", _readyz),
    ]
    if settings.pages_url is not None:
        pages = Pages(settings.pages_url, most_bytes=settings.max_request_bytes, body_seconds=settings.body_seconds)
        routes += [Route(f"{path}/{{rest:path}}", pages) for path in PATHS]
    if settings.takes_tokens:
        routes.append(metadata_route(settings, catalog=catalog))
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=_middleware(settings),
        exception_handlers={Exception: _sorry},
    )


class _Endpoint:
    """The endpoint of the lifespan that runs; a class, because a route takes a function for a handler of GET."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["app"].state.endpoint(scope, receive, send)


def _middleware(settings: Settings) -> list[Middleware]:
    always = Middleware(AnswerHeaders, settings=settings)
    if not settings.allowed_origins:
        return [always]
    cors = Middleware(
        CORSMiddleware,
        allow_origins=settings.allowed_origins,
        allow_methods=["GET", "POST"],
        # `Mcp-Param-*` cannot be listed beforehand.
        allow_headers=["*"],
        expose_headers=["WWW-Authenticate", "Retry-After"],
        max_age=_PREFLIGHT_SECONDS,
    )
    return [always, cors]


async def _sorry(_request: Request, _failure: Exception) -> Response:
    # Outside of all middleware, so it brings its headers itself.
    headers = {name.decode(): value.decode() for name, value in ALWAYS}
    words = "Internal error; the server's log has the cause."
    return refusal(500, words, code=INTERNAL_ERROR, headers=headers)


async def _readyz(request: Request) -> JSONResponse:
    runtime: Runtime = request.app.state.runtime
    if await runtime.functions.reachable():
        return JSONResponse({"status": "ready"})
    return JSONResponse({"status": "unavailable", "lambda": "unreachable"}, 503)


class Pages:
    """An ASGI app that asks ``url`` what it is asked, of the same path, for the same host."""

    def __init__(self, url: str, *, most_bytes: int, body_seconds: float) -> None:
        self._url = url.rstrip("/")
        self._most_bytes = most_bytes
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        answer = await read_body(request, receive, most=self._most_bytes, seconds=self._body_seconds)
        if isinstance(answer, bytes):
            try:
                answer = await self._answer(request, answer)
            except (aiohttp.ClientError, TimeoutError):
                answer = Response("This page cannot be served right now; try again in a minute.", 502)
        await answer(scope, receive, send)

    async def _answer(self, request: Request, body: bytes) -> Response:
        session = request.app.state.runtime.session
        query = f"?{request.scope['query_string'].decode('latin-1')}" if request.scope["query_string"] else ""
        where = URL(f"{self._url}{request.scope['raw_path'].decode('latin-1')}{query}", encoded=True)
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in request.headers.raw
            if name not in _OF_THE_WAY
        ]
        async with session.request(
            request.method, where, headers=headers, data=body or None, allow_redirects=False, timeout=_SECONDS
        ) as answer:
            response = Response(await answer.read(), answer.status)
            kept = [(name.lower(), value) for name, value in answer.raw_headers if name.lower() not in _OF_THE_WAY]
            response.raw_headers = [*kept, (b"content-length", str(len(response.body)).encode())]
            return response
