"""What the stack tells its parts through their environment: only endpoints and credentials differ from AWS."""

import os
from collections.abc import Mapping
from pathlib import Path

from local.files import IMPORT_ROOTS, ROOT
from local.settings import Settings
from local.stack import ACCESS_KEY, APPROVAL_TOPIC, DOCUMENT_BUCKET, REGION, TEMPLATE_BUCKET, TEMPLATE_PREFIX, Stack

APPROVERS_LINKS = ("ApprovalRequest", "ExpireApprovals", "ApprovalPage")
"""Functions, by their ids in template.yaml, that deal in approval links."""
CANARY_SECRET = "quarry/canary"  # noqa: S105 - a name
DOCUMENT_LINKS = ("QuotePdf", "ApprovalPage")
"""Functions that link to documents."""
KNOWLEDGE_SECRET = "quarry/knowledge"  # noqa: S105 - a name

_FRONT = ("ALLOWED_", "OAUTH_", "RATE_", "READ_ONLY", "SHORTCUT", "TOOLSETS")
"""Prefixes of the caller's variables that reach the proxy, wherever it runs."""


def child_base(environment: Mapping[str, str], *, data_dir: Path) -> dict[str, str]:
    """What every process of the stack gets: the caller's environment without their AWS account."""
    kept = {name: value for name, value in environment.items() if not name.startswith("AWS_")}
    # An HTTP proxy of the caller's is for the outside world.
    beyond_proxy = ",".join(filter(None, ["127.0.0.1", "localhost", environment.get("NO_PROXY", "")]))
    paths = os.pathsep.join(map(str, IMPORT_ROOTS))
    own = {
        "DATA_DIR": str(data_dir),  # absolute: children do not share the caller's working directory
        "PYTHONPATH": paths,
        "PYTHONUNBUFFERED": "1",
        "NO_PROXY": beyond_proxy,
        "no_proxy": beyond_proxy,
    }
    return {**kept, **own, **_account()}


def functions_environment(stack: Stack, settings: Settings) -> dict[str, str]:
    """Overrides for template.yaml's variables; DB_USER stays the template's, one per permission class."""
    return {
        "DB_HOST": stack.database.host,
        "DB_PORT": str(stack.database.port),
        "DB_NAME": stack.database.name,
        "DB_AUTH": "password",
        "DB_SSLMODE": "disable",
        "EMBEDDING_MODEL": settings.model,
        "EMBEDDING_DIMENSIONS": str(settings.dimensions),
        **_embedding_provider(stack, settings),
        **_reranker(settings),
        **_buckets(stack),
        "DOCUMENT_BUCKET": DOCUMENT_BUCKET,
        # On AWS these are layers, mounted at /opt.
        "MIGRATIONS_DIR": str(ROOT / "migrations"),
        "TEMPLATES_DIR": str(ROOT / "templates"),
        "AWS_ENDPOINT_URL_S3": stack.aws,
        "AWS_ENDPOINT_URL_SECRETS_MANAGER": stack.aws,
        "AWS_ENDPOINT_URL_SNS": stack.aws,
        "AWS_ENDPOINT_URL_LAMBDA": stack.lambda_api,
        **_account(),
    }


def assistant_environment(stack: Stack, settings: Settings) -> dict[str, str]:
    """Further variables of `ask`: the caller's chat model, and the knowledge toolset of this stack."""
    given = {
        "CHAT_MODEL": settings.chat_model,
        "CHAT_BASE_URL": settings.chat_base_url,
        "CHAT_API_KEY": settings.chat_api_key,
        "AZURE_CHAT_DEPLOYMENT": settings.azure_chat_deployment,
        "AZURE_OPENAI_ENDPOINT": settings.azure_openai_endpoint,
        "AZURE_OPENAI_API_KEY": settings.azure_openai_api_key,
        "AZURE_OPENAI_API_VERSION": settings.azure_openai_api_version,
        "ASK_TOKEN_BUDGET": None if settings.ask_token_budget is None else str(settings.ask_token_budget),
        "KNOWLEDGE_MCP_URL": settings.knowledge_mcp_url or f"{stack.mcp}/knowledge",
        "KNOWLEDGE_MCP_SECRET_ID": KNOWLEDGE_SECRET if settings.takes_keys and not settings.knowledge_mcp_url else "",
    }
    return {name: value for name, value in given.items() if value}


