"""The manifest: what the proxy serves, validated once at start, and the URI templates in it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import quote, unquote

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proxy.settings import SettingsError

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")

# A path segment of the endpoint (`/mcp/<toolset>/readonly`) must never be ambiguous.
_RESERVED_TOOLSETS = frozenset({"readonly"})

Name = Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
ToolsetName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class ServerIdentity(_Entry):
    name: str
    title: str
    instructions: str


class Toolset(_Entry):
    title: str
    description: str


class ToolProfile(_Entry):
    """Tools that one address serves by themselves, whatever their toolsets."""

    title: str
    description: str
    tools: list[str]


class _Offer(_Entry):
    """One line of a list the client sees. A caller must hold `needed_scope` to see it."""

    name: str
    title: str
    description: str
    toolset: ToolsetName
    scope: str = ""

    @property
    def needed_scope(self) -> str:
        return self.scope or f"{self.toolset}:read"


class Tool(_Offer):
    name: Name
    scope: str
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool
    timeout_s: Annotated[float, Field(gt=0, le=900)]
    input_schema: Annotated[dict[str, Any], Field(alias="inputSchema")]
    output_schema: Annotated[dict[str, Any], Field(alias="outputSchema")]
    asks: bool = False
    """Its function may answer with questions to the client's user, and is told what the client can be asked."""
    keeps_state: bool = False
    """Its questions come with a state that has to be sealed."""

    @property
    def repeatable(self) -> bool:
        """Whether a second run cannot do harm. A tool that reads beyond this system may pay for every run."""
        return self.idempotent or (self.read_only and not self.open_world)

    @model_validator(mode="after")
    def _root_is_an_object(self) -> Self:
        # One schema without it turns the whole legacy tools/list into an internal error.
        for label, schema in (("inputSchema", self.input_schema), ("outputSchema", self.output_schema)):
            if schema.get("type") != "object":
                raise ValueError(f"tool {self.name}: {label} needs the root type 'object'")
        return self


class Sourced(_Offer):
    """An offer whose content comes from an object in the template bucket, or from a function's answer."""

    key: str | None = None
    function: Name | None = None
    timeout_s: Annotated[float, Field(gt=0, le=900)] = 29

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.key is None) == (self.function is None):
            raise ValueError(f"{self.name}: exactly one of 'key' and 'function' is needed")
        return self


class Readable(Sourced):
    """A resource or a family of them: something that is read, not called."""

    mime_type: Annotated[str, Field(alias="mimeType")] = "text/markdown"


class Resource(Readable):
    uri: str


class ResourceTemplate(Readable):
    uri_template: Annotated[str, Field(alias="uriTemplate")]
    variables: dict[str, list[str]] = {}
    """Known values by variable; an empty list admits any value, which only a function can answer and complete."""

    @model_validator(mode="after")
    def _variables_are_complete(self) -> Self:
        named = set(_PLACEHOLDER.findall(self.uri_template))
        if named != set(self.variables):
            raise ValueError(f"{self.uri_template}: 'variables' must name exactly {sorted(named)}")
        if self.key is not None and not all(self.variables.values()):
            raise ValueError(f"{self.uri_template}: a template with a 'key' needs the values of each variable")
        return self


class PromptArgument(_Entry):
    name: str
    description: str = ""
    required: bool = False
    values: list[str] = []


class Prompt(Sourced):
    name: Name
    arguments: list[PromptArgument] = []
    embed: list[str] = []
    """URIs of resources to append; `{argument}` stands for a prompt argument."""
    asks: bool = False
    """Its function may answer with questions, as that of a tool."""

    @model_validator(mode="after")
    def _whole_from_one_source(self) -> Self:
        if self.function is not None and self.embed:
            raise ValueError(f"prompt {self.name}: a function embeds its resources itself")
        if self.asks and self.function is None:
            raise ValueError(f"prompt {self.name}: only a function can ask")
        return self


