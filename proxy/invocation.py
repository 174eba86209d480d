"""Calls Lambda functions: signed, bounded in time and size, retried only where a second run is harmless."""

import asyncio
import json
import logging
import random
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from proxy.client_context import Caller, ContextTooLargeError, client_context
from proxy.connections import ConnectionLostError, Connections, UnreachableError
from proxy.credentials import Signer
from proxy.events import log
from proxy.gate import BusyError, Gate
from proxy.invoke_request import InvokeRequests
from proxy.lambda_reply import Function, Reply, crashed, failure_of
from proxy.metrics import Metrics
from proxy.outcome import (
    INTERNAL_ERROR,
    VALIDATION_ERROR,
    Failure,
    Outcome,
    broken,
    not_run,
    outcome_of,
    oversized,
    timed_out,
    unsure,
)
from proxy.settings import Settings

_logger = logging.getLogger(__name__)

_MOST_ATTEMPTS = 3
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 2.0
_OK = 200
_REACHABLE_SECONDS = 2
_RETRIED_STATUS = frozenset({429, 500, 502, 503, 504})


class LambdaClient:
    """The Invoke API over pooled connections."""

    def __init__(
        self,
        settings: Settings,
        *,
        signer: Signer,
        connections: Connections,
        metrics: Metrics,
    ) -> None:
        self._settings = settings
        self._signer = signer
        self._connections = connections
        self._metrics = metrics
        origin = connections.origin
        self._requests = InvokeRequests(
            authority=origin.authority,
            path=origin.path,
            prefix=settings.function_prefix,
            qualifier=settings.function_qualifier,
        )
        self._gate = Gate(
            total=settings.max_concurrent_calls,
            per_function=settings.max_concurrent_calls_per_tool,
            wait_seconds=settings.queue_seconds,
        )

    async def invoke(self, function: Function, event: Mapping[str, Any], *, caller: Caller) -> Outcome:
        """Never raises for anything the other side does."""
        tool, request_id = function.name, caller.request_id
        try:
            body = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        except ValueError:
            return Failure(VALIDATION_ERROR, "Arguments may hold neither NaN, Infinity nor unpaired surrogates.")
        if len(body) > (most := self._settings.max_request_bytes):
            return Failure(VALIDATION_ERROR, f"The arguments exceed {most:,} bytes; send less at once.")
        # The function's own limit must come first: its answer names the timeout, ours can only guess.
        allowed = function.timeout_s + self._settings.deadline_margin_seconds
        seconds = min(allowed, self._settings.max_call_seconds)
        try:
            async with asyncio.timeout(seconds), self._gate.slot(tool):
                return await self._attempts(function, body, caller=caller)
        except BusyError:
            return not_run(tool, "too many calls are in progress", request_id=request_id)
        except TimeoutError:
            return timed_out(tool, seconds=seconds, repeatable=function.repeatable, request_id=request_id)

    async def reachable(self) -> bool:
        """Whether anything answers at the endpoint; an error status is an answer too."""
        request = f"GET / HTTP/1.1\r\nHost: {self._connections.origin.authority}\r\n\r\n"
        try:
            async with asyncio.timeout(_REACHABLE_SECONDS):
                await self._connections.send(request.encode(), most=self._settings.max_response_bytes)
        except (UnreachableError, ConnectionLostError, TimeoutError):
            return False
        return True

    async def _attempts(self, function: Function, body: bytes, *, caller: Caller) -> Outcome:
        pause = _FIRST_PAUSE_SECONDS
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            outcome, again = await self._attempt(function, body, caller=caller)
            if not again or not function.repeatable or attempt == _MOST_ATTEMPTS:
                break
            self._metrics.retried(function.name)
            log(_logger, "call_retried", tool=function.name, attempt=attempt, request_id=caller.request_id)
            await asyncio.sleep(random.uniform(0, pause))  # noqa: S311 - jitter, not a secret
            pause = min(pause * 4, _LONGEST_PAUSE_SECONDS)
        return outcome

    async def _attempt(self, function: Function, body: bytes, *, caller: Caller) -> tuple[Outcome, bool]:
        """The outcome, and whether trying again could change it."""
        tool, request_id = function.name, caller.request_id
        try:
            context = client_context(tool, caller)
        except ContextTooLargeError:
            return Failure(INTERNAL_ERROR, f"The caller's identity does not fit into a call of {tool}."), False
        try:
            reply = await self._post(function, body, context=context)
        except UnreachableError:
            return not_run(tool, "the function service cannot be reached", request_id=request_id), True
        except ConnectionLostError:
            what = "lost its connection"
            return unsure(tool, what, repeatable=function.repeatable, request_id=request_id), True
        if reply.body is None:
            return oversized(tool, most=self._settings.max_response_bytes), False
        if failure := failure_of(reply, function=function, request_id=request_id):
            if reply.status != _OK:
                log(
                    _logger,
                    "invoke_refused",
                    level=logging.WARNING,
                    tool=tool,
                    status=reply.status,
                    error_type=reply.error_type,
                    request_id=request_id,
                )
            return failure, reply.status in _RETRIED_STATUS or crashed(reply)
        try:
            answer = from_json(reply.body, allow_inf_nan=False)
        except ValueError:
            return broken(tool, request_id=request_id), False
        return outcome_of(answer, tool=tool, request_id=request_id), False

    async def _post(self, function: Function, body: bytes, *, context: str) -> Reply:
        keys = await self._signer.keys("lambda")
        request = self._requests.compose(function.name, body, context=context, keys=keys)
        answer = await self._connections.send(
            request,
            most=self._settings.max_response_bytes,
            # A kept connection may have been closed by the other side a moment ago, and then nobody knows
            # whether the request arrived. Calls that must not run twice get a fresh one.
            fresh=not function.repeatable,
        )
        return Reply(
            status=answer.status,
            function_error="x-amz-function-error" in answer.headers,
            error_type=answer.headers.get("x-amzn-errortype", ""),
            body=answer.body,
        )
