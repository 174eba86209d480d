"""JWT access tokens: verification of signature, issuer, audience and time, and the principal that they name."""

import asyncio
import logging
import re
import time
from collections.abc import Mapping
from typing import Any

import aiohttp

from proxy.caller import Principal, RefusedError, UncheckedError
from proxy.settings import Settings, is_secure
from proxy.telemetry import log

_logger = logging.getLogger(__name__)

_FETCH_SECONDS = 5.0
_FRESH_SECONDS = 3600.0
# By default no token lives longer than this. Keys that could not be fetched anew for so long are not trusted.
_KEPT_SECONDS = 86_400.0
_LEAST_RSA_BITS = 2048
_OK = 200

_ALGORITHMS = frozenset({"RS256", "ES256"})
# RFC 9068's type and the untyped ones of Cognito and others; a logout or a DPoP token is no access token.
_TYPES = frozenset({"at+jwt", "application/at+jwt", "jwt", ""})
_SKEW_SECONDS = 60
_MOST_CHARS = 8192
_MOST_KID_CHARS = 256
_TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_SUBJECT = re.compile(r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,198}[^\s\x00-\x1f\x7f])?")

KeyId = tuple[str | None, str]
"""Key id and algorithm."""


class SigningKeys:
    """The issuer's keys by id and algorithm. Only one fetch runs at a time, and none soon after another."""

    def __init__(self, settings: Settings, *, session: aiohttp.ClientSession) -> None:
        self._issuer = settings.oauth_issuer or ""
        self._url = settings.oauth_jwks_url
        self._pause = settings.oauth_jwks_pause_seconds
        self._session = session
        self._keys: dict[KeyId, Any] = {}
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._fetching: asyncio.Task[None] | None = None

    async def find(self, kid: str | None, *, algorithm: str) -> Any:
        """Returns the key, or None if the issuer has no such key. Raises UncheckedError while no key is current."""
        key = self._known(kid, algorithm)
        if key is None:
            if (fetching := self._begin()) is not None:
                # A caller that disconnects must not cancel the fetch for the others.
                await asyncio.shield(fetching)
            key = self._known(kid, algorithm)
        elif self._age() > _FRESH_SECONDS:
            # Nobody waits for this one: the key at hand is good until the issuer says otherwise.
            self._begin()
        if not self._keys or self._age() > _KEPT_SECONDS:
            raise UncheckedError
        return key

    def _known(self, kid: str | None, algorithm: str) -> Any:
        if kid is not None:
            return self._keys.get((kid, algorithm))
        fitting = [key for (_, name), key in self._keys.items() if name == algorithm]
        return fitting[0] if len(fitting) == 1 else None

    def _age(self) -> float:
        return float("inf") if self._fetched_at is None else time.monotonic() - self._fetched_at

    def _begin(self) -> asyncio.Task[None] | None:
        if self._fetching is not None and not self._fetching.done():
            return self._fetching
        if self._tried_at is not None and time.monotonic() - self._tried_at < self._pause:
            return None
        self._tried_at = time.monotonic()
        self._fetching = asyncio.create_task(self._fetch())
        return self._fetching

    async def _fetch(self) -> None:
        try:
            async with asyncio.timeout(_FETCH_SECONDS):
                self._url = self._url or await self._discover()
                keys = usable(await self._json(self._url))
            if not keys:
                # An empty set is a slip of the issuer's; accepted, it would shut everybody out until the next one.
                raise ValueError("no usable key")
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as failure:
            log(_logger, "jwks_unreadable", level=logging.WARNING, cause=type(failure).__name__)
            return
        self._keys, self._fetched_at = keys, time.monotonic()
        log(_logger, "jwks_read", keys=len(keys))

    async def _discover(self) -> str:
        """Returns the key set's URL from the issuer's metadata. Raises ValueError if they are another issuer's."""
        metadata = await self._json(self._issuer.removesuffix("/") + "/.well-known/openid-configuration")
        url = metadata.get("jwks_uri")
        if metadata.get("issuer") != self._issuer or not isinstance(url, str) or not is_secure(url):
            raise ValueError("metadata of another issuer, or without a usable jwks_uri")
        return url

    async def _json(self, url: str) -> dict[str, Any]:
        async with self._session.get(url, allow_redirects=False) as response:
            if response.status != _OK:
                raise ValueError("not a usable document")
            document = await response.json(content_type=None)
        if not isinstance(document, dict):
            raise ValueError("not a JSON object")
        return document


