"""Resources that a function answers: how a toolset declares them, and the handler that reads and completes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from quarry.tool.errors import NotFound, ValidationFailed
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import Handler, operate

VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")

MOST_VALUES = 101
"""One more than a completion may carry, so that the front can say that there are more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveResource:
    """A resource at a fixed address; ``read`` returns its text."""

    uri: str
    name: str
    title: str
    description: str
    read: Callable[[Caller], str]
    mime_type: str = "text/markdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTemplate:
    """Resources whose addresses have variables.

    ``read`` takes the variables, percent-decoded, and raises NotFound for a value that is not there.
    ``complete`` gives, per variable, at most MOST_VALUES values that fit what was typed so far.
    """

    uri_template: str
    name: str
    title: str
    description: str
    read: Callable[[Mapping[str, str], Caller], str]
    complete: Mapping[str, Callable[[str, Caller], Sequence[str]]] = field(default_factory=dict)
    mime_type: str = "text/markdown"

    @property
    def variables(self) -> list[str]:
        return list(dict.fromkeys(VARIABLE.findall(self.uri_template)))

    def expand(self, **values: str) -> str:
        """Returns the URI for these values, percent-encoded."""
        return VARIABLE.sub(lambda found: quote(values[found[1]], safe=""), self.uri_template)

    def match(self, uri: str) -> dict[str, str] | None:
        """Returns the decoded variables, or None when ``uri`` has another shape; a value is one path segment."""
        parts = VARIABLE.split(self.uri_template)
        # split() alternates literal text and variable names.
        pieces = [f"(?P<{part}>[^/?#]+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)]
        found = re.fullmatch("".join(pieces), uri)
        return {name: unquote(value) for name, value in found.groupdict().items()} if found else None


def serve_resources(
    toolset: str, resources: Sequence[LiveResource], templates: Sequence[LiveTemplate] = ()
) -> Handler:
    """Returns the handler of the function ``<toolset>_resources``.

    It answers {"uri"} with contents, {"complete": {"uriTemplate", "variable", "prefix"}} with {"values"}.
    """

    def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
        match event:
            case {"uri": str(uri)}:
                return _read(uri, resources, templates, caller)
            case {"complete": {"uriTemplate": str(name), "variable": str(variable), "prefix": str(prefix)}}:
                complete = _template(name, templates).complete.get(variable)
                return {"values": list(complete(prefix, caller))[:MOST_VALUES] if complete else []}
        raise ValidationFailed("Give uri or complete.")

    return operate(f"{toolset}_resources", run, repeat=True, scope=f"{toolset}:read")


def _read(
    uri: str, resources: Sequence[LiveResource], templates: Sequence[LiveTemplate], caller: Caller
) -> dict[str, Any]:
    for resource in resources:
        if resource.uri == uri:
            return _contents(uri, resource.mime_type, resource.read(caller))
    for template in templates:
        values = template.match(uri)
        if values is not None:
            if any("\x00" in value for value in values.values()):
                raise NotFound(f"No resource {uri!r}.")
            return _contents(uri, template.mime_type, template.read(values, caller))
    raise NotFound(f"No resource {uri!r}.")


def _contents(uri: str, mime_type: str, text: str) -> dict[str, Any]:
    return {"contents": [{"uri": uri, "mimeType": mime_type, "text": text}]}


def _template(name: str, templates: Sequence[LiveTemplate]) -> LiveTemplate:
    for template in templates:
        if template.uri_template == name:
            return template
    raise NotFound(f"No resource template {name!r}.")
