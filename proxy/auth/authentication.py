"""Authentication of a request from its headers, by the configured mode. An API key is hashed, a function says whose
it is, and the answer is remembered for a minute.
"""

import asyncio
import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Callable

from pydantic import BaseModel, ValidationError
from starlette.requests import HTTPConnection

from proxy.auth.tokens import SigningKeys, Tokens
from proxy.caller import Principal, RefusedError, UncheckedError, local_principal, nobody
from proxy.invocation import LambdaClient
from proxy.outcome import Failure, Function
from proxy.runtime import Runtime

PREFIX = "qk_"
_KEY = re.compile(r"qk_([0-9A-Za-z]{12})_([0-9A-Za-z_-]{43})")
_VERIFY = Function("verify_api_key", timeout_s=10, repeatable=True)
_REMEMBERED_SECONDS = 60.0
_MOST_REMEMBERED = 10_000

Presented = tuple[str, str]
"""A key's id and the SHA-256 of its secret: enough to find an answer again, but not to log in."""


Clock = Callable[[], tuple[float, float]]
"""Returns the monotonic time and the wall clock's, in seconds."""


def _now() -> tuple[float, float]:
    return time.monotonic(), time.time()


class _Verdict(BaseModel):
    valid: bool
    tenant: str = ""
    subject: str = ""
    scopes: frozenset[str] = frozenset()
    expires_at: float | None = None


class _Memory[T]:
    """Remembers answers for a time; where there are too many, it forgets the least recently used first.

    An answer expires by whichever clock comes first: the wall clock may be set back, and the monotonic one may stand
    still while a Lambda environment is frozen.
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
        """Returns whether an answer is stored, expired or not."""
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
        # Kept apart, so that a flood of invented keys does not push valid ones out.
        self._invalid: _Memory[bool] = _Memory(clock)
        self._asking: dict[Presented, asyncio.Task[Principal | None]] = {}

    async def principal(self, key: str, *, may_ask: Callable[[str], bool]) -> Principal:
        """Returns the key's principal; the secret itself goes no further. Raises RefusedError or UncheckedError.

        A key that was valid before is verified again whatever ``may_ask`` says of its id: guesses from the same
        address must not lock it out, and an answer older than a minute must not let a revoked key in.
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
            verdict = _Verdict.model_validate(outcome)
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


API_KEY_HEADER = "x-api-key"


class Authenticator:
    """Finds the principal of a request by the configured mode. `none` grants everything, which `Settings` allows on
    loopback only; an API key that is sent nevertheless is checked, for it says which tenant is meant.
    """

    def __init__(self, runtime: Runtime) -> None:
        settings, scopes = runtime.settings, runtime.catalog.scopes
        self._everyone = local_principal(settings, scopes=scopes) if settings.auth_mode == "none" else None
        takes_keys = settings.takes_keys or self._everyone is not None
        self._keys = ApiKeys(runtime.functions, scopes=scopes) if takes_keys else None
        self._tokens = (
            Tokens(settings, keys=SigningKeys(settings, session=runtime.session), scopes=scopes)
            if settings.takes_tokens
            else None
        )

    async def principal(
        self, request: HTTPConnection, audiences: frozenset[str], *, may_ask: Callable[[str], bool]
    ) -> Principal:
        """Returns whose request it is; a token must name one of ``audiences``. Raises RefusedError or UncheckedError.

        An unknown key is looked up only if ``may_ask`` allows it for the key's id.
        """
        if self._everyone is not None and not _brings_a_key(request):
            return self._everyone
        given = credentials(request)
        if given.startswith(PREFIX) and self._keys is not None:
            return await self._keys.principal(given, may_ask=may_ask)
        if not given.startswith(PREFIX) and self._tokens is not None:
            return await self._tokens.principal(given, audiences=audiences)
        raise RefusedError("This kind of credentials is not accepted here.")


def _brings_a_key(request: HTTPConnection) -> bool:
    given = [*request.headers.getlist(API_KEY_HEADER), *request.headers.getlist("authorization")]
    return any(word.startswith(PREFIX) for each in given for word in each.split())


def credentials(request: HTTPConnection) -> str:
    """Returns the bearer token or API key. Only headers are read, because what stands in a URL ends up in logs."""
    bearers = request.headers.getlist("authorization")
    keys = request.headers.getlist(API_KEY_HEADER)
    match bearers, keys:
        case [], []:
            raise RefusedError("Authentication is required.", error="")
        case [bearer], []:
            scheme, _, token = bearer.partition(" ")
            if scheme.lower() == "bearer" and (token := token.strip()):
                return token
            raise RefusedError("Only Bearer authentication is accepted.", error="invalid_request")
        case [], [key] if key.startswith(PREFIX):
            return key
        case [], [_]:
            raise RefusedError("The API key is not valid.")
        case _:
            raise RefusedError("Send credentials once, in one header.", error="invalid_request")
