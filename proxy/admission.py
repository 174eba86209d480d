"""Admission of a request to the endpoint: host and origin, address, credentials, rate."""

import math
from functools import lru_cache

import mcp_types as types
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from proxy.auth.authentication import Authenticate
from proxy.auth.refusals import RefusedError, UncheckedError
from proxy.auth.resource import audiences, challenge, served_scopes
from proxy.auth.step_up import lacking
from proxy.catalog import Catalog
from proxy.rate_limit import RateLimit, network_of
from proxy.refusal import refusal
from proxy.selection import NARROWING, Selection, SelectionError, select
from proxy.server import SCOPE_KEY, Addressed
from proxy.settings import Settings

_MOST_SELECTIONS = 256
_MOST_HEADERS = 100
_RATE_LIMITED = -32000
_RETRY_SECONDS = 2


class Admission:
    """The checks of one running proxy."""

    def __init__(self, settings: Settings, *, catalog: Catalog, authenticate: Authenticate) -> None:
        self._settings = settings
        self._catalog = catalog
        self._authenticate = authenticate
        self._security = TransportSecurityMiddleware(security(settings))
        self._selected = lru_cache(maxsize=_MOST_SELECTIONS)(self._select)
        self._rate = RateLimit[tuple[str, str]](per_minute=settings.rate_per_minute, burst=settings.rate_burst)
        refusals = settings.refusals_per_minute
        self._refusals = RateLimit[str](per_minute=refusals, burst=refusals)
        self._open = settings.auth_mode == "none"

    async def refuse(self, request: Request) -> Response | None:
        """An answer that needs no body; otherwise what is addressed is left in the scope."""
        headers = request.scope["headers"]
        if len(headers) > _MOST_HEADERS or sum(len(value) for _, value in headers) > self._settings.max_header_bytes:
            return refusal(431, "The request's headers are too large.")
        if (answer := await self._security.validate_request(request)) is not None:
            return answer
        if self._open and request.method != "POST":
            return _post_only()
        narrowing = tuple(pair for pair in headers if pair[0] in NARROWING)
        try:
            selection = self._selected(request.scope["path"], narrowing)
        except SelectionError as problem:
            return refusal(problem.status, problem.message)
        return await self._identify(request, selection)

    async def _identify(self, request: Request, selection: Selection) -> Response | None:
        settings = self._settings
        # The peer's, or what the function URL calls the source: a header could name anybody.
        address = network_of(request.client.host if request.client else "")
        wait = self._refusals.wait(address)
        try:
            # Others share the address of whoever guesses: what is known to be valid still passes.
            principal = await self._authenticate(request, audiences(request, settings), ask=not wait)
        except RefusedError as refused:
            # Who presents nothing guesses nothing: clients learn from the challenge where to log in.
            if refused.error and (seconds := wait or self._refusals.take(address)):
                return _slow_down(seconds)
            return self._challenge(request, selection, refused)
        except UncheckedError:
            words = "Credentials cannot be checked at the moment; try again."
            return refusal(503, words, code=types.INTERNAL_ERROR, headers={"retry-after": str(_RETRY_SECONDS)})
        if not self._open and (seconds := self._rate.take((principal.tenant, principal.subject))):
            return _slow_down(seconds)
        if request.method != "POST":
            return _post_only()
        view = self._catalog.view(selection, scopes=principal.scopes)
        request.scope[SCOPE_KEY] = Addressed(view, principal)
        return None

    def _challenge(self, request: Request, selection: Selection, refused: RefusedError) -> Response:
        header = challenge(
            request,
            self._settings,
            scopes=served_scopes(selection, self._catalog),
            error=refused.error,
            description=refused.message,
        )
        return refusal(401, refused.message, headers={"www-authenticate": header})

    def lacking(self, request: Request, body: bytes) -> Response | None:
        """403 where one more scope would do: a client that can ask its issuer for more is told for what.

        That a tool exists is no secret, the manifest is public; an unknown name gets the protocol's own error.
        """
        addressed: Addressed = request.scope[SCOPE_KEY]
        scopes = addressed.principal.scopes
        if scopes >= self._catalog.scopes:
            return None
        found = lacking(body, catalog=self._catalog, selection=addressed.view.selection, scopes=scopes)
        if found is None:
            return None
        scope, number = found
        words = f"Scope '{scope}' is needed."
        # Those it holds are named too: a client that asks for exactly this list keeps what it had.
        wanted = sorted(scopes | {scope})
        header = challenge(request, self._settings, scopes=wanted, error="insufficient_scope", description=words)
        return refusal(403, words, code=types.INVALID_PARAMS, number=number, headers={"www-authenticate": header})

    def _select(self, path: str, narrowing: tuple[tuple[bytes, bytes], ...]) -> Selection:
        settings = self._settings
        return select(path, headers=narrowing, enabled=self._catalog.toolsets, read_only=settings.read_only)


def _post_only() -> Response:
    # A stateless server has nothing to stream on GET and no session to DELETE.
    return JSONResponse({"error": "Only POST is served here."}, 405, {"allow": "POST"})


def _slow_down(seconds: float) -> Response:
    wait = math.ceil(seconds)
    words = f"Too many requests. Try again in {wait} s."
    return refusal(429, words, code=_RATE_LIMITED, headers={"retry-after": str(wait)})


def security(settings: Settings) -> TransportSecuritySettings:
    """Host and Origin checks against rebinding, where a caller's place on the network is all that lets it in."""
    if "*" in settings.allowed_hosts:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    public = (settings.public_url.partition("://")[2],) if settings.public_url else ()
    # Entries match exactly or with `:*`; a host without a port means both.
    patterns = [pattern for host in settings.allowed_hosts + public for pattern in (host, f"{host}:*")]
    origins = [f"{scheme}://{pattern}" for scheme in ("http", "https") for pattern in patterns]
    return TransportSecuritySettings(allowed_hosts=patterns, allowed_origins=[*origins, *settings.allowed_origins])
