"""The protected resource as OAuth sees it: its address, its metadata (RFC 9728), and challenges."""

from collections.abc import Iterable
from urllib.parse import quote

from starlette.middleware.cors import CORSMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, request_response

from proxy.catalog import ROOT, Catalog, Selection, SelectionError
from proxy.settings import Settings

METADATA_PATH = "/.well-known/oauth-protected-resource"
_PUBLIC = {"cache-control": "public, max-age=300", "vary": "host"}


def typed_url(request: HTTPConnection, path: str, settings: Settings) -> str:
    """Returns the URL as the client typed it. Forwarded headers are not read: behind a proxy, PUBLIC_URL is set."""
    scheme = request.scope["scheme"]
    base = settings.public_url or f"{scheme}://{request.headers.get('host', '')}"
    return base + quote(path, safe="/,")


def audiences(request: HTTPConnection, settings: Settings) -> frozenset[str]:
    """Returns what a token's audience may be: the whole server, or exactly the URL that the client typed.

    Without PUBLIC_URL that URL is the client's own claim, which proves nothing and does not count.
    """
    if settings.public_url is None:
        return settings.audiences
    return settings.audiences | {typed_url(request, request.scope["path"], settings).removesuffix("/")}


def served_scopes(selection: Selection, catalog: Catalog) -> list[str]:
    """Returns every scope that is of use at the address, where a client sees only what its scopes allow."""
    return sorted({entry.needed_scope for entry in catalog.offers(selection)})


def challenge(
    request: HTTPConnection, settings: Settings, *, scopes: Iterable[str], error: str = "", description: str = ""
) -> str:
    """Returns the value of WWW-Authenticate. ``error`` and ``description`` are our own words, never the caller's."""
    parts = [f'error="{error}"', f'error_description="{description}"'] if error else []
    if settings.takes_tokens:
        path = request.scope["path"] if request.scope["path"].startswith(ROOT) else ROOT
        parts.append(f'resource_metadata="{typed_url(request, METADATA_PATH + path, settings)}"')
    parts.append(f'scope="{" ".join(settings.oauth_scope_prefix + scope for scope in scopes)}"')
    return "Bearer " + ", ".join(parts)


def metadata_route(settings: Settings, *, catalog: Catalog) -> Route:
    """Serves the metadata for the root and for every address below /mcp.

    It needs no authentication, because a client reads here how to authenticate.
    """

    async def answer(request: Request) -> Response:
        path = request.scope["path"].removeprefix(METADATA_PATH)
        # Some clients look at the root first; what they get there covers every address.
        path = ROOT if path in ("", "/") else path
        if not path.startswith(ROOT):
            return JSONResponse({"error": "No such resource."}, 404)
        try:
            selection = catalog.selection(path, (), read_only=settings.read_only)
        except SelectionError as problem:
            return JSONResponse({"error": str(problem)}, 404)
        resource = typed_url(request, path, settings)
        metadata = {
            "resource": resource,
            "resource_name": catalog.manifest.server.title,
            "authorization_servers": [settings.oauth_issuer],
            "scopes_supported": [settings.oauth_scope_prefix + scope for scope in served_scopes(selection, catalog)],
            "bearer_methods_supported": ["header"],
        }
        return JSONResponse(metadata, headers=_PUBLIC)

    # Web pages ask for it before they have any credentials, so every origin may.
    opened = CORSMiddleware(request_response(answer), allow_origins="*", allow_headers=["mcp-protocol-version"])
    return Route(f"{METADATA_PATH}{{resource:path}}", opened, methods=["GET", "HEAD", "OPTIONS"])
