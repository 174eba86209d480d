"""Resources: finds what a URI means and reads it from the bucket or from a function."""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from proxy.catalog import Catalog, View
from proxy.client_context import Caller
from proxy.invocation import LambdaClient
from proxy.lambda_reply import Function
from proxy.manifest import Knowledge, Resource, ResourceTemplate, Sourced
from proxy.outcome import Failure
from proxy.resource_uris import expand
from proxy.template_store import (
    TemplateMissingError,
    TemplateStore,
    TemplateUnavailableError,
    without_front_matter,
)

_LEGACY_RESOURCE_NOT_FOUND = -32002
_TEXT_TYPES = ("application/json", "application/yaml", "application/xml", "image/svg+xml")

Contents = list[types.TextResourceContents | types.BlobResourceContents]


class UnknownResourceError(Exception):
    """No resource has this URI; the message names the nearest values where there are any."""


@dataclass(frozen=True, slots=True)
class _Found:
    entry: Knowledge
    values: Mapping[str, str]


class Library:
    """Reads resources for one running proxy."""

    def __init__(self, catalog: Catalog, *, store: TemplateStore, functions: LambdaClient) -> None:
        self._catalog = catalog
        self._store = store
        self._functions = functions

    async def read(self, uri: str, *, view: View, caller: Caller) -> tuple[Contents, bool]:
        """Contents of a resource that `view` serves, and whether a function made them just now."""
        found = self._find(uri, view.resources, view.resource_templates.values())
        return await self._contents(uri, found, caller=caller), found.entry.function is not None

    async def read_any(self, uri: str, *, caller: Caller) -> Contents:
        """For a prompt, which may embed what the selected toolsets do not list, but not what scopes forbid."""
        manifest = self._catalog.manifest
        found = self._find(uri, self._catalog.resources, manifest.resource_templates)
        if (scope := found.entry.needed_scope) not in caller.principal.scopes:
            raise UnknownResourceError(f"Scope '{scope}' is needed for {uri!r}.")
        return await self._contents(uri, found, caller=caller)

    async def text(self, key: str) -> str:
        """A template's body without its front matter."""
        return without_front_matter((await self._store.read(key)).decode())

    def _find(self, uri: str, resources: Mapping[str, Resource], templates: Iterable[ResourceTemplate]) -> _Found:
        if resource := resources.get(uri):
            return _Found(resource, {})
        for template in templates:
            values = self._catalog.patterns[template.uri_template].match(uri)
            if values is not None:
                _refuse_unknown(template, values)
                return _Found(template, values)
        raise UnknownResourceError(f"No resource {uri!r}; resources/list and resources/templates/list name all.")

    async def _contents(self, uri: str, found: _Found, *, caller: Caller) -> Contents:
        entry = found.entry
        if entry.function is not None:
            answer = await self.ask(entry, {"uri": uri}, answer=types.ReadResourceResult, caller=caller)
            return answer.contents
        key = expand(entry.key or "", found.values, escape=False)
        if not entry.mime_type.startswith("text/") and entry.mime_type not in _TEXT_TYPES:
            blob = base64.b64encode(await self._store.read(key)).decode()
            return [types.BlobResourceContents(uri=uri, mime_type=entry.mime_type, blob=blob)]
        return [types.TextResourceContents(uri=uri, mime_type=entry.mime_type, text=await self.text(key))]

    async def ask[A: BaseModel](
        self, entry: Knowledge, event: Mapping[str, Any], *, answer: type[A], caller: Caller
    ) -> A:
        """What the entry's function says. Raises UnknownResourceError for its NOT_FOUND."""
        said = await self.say(entry, event, caller=caller)
        return understood(said, answer, name=entry.name, caller=caller)

    async def say(self, entry: Sourced, event: Mapping[str, Any], *, caller: Caller) -> dict[str, Any]:
        """The same, as it came."""
        function = Function(entry.function or "", timeout_s=entry.timeout_s, repeatable=True)
        outcome = await self._functions.invoke(function, event, caller=caller)
        if isinstance(outcome, Failure):
            if outcome.code == "NOT_FOUND":
                raise UnknownResourceError(outcome.message)
            raise MCPError(types.INTERNAL_ERROR, f"{outcome.code}: {outcome.message}")
        return outcome.result


def understood[A: BaseModel](said: Mapping[str, Any], answer: type[A], *, name: str, caller: Caller) -> A:
    """A function's answer read by the protocol's model."""
    try:
        return answer.model_validate(said)
    except ValidationError:
        message = f"{name} could not be read; request id {caller.request_id}."
        raise MCPError(types.INTERNAL_ERROR, message) from None


def _refuse_unknown(template: ResourceTemplate, values: Mapping[str, str]) -> None:
    for name, value in values.items():
        known = template.variables[name]
        if known and value not in known:
            raise UnknownResourceError(f"Unknown {name} {value!r}. Known: {', '.join(known)}.")


def not_found(unknown: UnknownResourceError, *, uri: str, protocol_version: str) -> MCPError:
    """The protocol error in the words of the client's era."""
    modern = protocol_version in MODERN_PROTOCOL_VERSIONS
    code = types.INVALID_PARAMS if modern else _LEGACY_RESOURCE_NOT_FOUND
    return MCPError(code, f"Resource not found: {unknown}", {"uri": uri})


def unreadable(failure: TemplateMissingError | TemplateUnavailableError) -> MCPError:
    """The manifest names it, the bucket does not give it."""
    if isinstance(failure, TemplateMissingError):
        return MCPError(types.INTERNAL_ERROR, "The template has not been published to the bucket.")
    return MCPError(types.INTERNAL_ERROR, "The template bucket cannot be reached; try again in a moment.")
