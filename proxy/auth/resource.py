"""The protected resource as OAuth sees it: its address, its metadata (RFC 9728), and challenges."""

from collections.abc import Iterable
from typing import Any
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
    """The address as the client typed it. No forwarded header is read: for a proxy before us there is PUBLIC_URL."""
    scheme = request.scope["scheme"]
    base = settings.public_url or f"{scheme}://{request.headers.get('host', '')}"
    return base + quote(path, safe="/,")


def audiences(request: HTTPConnection, settings: Settings) -> frozenset[str]:
    """What a token may be meant for: the whole server, or exactly the address that was typed.

    Without PUBLIC_URL that address is the client's own claim, and so proves nothing.
    """
    if settings.public_url is None:
        return settings.audiences
    return settings.audiences | {typed_url(request, request.scope["path"], settings).removesuffix("/")}


def served_scopes(selection: Selection, catalog: Catalog) -> list[str]:
    """Every scope that has a use at the address: a client is not shown what it holds no scope for."""
    return sorted({entry.needed_scope for entry in catalog.offers(selection)})


def metadata(resource: str, selection: Selection, *, catalog: Catalog, settings: Settings) -> dict[str, Any]:
    """RFC 9728's document for one address."""
    return {
        "resource": resource,
        "resource_name": catalog.manifest.server.title,
        "authorization_servers": [settings.oauth_issuer],
        "scopes_supported": [settings.oauth_scope_prefix + scope for scope in served_scopes(selection, catalog)],
        "bearer_methods_supported": ["header"],
    }


def challenge(
    request: HTTPConnection, settings: Settings, *, scopes: Iterable[str], error: str = "", description: str = ""
) -> str:
    """The WWW-Authenticate header's value. ``error`` and ``description`` are our own words, never the caller's."""
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
        return JSONResponse(metadata(resource, selection, catalog=catalog, settings=settings), headers=_PUBLIC)

    # Asked for by web pages before they have anything to identify themselves with.
    opened = CORSMiddleware(request_response(answer), allow_origins="*", allow_headers=["mcp-protocol-version"])
    return Route(f"{METADATA_PATH}{{resource:path}}", opened, methods=["GET", "HEAD", "OPTIONS"])
