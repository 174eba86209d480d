"""API keys: the proxy hashes what was presented, asks a function whose it is, and remembers for a minute."""

import asyncio
import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Callable

from pydantic import BaseModel, ValidationError

from proxy.caller import Principal, RefusedError, UncheckedError, nobody
from proxy.invocation import LambdaClient
from proxy.outcome import Failure, Function

PREFIX = "qk_"
_KEY = re.compile(r"qk_([0-9A-Za-z]{12})_([0-9A-Za-z_-]{43})")
_VERIFY = Function("verify_api_key", timeout_s=10, repeatable=True)
_REMEMBERED_SECONDS = 60.0
_MOST_REMEMBERED = 10_000

Presented = tuple[str, str]
"""A key's id and its SHA-256, which suffice to find an answer again and not to log in."""


Clock = Callable[[], tuple[float, float]]
"""The monotonic time and the wall's, in seconds."""


def _now() -> tuple[float, float]:
    return time.monotonic(), time.time()


class _Verdict(BaseModel):
    valid: bool
    tenant: str = ""
    subject: str = ""
    scopes: frozenset[str] = frozenset()
    expires_at: float | None = None


class _Memory[T]:
    """Remembers answers for a time; where they are too many, it forgets the least recently asked first.

    An answer ends by whichever clock comes first: the wall's may be set back, and the monotonic one may stand still
    while a Lambda environment is frozen.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._answers: OrderedDict[Presented, tuple[T, float, float]] = OrderedDict()

    def get(self, key: Presented) -> T | None:
        if (known := self._answers.get(key)) is None:
            return None
        answer, until, wall_until = known
        monotonic, wall = self._clock()
        if monotonic >= until or wall >= wall_until:
            return None
        self._answers.move_to_end(key)
        return answer

    def __contains__(self, key: Presented) -> bool:
        """Whether there was an answer, be it over."""
        return key in self._answers

    def put(self, key: Presented, answer: T, *, seconds: float) -> None:
        monotonic, wall = self._clock()
        self._answers[key] = (answer, monotonic + seconds, wall + seconds)
        self._answers.move_to_end(key)
        if len(self._answers) > _MOST_REMEMBERED:
            self._answers.popitem(last=False)

    def forget(self, key: Presented) -> None:
        self._answers.pop(key, None)


class ApiKeys:
    """Checks keys for one running proxy."""

    def __init__(self, functions: LambdaClient, *, scopes: frozenset[str], clock: Clock = _now) -> None:
        self._functions = functions
        self._scopes = scopes
        self._clock = clock
        self._valid: _Memory[Principal] = _Memory(clock)
        # Apart, so that a flood of invented keys makes no valid one be asked for again.
        self._invalid: _Memory[bool] = _Memory(clock)
        self._asking: dict[Presented, asyncio.Task[Principal | None]] = {}

    async def principal(self, key: str, *, may_ask: Callable[[str], bool]) -> Principal:
        """Whose key it is. The secret itself goes no further than this function.

        A key that was valid is asked for again whatever ``may_ask`` says of its id: guesses from the same address
        must not end it, and an answer older than a minute must not serve a revoked one.
        """
        if (parts := _KEY.fullmatch(key)) is None:
            raise RefusedError("The API key is not valid.")
        presented = (parts[1], hashlib.sha256(parts[2].encode()).hexdigest())
        principal = self._valid.get(presented)
        asks = principal is None and not self._invalid.get(presented)
        if asks and (presented in self._valid or may_ask(parts[1])):
            principal = await self._ask(presented)
        if principal is None:
            raise RefusedError("The API key is not valid, or has ended.", key_id=parts[1])
        return principal

    async def _ask(self, presented: Presented) -> Principal | None:
        if (task := self._asking.get(presented)) is None:
            task = self._asking[presented] = asyncio.create_task(self._verify(presented))
            task.add_done_callback(lambda _: self._asking.pop(presented, None))
        return await asyncio.shield(task)

    async def _verify(self, presented: Presented) -> Principal | None:
        event = {"id": presented[0], "sha256": presented[1]}
        outcome = await self._functions.invoke(_VERIFY, event, caller=nobody())
        if isinstance(outcome, Failure):
            raise UncheckedError
        try:
            verdict = _Verdict.model_validate(outcome.result)
        except ValidationError:
            raise UncheckedError from None
        seconds = _REMEMBERED_SECONDS
        if verdict.expires_at is not None:
            seconds = min(seconds, verdict.expires_at - self._clock()[1])
        if not verdict.valid:
            self._valid.forget(presented)
            self._invalid.put(presented, True, seconds=_REMEMBERED_SECONDS)
            return None
        principal = Principal(verdict.tenant, verdict.subject, verdict.scopes & self._scopes)
        self._valid.put(presented, principal, seconds=seconds)
        return principal
