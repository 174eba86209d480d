"""The ASGI application: the MCP endpoint, two health checks and the metrics page."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from proxy.calls import ToolCalls
from proxy.catalog import Catalog
from proxy.credentials import find_credentials
from proxy.endpoint import McpEndpoint
from proxy.identity import authenticator, local_principal
from proxy.manifest import load_manifest
from proxy.metrics import Counted, Metrics
from proxy.runtime import Runtime, open_runtime
from proxy.selection import ROOT
from proxy.server import Addressed, build_server
from proxy.settings import Settings


def create_app(settings: Settings) -> Starlette:
    """Reads the manifest and finds the credentials now, so that a mistake shows before a port is open."""
    manifest = load_manifest(settings.manifest_path)
    catalog = Catalog(manifest, enabled=settings.toolsets)
    credentials = find_credentials()
    authenticate = authenticator(settings, scopes=manifest.scopes)
    endpoint = McpEndpoint(settings, catalog=catalog, authenticate=authenticate)
    metrics = Metrics(catalog.checks)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with open_runtime(settings, catalog, credentials=credentials, metrics=metrics) as runtime:
            calls = ToolCalls(runtime)
            server = build_server(runtime, calls=calls, default=whole(settings, catalog))
            async with endpoint.serving(server, calls=calls):
                app.state.runtime = runtime
                yield

    async def healthz(_request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok", "version": manifest.version, "tools": len(manifest.tools)})

    return Starlette(
        routes=[
            Route("/healthz", healthz),
            Route("/readyz", _readyz),
            Route("/metrics", metrics.answer),
            # A plain route would answer `/mcp/` with a redirect, on which some clients drop their credentials.
            Route(f"{ROOT}{{selection:path}}", Counted(endpoint, metrics)),
        ],
        lifespan=lifespan,
    )


def whole(settings: Settings, catalog: Catalog) -> Addressed:
    """Everything enabled, for the operator of this machine."""
    principal = local_principal(settings, scopes=catalog.manifest.scopes)
    return Addressed(catalog.whole(scopes=principal.scopes, read_only=settings.read_only), principal)


async def _readyz(request: Request) -> JSONResponse:
    runtime: Runtime = request.app.state.runtime
    if await runtime.functions.reachable():
        return JSONResponse({"status": "ready"})
    return JSONResponse({"status": "unavailable", "lambda": "unreachable"}, 503)
