"""Settings, read once from the environment's variables, which no other deployed code reads; and what an execution
environment keeps between calls, in one object that a test or a snapshot replaces.
"""

import os
from collections.abc import Callable, Hashable, Mapping
from functools import wraps
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError


class Environment:
    """Keeps settings, the database session, clients, secrets and caches, each by the function that makes it."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def keep(self, key: Hashable, build: Callable[[], Any]) -> Any:
        if key not in self._kept:
            self._kept[key] = build()
        return self._kept[key]

    def close(self) -> None:
        """Discards everything kept, the latest first; sockets and connections are closed."""
        while self._kept:
            _, value = self._kept.popitem()
            close = getattr(value, "close", None)
            if callable(close):
                close()


# One for the process and not for each context, because threads share what their function keeps.
_current = Environment()


def environment() -> Environment:
    return _current


def kept[**P, T](build: Callable[P, T]) -> Callable[P, T]:
    """Caches like functools.cache, but only while the environment lives; arguments have to be hashable."""

    @wraps(build)
    def get(*arguments: P.args, **options: P.kwargs) -> T:
        key = (build, arguments, frozenset(options.items()))
        value: T = _current.keep(key, lambda: build(*arguments, **options))
        return value

    return get


class Settings(BaseModel):
    """Field names are the variables' names in lower case; an empty variable counts as unset."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    db_host: str = "127.0.0.1"
    db_port: int = Field(default=5432, ge=1, le=65535)
    db_name: str = "quarry"
    db_user: str = "quarry_read"
    db_auth: Literal["password", "secret", "iam"] = "password"
    db_password: SecretStr | None = None
    db_secret_id: str | None = None
    db_sslmode: str = "require"
    aws_region: str = "us-east-1"

    embedding_model: str = "text-embedding-3-small"
    embedding_dimensions: int = Field(default=1536, ge=1, le=2000)
    embedding_timeout_s: float = Field(default=5.0, gt=0)
    openai_secret_id: str | None = None
    openai_api_key: SecretStr | None = None
    azure_openai_endpoint: str | None = None
    azure_openai_api_key: SecretStr | None = None
    azure_openai_api_version: str = "2025-01-01-preview"

    chat_model: str = "gpt-4.1"
    chat_base_url: str = "https://api.openai.com/v1"
    chat_api_key: SecretStr | None = None
    chat_secret_id: str | None = None
    chat_timeout_s: float = Field(default=40.0, gt=0)
    azure_chat_deployment: str | None = None
    ask_token_budget: int = Field(default=100_000, ge=1)
    ask_seconds: float = Field(default=100.0, gt=0)
    knowledge_mcp_url: str | None = None
    knowledge_mcp_secret_id: str | None = None

    approval_url: str | None = None
    approval_key: SecretStr | None = None
    approval_key_secret_id: str | None = None
    approval_topic_arn: str | None = None
    origin_key: SecretStr | None = None
    slack_bot_token: SecretStr | None = None
    slack_secret_id: str | None = None
    slack_channel: str | None = None
    slack_api_url: str = "https://slack.com/api"

    stack: str = "quarry"
    release: str = ""
    default_tenant: str = "default"
    template_bucket: str | None = None
    template_prefix: str = "templates/"
    templates_dir: str = "/opt"
    ingest_bucket: str | None = None
    document_bucket: str | None = None
    document_origin: str | None = None
    """Address at which the stack serves documents itself, by document_key; unset, the object store does."""
    document_key: SecretStr | None = None
    document_url_seconds: int = Field(default=3600, ge=60, le=604_800)
    migrations_dir: str = "/opt"
    embed_function: str | None = None
    ingest_function: str | None = None

    canary_mcp_url: str | None = None
    canary_preview_mcp_url: str | None = None
    canary_live_mcp_url: str | None = None
    canary_origin_key: SecretStr | None = None
    canary_secret_id: str | None = None
    golden_dir: str = "/opt"
    audit_function: str | None = None

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """Raises ValueError that names the variable to change."""
        values = {name: environment.get(name.upper(), "") for name in cls.model_fields}
        try:
            return cls.model_validate({name: value for name, value in values.items() if value != ""})
        except ValidationError as error:
            problems = "; ".join(
                f"{'.'.join(map(str, item['loc'])).upper()}: {item['msg']}" for item in error.errors()
            )
            raise ValueError(f"These environment variables have to change: {problems}") from None


@kept
def settings() -> Settings:
    return Settings.from_environment(os.environ)