class Manifest(_Entry):
    version: str
    server: ServerIdentity
    toolsets: dict[ToolsetName, Toolset]
    profiles: dict[ToolsetName, ToolProfile] = {}
    tools: list[Tool]
    resources: list[Resource] = []
    resource_templates: list[ResourceTemplate] = []
    prompts: list[Prompt] = []

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if reserved := _RESERVED_TOOLSETS & {*self.toolsets, *self.profiles}:
            raise ValueError(f"reserved toolset name: {', '.join(sorted(reserved))}")
        if ambiguous := self.toolsets.keys() & self.profiles.keys():
            raise ValueError(f"both a toolset and a profile: {', '.join(sorted(ambiguous))}")
        offered = {tool.name for tool in self.tools}
        for name, profile in self.profiles.items():
            if unknown := [tool for tool in profile.tools if tool not in offered]:
                raise ValueError(f"profile {name}: unknown tools {', '.join(unknown)}")
        for entry in self._offers():
            if entry.toolset not in self.toolsets:
                raise ValueError(f"{entry.name}: unknown toolset '{entry.toolset}'")
        for names in (
            [tool.name for tool in self.tools],
            [resource.uri for resource in self.resources],
            [template.uri_template for template in self.resource_templates],
            [prompt.name for prompt in self.prompts],
        ):
            if repeated := {name for name in names if names.count(name) > 1}:
                raise ValueError(f"declared twice: {', '.join(sorted(repeated))}")
        return self

    @property
    def asks(self) -> bool:
        """Whether anything here may answer with questions."""
        return any(tool.asks for tool in self.tools) or any(prompt.asks for prompt in self.prompts)

    @property
    def keeps_state(self) -> bool:
        """Whether anything here may give out a state that another process has to open."""
        return any(tool.keeps_state for tool in self.tools) or any(prompt.asks for prompt in self.prompts)

    @property
    def scopes(self) -> frozenset[str]:
        """Every scope anything here asks for."""
        return frozenset(entry.needed_scope for entry in self._offers())

    def _offers(self) -> list[_Offer]:
        return [*self.tools, *self.resources, *self.resource_templates, *self.prompts]


class UriPattern:
    """A compiled URI template of the simple kind, where `{variable}` stands for one path segment."""

    def __init__(self, template: str) -> None:
        parts = _PLACEHOLDER.split(template)
        # split() alternates literal text and variable names.
        pieces = [f"(?P<{part}>[^/?#]+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)]
        self._pattern = re.compile("".join(pieces))

    def match(self, uri: str) -> dict[str, str] | None:
        """The variables' decoded values, or None if `uri` has another shape."""
        if (found := self._pattern.fullmatch(uri)) is None:
            return None
        return {name: unquote(value) for name, value in found.groupdict().items()}


def variables(template: str) -> list[str]:
    """The names in a URI template, in the order of their first appearance."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(template)))


def expand(template: str, values: Mapping[str, str], *, escape: bool = True) -> str:
    """A URI template with its placeholders filled; `escape` percent-encodes the values for a URI."""
    filled = {name: quote(value, safe="") for name, value in values.items()} if escape else values
    return _PLACEHOLDER.sub(lambda found: filled[found[1]], template)


def load_manifest(path: Path) -> Manifest:
    """Read and validate a manifest; the message of a refusal names the file and the field."""
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as failure:
        raise SettingsError(f"MANIFEST_PATH: cannot read {path}: {failure.strerror}") from None
    except ValidationError as invalid:
        problems = "; ".join(_problem(error["loc"], error["msg"]) for error in invalid.errors()[:5])
        raise SettingsError(f"MANIFEST_PATH: {path} is not a valid manifest: {problems}") from None


def _problem(location: tuple[int | str, ...], message: str) -> str:
    place = ".".join(map(str, location))
    text = message.removeprefix("Value error, ")
    return f"{place}: {text}" if place else text
