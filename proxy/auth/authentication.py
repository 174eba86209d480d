"""From a request's headers to its principal, by the configured mode."""

from collections.abc import Callable
from typing import Protocol

import aiohttp
from starlette.requests import HTTPConnection

from proxy.auth import RefusedError
from proxy.auth.api_keys import PREFIX, ApiKeys
from proxy.auth.signing_keys import SigningKeys
from proxy.auth.tokens import Tokens
from proxy.caller import Principal, local_principal
from proxy.invocation import LambdaClient
from proxy.settings import Settings

API_KEY_HEADER = "x-api-key"


class Authenticate(Protocol):
    """Finds a request's principal, given the audiences that a token may name.

    It raises RefusedError or UncheckedError. An unknown key is looked up if ``may_ask`` grants it for the key's id.
    """

    async def __call__(
        self, request: HTTPConnection, audiences: frozenset[str], *, may_ask: Callable[[str], bool]
    ) -> Principal: ...


def authenticator(
    settings: Settings, *, scopes: frozenset[str], functions: LambdaClient, session: aiohttp.ClientSession
) -> Authenticate:
    """How the configured mode tells callers apart. `none` grants all, and `Settings` binds that to loopback."""
    if settings.auth_mode == "none":
        everyone = local_principal(settings, scopes=scopes)

        async def grant(
            request: HTTPConnection,  # noqa: ARG001
            audiences: frozenset[str],  # noqa: ARG001
            *,
            may_ask: Callable[[str], bool],  # noqa: ARG001
        ) -> Principal:
            return everyone

        return grant
    keys = ApiKeys(functions, scopes=scopes) if settings.takes_keys else None
    signing = SigningKeys(settings, session=session) if settings.takes_tokens else None
    tokens = Tokens(settings, keys=signing, scopes=scopes) if signing is not None else None

    async def authenticate(
        request: HTTPConnection, audiences: frozenset[str], *, may_ask: Callable[[str], bool]
    ) -> Principal:
        given = credentials(request)
        if given.startswith(PREFIX) and keys is not None:
            return await keys.principal(given, may_ask=may_ask)
        if not given.startswith(PREFIX) and tokens is not None:
            return await tokens.principal(given, audiences=audiences)
        raise RefusedError("This kind of credentials is not accepted here.")

    return authenticate


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
