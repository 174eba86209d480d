"""The HTTP side: `/v1/embeddings`, `/v1/models`, `/healthz`."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from aiohttp import web

from local.embeddings.encoder import Tokens, Vectors
from local.embeddings.model import ALIASES, NAME, EmbeddingModel
from local.embeddings.slices import SliceQueue
from local.embeddings.windows import join
from local.embeddings.wire import ApiError, EmbeddingRequest, read_request, response_body

# aiohttp's default of 1 MB is less than a full batch of ordinary documents.
_MAX_BODY = 64 * 1024 * 1024
# Below this a hop to a thread costs more than the work it would move.
_INLINE_CHARACTERS = 4_000
_INLINE_ROWS = 8

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class EmbeddingsApi:
    def __init__(self, model: EmbeddingModel, *, precision: str) -> None:
        self._model = model
        self._queue = SliceQueue(model.encoder, dimensions=model.dimensions)
        self._health = {
            "ready": True,
            "model": NAME,
            "dimensions": model.dimensions,
            "precision": precision,
        }

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
            raise ApiError(message, param="dimensions")
        pieces = await self._word_pieces(asked.items)
        vectors = await self._embed(pieces)
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

    async def _embed(self, pieces: Sequence[Tokens]) -> list[Vectors]:
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
        raise ApiError(
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
        raise ApiError(message, status=404, code="model_not_found")


def _model_card(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "local"}


@web.middleware
async def _openai_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except ApiError as error:
        return web.json_response(error.body, status=error.status)
    except web.HTTPException as error:
        refusal = ApiError(f"{request.method} {request.path}: {error.reason}.", status=error.status)
        return web.json_response(refusal.body, status=refusal.status)
