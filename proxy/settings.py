"""The proxy's settings, read once from the environment."""

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

_MIB = 1024 * 1024


class SettingsError(Exception):
    """A setting that keeps the proxy from starting; the message says what to change."""


def _names(value: object) -> object:
    """Split `a, b` into a tuple; an empty name stays, so that validation can refuse it."""
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


Names = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_names)]


class Settings(BaseModel):
    """Field names, upper-cased, are the environment variables."""

    model_config = ConfigDict(frozen=True)

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    allowed_hosts: Names = ("127.0.0.1", "localhost", "[::1]")
    auth_mode: Literal["none"] = "none"
    default_tenant: str = "default"

    manifest_path: Path = Path(__file__).with_name("manifest.json")
    toolsets: Names | None = None
    read_only: bool = False

    aws_region: str = "us-east-1"
    aws_endpoint_url_lambda: str | None = None
    aws_endpoint_url_s3: str | None = None
    function_prefix: str = "quarry-"
    function_qualifier: str = "live"
    template_bucket: str | None = None
    template_prefix: str = "templates/"
    template_ttl_seconds: Annotated[float, Field(ge=0)] = 60

    max_concurrent_calls: Annotated[int, Field(ge=1)] = 64
    max_concurrent_calls_per_tool: Annotated[int, Field(ge=1)] = 32
    queue_seconds: Annotated[float, Field(ge=0)] = 5
    max_call_seconds: Annotated[float, Field(gt=0)] = 900
    deadline_margin_seconds: Annotated[float, Field(ge=0)] = 2
    connect_seconds: Annotated[float, Field(gt=0)] = 3
    progress_seconds: Annotated[float, Field(gt=0)] = 2
    max_request_bytes: Annotated[int, Field(ge=1)] = 1 * _MIB
    max_response_bytes: Annotated[int, Field(ge=1)] = 6 * _MIB
    shortcut: bool = True
    """Whether the hottest requests go past the SDK's transport; off, everything takes the SDK's path."""

    @model_validator(mode="after")
    def _refuse_an_open_door(self) -> Self:
        if self.auth_mode == "none" and not is_loopback(self.host):
            raise ValueError(
                f"HOST={self.host} is reachable from other machines, and AUTH_MODE=none lets anyone in. "
                "Bind to 127.0.0.1, or configure authentication first."
            )
        return self

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Settings from the environment. An empty variable counts as unset; a malformed one is refused."""
        source = os.environ if environment is None else environment
        given = {name: source[name.upper()] for name in cls.model_fields if source.get(name.upper())}
        if given.get("toolsets") == "all":
            del given["toolsets"]
        if "aws_region" not in given and source.get("AWS_DEFAULT_REGION"):
            given["aws_region"] = source["AWS_DEFAULT_REGION"]
        try:
            return cls.model_validate(given)
        except ValidationError as invalid:
            problems = "; ".join(_problem(error["loc"], error["msg"]) for error in invalid.errors())
            raise SettingsError(problems) from None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a socket bound to `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _problem(location: tuple[int | str, ...], message: str) -> str:
    # The value is left out on purpose: a misplaced secret must not reach a log.
    text = message.removeprefix("Value error, ")
    return f"{str(location[0]).upper()}: {text}" if location else text
