"""The proxy as a Lambda function behind a function URL: `proxy.aws_lambda.handler`.

One event loop and one lifespan serve every invocation of an execution environment: the SDK's session manager
runs once, and connections are worth keeping. Between invocations the loop stands still, with all that waits on it.
"""

import asyncio
import json
import logging
import os
import random
import time
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol

from mcp_types import INTERNAL_ERROR
from snapshot_restore_py import register_after_restore, register_before_snapshot

from proxy import telemetry
from proxy.app import create_app
from proxy.function_url import (
    MOST_ANSWER_BYTES,
    Exchange,
    MalformedBodyError,
    WrongWayError,
    answer,
    body_of,
    scope_of,
)
from proxy.http_answers import ALWAYS, rpc_error
from proxy.runtime import Runtime
from proxy.settings import Settings, SettingsError

_logger = logging.getLogger("proxy")

# What an answer takes on its way out; Lambda ends an environment that is late, and everything it holds.
_MARGIN_SECONDS = 1.0
# Turns of the loop in which ends are heard of: before a request, of connections that ended while it stood still;
# after one that was given up, of what it held, which would otherwise be let go at the next.
_TURNS = 3
# A connection that nobody used for so long may have been closed by the other side without our hearing of it. Measured
# by the time of day, because a monotonic clock may stand still while the environment does.
_REST_SECONDS = 30
# Characters of a body that fit however they are written.
_SURELY_FITS = MOST_ANSWER_BYTES // 6

Answer = dict[str, Any]


class LambdaContext(Protocol):
    aws_request_id: str

    def get_remaining_time_in_millis(self) -> int: ...


class AnswerFailedError(Exception):
    """The front failed. Lambda logs and counts what is raised, so the text names the request and nothing of it."""


class Environment:
    """What lives as long as the process: the app from its start, loop and lifespan from the first request on."""

    def __init__(self) -> None:
        telemetry.configure()
        # Nothing but credentials keeps callers out of a function URL; as on an open port, there must be some.
        given = {**os.environ, "HOST": "0.0.0.0"}  # noqa: S104
        settings = Settings.from_environment(given)
        self._app = create_app(settings, credentials_later=True)
        self._origin_key = settings.origin_key
        self._runner: asyncio.Runner | None = None
        self._lifespan: asyncio.Task[None] | None = None
        self._rested_since = 0.0

    def answer(self, event: Mapping[str, Any], *, seconds: float) -> Answer:
        if self._runner is None:
            # Here, as a loop is made of descriptors, which a snapshot must not hold.
            self._runner = asyncio.Runner()
        try:
            return self._runner.run(self._answer(event, seconds=seconds))
        finally:
            self._rested_since = time.time()

    async def _answer(self, event: Mapping[str, Any], *, seconds: float) -> Answer:
        await _settle()
        try:
            scope = scope_of(event, origin_key=self._origin_key)
            exchange = Exchange(body_of(event))
        except WrongWayError:
            return _sorry(403, "Requests come in through the server's public address.")
        except MalformedBodyError:
            return _sorry(400, "The body is not the base64 that the event says it is.")
        try:
            async with asyncio.timeout(seconds):
                await self._begin()
                await self._app(scope, exchange.receive, exchange.send)
        except TimeoutError:
            await _settle()
            return _sorry(504, "The answer took too long.")
        answer = exchange.answer()
        # The answer's size as Lambda's runtime writes it: within its JSON, every quote of ours takes two bytes.
        if (
            len(answer["body"]) > _SURELY_FITS
            and len(json.dumps(answer, ensure_ascii=False).encode()) > MOST_ANSWER_BYTES
        ):
            return _sorry(502, "The answer is larger than this address can carry; ask for less at once.")
        return answer

    async def _begin(self) -> None:
        """What begins in one task has to end in it, so the lifespan gets one that outlives the request's."""
        if self._lifespan is not None and not self._lifespan.done():
            if time.time() - self._rested_since > _REST_SECONDS:
                runtime: Runtime = self._app.state.runtime
                await runtime.functions.forget_connections()
            return
        begun = asyncio.Event()
        lifespan = asyncio.create_task(self._live(begun))
        waiting = asyncio.create_task(begun.wait())
        try:
            await asyncio.wait((lifespan, waiting), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            if not begun.is_set():
                lifespan.cancel()
                await asyncio.wait((lifespan,))
        if lifespan.done():
            lifespan.result()
        self._lifespan = lifespan

    async def _live(self, begun: asyncio.Event) -> None:
        async with self._app.router.lifespan_context(self._app):
            begun.set()
            # Until Lambda ends the environment, which it does without a word.
            await asyncio.Event().wait()


async def _settle() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)


@cache
def environment() -> Environment:
    return Environment()


def handler(event: dict[str, Any], context: LambdaContext) -> Answer:
    """An event stream arrives whole at its end: a buffered function URL cannot pass on its parts."""
    seconds = context.get_remaining_time_in_millis() / 1000 - _MARGIN_SECONDS
    try:
        return environment().answer(event, seconds=seconds)
    except SettingsError:
        raise
    except Exception:
        _logger.exception("answer_failed")
        raise AnswerFailedError(f"The front failed; request id {context.aws_request_id}.") from None


def _sorry(status: int, words: str) -> Answer:
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store"), *ALWAYS]
    return answer(status, headers, json.dumps(rpc_error(INTERNAL_ERROR, words)).encode())


# A snapshot holds the imports and the app. Copies of it would draw the same numbers.
register_before_snapshot(environment)
register_after_restore(random.seed)
