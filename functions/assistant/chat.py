"""The chat model: OpenAI, Azure OpenAI or a compatible server, through the openai SDK."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import openai
from openai.types.chat import ChatCompletionMessageParam
from pydantic import AliasPath, BaseModel, Field, ValidationError
from pydantic_core import to_json

from assistant.scratchpad import tool_schemas
from quarry.data.credentials import given_secret
from quarry.data.settings import Settings
from quarry.embedding.provider import reason_of
from quarry.tool.errors import Unavailable

RETRIES = 2
"""Retries by the SDK after 408, 409, 429, 5xx and lost connections; the reply's time-out bounds them all."""


def chat_model(settings: Settings) -> "ChatModel":
    """Returns the model that the settings name. Raises Unavailable, which names those that are missing."""
    deployment, endpoint = settings.azure_chat_deployment, settings.azure_openai_endpoint
    # Without a chat deployment the Azure key belongs to the embedding provider.
    azure_key = settings.azure_openai_api_key if deployment else None
    key = given_secret(azure_key or settings.chat_api_key, settings.chat_secret_id)
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
    seconds = settings.chat_timeout_s
    if deployment and endpoint:
        azure = openai.AsyncAzureOpenAI(
            azure_endpoint=endpoint,
            api_key=key,
            api_version=settings.azure_openai_api_version,
            timeout=seconds,
            max_retries=RETRIES,
        )
        return ChatModel(azure, name=deployment, seconds=seconds)
    # The base URL is always given, else the SDK would take OPENAI_BASE_URL, which is the embedding provider's.
    client = openai.AsyncOpenAI(api_key=key, base_url=settings.chat_base_url, timeout=seconds, max_retries=RETRIES)
    return ChatModel(client, name=settings.chat_model, seconds=seconds)


FILTERED = "the provider's content filter let nothing through"


class ProviderFailed(Exception):
    """The provider gave no usable reply; the reason is safe to show (no key, no text)."""

    def __init__(self, reason: str, *, retryable: bool) -> None:
        super().__init__(reason)
        self.retryable = retryable


@dataclass(frozen=True, slots=True)
class Call:
    """A function call as the model sent it: ``arguments`` should be JSON, and may be anything."""

    id: str
    name: str
    arguments: str


# Of a provider's answer only what is needed is checked, as compatible servers differ in the rest.
class Usage(BaseModel):
    prompt_tokens: int
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply, ``cut`` if it hit its limit or a filter. ``usage`` is None where the provider does not count.

    ``refused`` holds the words in which the model or its provider's filter declined to answer, or None.
    """

    text: str
    calls: tuple[Call, ...]
    cut: bool
    refused: str | None
    usage: Usage | None


class _ToolCall(BaseModel):
    id: str | None = None
    name: str = Field(default="", validation_alias=AliasPath("function", "name"))
    arguments: Any = Field(default="", validation_alias=AliasPath("function", "arguments"))


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Completion(BaseModel):
    message: _Message = Field(validation_alias=AliasPath("choices", 0, "message"))
    finish_reason: str | None = Field(default=None, validation_alias=AliasPath("choices", 0, "finish_reason"))
    usage: Usage | None = None


class ChatModel:
    """A chat model, which answers within ``seconds``. Whoever is done with it closes ``client``."""

    def __init__(self, client: openai.AsyncOpenAI, *, name: str, seconds: float) -> None:
        self.client = client
        self.name = name
        self._seconds = seconds
        self._limit = "max_completion_tokens"
        self._limit_known = False

    async def reply(
        self, messages: Sequence[ChatCompletionMessageParam], *, most_tokens: int, finishing: bool
    ) -> Reply:
        """Asks the model; ``finishing`` leaves it no function but finish. Raises ProviderFailed."""
        try:
            async with asyncio.timeout(self._seconds):
                content = await self._create(messages, most_tokens=most_tokens, finishing=finishing)
        except TimeoutError as error:
            late = f"APITimeoutError: no answer within {self._seconds:g} seconds"
            raise ProviderFailed(late, retryable=True) from error
        except openai.OpenAIError as error:
            passing = isinstance(
                error, openai.APIConnectionError | openai.RateLimitError | openai.InternalServerError
            )
            raise ProviderFailed(reason_of(error), retryable=passing) from error
        try:
            return _reply(_Completion.model_validate_json(content))
        except ValidationError as error:
            raise ProviderFailed("its answer is not a chat completion", retryable=True) from error

    async def _create(
        self, messages: Sequence[ChatCompletionMessageParam], *, most_tokens: int, finishing: bool
    ) -> bytes:
        limits: dict[str, Any] = {self._limit: most_tokens}
        try:
            raw = await self.client.chat.completions.with_raw_response.create(
                model=self.name, messages=list(messages), tools=tool_schemas(finishing=finishing), **limits
            )
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            # Many compatible servers accept only the limit's older name, and each says so in its own words.
            if self._limit_known or self._limit == "max_tokens":
                raise
            self._limit = "max_tokens"
            return await self._create(messages, most_tokens=most_tokens, finishing=finishing)
        self._limit_known = True
        content: bytes = raw.content
        return content


def _reply(completion: _Completion) -> Reply:
    message = completion.message
    calls = tuple(
        # Some compatible servers leave the id out, and the results have to name the call.
        Call(call.id or f"call_{number}", call.name, _text(call.arguments))
        for number, call in enumerate(message.tool_calls or [])
    )
    filtered = completion.finish_reason == "content_filter"
    text = (message.content or "").strip()
    return Reply(
        text=text,
        calls=calls,
        cut=filtered or completion.finish_reason == "length",
        refused=(message.refusal or "").strip() or (FILTERED if filtered and not text and not calls else None),
        usage=completion.usage,
    )


def _text(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else to_json(arguments).decode()
