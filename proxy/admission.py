"""Admission of a request to the endpoint: host and origin, address, credentials, rate and scopes."""

import asyncio
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import mcp_types as types
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from proxy.auth.authentication import Authenticator
from proxy.auth.resource import audiences, challenge, served_scopes
from proxy.caller import Principal, RefusedError, UncheckedError
from proxy.catalog import Catalog, Offer, Selection, SelectionError
from proxy.http_answers import refusal
from proxy.runtime import Runtime
from proxy.server import SCOPE_KEY, Addressed
from proxy.settings import Settings
from proxy.shared_rate import SharedRate

MOST_BUCKETS = 10_000
# Providers give each customer a network of this size: whoever has one address of it has 2**64.
_IPV6_PREFIX = 64
_MOST_HEADERS = 100
_RATE_LIMITED = -32000
_IDS_OF_AN_ADDRESS = 20
_RETRY_SECONDS = 2
_MOST_HELD = 2_000


class Admission:
    def __init__(self, runtime: Runtime) -> None:
        settings = self._settings = runtime.settings
        self._catalog = runtime.catalog
        self._authenticator = Authenticator(runtime)
        self._security = TransportSecurityMiddleware(security(settings))
        self._rate = RateLimit[tuple[str, str]](per_minute=settings.rate_per_minute, burst=settings.rate_burst)
        factor = settings.tenant_rate_factor
        per_minute, burst = factor * settings.rate_per_minute, factor * settings.rate_burst
        self._tenants = RateLimit[str](per_minute=per_minute, burst=burst)
        self._together = (
            SharedRate(runtime.functions, per_minute=per_minute, burst=burst) if settings.share_tenant_rates else None
        )
        self._holding = 0
        self._refusals = Refusals(per_minute=settings.refusals_per_minute)
        self._open = settings.auth_mode == "none"

    async def refuse(self, request: Request) -> Response | None:
        """Refuses a request without reading its body; None admits it and leaves its `Addressed` in the scope."""
        headers = request.scope["headers"]
        if len(headers) > _MOST_HEADERS or sum(len(value) for _, value in headers) > self._settings.max_header_bytes:
            return refusal(431, "The request's headers are too large.")
        if (answer := await self._security.validate_request(request)) is not None:
            words = (
                f"{bytes(answer.body).decode()}: the settings ALLOWED_HOSTS and ALLOWED_ORIGINS name those served."
            )
            return refusal(answer.status_code, words)
        if self._open and request.method != "POST":
            return _post_only()
        settings = self._settings
        try:
            selection = self._catalog.selection(request.scope["path"], headers, read_only=settings.read_only)
        except SelectionError as problem:
            return refusal(problem.status, str(problem))
        # The peer's address, or the source that the function URL names, never a header's, which could name anybody.
        address = network_of(request.client.host if request.client else "")
        try:
            principal = await self._authenticator.principal(
                request,
                audiences(request, settings),
                may_ask=lambda key_id: not self._refusals.wait(address, key_id=key_id),
            )
        except RefusedError as refused:
            # Without credentials nothing was guessed: clients learn from the challenge where to log in.
            if refused.error and (seconds := self._refusals.take(address, key_id=refused.key_id)):
                return _slow_down(seconds)
            return self._challenge(request, selection, refused)
        except UncheckedError:
            words = "Credentials cannot be checked at the moment; try again."
            return refusal(503, words, code=types.INTERNAL_ERROR, headers={"retry-after": str(_RETRY_SECONDS)})
        if not self._open and (seconds := await self._beyond_rate(principal)):
            return await self._delayed(_slow_down(seconds))
        if request.method != "POST":
            return _post_only()
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return refusal(415, "Send the request with Content-Type: application/json.")
        view = self._catalog.view(selection, scopes=principal.scopes)
        request.scope[SCOPE_KEY] = Addressed(view, principal)
        return None

    async def _beyond_rate(self, principal: Principal) -> float:
        """Returns 0 or the seconds to wait; what the principal's own rate refuses does not count for its tenant."""
        tenant = principal.tenant
        seconds = self._rate.take((tenant, principal.subject)) or self._tenants.take(tenant)
        return seconds if seconds or self._together is None else await self._together.take(tenant)

    async def _delayed(self, answer: Response) -> Response:
        """Delays a refusal: answered at once, 180 clients that retry immediately would keep this process busy."""
        if self._holding < _MOST_HELD:
            self._holding += 1
            try:
                await asyncio.sleep(self._settings.refusal_hold_seconds)
            finally:
                self._holding -= 1
        return answer

    def _challenge(self, request: Request, selection: Selection, refused: RefusedError) -> Response:
        header = challenge(
            request,
            self._settings,
            scopes=served_scopes(selection, self._catalog),
            error=refused.error,
            description=refused.message,
        )
        return refusal(401, refused.message, headers={"www-authenticate": header})

    def missing_scopes(self, request: Request, message: Any) -> Response | None:
        """Answers 403 with the scope that is missing, so that a client can ask its issuer for it; None if none is.

        It may reveal that a tool exists, as the manifest is public; an unknown name gets the protocol's own error.
        """
        addressed: Addressed = request.scope[SCOPE_KEY]
        scopes = addressed.principal.scopes
        if scopes >= self._catalog.scopes:
            return None
        offer = _asked(message, self._catalog)
        if offer is None or offer.needed_scope in scopes:
            return None
        if offer not in self._catalog.offers(addressed.view.selection):
            return None
        words = f"Scope '{offer.needed_scope}' is needed."
        # The scopes that it holds are named too: a client that asks for exactly this list keeps what it had.
        wanted = sorted(scopes | {offer.needed_scope})
        header = challenge(request, self._settings, scopes=wanted, error="insufficient_scope", description=words)
        return refusal(
            403,
            words,
            code=types.INVALID_PARAMS,
            number=message.get("id"),
            headers={"www-authenticate": header},
        )


