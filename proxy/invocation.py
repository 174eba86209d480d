"""Calls Lambda functions: signed, bounded in time, size and number, retried only where a second run is harmless."""

import asyncio
import json
import logging
import random
from collections.abc import AsyncIterator, Hashable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from urllib.parse import quote, urlsplit
from weakref import WeakValueDictionary

import aiohttp
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials, RefreshableCredentials
from yarl import URL

from proxy.caller import Caller, client_context
from proxy.outcome import (
    INTERNAL_ERROR,
    VALIDATION_ERROR,
    Failure,
    Function,
    Outcome,
    Reply,
    not_run,
    outcome_of,
    timed_out,
    unsure,
)
from proxy.settings import Settings
from proxy.telemetry import internal_error, log, xray_header

_logger = logging.getLogger(__name__)

_MOST_ATTEMPTS = 3
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 2.0
_REACHABLE_SECONDS = 2
_SHORT_SECONDS = 60
_KEEPALIVE_SECONDS = 30
_DNS_SECONDS = 60
_SIGNERS: Mapping[str, type[SigV4Auth]] = {"lambda": SigV4Auth, "s3": S3SigV4Auth}


class Signer:
    """Signs requests as botocore does, without blocking the event loop."""

    def __init__(self, source: Credentials, *, region: str) -> None:
        self._source = source
        self._region = region

    async def sign(
        self, service: str, *, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> dict[str, str]:
        """Returns ``headers`` with the signature's own added. ``url`` must be spelled exactly as it is sent."""
        source = self._source
        if isinstance(source, RefreshableCredentials) and source.refresh_needed():
            # In a thread, because botocore may ask an HTTP endpoint synchronously. Well before expiry, one caller
            # renews them while the others sign with the old ones; shortly before, all wait.
            await asyncio.to_thread(source.get_frozen_credentials)
        request = AWSRequest(method, url, headers={"Host": urlsplit(url).netloc, **headers}, data=body)
        _SIGNERS[service](source.get_frozen_credentials(), service, self._region).add_auth(request)
        return dict(request.headers.items())


class LambdaClient:
    """A client of the Invoke API. It must be made within a running event loop, and closed."""

    def __init__(self, settings: Settings, *, endpoint: str, signer: Signer) -> None:
        self._settings = settings
        self._endpoint = endpoint
        self._signer = signer
        # Part of the name, as boto3 writes it, so that whatever checks permissions by the path alone sees it, too.
        self._version = quote(f":{settings.function_qualifier}", safe="") if settings.function_qualifier else ""
        self._kept = self._session(keep=True)
        # The other side may have closed a kept connection a moment ago, and then nobody knows whether a request
        # arrived. Calls that must not run twice get a connection of their own.
        self._single = self._session(keep=False)
        self._slots = Slots(
            total=settings.max_concurrent_calls,
            per_function=settings.max_concurrent_calls_per_tool,
            # Without authentication all callers are one tenant, which shares with no other.
            per_tenant=None if settings.auth_mode == "none" else settings.max_concurrent_calls_per_tenant,
            wait_seconds=settings.queue_seconds,
        )

    async def close(self) -> None:
        await self._kept.close()
        await self._single.close()

    async def forget_connections(self) -> None:
        """Closes the kept connections. No request may be under way on them."""
        stale, self._kept = self._kept, self._session(keep=True)
        await stale.close()

    async def invoke(self, function: Function, event: Mapping[str, Any], *, caller: Caller) -> Outcome:
        """Invokes a function; whatever the other side does becomes an Outcome and is never raised."""
        tool, request_id = function.name, caller.request_id
        try:
            body = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        except ValueError:
            return Failure(VALIDATION_ERROR, "Arguments may hold neither NaN, Infinity nor unpaired surrogates.")
        if len(body) > (most := self._settings.max_request_bytes):
            return Failure(VALIDATION_ERROR, f"The arguments exceed {most:,} bytes; send less at once.")
        if (context := client_context(tool, caller)) is None:
            return Failure(INTERNAL_ERROR, f"The caller's identity does not fit into a call of {tool}.")
        # The function's own limit must come first: its answer names the timeout, ours can only guess.
        seconds = function.timeout_s + self._settings.deadline_margin_seconds
        try:
            whose = caller.principal.tenant
            async with asyncio.timeout(seconds), self._slots.one(tool, tenant=whose, long=seconds > _SHORT_SECONDS):
                return await self._attempts(function, body, context=context, caller=caller)
        except BusyError:
            return not_run(tool, "too many calls are in progress", request_id=request_id)
        except TimeoutError:
            return timed_out(function, seconds=seconds, request_id=request_id)

    async def reachable(self) -> bool:
        """Returns whether anything answers at the endpoint; an error status is an answer too."""
        try:
            async with asyncio.timeout(_REACHABLE_SECONDS), self._single.get(self._endpoint, allow_redirects=False):
                return True
        except (aiohttp.ClientError, OSError):
            return False

    async def _attempts(self, function: Function, body: bytes, *, context: str, caller: Caller) -> Outcome:
        pause = _FIRST_PAUSE_SECONDS
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            outcome, reply = await self._attempt(function, body, context=context, caller=caller)
            passing = reply is None or reply.passing
            if not passing or not function.repeatable or attempt == _MOST_ATTEMPTS:
                break
            log(_logger, "call_retried", tool=function.name, attempt=attempt, request_id=caller.request_id)
            await asyncio.sleep(random.uniform(0, pause))  # noqa: S311 - jitter, not a secret
            pause = min(pause * 4, _LONGEST_PAUSE_SECONDS)
        if reply is not None and reply.died:
            counted = internal_error(function.name, stack=self._settings.stack, release=self._settings.release)
            log(_logger, "function_died", level=logging.ERROR, request_id=caller.request_id, **counted)
        return outcome

    async def _attempt(
        self, function: Function, body: bytes, *, context: str, caller: Caller
    ) -> tuple[Outcome, Reply | None]:
        """Returns the outcome of one attempt, and the reply if one came."""
        tool, request_id = function.name, caller.request_id
        try:
            reply = await self._post(function, body, context=context, traceparent=caller.traceparent)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
            return not_run(tool, "the function service cannot be reached", request_id=request_id), None
        except (aiohttp.ClientError, OSError):
            return unsure(function, "lost its connection", request_id=request_id), None
        if reply.refused and reply.body is not None:
            log(
                _logger,
                "invoke_refused",
                level=logging.WARNING,
                tool=tool,
                status=reply.status,
                error_type=reply.error_type,
                request_id=request_id,
            )
        most = self._settings.max_response_bytes
        return outcome_of(reply, function=function, request_id=request_id, most=most), reply

    async def _post(self, function: Function, body: bytes, *, context: str, traceparent: str | None) -> Reply:
        path = f"/2015-03-31/functions/{self._settings.function_prefix}{function.name}{self._version}/invocations"
        url = self._endpoint + path
        headers = {
            "Content-Type": "application/json",
            "X-Amz-Client-Context": context,
            "X-Amz-Invocation-Type": "RequestResponse",
        }
        if (position := xray_header(traceparent)) is not None:
            headers["X-Amzn-Trace-Id"] = position
        signed = await self._signer.sign("lambda", method="POST", url=url, headers=headers, body=body)
        session = self._kept if function.repeatable else self._single
        async with session.post(URL(url, encoded=True), data=body, headers=signed, allow_redirects=False) as response:
            return Reply(
                status=response.status,
                function_error="X-Amz-Function-Error" in response.headers,
                error_type=response.headers.get("X-Amzn-ErrorType", ""),
                body=await _body(response, most=self._settings.max_response_bytes),
            )

    def _session(self, *, keep: bool) -> aiohttp.ClientSession:
        # Connections need no bound of their own, because calls have one.
        connector = (
            aiohttp.TCPConnector(limit=0, ttl_dns_cache=_DNS_SECONDS, keepalive_timeout=_KEEPALIVE_SECONDS)
            if keep
            else aiohttp.TCPConnector(limit=0, ttl_dns_cache=_DNS_SECONDS, force_close=True)
        )
        return aiohttp.ClientSession(
            connector=connector,
            timeout=aiohttp.ClientTimeout(total=None, connect=self._settings.connect_seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("Accept", "Accept-Encoding", "User-Agent"),
            auto_decompress=False,
        )


class BusyError(Exception):
    """No slot became free in time."""


class Slots:
    """A bound on all calls, one on each function and one on each tenant, with a bounded wait.

    A tenant's own slots are taken first and a function's next, so callers queued for their own tenant or for a slow
    function hold nothing others need. One tenant may have at most half of a function's slots.
    """

    def __init__(self, *, total: int, per_function: int, per_tenant: int | None, wait_seconds: float) -> None:
        self._total = asyncio.Semaphore(total)
        self._functions = _Semaphores[str](per_function)
        self._tenants = None if per_tenant is None else _Semaphores[str](per_tenant)
        self._shares = _Semaphores[tuple[str, str]](-(-per_function // 2))
        self._wait_seconds = wait_seconds

    @asynccontextmanager
    async def one(self, function: str, *, tenant: str, long: bool = False) -> AsyncIterator[None]:
        """Holds a slot for a call of ``function``. Raises BusyError if none becomes free in time.

        A call for no tenant, which looks up an API key, takes none of a tenant's. A ``long`` one, whose function
        makes calls of its own for the tenant, takes none either, because those calls would wait for it.
        """
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout(self._wait_seconds):
                    if tenant and self._tenants is not None:
                        if not long:
                            await held.enter_async_context(self._tenants.one(tenant))
                        await held.enter_async_context(self._shares.one((tenant, function)))
                    await held.enter_async_context(self._functions.one(function))
                    await held.enter_async_context(self._total)
            except TimeoutError:
                raise BusyError from None
            yield


class _Semaphores[Key: Hashable](WeakValueDictionary[Key, asyncio.Semaphore]):
    """A semaphore for each key that is held or waited for, and none for the others."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def one(self, key: Key) -> asyncio.Semaphore:
        return self.setdefault(key, asyncio.Semaphore(self._most))


async def _body(response: aiohttp.ClientResponse, *, most: int) -> bytes | None:
    """Returns the whole body, or None where it is larger than allowed; its connection is then closed."""
    size = response.content_length or 0
    parts: list[bytes] = []
    if size <= most:
        size = 0
        async for part in response.content.iter_any():
            size += len(part)
            if size > most:
                break
            parts.append(part)
    if size > most:
        response.close()
        return None
    return b"".join(parts)
