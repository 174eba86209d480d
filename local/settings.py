"""What the local commands take from the environment, read once."""

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from local.failure import LocalError

LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
LOCAL_MODEL = "all-MiniLM-L6-v2"
LOCAL_DIMENSIONS = 384

_REMOTE_MODEL = "text-embedding-3-small"
_REMOTE_DIMENSIONS = 1536


class Settings(BaseModel):
    """Field names are the variables' names in lower case; an empty variable counts as unset.

    What is for the functions or the front alone is not among them: see local.environment.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    data_dir: Path = Path(".quarry")
    port: int = Field(default=8000, ge=0, le=65535)
    artifacts: bool = False
    key: str | None = Field(default=None, repr=False)
    auth_mode: Literal["none", "oauth", "api_key", "oauth+api_key"] = "none"
    reembed: bool = False
    tenant: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")] | None = None
    new_tenant: bool = False
    sample: bool | None = None
    replace: bool = False
    host: str = "127.0.0.1"
    allowed_hosts: str | None = None
    public_url: str | None = None
    openai_api_key: str | None = None
    azure_openai_api_key: str | None = None
    embedding_model: str | None = None
    embedding_dimensions: int | None = Field(default=None, ge=1, le=2000)

    @property
    def takes_keys(self) -> bool:
        return "api_key" in self.auth_mode

    @property
    def runs_built_front(self) -> bool:
        """The front under its Lambda adapter, which nobody enters without credentials."""
        return self.artifacts and self.auth_mode != "none"

    @property
    def known_as(self) -> str:
        """What other machines call this one: as ALLOWED_HOSTS says, else as HOST does, else by its own name."""
        if self.host in LOOPBACK:
            return "127.0.0.1"
        named = [name.strip() for name in (self.allowed_hosts or "").split(",")]
        known = next((name for name in named if name and name != "*" and name not in LOOPBACK), None)
        return known or (socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host)  # noqa: S104

    @property
    def remote_embeddings(self) -> bool:
        return bool(self.openai_api_key or self.azure_openai_api_key)

    @property
    def model(self) -> str:
        if not self.remote_embeddings:
            return LOCAL_MODEL
        return self.embedding_model or _REMOTE_MODEL

    @property
    def dimensions(self) -> int:
        if not self.remote_embeddings:
            return LOCAL_DIMENSIONS
        return self.embedding_dimensions or _REMOTE_DIMENSIONS


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """DATA_DIR is relative to the working directory."""
    source = os.environ if environment is None else environment
    given = {name.lower(): value for name, value in source.items() if value != ""}
    try:
        settings = Settings.model_validate(given)
    except ValidationError as failure:
        faults = (f"{str(fault['loc'][0]).upper()}: {fault['msg']}" for fault in failure.errors())
        raise LocalError("These environment variables are not usable. " + " ".join(faults)) from failure
    return settings.model_copy(update={"data_dir": settings.data_dir.expanduser().resolve()})
