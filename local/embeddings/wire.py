"""What clients send to `/v1/embeddings` and what they get back, in OpenAI's shapes."""

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from local.embeddings.encoder import Vectors

MAX_INPUTS = 2048


class ApiError(Exception):
    """A refusal in OpenAI's shape, so that its SDKs raise their own typed errors."""

    def __init__(self, message: str, *, status: int = 400, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


class EmbeddingRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    input: str | list[str] | list[int] | list[list[int]] = Field(description="Texts or token arrays.")
    model: str = Field(description="A name that /v1/models lists.")
    encoding_format: Literal["float", "base64"] | None = Field(default=None, description="Default float.")
    dimensions: int | None = Field(default=None, description="The model's own size; it has no other.")
    user: str | None = Field(default=None, description="Accepted and ignored.")

    @property
    def items(self) -> list[str | list[int]]:
        """The input as the list that the response mirrors."""
        if isinstance(self.input, str):
            return [self.input]
        tokens = [item for item in self.input if isinstance(item, int)]
        return [tokens] if tokens else [item for item in self.input if not isinstance(item, int)]


def read_request(body: bytes) -> EmbeddingRequest:
    try:
        request = EmbeddingRequest.model_validate_json(body)
    except ValidationError as error:
        raise _refusal(error.errors()[0]) from error
    items = request.items
    if not items:
        raise ApiError("'input' is an empty array; send at least one text.", param="input")
    if len(items) > MAX_INPUTS:
        raise ApiError(f"'input' has {len(items)} items; the most is {MAX_INPUTS}.", param="input")
    for index, item in enumerate(items):
        if not item:
            raise ApiError(f"'input[{index}]' is empty; leave it out or send text.", param="input")
    return request


def _refusal(detail: ErrorDetails) -> ApiError:
    if detail["type"] == "json_invalid":
        return ApiError(f"The body cannot be read. {detail['msg']}.")
    if not detail["loc"]:
        return ApiError("The body must be a JSON object.")
    field = str(detail["loc"][0])
    if detail["type"] == "missing":
        return ApiError(f"'{field}' is missing.", param=field)
    if detail["type"] == "extra_forbidden":
        return ApiError(f"'{field}' is no argument of this endpoint.", param=field)
    if field == "input":
        kinds = "a string, an array of strings, an array of token ids, or an array of such arrays"
        return ApiError(f"'input' must be {kinds}.", param=field)
    return ApiError(f"'{field}': {detail['msg']}.", param=field)


def embedding_text(vector: Vectors, *, encoding: Literal["float", "base64"] | None) -> str:
    """JSON of one embedding; base64 holds little-endian float32."""
    if encoding == "base64":
        return f'"{base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")}"'
    return json.dumps(vector.tolist())


def response_body(
    vectors: Sequence[Vectors],
    *,
    model: str,
    tokens: int,
    encoding: Literal["float", "base64"] | None,
) -> bytes:
    """Row by row: one `json.dumps` over 2,048 rows would hold the interpreter's lock for a second."""
    usage = json.dumps({"prompt_tokens": tokens, "total_tokens": tokens})
    head = f'{{"object": "list", "model": {json.dumps(model)}, "usage": {usage}, "data": ['
    return (head + ", ".join(_rows(vectors, encoding)) + "]}").encode()


def _rows(vectors: Sequence[Vectors], encoding: Literal["float", "base64"] | None) -> Iterator[str]:
    for index, vector in enumerate(vectors):
        text = embedding_text(vector, encoding=encoding)
        yield f'{{"object": "embedding", "index": {index}, "embedding": {text}}}'
