"""The HTTP side in OpenAI's shapes: `/v1/embeddings`, `/v1/models`, `/healthz`."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from local.embeddings.model import ALIASES, NAME, EmbeddingModel, Tokens, Vectors, join
from local.embeddings.sample import Known, key_of
from local.embeddings.slices import SliceQueue

MAX_INPUTS = 2048
# aiohttp's default of 1 MB is less than a full batch of ordinary documents.
_MAX_BODY = 64 * 1024 * 1024
# Below this a hop to a thread costs more than the work it would move.
_INLINE_CHARACTERS = 4_000
_INLINE_ROWS = 8

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Refusal(Exception):
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
        raise _refused(error.errors()[0]) from error
    items = request.items
    if not items:
        raise Refusal("'input' is an empty array; send at least one text.", param="input")
    if len(items) > MAX_INPUTS:
        raise Refusal(f"'input' has {len(items)} items; the most is {MAX_INPUTS}.", param="input")
    for index, item in enumerate(items):
        if not item:
            raise Refusal(f"'input[{index}]' is empty; leave it out or send text.", param="input")
    return request


def _refused(detail: ErrorDetails) -> Refusal:
    if detail["type"] == "json_invalid":
        return Refusal(f"The body cannot be read. {detail['msg']}.")
    if not detail["loc"]:
        return Refusal("The body must be a JSON object.")
    field = str(detail["loc"][0])
    if detail["type"] == "missing":
        return Refusal(f"'{field}' is missing.", param=field)
    if detail["type"] == "extra_forbidden":
        return Refusal(f"'{field}' is no argument of this endpoint.", param=field)
    if field == "input":
        kinds = "a string, an array of strings, an array of token ids, or an array of such arrays"
        return Refusal(f"'input' must be {kinds}.", param=field)
    return Refusal(f"'{field}': {detail['msg']}.", param=field)


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
    """The answer as JSON, row by row: one `json.dumps` over 2,048 rows would hold the GIL for a second."""
    usage = json.dumps({"prompt_tokens": tokens, "total_tokens": tokens})
    head = f'{{"object": "list", "model": {json.dumps(model)}, "usage": {usage}, "data": ['
    return (head + ", ".join(_rows(vectors, encoding)) + "]}").encode()


def _rows(vectors: Sequence[Vectors], encoding: Literal["float", "base64"] | None) -> Iterator[str]:
    for index, vector in enumerate(vectors):
        text = embedding_text(vector, encoding=encoding)
        yield f'{{"object": "embedding", "index": {index}, "embedding": {text}}}'


class EmbeddingsApi:
    def __init__(self, model: EmbeddingModel, *, known: Known | None = None) -> None:
        self._model = model
        self._known = known or {}
        self._queue = SliceQueue(model.encoder, dimensions=model.dimensions)
        self._health = {"ready": True, "model": NAME, "dimensions": model.dimensions}

    def application(self) -> web.Application:
        app = web.Application(client_max_size=_MAX_BODY, middlewares=[_openai_errors])
        app.router.add_get("/healthz", self.healthz)
        app.router.add_get("/v1/models", self.models)
        app.router.add_get("/v1/models/{name:.+}", self.one_model)
        app.router.add_post("/v1/embeddings", self.embeddings)
        return app

    async def healthz(self, _: web.Request) -> web.Response:
        return web.json_response(self._health)

    async def models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [_model_card(name) for name in ALIASES]})

    async def one_model(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        _require_known(name)
        return web.json_response(_model_card(name))

    async def embeddings(self, request: web.Request) -> web.Response:
        asked = read_request(await request.read())
        _require_known(asked.model)
        if asked.dimensions not in (None, self._model.dimensions):
            message = f"{NAME} has {self._model.dimensions} dimensions and no other number of them."
            raise Refusal(message, param="dimensions")
        pieces = await self._word_pieces(asked.items)
        vectors = await self._vectors(asked.items, pieces)
        tokens = sum(map(len, pieces))
        if len(vectors) <= _INLINE_ROWS:
            body = _body(vectors, asked, tokens)
        else:
            body = await asyncio.to_thread(_body, vectors, asked, tokens)
        return web.Response(body=body, content_type="application/json")

    async def _word_pieces(self, items: Sequence[str | list[int]]) -> list[list[int]]:
        if sum(map(len, items)) <= _INLINE_CHARACTERS:
            return _encode(self._model, items)
        return await asyncio.to_thread(_encode, self._model, items)

    async def _vectors(self, items: Sequence[str | list[int]], pieces: Sequence[Tokens]) -> list[Vectors]:
        """Those that are known beforehand are taken from there; the model runs on the others."""
        known = [self._known.get(key_of(item)) if isinstance(item, str) else None for item in items]
        run = iter(
            await self._embed([tokens for tokens, vector in zip(pieces, known, strict=True) if vector is None])
        )
        return [next(run) if vector is None else vector.astype(np.float32) for vector in known]

    async def _embed(self, pieces: Sequence[Tokens]) -> list[Vectors]:
        if not pieces:
            return []
        windows = [self._model.windows(tokens) for tokens in pieces]
        vectors = await self._queue.vectors([window for group in windows for window in group])
        joined, start = [], 0
        for group in windows:
            joined.append(join(vectors[start : start + len(group)]))
            start += len(group)
        return joined


def _encode(model: EmbeddingModel, items: Sequence[str | list[int]]) -> list[list[int]]:
    return model.pieces.encode([_text(model, item, index=index) for index, item in enumerate(items)])


def _text(model: EmbeddingModel, item: str | list[int], *, index: int) -> str:
    if isinstance(item, str):
        return item
    if not all(0 <= token < model.pieces.vocabulary for token in item):
        raise Refusal(
            f"'input[{index}]' holds token ids that {NAME} does not have (0 to {model.pieces.vocabulary - 1}). "
            "Token arrays of another model's tokenizer cannot be read here: send text.",
            param="input",
        )
    return model.pieces.decode(item)


def _body(vectors: Sequence[Vectors], asked: EmbeddingRequest, tokens: int) -> bytes:
    return response_body(vectors, model=asked.model, tokens=tokens, encoding=asked.encoding_format)


def _require_known(name: str) -> None:
    if name not in ALIASES:
        message = f"The model '{name}' does not exist here. Known: {', '.join(ALIASES)}."
        raise Refusal(message, status=404, code="model_not_found")


def _model_card(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "local"}


@web.middleware
async def _openai_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except Refusal as error:
        return web.json_response(error.body, status=error.status)
    except web.HTTPException as error:
        refusal = Refusal(f"{request.method} {request.path}: {error.reason}.", status=error.status)
        return web.json_response(refusal.body, status=refusal.status)
