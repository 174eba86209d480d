"""Resources and prompts: from the front matter of templates/*.md, and those that functions answer live."""

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from local.manifest import tools
from quarry.tool.resources import LiveResource

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
        for entry in module.RESOURCES:
            (templates if entry.variables else resources).append({**_card(entry), **served_by})
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


def _card(entry: LiveResource) -> dict[str, Any]:
    """A variable without values is completed by the function."""
    address = "uriTemplate" if entry.variables else "uri"
    told = {name: getattr(entry, name) for name in ("name", "title", "description")}
    card = {address: entry.uri_template, **told, "mimeType": entry.mime_type}
    return {**card, "variables": {name: [] for name in entry.variables}} if entry.variables else card


TEMPLATES = Path(__file__).resolve().parents[2] / "templates"

FAMILIES: dict[str, dict[str, str]] = {
    "quarry://templates/characteristics/{category}": {
        "name": "characteristics",
        "title": "Characteristics by category",
        "description": "The specification block of one equipment category, chosen by a line item's family.",
        "toolset": "quotes",
    }
}
"""Cards of the resource templates; their values are the files that name the template in their front matter."""


def front_matter(text: str) -> dict[str, Any]:
    """Raises ValueError when the file does not open with a YAML mapping between --- lines."""
    opening, separator, rest = text.partition("---\n")
    header, closing, _ = rest.partition("\n---\n")
    values = yaml.safe_load(header) if not opening and separator and closing else None
    if not isinstance(values, dict):
        raise ValueError("a template opens with front matter between --- lines")
    return values


def sections() -> dict[str, list[dict[str, Any]]]:
    """The manifest's resources, resource_templates and prompts."""
    resources: list[dict[str, Any]] = []
    prompts: list[dict[str, Any]] = []
    values: dict[str, dict[str, str]] = {uri: {} for uri in FAMILIES}
    for path in sorted(TEMPLATES.rglob("*.md")):
        key = path.relative_to(TEMPLATES).as_posix()
        header = front_matter(path.read_text("utf-8"))
        if "prompt" in header:
            prompts.append(_prompt(header, key))
            continue
        resources.append(_resource(header, key))
        if "template" in header:
            values[header["template"]][header["uri"].rpartition("/")[2]] = key
    return {
        "resources": sorted(resources, key=lambda item: str(item["uri"])),
        "resource_templates": [_family(uri, members) for uri, members in sorted(values.items())],
        "prompts": sorted(prompts, key=lambda item: str(item["name"])),
    }


def _resource(header: dict[str, Any], key: str) -> dict[str, Any]:
    card = {name: header[name] for name in ("uri", "name", "title", "description", "toolset")}
    return {**card, "mimeType": "text/markdown", "key": key}


def _prompt(header: dict[str, Any], key: str) -> dict[str, Any]:
    return {
        "name": header["prompt"],
        **{name: header[name] for name in ("title", "description", "toolset", "arguments")},
        "key": key,
        "embed": header.get("embed", []),
    }


def _family(uri: str, members: dict[str, str]) -> dict[str, Any]:
    variable = uri.rpartition("{")[2].rstrip("}")
    folder = {key.rpartition("/")[0] for key in members.values()}
    if len(folder) != 1:
        raise ValueError(f"the files of {uri} have to lie in one folder, found {sorted(folder)}")
    return {
        "uriTemplate": uri,
        **FAMILIES[uri],
        "mimeType": "text/markdown",
        "variables": {variable: sorted(members)},
        "key": f"{folder.pop()}/{{{variable}}}.md",
    }
