"""The manifest compiled for serving: what an address selects, and an immutable view per selection and scopes."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import mcp_types as types
from mcp.shared.uri_template import UriTemplate

from proxy.manifest import Manifest, Prompt, Resource, ResourceTemplate, Tool
from proxy.settings import SettingsError

ROOT = "/mcp"
READONLY = "readonly"
READONLY_HEADER = b"x-mcp-readonly"

_BOOLEANS = {b"true": True, b"1": True, b"false": False, b"0": False}

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Selection:
    """Toolsets to serve, and whether tools that write are refused.

    ``tools`` are those that a profile names; it is None where no profile is addressed and all of them are served.
    """

    toolsets: frozenset[str]
    read_only: bool
    tools: frozenset[str] | None = None

    def serves(self, tool: str, *, toolset: str) -> bool:
        return toolset in self.toolsets and (self.tools is None or tool in self.tools)


class SelectionError(Exception):
    """The address or its header selects nothing that is served; `status` is the HTTP status to answer with."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


def _toolsets(text: str, *, enabled: Sequence[str]) -> frozenset[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise SelectionError(f"An empty toolset name. Toolsets: {', '.join(enabled)}.", status=404)
    if unknown := [name for name in names if name not in enabled]:
        listed = ", ".join(repr(name) for name in unknown)
        raise SelectionError(f"Unknown toolset: {listed}. Toolsets: {', '.join(enabled)}.", status=404)
    return frozenset(names)


def _boolean(value: bytes) -> bool:
    try:
        return _BOOLEANS[value.lower()]
    except KeyError:
        # A typo must never open what the caller meant to close.
        raise SelectionError("X-MCP-Readonly must be 'true' or 'false'.", status=400) from None


_MOST_VIEWS = 256

Offer = Tool | Resource | ResourceTemplate | Prompt


@dataclass(frozen=True, slots=True)
class View:
    """What one selection serves, in the manifest's order."""

    selection: Selection
    tools: Mapping[str, Tool]
    resources: Mapping[str, Resource]
    resource_templates: Mapping[str, ResourceTemplate]
    prompts: Mapping[str, Prompt]


class Catalog:
    """Everything the manifest offers, and the views cut from it."""

    def __init__(self, manifest: Manifest, *, enabled: Iterable[str] | None = None) -> None:
        self.manifest = manifest
        self.toolsets = _enabled(manifest, enabled)
        # Each profile's tools of the enabled toolsets; a profile with none is not served.
        home = {tool.name: tool.toolset for tool in manifest.tools if tool.toolset in self.toolsets}
        kept = {name: [tool for tool in each.tools if tool in home] for name, each in manifest.profiles.items()}
        self.profiles = {
            name: Selection(frozenset(home[tool] for tool in tools), False, frozenset(tools))
            for name, tools in kept.items()
            if tools
        }
        self.wire_tools = {tool.name: _wire_tool(tool) for tool in manifest.tools}
        self._short_tools = {
            name: _shortened(self.wire_tools[name]) for each in self.profiles.values() for name in each.tools or ()
        }
        # Only annotated schemas have `Mcp-Param-*` headers, and the SDK walks a schema on every call.
        self.header_schemas = {
            name: tool.input_schema
            for name, tool in self.wire_tools.items()
            if "x-mcp-header" in str(tool.input_schema)
        }
        self.patterns = {
            entry.uri_template: UriTemplate.parse(entry.uri_template) for entry in manifest.resource_templates
        }
        self.scopes = manifest.scopes
        self.everything = self._cut(Selection(frozenset(manifest.toolsets), False), self.scopes)
        self._views = lru_cache(maxsize=_MOST_VIEWS)(self._cut)

    def selection(self, path: str, headers: Headers, *, read_only: bool) -> Selection:
        """Combines path, headers and the server's own mode, each of which can only narrow what the others allow.

        Raises SelectionError where the address is not served.
        """
        match path.removeprefix(ROOT).removesuffix("/").split("/"):
            case [""]:
                named = Selection(frozenset(self.toolsets), False)
            case ["", names] if names == READONLY:
                named = Selection(frozenset(self.toolsets), True)
            case ["", name, *last] if name in self.profiles and last in ([], [READONLY]):
                named = replace(self.profiles[name], read_only=bool(last))
            case ["", names, *last] if last in ([], [READONLY]):
                named = Selection(_toolsets(names, enabled=self.toolsets), bool(last))
            case _:
                toolsets, profiles = ", ".join(self.toolsets), ", ".join(self.profiles) or "none"
                raise SelectionError(
                    f"No such endpoint. Use {ROOT}, {ROOT}/<toolset>[,<toolset>] and an optional /{READONLY}. "
                    f"Toolsets: {toolsets}. Profiles, each by itself: {profiles}.",
                    status=404,
                )
        asked = [_boolean(value) for name, value in headers if name == READONLY_HEADER]
        return replace(named, read_only=read_only or named.read_only or any(asked))

    def view(self, selection: Selection, *, scopes: frozenset[str]) -> View:
        """Returns the view, built on first use. Scopes unknown to the manifest are dropped, so views stay few."""
        return self._views(selection, scopes & self.scopes)

    def listed(self, view: View) -> list[types.Tool]:
        """Returns a view's tools as tools/list shows them; those of a profile come with a shortened output schema."""
        wire = self.wire_tools if view.selection.tools is None else self._short_tools
        return [wire[name] for name in view.tools]

    def resource(self, uri: str) -> Resource | ResourceTemplate | None:
        """Returns the resource or template that a URI names, whatever scope reading it needs."""
        templates = self.everything.resource_templates
        matching = (templates[name] for name, pattern in self.patterns.items() if pattern.match(uri))
        return self.everything.resources.get(uri) or next(matching, None)

    def offers(self, selection: Selection) -> list[Offer]:
        """Returns what an address serves to a caller who holds all of its scopes."""
        manifest = self.manifest
        tools = [tool for tool in manifest.tools if selection.serves(tool.name, toolset=tool.toolset)]
        others: list[Offer] = [*manifest.resources, *manifest.resource_templates, *manifest.prompts]
        return [
            *(tool for tool in tools if tool.read_only or not selection.read_only),
            *(entry for entry in others if entry.toolset in selection.toolsets),
        ]

    def _cut(self, selection: Selection, scopes: frozenset[str]) -> View:
        served = [entry for entry in self.offers(selection) if entry.needed_scope in scopes]
        return View(
            selection=selection,
            tools={entry.name: entry for entry in served if isinstance(entry, Tool)},
            resources={entry.uri: entry for entry in served if isinstance(entry, Resource)},
            resource_templates={entry.uri_template: entry for entry in served if isinstance(entry, ResourceTemplate)},
            prompts={entry.name: entry for entry in served if isinstance(entry, Prompt)},
        )


def _enabled(manifest: Manifest, names: Iterable[str] | None) -> tuple[str, ...]:
    if names is None:
        return tuple(manifest.toolsets)
    wanted = set(names)
    if unknown := wanted - set(manifest.toolsets):
        known = ", ".join(manifest.toolsets)
        raise SettingsError(f"TOOLSETS: unknown toolset {', '.join(sorted(unknown))}; known: {known}")
    return tuple(name for name in manifest.toolsets if name in wanted)


def _shortened(tool: types.Tool) -> types.Tool:
    """Reduces the output schema to its required fields, and drops the title that the annotations repeat."""
    always = (tool.output_schema or {}).get("required", [])
    hints = tool.annotations.model_copy(update={"title": None}) if tool.annotations else None
    short = {"type": "object", "required": always} if always else {"type": "object"}
    return tool.model_copy(update={"output_schema": short, "annotations": hints})


def _wire_tool(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=tool.open_world,
        ),
    )


_MOST_SHOWN = 80


def did_you_mean(name: str, known: Sequence[str], *, noun: str) -> str:
    """Returns a sentence with the three known names nearest to a wrong one, or with all where none is near."""
    if close := difflib.get_close_matches(name, known, n=3, cutoff=0.5):
        return f"Did you mean {' or '.join(map(repr, close))}?"
    return f"Known {noun}: {', '.join(known) or 'none'}."


def shown(value: object) -> str:
    """Returns `repr(value)`, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
