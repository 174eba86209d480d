"""Which chat model and which knowledge server a run uses, from the settings, or what is missing."""

import json
from dataclasses import dataclass, field

from quarry.data.credentials import read_secret
from quarry.data.settings import Settings
from quarry.tool.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Provider:
    """With ``azure_api_version`` it is Azure OpenAI: ``url`` is the endpoint and ``model`` the deployment."""

    model: str
    url: str
    key: str = field(repr=False)
    azure_api_version: str | None
    timeout_s: float


@dataclass(frozen=True, slots=True)
class KnowledgeServer:
    url: str
    token: str | None = field(repr=False)


def chat_provider(settings: Settings) -> Provider:
    """Raises Unavailable, which names the settings that are missing."""
    deployment, endpoint = settings.azure_chat_deployment, settings.azure_openai_endpoint
    key = _chat_key(settings)
    if deployment and not (endpoint and key):
        raise Unavailable(
            "No chat model is configured: AZURE_CHAT_DEPLOYMENT is set, and it needs AZURE_OPENAI_ENDPOINT and "
            "AZURE_OPENAI_API_KEY (or CHAT_SECRET_ID, the name of a secret with the key) too."
        )
    if not key:
        raise Unavailable(
            "No chat model is configured. Set CHAT_API_KEY (or CHAT_SECRET_ID, the name of a secret with the key), "
            "and CHAT_MODEL and CHAT_BASE_URL where they are not OpenAI's gpt-4.1; for Azure OpenAI set "
            "AZURE_CHAT_DEPLOYMENT, AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY."
        )
    if deployment and endpoint:
        return Provider(deployment, endpoint, key, settings.azure_openai_api_version, settings.chat_timeout_s)
    return Provider(settings.chat_model, settings.chat_base_url, key, None, settings.chat_timeout_s)


def knowledge_server(settings: Settings, *, tenant: str) -> KnowledgeServer:
    """The server as this tenant may use it. Raises Unavailable.

    The server knows the tenant from the token alone, so a caller of another tenant never borrows the default's.
    """
    if not settings.knowledge_mcp_url:
        raise Unavailable("No knowledge server is configured: set KNOWLEDGE_MCP_URL to the URL of its MCP endpoint.")
    tokens: dict[str, str] = {}
    if settings.knowledge_mcp_secret_id:
        tokens = json.loads(read_secret(settings.knowledge_mcp_secret_id))
    if tenant not in tokens and tenant != settings.default_tenant:
        raise Unavailable(
            f"The knowledge server cannot be reached as tenant '{tenant}': the secret that KNOWLEDGE_MCP_SECRET_ID "
            "names, a JSON object of tokens by tenant, needs one for it."
        )
    return KnowledgeServer(settings.knowledge_mcp_url, tokens.get(tenant))


def _chat_key(settings: Settings) -> str | None:
    # Without a deployment an Azure key is the embedding provider's.
    given = (settings.azure_openai_api_key if settings.azure_chat_deployment else None) or settings.chat_api_key
    if given is not None:
        return given.get_secret_value()
    return read_secret(settings.chat_secret_id) if settings.chat_secret_id else None
