"""What the stack tells its parts through their environment: only endpoints and credentials differ from AWS."""

import os
from collections.abc import Mapping
from pathlib import Path

from local.files import IMPORT_ROOTS, ROOT
from local.settings import Settings
from local.stack import (
    ACCESS_KEY,
    APPROVAL_TOPIC,
    DOCUMENT_BUCKET,
    INGEST_BUCKET,
    REGION,
    TEMPLATE_BUCKET,
    TEMPLATE_PREFIX,
    Stack,
)

APPROVERS_LINKS = ("ApprovalRequest", "ExpireApprovals", "ApprovalPage")
"""Functions, by their ids in template.yaml, that deal in approval links."""
CANARY_SECRET = "quarry/canary"  # noqa: S105 - a name
DOCUMENT_LINKS = ("ApprovalPage", "DraftGet", "QuotePdf")
"""Functions that link to documents."""
GOLDEN = ROOT / "tests" / "golden"
KNOWLEDGE_SECRET = "quarry/knowledge"  # noqa: S105 - a name

_FRONT = ("ALLOWED_", "OAUTH_", "RATE_", "READ_ONLY", "TOOLSETS")
"""Prefixes of the caller's variables that reach the proxy, wherever it runs; then the functions, and some of them."""
_FUNCTIONS = ("DOCUMENT_URL_SECONDS", "EMBEDDING_")
_PROVIDER = ("OPENAI_", "AZURE_OPENAI_")
_ASSISTANT = ("ASK_", "AZURE_CHAT_DEPLOYMENT", "AZURE_OPENAI_", "CHAT_", "KNOWLEDGE_MCP_URL")
_APPROVALS = ("SLACK_",)


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


def _given(given: Mapping[str, str], prefixes: tuple[str, ...]) -> dict[str, str]:
    """The caller's variables with these prefixes; an empty one counts as unset."""
    return {name: value for name, value in given.items() if name.startswith(prefixes) and value}


def functions_environment(stack: Stack, settings: Settings, given: Mapping[str, str]) -> dict[str, str]:
    """Overrides for template.yaml's variables; DB_USER stays the template's, one per permission class."""
    local = {"OPENAI_BASE_URL": stack.embeddings, "OPENAI_API_KEY": "local"} if stack.embeddings else None
    return {
        **_given(given, _FUNCTIONS),
        **(local or _given(given, _PROVIDER)),
        "DB_HOST": stack.database.host,
        "DB_PORT": str(stack.database.port),
        "DB_NAME": stack.database.name,
        "DB_AUTH": "password",
        "DB_SSLMODE": "disable",
        "EMBEDDING_MODEL": settings.model,
        "EMBEDDING_DIMENSIONS": str(settings.dimensions),
        **_buckets(stack),
        "DOCUMENT_BUCKET": DOCUMENT_BUCKET,
        "INGEST_BUCKET": INGEST_BUCKET,
        # On AWS these are layers, mounted at /opt.
        "MIGRATIONS_DIR": str(ROOT / "migrations"),
        "TEMPLATES_DIR": str(ROOT / "templates"),
        "AWS_ENDPOINT_URL_S3": stack.aws,
        "AWS_ENDPOINT_URL_SECRETS_MANAGER": stack.aws,
        "AWS_ENDPOINT_URL_SNS": stack.aws,
        "AWS_ENDPOINT_URL_LAMBDA": stack.lambda_api,
        **_account(),
    }


def assistant_environment(stack: Stack, settings: Settings, given: Mapping[str, str]) -> dict[str, str]:
    """Further variables of `ask`: the caller's chat model, and the knowledge toolset of this stack."""
    knowledge = {"KNOWLEDGE_MCP_URL": f"{stack.mcp}/knowledge"}
    if settings.takes_keys and not given.get("KNOWLEDGE_MCP_URL"):
        knowledge["KNOWLEDGE_MCP_SECRET_ID"] = KNOWLEDGE_SECRET
    return {**knowledge, **_given(given, _ASSISTANT)}


def canary_environment(stack: Stack, settings: Settings) -> dict[str, str]:
    return {
        "CANARY_MCP_URL": stack.sample or stack.mcp,
        "GOLDEN_DIR": str(GOLDEN),
        "AUDIT_FUNCTION": "quarry-verify_audit:live",
        **({"CANARY_SECRET_ID": CANARY_SECRET} if settings.takes_keys else {}),
    }


def built_front_environment(stack: Stack, settings: Settings, given: Mapping[str, str]) -> dict[str, str]:
    """Overrides for the proxy when it runs as a function; the template has its other variables."""
    origin = stack.mcp.removesuffix("/mcp")
    public = given.get("PUBLIC_URL") or origin
    return {"PUBLIC_URL": public, "AUTH_MODE": settings.auth_mode, **_given(given, _FRONT)}


def approvals_environment(stack: Stack, given: Mapping[str, str], *, key: str) -> dict[str, str]:
    """Variables of the functions that make approval links, send them and honour them; the key signs the links."""
    own = {"APPROVAL_URL": f"{stack.origin}/approve", "APPROVAL_KEY": key, "APPROVAL_TOPIC_ARN": APPROVAL_TOPIC}
    return {**own, **_given(given, _APPROVALS)}


def proxy_environment(stack: Stack, *, host: str, port: int) -> dict[str, str]:
    return {
        "HOST": host,
        "PORT": str(port),
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
