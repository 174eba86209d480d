"""The ASGI application: the MCP endpoint, its OAuth metadata and two health checks."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from mcp_types import INTERNAL_ERROR
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from proxy.auth.resource import metadata_route
from proxy.catalog import ROOT, Catalog
from proxy.endpoint import open_endpoint
from proxy.http_answers import ALWAYS, AnswerHeaders, refusal
from proxy.manifest import load_manifest
from proxy.runtime import Runtime, find_credentials, open_runtime
from proxy.settings import Settings, SettingsError, is_loopback

_PREFLIGHT_SECONDS = 3600
_LEAST_COMPRESSED = 16 * 1024


def create_app(settings: Settings, *, more: Iterable[Route] = (), credentials_later: bool = False) -> Starlette:
    """Builds the app of one process; ``more`` adds routes. The manifest is read and credentials are found at once, so
    that a mistake shows early.

    With ``credentials_later`` each lifespan finds its own, because Lambda's snapshot would keep those found now.
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
            open_endpoint(runtime) as endpoint,
        ):
            app.state.runtime, app.state.endpoint = runtime, endpoint
            yield

    async def healthz(_request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok", "version": manifest.version, "tools": len(manifest.tools)})

    routes = [
        # First, because routes are tried in order. A route without the parameter would redirect `/mcp/`, and some
        # clients drop their credentials on a redirect.
        Route(f"{ROOT}{{selection:path}}", _Endpoint()),
        Route("/healthz", healthz),
        Route("/readyz", _readyz),
    ]
    routes += more
    if settings.takes_tokens:
        routes.append(metadata_route(settings, catalog=catalog))
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=_middleware(settings),
        exception_handlers={Exception: _sorry},
    )


class _Endpoint:
    """Forwards to the running lifespan's endpoint. It is a class, because a route serves a function on GET alone."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["app"].state.endpoint(scope, receive, send)


def _middleware(settings: Settings) -> list[Middleware]:
    always = Middleware(AnswerHeaders, settings=settings)
    # Lists shrink to a sixth; a usual answer is shorter, and would only cost time. Event streams stay as they are.
    small = Middleware(GZipMiddleware, minimum_size=_LEAST_COMPRESSED, compresslevel=4)
    if not settings.allowed_origins:
        return [small, always]
    cors = Middleware(
        CORSMiddleware,
        allow_origins=settings.allowed_origins,
        allow_methods=["GET", "POST"],
        # `Mcp-Param-*` cannot be listed beforehand.
        allow_headers=["*"],
        expose_headers=["WWW-Authenticate", "Retry-After"],
        max_age=_PREFLIGHT_SECONDS,
    )
    return [small, always, cors]


async def _sorry(_request: Request, _failure: Exception) -> Response:
    # This runs outside of all middleware, so it adds the headers itself.
    headers = {name.decode(): value.decode() for name, value in ALWAYS}
    words = "Internal error; the server's log has the cause."
    return refusal(500, words, code=INTERNAL_ERROR, headers=headers)


async def _readyz(request: Request) -> JSONResponse:
    runtime: Runtime = request.app.state.runtime
    if await runtime.functions.reachable():
        return JSONResponse({"status": "ready"})
    return JSONResponse({"status": "unavailable", "lambda": "unreachable"}, 503)
