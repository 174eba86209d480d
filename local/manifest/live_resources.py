"""Finds the resources that functions answer: a toolset's module `resources` declares them."""

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from local.manifest import tools
from quarry.tool.resources import LiveResource, LiveTemplate

Sections = dict[str, list[dict[str, Any]]]


def merged(sections: Sections, *, timeouts: Mapping[str, int]) -> Sections:
    """``sections`` with the live resources and templates among the others; ``timeouts`` by handler."""
    resources = list(sections["resources"])
    templates = list(sections["resource_templates"])
    for toolset, module in _modules():
        served_by = {
            "toolset": toolset,
            "function": f"{toolset}_resources",
            "timeout_s": timeouts[f"{module.__name__}.handler"],
        }
        resources += [{**_resource(card), **served_by} for card in module.RESOURCES]
        templates += [{**_template(card), **served_by} for card in module.RESOURCE_TEMPLATES]
    return {
        **sections,
        "resources": sorted(resources, key=lambda item: str(item["uri"])),
        "resource_templates": sorted(templates, key=lambda item: str(item["uriTemplate"])),
    }


def _modules() -> Iterator[tuple[str, ModuleType]]:
    """(toolset, module) of every toolset that has live resources."""
    for toolset in tools.toolsets():
        name = f"{toolset}.resources"
        if importlib.util.find_spec(name):
            yield toolset, importlib.import_module(name)


def _resource(card: LiveResource) -> dict[str, Any]:
    return {
        "uri": card.uri,
        "name": card.name,
        "title": card.title,
        "description": card.description,
        "mimeType": card.mime_type,
    }


def _template(card: LiveTemplate) -> dict[str, Any]:
    """A variable without values is completed by the function; ``lists`` says that it also lists resources."""
    return {
        "uriTemplate": card.uri_template,
        "name": card.name,
        "title": card.title,
        "description": card.description,
        "mimeType": card.mime_type,
        "variables": {name: [] for name in card.variables},
        "lists": card.page is not None,
    }
