"""Which chat model and knowledge server the settings mean."""

import openai
import pytest

from assistant.chat import chat_model
from assistant.knowledge_base import knowledge_server
from quarry.data.settings import Settings
from quarry.tool.errors import Unavailable

AZURE = {"AZURE_OPENAI_ENDPOINT": "https://ours.example", "AZURE_OPENAI_API_KEY": "azure"}


def configured(**variables: str) -> Settings:
    return Settings.from_environment(variables)


def test_openai_with_a_key_is_the_default() -> None:
    model = chat_model(configured(CHAT_API_KEY="k"))
    assert (model.name, str(model.client.base_url), model.client.api_key) == (
        "gpt-4.1",
        "https://api.openai.com/v1/",
        "k",
    )
    assert not isinstance(model.client, openai.AsyncAzureOpenAI)


def test_a_deployment_selects_azure() -> None:
    model = chat_model(configured(**AZURE, AZURE_CHAT_DEPLOYMENT="gpt", CHAT_API_KEY="k"))
    assert isinstance(model.client, openai.AsyncAzureOpenAI)
    assert (model.name, str(model.client.base_url), model.client.api_key) == (
        "gpt",
        "https://ours.example/openai/",
        "azure",
    )
    assert model.client.default_query == {"api-version": "2025-01-01-preview"}


@pytest.mark.parametrize(
    "variables",
    [{}, {"OPENAI_API_KEY": "embeddings"}, AZURE, {"AZURE_CHAT_DEPLOYMENT": "gpt"}, {"CHAT_MODEL": "m"}],
)
def test_the_embedding_providers_key_is_not_taken_for_the_chat(variables: dict[str, str]) -> None:
    with pytest.raises(Unavailable, match="No chat model is configured") as refusal:
        chat_model(configured(**variables))
    assert not refusal.value.retryable


def test_the_default_tenant_needs_no_token_and_another_one_does() -> None:
    settings = configured(KNOWLEDGE_MCP_URL="http://k/mcp", DEFAULT_TENANT="acme")
    assert knowledge_server(settings, tenant="acme").token is None
    with pytest.raises(Unavailable, match="tenant 'rival'"):
        knowledge_server(settings, tenant="rival")


def test_without_a_url_it_says_which_setting_is_missing() -> None:
    with pytest.raises(Unavailable, match="KNOWLEDGE_MCP_URL"):
        knowledge_server(configured(), tenant="default")