def canary_environment(stack: Stack, settings: Settings) -> dict[str, str]:
    return {
        "CANARY_MCP_URL": stack.sample or stack.mcp,
        "GOLDEN_DIR": str(ROOT / "tests" / "golden"),
        "AUDIT_FUNCTION": "quarry-verify_audit:live",
        **({"CANARY_SECRET_ID": CANARY_SECRET} if settings.takes_keys else {}),
    }


def built_front_environment(stack: Stack, settings: Settings, given: Mapping[str, str]) -> dict[str, str]:
    """Overrides for the proxy when it runs as a function; the template has its other variables."""
    origin = stack.mcp.removesuffix("/mcp")
    kept = {name: value for name, value in given.items() if name.startswith(_FRONT) and value}
    return {"PUBLIC_URL": given.get("PUBLIC_URL") or origin, "AUTH_MODE": settings.auth_mode, **kept}


def approvals_environment(stack: Stack, settings: Settings, *, key: str) -> dict[str, str]:
    """Variables of the functions that make approval links, send them and honour them; the key signs the links."""
    given = {
        "APPROVAL_URL": f"{stack.origin}/approve",
        "APPROVAL_KEY": key,
        "APPROVAL_TOPIC_ARN": APPROVAL_TOPIC,
        "SLACK_BOT_TOKEN": settings.slack_bot_token,
        "SLACK_CHANNEL": settings.slack_channel,
        "SLACK_API_URL": settings.slack_api_url,
    }
    return {name: value for name, value in given.items() if value}


def documents_environment(stack: Stack, *, key: str) -> dict[str, str]:
    """Variables of the functions that link to documents: the object store itself checks no signature."""
    return {"DOCUMENT_ORIGIN": stack.origin, "DOCUMENT_KEY": key}


def proxy_environment(stack: Stack, *, host: str, port: int) -> dict[str, str]:
    return {
        "HOST": host,
        "PORT": str(port),
        "NEWS_SECONDS": "2",
        "PAGES_URL": stack.approvals.removesuffix("/approve"),
        "FUNCTION_PREFIX": "quarry-",
        "FUNCTION_QUALIFIER": "live",
        **_buckets(stack),
        "AWS_ENDPOINT_URL_LAMBDA": stack.lambda_api,
        "AWS_ENDPOINT_URL_S3": stack.aws,
        **_account(),
    }


def _account() -> dict[str, str]:
    return {
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": ACCESS_KEY,
    }


def _buckets(stack: Stack) -> dict[str, str]:
    return {
        "TEMPLATE_BUCKET": TEMPLATE_BUCKET,
        "TEMPLATE_PREFIX": TEMPLATE_PREFIX,
        "DEFAULT_TENANT": stack.tenant,
    }


def _reranker(settings: Settings) -> dict[str, str]:
    given = {
        "RERANK_URL": settings.rerank_url,
        "RERANK_MODEL": settings.rerank_model,
        "RERANK_API_KEY": settings.rerank_api_key,
        "RERANK_TOP": None if settings.rerank_top is None else str(settings.rerank_top),
    }
    return {name: value for name, value in given.items() if value}


def _embedding_provider(stack: Stack, settings: Settings) -> dict[str, str]:
    if stack.embeddings is not None:
        return {"OPENAI_BASE_URL": stack.embeddings, "OPENAI_API_KEY": "local"}
    given = {
        "OPENAI_BASE_URL": settings.openai_base_url,
        "OPENAI_API_KEY": settings.openai_api_key,
        "AZURE_OPENAI_ENDPOINT": settings.azure_openai_endpoint,
        "AZURE_OPENAI_API_KEY": settings.azure_openai_api_key,
        "AZURE_OPENAI_API_VERSION": settings.azure_openai_api_version,
    }
    return {name: value for name, value in given.items() if value}
