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
    """A resource, or where its address has variables, all that their values name.

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


def serve_resources(toolset: str, resources: Sequence[LiveResource]) -> Handler:
    """Returns the handler of the function ``<toolset>_resources``.

    It answers {"uri"} with contents, {"complete": {"uriTemplate", "variable", "prefix"}} with {"values"}.
    """

    def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
        match event:
            case {"uri": str(uri)}:
                return _read(uri, resources, caller)
            case {"complete": {"uriTemplate": str(name), "variable": str(variable), "prefix": str(prefix)}}:
                asked = next((each for each in resources if each.uri_template == name), None)
                if asked is None:
                    raise NotFound(f"No resource template {name!r}.")
                complete = asked.complete.get(variable)
                return {"values": list(complete(prefix, caller))[:MOST_VALUES] if complete else []}
        raise ValidationFailed("Give uri or complete.")

    return operate(f"{toolset}_resources", run, repeat=True, scope=f"{toolset}:read")


def _read(uri: str, resources: Sequence[LiveResource], caller: Caller) -> dict[str, Any]:
    for resource in resources:
        values = resource.match(uri)
        if values is not None and not any("\x00" in value for value in values.values()):
            text = resource.read(values, caller)
            return {"contents": [{"uri": uri, "mimeType": resource.mime_type, "text": text}]}
    raise NotFound(f"No resource {uri!r}.")
