"""Vectors for texts, from OpenAI, Azure OpenAI or any compatible server."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pgvector import Vector

from quarry.data.credentials import openai_key, secrets
from quarry.data.settings import Settings, kept, settings

if TYPE_CHECKING:
    import openai
    from openai.types import CreateEmbeddingResponse

REFUSALS = (400, 413, 422)
"""HTTP statuses with which a provider says that it does not like a text, rather than that it is unwell."""


class EmbeddingsDown(Exception):
    """The embedding provider gave no vectors; ``reason`` is safe to show (no key, no text).

    ``refused`` says that it answered and did not like a text, so another try with that text is vain.
    """

    def __init__(self, reason: str, *, refused: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.refused = refused


def embed(texts: Sequence[str], *, timeout_s: float) -> list[Vector]:
    """One vector per text, in order. Raises EmbeddingsDown."""
    # The SDK costs about 0.4 s to import; a cached query never needs it.
    import openai

    configuration = settings()
    try:
        key = _key(configuration)
        try:
            answer = _request(key, texts, timeout_s=timeout_s)
        except openai.AuthenticationError:
            secrets().forget()  # the key may have been rotated
            if (newer := _key(configuration)) == key:
                raise
            answer = _request(newer, texts, timeout_s=timeout_s)
    except openai.OpenAIError as error:
        refused = getattr(error, "status_code", None) in REFUSALS
        raise EmbeddingsDown(reason_of(error), refused=refused) from error
    vectors = [Vector(list(item.embedding)) for item in sorted(answer.data, key=lambda item: item.index)]
    dimensions = configuration.embedding_dimensions
    if len(vectors) != len(texts) or any(vector.dimensions() != dimensions for vector in vectors):
        sizes = sorted({vector.dimensions() for vector in vectors})
        raise EmbeddingsDown(
            f"{configuration.embedding_model} returned {len(vectors)} vectors of {sizes} dimensions for "
            f"{len(texts)} texts; EMBEDDING_DIMENSIONS is {dimensions}"
        )
    return vectors


def _request(key: str | None, texts: Sequence[str], *, timeout_s: float) -> "CreateEmbeddingResponse":
    import openai

    configuration = settings()
    # Only this family can shorten its vectors; other servers refuse the parameter.
    shortens = configuration.embedding_model.startswith("text-embedding-3")
    return _client(key).embeddings.create(
        model=configuration.embedding_model,
        input=list(texts),
        dimensions=configuration.embedding_dimensions if shortens else openai.omit,
        timeout=timeout_s,
    )


def _key(configuration: Settings) -> str | None:
    """Azure's where it is given for Azure's endpoint, else OpenAI's from the environment or its secret."""
    azure_key = configuration.azure_openai_api_key if configuration.azure_openai_endpoint else None
    return azure_key.get_secret_value() if azure_key else openai_key(configuration)


@kept
def _client(key: str | None) -> "openai.OpenAI":
    """A client for each key, so that a rotated one takes effect."""
    import openai

    configuration = settings()
    if configuration.azure_openai_endpoint:
        return openai.AzureOpenAI(
            azure_endpoint=configuration.azure_openai_endpoint,
            api_key=key,
            api_version=configuration.azure_openai_api_version,
            max_retries=1,
        )
    return openai.OpenAI(api_key=key, max_retries=1)


def reason_of(error: "openai.OpenAIError") -> str:
    """What may be told of a failure: the SDK's text may repeat what was sent."""
    status = getattr(error, "status_code", None)
    return f"{type(error).__name__} (HTTP {status})" if status else type(error).__name__
