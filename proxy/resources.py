"""Resources: finding one by its URI, reading it from the bucket or a function, listing and completing them."""

import asyncio
import base64
import logging
import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import aiohttp
import mcp_types as types
from mcp import MCPError
from pydantic import BaseModel, ValidationError
from yarl import URL

from proxy.caller import Caller
from proxy.catalog import Catalog, View, did_you_mean
from proxy.invocation import LambdaClient, Signer
from proxy.manifest import Readable, ResourceTemplate, Sourced
from proxy.outcome import Failure, Function
from proxy.settings import Settings
from proxy.telemetry import log

_logger = logging.getLogger(__name__)

_TEXT_TYPES = ("application/json", "application/yaml", "application/xml", "image/svg+xml")
# The protocol's own limit on one completion.
_MOST_VALUES = 100

_SECONDS = 5.0
# While S3 is unreachable a stale copy is served at once, and S3 is asked again no more often than this.
_RETRY_SECONDS = 5.0
_FENCE = re.compile(r"^---[ \t]*+\r?\n", re.MULTILINE)
_OK, _NOT_MODIFIED, _NOT_FOUND = 200, 304, 404

Contents = list[types.TextResourceContents | types.BlobResourceContents]


class UnknownResourceError(Exception):
    """No resource has this URI; the message names the nearest values where there are any."""


class UnreadableError(Exception):
    """The bucket does not give an object, which it may have."""


@dataclass(slots=True)
class _Copy:
    body: bytes
    etag: str
    fresh_until: float


class TemplateStore:
    """Reads objects under the template prefix."""

    def __init__(self, settings: Settings, *, signer: Signer, session: aiohttp.ClientSession, endpoint: str) -> None:
        self._settings = settings
        self._signer = signer
        self._session = session
        self._base = f"{endpoint}/{settings.template_bucket}/"
        self._copies: dict[str, _Copy] = {}
        self._fetching: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def read(self, key: str) -> bytes:
        """Reads the object. ``key`` comes from the manifest, never from a caller. Raises MCPError."""
        async with self._fetching[key]:
            copy = self._copies.get(key)
            if copy is not None and time.monotonic() < copy.fresh_until:
                return copy.body
            try:
                async with asyncio.timeout(_SECONDS):
                    return await self._fetch(key, copy)
            except (aiohttp.ClientError, ConnectionError, TimeoutError, UnreadableError) as failure:
                log(_logger, "template_unreadable", level=logging.WARNING, key=key, cause=type(failure).__name__)
                if copy is None:
                    message = "The template bucket cannot be reached; try again in a moment."
                    raise MCPError(types.INTERNAL_ERROR, message) from None
                copy.fresh_until = time.monotonic() + _RETRY_SECONDS
                return copy.body

    async def _fetch(self, key: str, copy: _Copy | None) -> bytes:
        if self._settings.template_bucket is None:
            raise UnreadableError(key)
        url = self._base + quote(self._settings.template_prefix + key, safe="/~")
        headers = {"If-None-Match": copy.etag} if copy else {}
        signed = await self._signer.sign("s3", method="GET", url=url, headers=headers)
        async with self._session.get(URL(url, encoded=True), headers=signed, allow_redirects=False) as response:
            fresh_until = time.monotonic() + self._settings.template_ttl_seconds
            if response.status == _NOT_MODIFIED and copy is not None:
                copy.fresh_until = fresh_until
                return copy.body
            if response.status == _NOT_FOUND:
                self._copies.pop(key, None)
                raise MCPError(types.INTERNAL_ERROR, "The template has not been published to the bucket.")
            if response.status != _OK:
                raise UnreadableError(key)
            body = await response.read()
            self._copies[key] = _Copy(body, response.headers.get("ETag", ""), fresh_until)
            return body


def without_front_matter(text: str) -> str:
    """Returns the body after a leading block between `---` lines; the text itself where there is none."""
    before, *parts = _FENCE.split(text, maxsplit=2)
    return parts[1].lstrip("\n") if not before and len(parts) == 2 else text


