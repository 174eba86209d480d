"""JWT access tokens: signature, issuer, audience and time checked, then read as a principal."""

import logging
import re
import time
from collections.abc import Mapping
from typing import Any

from proxy.auth import RefusedError
from proxy.auth.signing_keys import SigningKeys
from proxy.caller import Principal
from proxy.events import log
from proxy.settings import Settings

_logger = logging.getLogger(__name__)

_ALGORITHMS = frozenset({"RS256", "ES256"})
# RFC 9068's type and the untyped ones of Cognito and others; a logout or a DPoP token is no access token.
_TYPES = frozenset({"at+jwt", "application/at+jwt", "jwt", ""})
_SKEW_SECONDS = 60
_MOST_CHARS = 8192
_MOST_KID_CHARS = 256
_TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_SUBJECT = re.compile(r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,198}[^\s\x00-\x1f\x7f])?")


class Tokens:
    """Checks the tokens of one issuer."""

    def __init__(self, settings: Settings, *, keys: SigningKeys, scopes: frozenset[str]) -> None:
        self._settings = settings
        self._keys = keys
        self._scopes = scopes

    async def principal(self, token: str, *, audiences: frozenset[str]) -> Principal:
        """Whose token it is; it must be meant for one of `audiences`."""
        try:
            claims = await self._claims(token)
            self._check_life(claims)
            self._check_audience(claims, audiences)
            return Principal(
                tenant=self._tenant(claims), subject=_subject(claims), scopes=self._granted(claims) & self._scopes
            )
        except RefusedError as refused:
            log(_logger, "token_refused", level=logging.WARNING, reason=refused.message)
            raise

    async def _claims(self, token: str) -> Mapping[str, Any]:
        # See signing_keys: not part of a start without an issuer.
        import jwt

        if len(token) > _MOST_CHARS:
            raise RefusedError("The token is too long.")
        try:
            header = jwt.get_unverified_header(token)
            algorithm, kid = _read(header)
            key = await self._keys.find(kid, algorithm=algorithm)
            if key is None:
                raise RefusedError("The token's key is not the issuer's.")
            return jwt.decode(
                token,
                key,
                # One, and the key's own: the header chooses among keys, never how a key is used.
                algorithms=[algorithm],
                issuer=self._settings.oauth_issuer,
                leeway=_SKEW_SECONDS,
                options={"require": ["exp", "iss", "sub"], "verify_aud": False},
            )
        except jwt.ExpiredSignatureError:
            raise RefusedError("The token has expired.") from None
        except (jwt.InvalidTokenError, OverflowError, RecursionError):
            raise RefusedError("The token is not valid.") from None

    def _check_life(self, claims: Mapping[str, Any]) -> None:
        # jwt.decode has read it as a whole number of seconds.
        if int(claims["exp"]) - time.time() > self._settings.oauth_most_token_seconds + _SKEW_SECONDS:
            raise RefusedError("The token lives longer than is accepted here.")

    def _check_audience(self, claims: Mapping[str, Any], audiences: frozenset[str]) -> None:
        # Cognito's way of telling its access tokens from the id tokens it signs with the same key.
        if claims.get("token_use", "access") != "access":
            raise RefusedError("The token is not an access token.")
        given = claims.get("aud")
        if given is None:
            if claims.get("client_id") in self._settings.oauth_client_ids:
                return
            raise RefusedError("The token names no audience.")
        named = [given] if isinstance(given, str) else given if isinstance(given, list) else []
        if not any(isinstance(name, str) and name.removesuffix("/") in audiences for name in named):
            raise RefusedError("The token is meant for another audience.")

    def _tenant(self, claims: Mapping[str, Any]) -> str:
        for name in self._settings.oauth_tenant_claim:
            if (tenant := claims.get(name)) is not None:
                if isinstance(tenant, str) and _TENANT.fullmatch(tenant):
                    return tenant
                raise RefusedError("The token's tenant is not a valid name.")
        raise RefusedError("The token names no tenant.")

    def _granted(self, claims: Mapping[str, Any]) -> frozenset[str]:
        given = next((claims[name] for name in self._settings.oauth_scope_claim if name in claims), "")
        named = given.split() if isinstance(given, str) else given if isinstance(given, list) else []
        prefix = self._settings.oauth_scope_prefix
        return frozenset(
            name.removeprefix(prefix) for name in named if isinstance(name, str) and name.startswith(prefix)
        )


def _read(header: Mapping[str, Any]) -> tuple[str, str | None]:
    algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ", "")
    if not isinstance(algorithm, str) or algorithm not in _ALGORITHMS:
        raise RefusedError("The token is signed in a way that is not accepted.")
    if "crit" in header or not isinstance(kind, str) or kind.lower() not in _TYPES:
        raise RefusedError("The token is of a kind that is not accepted.")
    if kid is not None and (not isinstance(kid, str) or len(kid) > _MOST_KID_CHARS):
        raise RefusedError("The token is not valid.")
    return algorithm, kid


def _subject(claims: Mapping[str, Any]) -> str:
    subject = claims["sub"]
    if not isinstance(subject, str) or not _SUBJECT.fullmatch(subject):
        raise RefusedError("The token's subject is not usable.")
    return subject
