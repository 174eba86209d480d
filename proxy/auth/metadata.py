"""Protected-resource metadata (RFC 9728) for the root and for every address below /mcp."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from proxy.auth.resource import METADATA_PATH, metadata, typed_url
from proxy.catalog import Catalog
from proxy.selection import ROOT, SelectionError, select
from proxy.settings import Settings

# Public, and asked for by web pages before they have anything to identify themselves with.
_OPEN = {"access-control-allow-origin": "*", "cache-control": "public, max-age=300", "vary": "host"}
_PREFLIGHT = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "mcp-protocol-version",
}


class MetadataEndpoint:
    """An ASGI app. It needs no authentication: it is what a client reads to find out about it."""

    def __init__(self, settings: Settings, *, catalog: Catalog) -> None:
        self._settings = settings
        self._catalog = catalog

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(Request(scope))(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=_PREFLIGHT)
        if request.method not in ("GET", "HEAD"):
            return JSONResponse({"error": "Only GET is served here."}, 405, {"allow": "GET"})
        path = request.scope["path"].removeprefix(METADATA_PATH)
        # Some clients look at the root first; what they get there covers every address.
        path = ROOT if path in ("", "/") else path
        settings, catalog = self._settings, self._catalog
        if not path.startswith(ROOT):
            return JSONResponse({"error": "No such resource."}, 404)
        try:
            selection = select(path, headers=(), enabled=catalog.toolsets, read_only=settings.read_only)
        except SelectionError as problem:
            return JSONResponse({"error": problem.message}, 404)
        resource = typed_url(request, path, settings)
        return JSONResponse(metadata(resource, selection, catalog=catalog, settings=settings), headers=_OPEN)
