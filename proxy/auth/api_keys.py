"""API keys: the proxy hashes what was presented, asks a function whose it is, and remembers for a minute."""

import asyncio
import hashlib
import re
import time
import uuid
from collections import OrderedDict

from pydantic import BaseModel, ValidationError

from proxy.auth import RefusedError, UncheckedError
from proxy.caller import Caller, Principal
from proxy.invocation import LambdaClient
from proxy.outcome import Failure, Function

PREFIX = "qk_"
_KEY = re.compile(r"qk_([0-9A-Za-z]{12})_([0-9A-Za-z_-]{43})")
_VERIFY = Function("verify_api_key", timeout_s=10, repeatable=True)
_REMEMBERED_SECONDS = 60.0
_MOST_REMEMBERED = 10_000

Presented = tuple[str, str]
"""A key's id and its SHA-256, which suffice to find an answer again and not to log in."""


class _Verdict(BaseModel):
    valid: bool
    tenant: str = ""
    subject: str = ""
    scopes: frozenset[str] = frozenset()
    expires_at: float | None = None


class _Memory[T]:
    """Remembers answers for a time; where they are too many, it forgets the least recently asked first."""

    def __init__(self) -> None:
        self._answers: OrderedDict[Presented, tuple[T, float]] = OrderedDict()

    def get(self, key: Presented) -> T | None:
        if (known := self._answers.get(key)) is None:
            return None
        answer, until = known
        if time.time() >= until:
            del self._answers[key]
            return None
        self._answers.move_to_end(key)
        return answer

    def put(self, key: Presented, answer: T, *, until: float) -> None:
        self._answers[key] = (answer, until)
        if len(self._answers) > _MOST_REMEMBERED:
            self._answers.popitem(last=False)


class ApiKeys:
    """Checks keys for one running proxy."""

    def __init__(self, functions: LambdaClient, *, scopes: frozenset[str]) -> None:
        self._functions = functions
        self._scopes = scopes
        self._valid: _Memory[Principal] = _Memory()
        # Apart, so that a flood of invented keys makes no valid one be asked for again.
        self._invalid: _Memory[bool] = _Memory()
        self._asking: dict[Presented, asyncio.Task[Principal | None]] = {}

    async def principal(self, key: str, *, ask: bool) -> Principal:
        """Whose key it is. The secret itself goes no further than this function."""
        if (parts := _KEY.fullmatch(key)) is None:
            raise RefusedError("The API key is not valid.")
        presented = (parts[1], hashlib.sha256(parts[2].encode()).hexdigest())
        principal = self._valid.get(presented)
        if principal is None and ask and not self._invalid.get(presented):
            principal = await self._ask(presented)
        if principal is None:
            raise RefusedError("The API key is not valid, or has ended.")
        return principal

    async def _ask(self, presented: Presented) -> Principal | None:
        if (task := self._asking.get(presented)) is None:
            task = self._asking[presented] = asyncio.create_task(self._verify(presented))
            task.add_done_callback(lambda _: self._asking.pop(presented, None))
        return await asyncio.shield(task)

    async def _verify(self, presented: Presented) -> Principal | None:
        nobody = Caller(Principal("", "proxy", frozenset()), request_id=uuid.uuid4().hex)
        event = {"id": presented[0], "sha256": presented[1]}
        outcome = await self._functions.invoke(_VERIFY, event, caller=nobody)
        if isinstance(outcome, Failure):
            raise UncheckedError
        try:
            verdict = _Verdict.model_validate(outcome.result)
        except ValidationError:
            raise UncheckedError from None
        until = time.time() + _REMEMBERED_SECONDS
        if not verdict.valid:
            self._invalid.put(presented, True, until=until)
            return None
        principal = Principal(verdict.tenant, verdict.subject, verdict.scopes & self._scopes)
        self._valid.put(presented, principal, until=min(until, verdict.expires_at or until))
        return principal
