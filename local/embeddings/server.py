"""The HTTP side: texts at `/v1/embeddings` in OpenAI's shapes, and `/healthz`."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from typing import Annotated, Literal

import numpy as np
from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from local.embeddings.model import NAME, EmbeddingModel, Tokens, Vectors, cut, join, runs
from local.embeddings.sample import Known, key_of

MAX_INPUTS = 2048
# aiohttp's default of 1 MB is less than a full batch of ordinary documents.
_MAX_BODY = 64 * 1024 * 1024

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Refusal(Exception):
    """A refusal in OpenAI's shape, so that its SDKs raise their own typed errors."""

    def __init__(self, message: str, *, status: int = 400, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


Text = Annotated[str, Field(min_length=1)]


class EmbeddingRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    input: Text | Annotated[list[Text], Field(min_length=1, max_length=MAX_INPUTS)]
    model: str
    encoding_format: Literal["float", "base64"] | None = Field(default=None, description="Default float.")
    dimensions: int | None = Field(default=None, description="The model's own size; it has no other.")
    user: str | None = Field(default=None, description="Accepted and ignored.")

    @property
    def texts(self) -> list[str]:
        return [self.input] if isinstance(self.input, str) else self.input


def read_request(body: bytes) -> EmbeddingRequest:
    try:
        return EmbeddingRequest.model_validate_json(body)
    except ValidationError as error:
        [fault, *_] = error.errors(include_url=False, include_input=False)
        place = ".".join(map(str, fault["loc"]))
        said = f"{place or 'The body'}: {fault['msg']}"
        raise Refusal(said, param=str(fault["loc"][0]) if place else None) from error


class EmbeddingsApi:
    def __init__(self, model: EmbeddingModel, *, known: Known) -> None:
        self._model = model
        self._known = known
        self._turn, self._batch = asyncio.Lock(), asyncio.Lock()

    def application(self) -> web.Application:
        app = web.Application(client_max_size=_MAX_BODY, middlewares=[_openai_errors])
        app.router.add_get("/healthz", self.healthz)
        app.router.add_post("/v1/embeddings", self.embeddings)
        return app

    async def healthz(self, _: web.Request) -> web.Response:
        return web.json_response({"ready": True, "model": NAME, "dimensions": self._model.dimensions})

    async def embeddings(self, request: web.Request) -> web.Response:
        asked = read_request(await request.read())
        if asked.model != NAME:
            message = f"The model '{asked.model}' does not exist here. Known: {NAME}."
            raise Refusal(message, status=404, code="model_not_found")
        if asked.dimensions not in (None, self._model.dimensions):
            message = f"{NAME} has {self._model.dimensions} dimensions and no other number of them."
            raise Refusal(message, param="dimensions")
        pieces = await asyncio.to_thread(self._model.pieces, asked.texts)
        vectors = await self._vectors(asked.texts, pieces)
        tokens = sum(map(len, pieces))
        data = [
            {"object": "embedding", "index": index, "embedding": _written(vector, asked.encoding_format)}
            for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return web.json_response({"object": "list", "model": NAME, "usage": usage, "data": data})

    async def _vectors(self, texts: Sequence[str], pieces: Sequence[Tokens]) -> list[Vectors]:
        """Those that are known beforehand are taken from there; the model runs on the others."""
        known = [self._known.get(key_of(text)) for text in texts]
        run = iter(
            await self._embed([tokens for tokens, vector in zip(pieces, known, strict=True) if vector is None])
        )
        return [next(run) if vector is None else vector.astype(np.float32) for vector in known]

    async def _embed(self, pieces: Sequence[Tokens]) -> list[Vectors]:
        """Queries take turns with the runs of a batch. Batches come one after the other: of several that advance
        together none would be done before its client loses patience.
        """
        groups = [cut(tokens) for tokens in pieces]
        windows = [window for group in groups for window in group]
        vectors = np.empty((len(windows), self._model.dimensions), dtype=np.float32)
        needed = list(runs(windows))
        async with self._batch if len(needed) > 1 else nullcontext():
            for run in needed:
                async with self._turn:
                    vectors[run] = await asyncio.to_thread(self._model.encoder, [windows[place] for place in run])
        joined, start = [], 0
        for group in groups:
            joined.append(join(vectors[start : start + len(group)]))
            start += len(group)
        return joined


def _written(vector: Vectors, encoding: Literal["float", "base64"] | None) -> str | list[float]:
    """The vector as numbers, or where base64 is asked for as little-endian float32."""
    if encoding == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
    numbers: list[float] = vector.tolist()
    return numbers


@web.middleware
async def _openai_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except Refusal as error:
        return web.json_response(error.body, status=error.status)
    except web.HTTPException as error:
        refusal = Refusal(f"{request.method} {request.path}: {error.reason}.", status=error.status)
        return web.json_response(refusal.body, status=refusal.status)
