"""The protected resource as OAuth sees it: its address, its metadata, and the challenges that lead there."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from starlette.requests import HTTPConnection

from proxy.catalog import Catalog
from proxy.selection import ROOT, Selection
from proxy.settings import Settings

METADATA_PATH = "/.well-known/oauth-protected-resource"


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
    """All that the address can use: what a client does not ask for, it will not be shown."""
    manifest = catalog.manifest
    offers = [tool for tool in manifest.tools if tool.read_only or not selection.read_only]
    entries = [*offers, *manifest.resources, *manifest.resource_templates, *manifest.prompts]
    return sorted({entry.needed_scope for entry in entries if entry.toolset in selection.toolsets})


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
    """The WWW-Authenticate header. ``error`` and ``description`` are our own words, never the caller's."""
    parts = [f'error="{error}"', f'error_description="{description}"'] if error else []
    if settings.takes_tokens:
        path = request.scope["path"] if request.scope["path"].startswith(ROOT) else ROOT
        parts.append(f'resource_metadata="{typed_url(request, METADATA_PATH + path, settings)}"')
    parts.append(f'scope="{" ".join(settings.oauth_scope_prefix + scope for scope in scopes)}"')
    return "Bearer " + ", ".join(parts)