class Library:
    """Reads resources for one running proxy."""

    def __init__(self, catalog: Catalog, *, store: TemplateStore, functions: LambdaClient) -> None:
        self._catalog = catalog
        self._store = store
        self._functions = functions

    async def read(self, uri: str, *, view: View, caller: Caller) -> tuple[Contents, bool]:
        """Returns the contents of a resource that ``view`` serves, and whether a function made them just now."""
        entry, values = self._find(uri, view)
        return await self._contents(uri, entry, values, caller=caller), entry.function is not None

    async def read_any(self, uri: str, *, caller: Caller) -> Contents:
        """Reads a resource for a prompt, which may embed those of unselected toolsets if the caller has the scope."""
        entry, values = self._find(uri, self._catalog.everything)
        if (scope := entry.needed_scope) not in caller.principal.scopes:
            raise UnknownResourceError(f"Scope '{scope}' is needed for {uri!r}.")
        return await self._contents(uri, entry, values, caller=caller)

    async def text(self, key: str) -> str:
        """Reads a template's body without its front matter."""
        return without_front_matter((await self._store.read(key)).decode())

    async def ask[A: BaseModel](
        self, entry: Readable, event: Mapping[str, Any], *, answer: type[A], caller: Caller
    ) -> A:
        """Returns the answer of the entry's function as a model. Raises UnknownResourceError for its NOT_FOUND."""
        return parsed(await self.ask_raw(entry, event, caller=caller), answer, name=entry.name, caller=caller)

    async def ask_raw(self, entry: Sourced, event: Mapping[str, Any], *, caller: Caller) -> dict[str, Any]:
        """Returns the answer of the entry's function as it came. Raises UnknownResourceError for its NOT_FOUND."""
        function = Function(entry.function or "", timeout_s=entry.timeout_s, repeatable=True)
        outcome = await self._functions.invoke(function, event, caller=caller)
        if isinstance(outcome, Failure):
            if outcome.code == "NOT_FOUND":
                raise UnknownResourceError(outcome.message)
            # What the client sent is at fault, such as a cursor that was never given out.
            code = types.INVALID_PARAMS if outcome.code == "VALIDATION_ERROR" else types.INTERNAL_ERROR
            raise MCPError(code, f"{outcome.code}: {outcome.message}")
        return outcome

    def _find(self, uri: str, view: View) -> tuple[Readable, Mapping[str, str]]:
        """Returns what the URI names, and the values of its variables."""
        if resource := view.resources.get(uri):
            return resource, {}
        for template in view.resource_templates.values():
            matched = self._catalog.patterns[template.uri_template].match(uri)
            if matched is not None:
                values = {name: str(value) for name, value in matched.items()}
                for name, value in values.items():
                    if (known := template.variables[name]) and value not in known:
                        raise UnknownResourceError(f"Unknown {name} {value!r}. Known: {', '.join(known)}.")
                return template, values
        raise UnknownResourceError(f"No resource {uri!r}; resources/list and resources/templates/list name all.")

    async def _contents(self, uri: str, entry: Readable, values: Mapping[str, str], *, caller: Caller) -> Contents:
        if entry.function is not None:
            answer = await self.ask(entry, {"uri": uri}, answer=types.ReadResourceResult, caller=caller)
            return answer.contents
        key = (entry.key or "").format_map(values)
        if not entry.mime_type.startswith("text/") and entry.mime_type not in _TEXT_TYPES:
            blob = base64.b64encode(await self._store.read(key)).decode()
            return [types.BlobResourceContents(uri=uri, mime_type=entry.mime_type, blob=blob)]
        return [types.TextResourceContents(uri=uri, mime_type=entry.mime_type, text=await self.text(key))]


def parsed[A: BaseModel](said: Mapping[str, Any], answer: type[A], *, name: str, caller: Caller) -> A:
    """Validates a function's answer as one of the protocol's models. Raises MCPError."""
    try:
        return answer.model_validate(said)
    except ValidationError:
        message = f"{name} could not be read; request id {caller.request_id}."
        raise MCPError(types.INTERNAL_ERROR, message) from None


# Completion


class _Values(BaseModel):
    values: list[str]


Candidates = Sequence[str] | ResourceTemplate
"""Values of a variable, or the template whose function alone knows them."""


def candidates_of(template: ResourceTemplate, variable: str) -> Candidates:
    """Returns the values that a variable can have: those in the manifest, else what the template's function knows."""
    return template.variables[variable] or (template if template.function is not None else ())


async def complete_variable(
    uri_template: str, argument: types.CompletionArgument, *, view: View, library: Library, caller: Caller
) -> types.CompleteResult:
    """Answers completion/complete for a variable of a resource template."""
    template = view.resource_templates.get(uri_template)
    if template is None:
        hint = did_you_mean(uri_template, list(view.resource_templates), noun="templates")
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource template {uri_template!r}. {hint}")
    values = {variable: candidates_of(template, variable) for variable in template.variables}
    return await completion(argument, values, library=library, caller=caller)


async def completion(
    argument: types.CompletionArgument, values: Mapping[str, Candidates], *, library: Library, caller: Caller
) -> types.CompleteResult:
    """Offers the values of one argument that start with what was typed, then those that merely contain it."""
    name, typed = argument.name, argument.value
    if name not in values:
        raise MCPError(types.INVALID_PARAMS, f"{name!r}: {did_you_mean(name, list(values), noun='arguments')}")
    known = values[name]
    if isinstance(known, ResourceTemplate):
        matching = rank(await _ask(known, argument, library=library, caller=caller), typed)
    else:
        matching = rank(known, typed)
    more = len(matching) > _MOST_VALUES
    # A function stops counting once there are more than fit.
    total = None if more and isinstance(known, ResourceTemplate) else len(matching)
    return types.CompleteResult(
        completion=types.Completion(values=matching[:_MOST_VALUES], total=total, has_more=more)
    )


def rank(values: Sequence[str], typed: str) -> list[str]:
    """Returns prefix matches first, then substring matches, each in the given order; case does not matter."""
    wanted = typed.casefold()
    starting = [value for value in values if value.casefold().startswith(wanted)]
    return starting + [value for value in values if wanted in value.casefold() and value not in starting]


async def _ask(
    template: ResourceTemplate, argument: types.CompletionArgument, *, library: Library, caller: Caller
) -> list[str]:
    uri = template.uri_template
    # A prompt may embed what its own toolset's readers must not read.
    if template.needed_scope not in caller.principal.scopes:
        return []
    question = {"complete": {"uriTemplate": uri, "variable": argument.name, "prefix": argument.value}}
    try:
        return (await library.ask(template, question, answer=_Values, caller=caller)).values
    except UnknownResourceError as unknown:
        raise MCPError(types.INTERNAL_ERROR, f"{uri} cannot be completed: {unknown}") from None
