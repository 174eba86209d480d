"""From a request's headers to its principal, by the configured mode."""

from collections.abc import Callable

from starlette.requests import HTTPConnection

from proxy.auth.api_keys import PREFIX, ApiKeys
from proxy.auth.tokens import SigningKeys, Tokens
from proxy.caller import Principal, RefusedError, local_principal
from proxy.runtime import Runtime

API_KEY_HEADER = "x-api-key"


class Authenticator:
    """Tells callers apart as the configured mode does. `none` grants all, and `Settings` binds that to loopback; a
    key that somebody sends nevertheless is one to be checked, for it says whose rows are meant.
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
        """Whose request it is, given the audiences that a token may name. Raises RefusedError or UncheckedError.

        An unknown key is looked up if ``may_ask`` grants it for the key's id.
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
    return any(each.removeprefix("Bearer ").strip().startswith(PREFIX) for each in given)


def credentials(request: HTTPConnection) -> str:
    """The bearer token or API key, from a header alone: what stands in a URL ends up in logs."""
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
