"""Which scope a request lacks, so that its client can ask the issuer for it instead of giving up."""

from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from proxy.catalog import Catalog
from proxy.manifest import Prompt, Resource, ResourceTemplate, Tool
from proxy.selection import Selection

Offer = Tool | Resource | ResourceTemplate | Prompt


def lacking(
    body: bytes, *, catalog: Catalog, selection: Selection, scopes: frozenset[str]
) -> tuple[str, int | str | None] | None:
    """The scope and the request's id; None where nothing is lacking, or the request is not one of ours to judge."""
    try:
        message = from_json(body)
    except ValueError:
        return None
    match message:
        case {"method": str() as method, "params": dict() as params}:
            offer = _asked(method, params, catalog)
        case _:
            return None
    if offer is None or offer.toolset not in selection.toolsets or offer.needed_scope in scopes:
        return None
    if isinstance(offer, Tool) and selection.read_only and not offer.read_only:
        # No scope opens it here.
        return None
    number = message.get("id")
    return offer.needed_scope, number if isinstance(number, int | str) else None


def _asked(method: str, params: Mapping[str, Any], catalog: Catalog) -> Offer | None:
    match method, params:
        case "tools/call", {"name": str() as name}:
            return catalog.tools.get(name)
        case "prompts/get", {"name": str() as name}:
            return catalog.prompts.get(name)
        case "resources/read", {"uri": str() as uri}:
            return catalog.resource(uri)
        case "completion/complete", {"ref": {"name": str() as name}}:
            return catalog.prompts.get(name)
        case "completion/complete", {"ref": {"uri": str() as uri}}:
            return catalog.templates.get(uri)
    return None
