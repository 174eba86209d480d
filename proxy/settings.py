"""The proxy's settings, read once from the environment."""

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

_MIB = 1024 * 1024


class SettingsError(Exception):
    """A setting that keeps the proxy from starting; the message says what to change."""


def _names(value: object) -> object:
    """Splits `a, b` into a tuple; an empty name stays, so that validation can refuse it."""
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


def is_secure(url: str) -> bool:
    """Returns whether nobody can change what comes from there on its way: HTTPS, or HTTP within this machine."""
    parts = urlsplit(url)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
    )


def _secure(value: str) -> str:
    if not is_secure(value):
        raise ValueError("must be an https URL (http only on loopback)")
    return value


def _origin(value: str) -> str:
    value = _secure(value).removesuffix("/")
    parts = urlsplit(value)
    if value != f"{parts.scheme}://{parts.netloc}":
        raise ValueError("must be an origin such as https://mcp.example.com, without a path")
    return value


SecureUrl = Annotated[str, AfterValidator(_secure)]
Origin = Annotated[str, AfterValidator(_origin)]
Names = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_names)]


class Settings(BaseModel):
    """The proxy's settings. Field names, upper-cased, are the environment variables."""

    model_config = ConfigDict(frozen=True)

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    allowed_hosts: Names = ("127.0.0.1", "localhost", "[::1]")
    """`*` accepts any Host and Origin. It needs authentication, whose credentials no browser adds by itself."""
    allowed_origins: Names = ()
    """Web pages, by origin, whose scripts may call: they get CORS headers."""
    public_url: Origin | None = None
    """The origin under which clients reach the proxy, where a load balancer or a domain stands before it."""
    origin_key: Annotated[str, Field(min_length=32)] | None = None
    """The secret that CloudFront sends to the function URL; a request that bypasses CloudFront is refused."""
    default_tenant: str = "default"
    stack: str = ""
    """The stack for which CloudWatch counts functions that died; RELEASE is what CodeDeploy rolls back for them."""
    release: str = ""

    auth_mode: Literal["none", "oauth", "api_key", "oauth+api_key"] = "none"
    oauth_issuer: SecureUrl | None = None
    oauth_audience: Names = ()
    """The values that a token's `aud` may have; by default PUBLIC_URL with /mcp."""
    oauth_jwks_url: SecureUrl | None = None
    """The URL of the issuer's keys; by default the one in its metadata."""
    oauth_jwks_pause_seconds: Annotated[float, Field(ge=0)] = 10
    """Least time between two fetches of the keys, however often unknown ones are asked for."""
    oauth_most_token_seconds: Annotated[float, Field(gt=0)] = 86_400
    """The longest remaining lifetime of a token that is accepted, because nobody can revoke it earlier."""
    oauth_client_ids: Names = ()
    """Clients whose tokens are accepted without an audience, because Cognito's access tokens have none."""
    oauth_tenant_claim: Names = ("tenant", "custom:tenant")
    """Claims that may name the tenant; the first one present counts."""
    oauth_subject_claim: Names = ("sub",)
    """Claims that may name the caller; the first one present counts. Nobody approves what he asked for by the id or
    the address that approvers are listed with: where sub is neither, name the claim that is, such as email."""
    oauth_scope_claim: Names = ("scope", "scp")
    oauth_scope_prefix: str = ""
    """The prefix that the issuer adds to our scopes, such as Cognito's resource server with a slash."""
    rate_per_minute: Annotated[float, Field(gt=0)] = 600
    """Requests of one principal, in each process; without authentication there is no limit."""
    rate_burst: Annotated[int, Field(ge=1)] = 120
    tenant_rate_factor: Annotated[float, Field(ge=1)] = 5
    """Rate and burst of a tenant, as a multiple of those of one principal."""
    share_tenant_rates: bool = False
    """Whether all processes of the proxy count a tenant's requests together, through the database; else each counts
    its own, which is enough where there is one."""
    refusal_hold_seconds: Annotated[float, Field(ge=0, le=10)] = 1
    """How long the refusal of a request beyond a rate is delayed, so that clients that retry at once cannot keep the
    process busy; 0 where a process serves one request at a time."""
    refusals_per_minute: Annotated[int, Field(ge=1)] = 30
    """Refused tokens of one address, and refused keys of one id there, in each process; afterwards unknown keys of
    that id are not looked up. Keys of all ids together may be refused twenty times as often."""

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

    request_state_keys: Annotated[tuple[Annotated[str, Field(min_length=32)], ...], BeforeValidator(_names)] = ()
    """Secrets that seal the state that a function keeps between rounds of questions: the first seals, all open.
    Without any, each process has a secret of its own and only that process can go on with what it asked."""

    max_concurrent_calls: Annotated[int, Field(ge=1)] = 64
    max_concurrent_calls_per_tool: Annotated[int, Field(ge=1)] = 32
    max_concurrent_calls_per_tenant: Annotated[int, Field(ge=1)] = 32
    queue_seconds: Annotated[float, Field(ge=0)] = 5
    deadline_margin_seconds: Annotated[float, Field(ge=0)] = 2
    connect_seconds: Annotated[float, Field(gt=0)] = 3
    progress_seconds: Annotated[float, Field(gt=0)] = 2
    max_request_bytes: Annotated[int, Field(ge=1)] = 1 * _MIB
    max_header_bytes: Annotated[int, Field(ge=1024)] = 32 * 1024
    header_seconds: Annotated[float, Field(gt=0)] = 15
    body_seconds: Annotated[float, Field(gt=0)] = 20
    max_response_bytes: Annotated[int, Field(ge=1)] = 6 * _MIB

    @model_validator(mode="after")
    def _refuse_an_open_door(self) -> Self:
        if self.auth_mode == "none" and not is_loopback(self.host):
            raise ValueError(
                f"HOST={self.host} is reachable from other machines, and AUTH_MODE=none lets anyone in. "
                "Bind to 127.0.0.1, or configure authentication first."
            )
        if self.auth_mode == "none" and "*" in self.allowed_hosts:
            raise ValueError("ALLOWED_HOSTS=* needs authentication: any web page could call, as whoever opened it.")
        return self

    @model_validator(mode="after")
    def _know_the_issuer(self) -> Self:
        if self.takes_tokens and self.oauth_issuer is None:
            raise ValueError(f"OAUTH_ISSUER is needed with AUTH_MODE={self.auth_mode}.")
        if self.takes_tokens and not self.audiences:
            raise ValueError("OAUTH_AUDIENCE or PUBLIC_URL is needed: a token must be meant for this server.")
        return self

    @property
    def takes_tokens(self) -> bool:
        return "oauth" in self.auth_mode

    @property
    def takes_keys(self) -> bool:
        return "api_key" in self.auth_mode

    @property
    def audiences(self) -> frozenset[str]:
        """The audiences that a token for the server as a whole may name, without trailing slashes."""
        given = self.oauth_audience or ((f"{self.public_url}/mcp",) if self.public_url else ())
        return frozenset(name.removesuffix("/") for name in given)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Reads the environment. An empty variable counts as unset; SettingsError is raised for a malformed one."""
        source = os.environ if environment is None else environment
        given = {name: source[name.upper()] for name in cls.model_fields if source.get(name.upper())}
        if given.get("toolsets") == "all":
            del given["toolsets"]
        if "aws_region" not in given and source.get("AWS_DEFAULT_REGION"):
            given["aws_region"] = source["AWS_DEFAULT_REGION"]
        # As botocore reads them: the service's own variable comes first.
        if everything := source.get("AWS_ENDPOINT_URL"):
            given = {"aws_endpoint_url_lambda": everything, "aws_endpoint_url_s3": everything, **given}
        try:
            return cls.model_validate(given)
        except ValidationError as invalid:
            problems = "; ".join(_problem(error["loc"], error["msg"]) for error in invalid.errors())
            raise SettingsError(problems) from None


def is_loopback(host: str) -> bool:
    """Returns whether only this machine can reach a socket bound to ``host``."""
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
