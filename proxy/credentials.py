"""AWS credentials and botocore's request signatures, without blocking the event loop."""

import asyncio
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import botocore.session
from botocore.auth import SIGNED_HEADERS_BLACKLIST, S3SigV4Auth, SigV4Auth
from botocore.credentials import Credentials, ReadOnlyCredentials, RefreshableCredentials

from proxy.settings import SettingsError

# Credentials that end within this time are waited for; until then, those at hand still serve.
_URGENT_SECONDS = 300


class _Headers(dict[str, str]):
    """Headers without repetitions, as the signers read them."""

    def get_all(self, name: str) -> list[str]:
        return [self[name]]


@dataclass(slots=True)
class _Request:
    """What botocore's signers read and write of a request. Its own AWSRequest holds a slow e-mail message."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes
    params: None = None
    context: dict[str, Any] = field(default_factory=dict)
    signed: _Headers | None = None


class _Lean:
    """Halves the time of botocore's signers, and more: `_Headers`, made once, and a key of the day."""

    def headers_to_sign(self, request: _Request) -> _Headers:
        # Asked for twice; between them nothing changes.
        if request.signed is None:
            named = ((name.lower(), value) for name, value in request.headers.items())
            request.signed = _Headers((name, value) for name, value in named if name not in SIGNED_HEADERS_BLACKLIST)
        return request.signed

    def _sign(self, key: bytes, message: str, hex: bool = False) -> bytes | str:
        return hmac.digest(key, message.encode(), "sha256").hex() if hex else _derived(key, message)


# Four steps for each service, and a function's credentials change within the day.
@lru_cache(maxsize=64)
def _derived(key: bytes, message: str) -> bytes:
    """A step from the secret key to the one that signs a day's requests to a service."""
    return hmac.digest(key, message.encode(), "sha256")


class _LambdaSigner(_Lean, SigV4Auth):  # type: ignore[misc]  # botocore has no types
    pass


class _S3Signer(_Lean, S3SigV4Auth):  # type: ignore[misc]  # botocore has no types
    pass


_SIGNERS: Mapping[str, type[SigV4Auth]] = {"lambda": _LambdaSigner, "s3": _S3Signer}


class Signer:
    """Signs requests for one region. `renew` must have run once before anything is signed."""

    def __init__(self, source: Credentials, *, region: str) -> None:
        self._source = source
        self._region = region
        self._keys: ReadOnlyCredentials | None = None
        self._renewing = asyncio.Lock()

    async def sign(
        self, service: str, *, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> dict[str, str]:
        """`headers` with the signature's own added. `url` must be in the form that is sent."""
        source = self._source
        if isinstance(source, RefreshableCredentials) and source.refresh_needed():
            await self._renew_once(source)
        request = _Request(method, url, {"Host": urlsplit(url).netloc, **headers}, body)
        _SIGNERS[service](self._keys, service, self._region).add_auth(request)
        return request.headers

    async def renew(self) -> None:
        """Read the credentials in a thread: their source may be an HTTP endpoint that is asked synchronously."""
        self._keys = await asyncio.to_thread(self._source.get_frozen_credentials)

    async def _renew_once(self, source: RefreshableCredentials) -> None:
        # Early on, one caller renews and the others sign with what there is; late, all wait.
        if self._renewing.locked() and not source.refresh_needed(_URGENT_SECONDS):
            return
        async with self._renewing:
            if source.refresh_needed():
                await self.renew()


def find_credentials() -> Credentials:
    """Credentials from the environment, a profile, the container or the instance; none is a settings error."""
    found = botocore.session.get_session().get_credentials()
    if found is None:
        raise SettingsError("no AWS credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    return found


def endpoint_url(service: str, *, region: str, override: str | None) -> str:
    """The URL where `service` answers: the override, else the region's public endpoint."""
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return (override or f"https://{service}.{region}.{suffix}").rstrip("/")
