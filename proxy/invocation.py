"""Calls Lambda functions: signed, bounded in time and size, retried only where a second run is harmless."""

import asyncio
import json
import logging
import random
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import aiohttp
from pydantic_core import from_json
from yarl import URL

from proxy.client_context import Caller, ContextTooLargeError, client_context
from proxy.credentials import Signer
from proxy.events import log
from proxy.gate import BusyError, Gate
from proxy.lambda_reply import Function, Reply, crashed, failure_of, read_bounded
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
_RETRIED_STATUS = frozenset({429, 500, 502, 503, 504})


class LambdaClient:
    """The Invoke API over pooled connections."""

    def __init__(
        self,
        settings: Settings,
        *,
        signer: Signer,
        pooled: aiohttp.ClientSession,
        single: aiohttp.ClientSession,
        endpoint: str,
    ) -> None:
        self._settings = settings
        self._signer = signer
        self._pooled = pooled
        # A kept connection may have been closed by the other side a moment ago, and then nobody knows
        # whether the request arrived. Calls that must not run twice get a fresh one.
        self._single = single
        self._endpoint = endpoint
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
        try:
            async with self._pooled.get(self._endpoint, timeout=aiohttp.ClientTimeout(total=2)):
                return True
        except (aiohttp.ClientError, TimeoutError):
            return False

    async def _attempts(self, function: Function, body: bytes, *, caller: Caller) -> Outcome:
        pause = _FIRST_PAUSE_SECONDS
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            outcome, again = await self._attempt(function, body, caller=caller)
            if not again or not function.repeatable or attempt == _MOST_ATTEMPTS:
                break
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
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
            return not_run(tool, "the function service cannot be reached", request_id=request_id), True
        except (aiohttp.ClientError, ConnectionError):
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
        settings = self._settings
        url = f"{self._endpoint}/2015-03-31/functions/{settings.function_prefix}{function.name}/invocations"
        if settings.function_qualifier:
            url += f"?Qualifier={quote(settings.function_qualifier, safe='')}"
        headers = {
            "Content-Type": "application/json",
            "X-Amz-Invocation-Type": "RequestResponse",
            "X-Amz-Client-Context": context,
        }
        signed = await self._signer.sign("lambda", method="POST", url=url, headers=headers, body=body)
        session = self._pooled if function.repeatable else self._single
        async with session.post(URL(url, encoded=True), data=body, headers=signed, allow_redirects=False) as response:
            return Reply(
                status=response.status,
                function_error="X-Amz-Function-Error" in response.headers,
                error_type=response.headers.get("x-amzn-ErrorType", ""),
                body=await read_bounded(response, most=self._settings.max_response_bytes),
            )