def _post_only() -> Response:
    # A stateless server has no session to DELETE, and nothing to stream on GET.
    return JSONResponse({"error": "Only POST is served here."}, 405, {"allow": "POST"})


def _slow_down(seconds: float) -> Response:
    wait = math.ceil(seconds)
    words = f"Too many requests. Try again in {wait} s."
    return refusal(429, words, code=_RATE_LIMITED, headers={"retry-after": str(wait)})


def security(settings: Settings) -> TransportSecuritySettings:
    """Returns the checks of Host and Origin against DNS rebinding; `*` among the allowed hosts turns them off."""
    if "*" in settings.allowed_hosts:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    public = (settings.public_url.partition("://")[2],) if settings.public_url else ()
    # Entries match exactly or with `:*`; a host without a port means both.
    patterns = [pattern for host in settings.allowed_hosts + public for pattern in (host, f"{host}:*")]
    origins = [f"{scheme}://{pattern}" for scheme in ("http", "https") for pattern in patterns]
    return TransportSecuritySettings(allowed_hosts=patterns, allowed_origins=[*origins, *settings.allowed_origins])


def _asked(message: object, catalog: Catalog) -> Offer | None:
    """Returns what a JSON-RPC message asks for by name or URI, whatever scope that needs; None for other messages."""
    known = catalog.everything
    match message:
        case {"method": "tools/call", "params": {"name": str() as name}}:
            return known.tools.get(name)
        case {"method": "prompts/get", "params": {"name": str() as name}}:
            return known.prompts.get(name)
        case {"method": "resources/read", "params": {"uri": str() as uri}}:
            return catalog.resource(uri)
        case {"method": "completion/complete", "params": {"ref": {"name": str() as name}}}:
            return known.prompts.get(name)
        case {"method": "completion/complete", "params": {"ref": {"uri": str() as uri}}}:
            return known.resource_templates.get(uri)
    return None


class RateLimit[Who: Hashable]:
    """Token buckets, one per caller, in this process alone."""

    def __init__(self, *, per_minute: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[Who, tuple[float, float]] = OrderedDict()

    def take(self, who: Who) -> float:
        """Takes a token and returns 0, or returns the seconds until there is one."""
        left, now = self._left(who), self._clock()
        waits = left < 1
        self._buckets[who] = (left if waits else left - 1, now)
        self._buckets.move_to_end(who)
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        return (1 - left) / self._per_second if waits else 0.0

    def wait(self, who: Who) -> float:
        """Returns what `take` would, without taking a token."""
        left = self._left(who)
        return (1 - left) / self._per_second if left < 1 else 0.0

    def _left(self, who: Who) -> float:
        left, at = self._buckets.get(who, (self._burst, 0.0))
        return min(self._burst, left + (self._clock() - at) * self._per_second)


class Refusals:
    """Limits refused credentials per address and key id, because others may share the address of one who guesses."""

    def __init__(self, *, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._named = RateLimit[tuple[str, str]](per_minute=per_minute, burst=per_minute, clock=clock)
        # Whoever invents a new id each time would escape that limit, so the address as a whole has one too.
        most = per_minute * _IDS_OF_AN_ADDRESS
        self._all = RateLimit[str](per_minute=most, burst=most, clock=clock)

    def wait(self, address: str, *, key_id: str) -> float:
        """Returns the seconds for which an unknown key of that id is not looked up; 0 if it may be now."""
        return max(self._named.wait((address, key_id)), self._all.wait(address))

    def take(self, address: str, *, key_id: str) -> float:
        """Counts a refusal and returns 0, or returns the seconds to wait once there were too many."""
        # A refusal that the limit of its id catches must not count against the other ids of the address.
        return self._named.take((address, key_id)) or self._all.take(address)


def network_of(address: str) -> str:
    """Returns the /64 network of an IPv6 address, and the IPv4 address of a mapped one; other text stays as it is."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _IPV6_PREFIX), strict=False).network_address)