def usable(document: dict[str, Any]) -> dict[KeyId, Any]:
    """Returns the public signature keys of accepted algorithms; everything else that the set holds is skipped."""
    # These imports take 0.2 s; a proxy without an issuer never pays them.
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from jwt import PyJWK, PyJWTError

    if not isinstance(entries := document.get("keys"), list):
        raise ValueError("no key set")
    keys: dict[KeyId, Any] = {}
    for entry in entries:
        # Others are not read: PyJWT raises no error of its own for some, and its PyJWKSet refuses all for one.
        if not isinstance(entry, dict) or entry.get("kty") not in ("RSA", "EC"):
            continue
        if entry.get("alg") not in (None, "RS256", "ES256"):
            continue
        try:
            each = PyJWK(entry)
        except (PyJWTError, TypeError, ValueError):
            continue
        match each.algorithm_name, each.key:
            case "RS256", RSAPublicKey(key_size=size):
                accepted = size >= _LEAST_RSA_BITS
            case "ES256", EllipticCurvePublicKey(curve=SECP256R1()):
                accepted = True
            case _:
                accepted = False
        if accepted and each.public_key_use in (None, "sig"):
            keys[each.key_id if isinstance(each.key_id, str) else None, each.algorithm_name] = each.key
    return keys


class Tokens:
    def __init__(self, settings: Settings, *, keys: SigningKeys, scopes: frozenset[str]) -> None:
        self._settings = settings
        self._keys = keys
        self._scopes = scopes

    async def principal(self, token: str, *, audiences: frozenset[str]) -> Principal:
        """Returns the token's principal. Raises RefusedError if it is invalid or meant for none of ``audiences``."""
        try:
            claims = await self._claims(token)
            # jwt.decode has read it as a whole number of seconds.
            if int(claims["exp"]) - time.time() > self._settings.oauth_most_token_seconds + _SKEW_SECONDS:
                raise RefusedError("The token lives longer than is accepted here.")
            self._check_audience(claims, audiences)
            return Principal(
                tenant=self._tenant(claims),
                subject=self._subject(claims),
                scopes=self._granted(claims) & self._scopes,
            )
        except RefusedError as refused:
            log(_logger, "token_refused", level=logging.WARNING, reason=refused.message)
            raise

    async def _claims(self, token: str) -> Mapping[str, Any]:
        # The same slow import: a start without an issuer does not pay it.
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
                # Only the algorithm that the key was found by: the header chooses a key, never how it is used.
                algorithms=[algorithm],
                issuer=self._settings.oauth_issuer,
                leeway=_SKEW_SECONDS,
                options={"require": ["exp", "iss", "sub"], "verify_aud": False},
            )
        except jwt.ExpiredSignatureError:
            raise RefusedError("The token has expired.") from None
        except (jwt.InvalidTokenError, OverflowError, RecursionError):
            raise RefusedError("The token is not valid.") from None

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

    def _subject(self, claims: Mapping[str, Any]) -> str:
        names = self._settings.oauth_subject_claim
        subject = next((claims[name] for name in names if claims.get(name) is not None), None)
        if not isinstance(subject, str) or not _SUBJECT.fullmatch(subject):
            raise RefusedError(f"The token's subject ({', '.join(names)}) is missing or not usable.")
        return subject

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
