"""resources/list: the fixed resources first, then page by page what functions list."""

import base64
import binascii
import json

import mcp_types as types
from mcp import MCPError

from proxy.catalog import View
from proxy.client_context import Caller
from proxy.knowledge import Library, UnknownResourceError
from proxy.manifest import Resource, ResourceTemplate


async def resource_page(
    view: View, cursor: str | None, *, library: Library, caller: Caller
) -> types.ListResourcesResult:
    """One page; each listing template's pages follow those of the one before."""
    listing = [template for template in view.resource_templates.values() if template.lists]
    if cursor is None:
        return types.ListResourcesResult(
            resources=[_resource(entry) for entry in view.resources.values()],
            next_cursor=_first_page_of(listing),
        )
    name, inner = _decode(cursor)
    place = next((i for i, template in enumerate(listing) if template.uri_template == name), None)
    if place is None:
        raise _unknown_cursor()
    template = listing[place]
    question = {"list": {"uriTemplate": name, **({} if inner is None else {"cursor": inner})}}
    try:
        page = await library.ask(template, question, answer=types.ListResourcesResult, caller=caller)
    except UnknownResourceError as unknown:
        raise MCPError(types.INTERNAL_ERROR, f"{name} cannot be listed: {unknown}") from None
    following = _encode(name, page.next_cursor) if page.next_cursor else _first_page_of(listing[place + 1 :])
    return types.ListResourcesResult(resources=page.resources, next_cursor=following)


def _resource(entry: Resource) -> types.Resource:
    return types.Resource(
        uri=entry.uri,
        name=entry.name,
        title=entry.title,
        description=entry.description,
        mime_type=entry.mime_type,
    )


def _first_page_of(listing: list[ResourceTemplate]) -> str | None:
    return _encode(listing[0].uri_template, None) if listing else None


def _encode(uri_template: str, inner: str | None) -> str:
    return base64.urlsafe_b64encode(json.dumps([uri_template, inner]).encode()).decode()


def _decode(cursor: str) -> tuple[str, str | None]:
    try:
        match json.loads(base64.urlsafe_b64decode(cursor)):
            case [str(uri_template), (str() | None) as inner]:
                return uri_template, inner
    except (binascii.Error, ValueError, RecursionError):
        pass
    raise _unknown_cursor()


def _unknown_cursor() -> MCPError:
    return MCPError(types.INVALID_PARAMS, "Unknown cursor: pass the nextCursor of the page before, or none.")
