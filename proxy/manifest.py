"""The manifest: what the proxy serves, read once at start.

`make manifest` writes it; that its parts agree with each other is held by a contract test.
"""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proxy.settings import SettingsError

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
        """Whether a second run does no harm. A tool that reads outside this system may cost money on every run."""
        return self.idempotent or (self.read_only and not self.open_world)


class Sourced(_Offer):
    """An offer whose content comes from an object in the template bucket, or from a function's answer."""

    key: str | None = None
    function: Name | None = None
    timeout_s: Annotated[float, Field(gt=0, le=900)] = 29


class Readable(Sourced):
    """A resource or a family of them: something that is read, not called."""

    mime_type: Annotated[str, Field(alias="mimeType")] = "text/markdown"


class Resource(Readable):
    uri: str


class ResourceTemplate(Readable):
    uri_template: Annotated[str, Field(alias="uriTemplate")]
    variables: dict[str, list[str]] = {}
    """Known values by variable; an empty list admits any value, which only a function can answer and complete."""


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
    """Its function may answer with questions, as a tool's may."""


class Manifest(_Entry):
    version: str
    server: ServerIdentity
    toolsets: dict[ToolsetName, Toolset]
    profiles: dict[ToolsetName, ToolProfile] = {}
    tools: list[Tool]
    resources: list[Resource] = []
    resource_templates: list[ResourceTemplate] = []
    prompts: list[Prompt] = []

    @property
    def asks(self) -> bool:
        return any(tool.asks for tool in self.tools) or any(prompt.asks for prompt in self.prompts)

    @property
    def keeps_state(self) -> bool:
        """Whether anything here may give out a state that another process has to open."""
        return any(tool.keeps_state for tool in self.tools) or any(prompt.asks for prompt in self.prompts)

    @property
    def scopes(self) -> frozenset[str]:
        offers: list[_Offer] = [*self.tools, *self.resources, *self.resource_templates, *self.prompts]
        return frozenset(entry.needed_scope for entry in offers)


def load_manifest(path: Path) -> Manifest:
    """Reads and validates a manifest. Raises SettingsError with the file and the fields that are wrong."""
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as failure:
        raise SettingsError(f"MANIFEST_PATH: cannot read {path}: {failure.strerror}") from None
    except ValidationError as invalid:
        problems = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in invalid.errors()[:5])
        raise SettingsError(f"MANIFEST_PATH: {path} is not a valid manifest: {problems}") from None
