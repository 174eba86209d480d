"""AWS credentials and request signatures, without blocking the event loop."""

import asyncio
import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime

import botocore.session
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials, ReadOnlyCredentials, RefreshableCredentials

from proxy.settings import SettingsError

# Within this time of their end, credentials are waited for; before, those at hand still serve.
_URGENT_SECONDS = 300


class Signer:
    """Signs requests for one region. `renew` must have run once before anything is signed."""

    def __init__(self, source: Credentials, *, region: str) -> None:
        self._source = source
        self._region = region
        self._services: dict[str, SigningKeys] = {}
        self._renewing = asyncio.Lock()

    async def sign(
        self, service: str, *, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> dict[str, str]:
        """`headers` with the signature's own added. `url` must be in the form that is sent."""
        keys = await self.keys(service)
        request = AWSRequest(method=method, url=url, headers=dict(headers), data=body)
        return keys.sign(request, body, now=datetime.now(UTC))

    async def keys(self, service: str) -> "SigningKeys":
        """What to sign with now, for whoever composes requests of its own."""
        source = self._source
        if isinstance(source, RefreshableCredentials) and source.refresh_needed():
            await self._renew_once(source)
        return self._services[service]

    async def renew(self) -> None:
        """Read the credentials from their source, which may be an HTTP endpoint asked synchronously."""
        frozen = await asyncio.to_thread(self._source.get_frozen_credentials)
        self._services = {
            "lambda": SigningKeys("lambda", SigV4Auth(frozen, "lambda", self._region), frozen, region=self._region),
            "s3": SigningKeys("s3", S3SigV4Auth(frozen, "s3", self._region), frozen, region=self._region),
        }

    async def _renew_once(self, source: RefreshableCredentials) -> None:
        # Early on, one caller renews and the others sign with what there is; late, all wait.
        if self._renewing.locked() and not source.refresh_needed(_URGENT_SECONDS):
            return
        async with self._renewing:
            if source.refresh_needed():
                await self.renew()


class SigningKeys:
    """Credentials for one service and region, with the day's signing key derived once instead of once per request."""

    def __init__(self, service: str, auth: SigV4Auth, keys: ReadOnlyCredentials, *, region: str) -> None:
        self.region = region
        self.access_key: str = keys.access_key
        self.token: str | None = keys.token
        self._service = service
        self._auth = auth
        self._secret: str = keys.secret_key
        self._key_of_day: tuple[str, bytes] = ("", b"")

    def of(self, day: str) -> bytes:
        """The signing key of a day such as 20261121."""
        if self._key_of_day[0] != day:
            key = f"AWS4{self._secret}".encode()
            for part in (day, self.region, self._service, "aws4_request"):
                key = hmac.digest(key, part.encode(), "sha256")
            self._key_of_day = (day, key)
        return self._key_of_day[1]

    def sign(self, request: AWSRequest, body: bytes, *, now: datetime) -> dict[str, str]:
        """botocore's signing steps, for a request of any shape."""
        timestamp = now.strftime("%Y%m%dT%H%M%SZ")
        request.context["timestamp"] = timestamp
        request.headers["X-Amz-Date"] = timestamp
        if self.token:
            request.headers["X-Amz-Security-Token"] = self.token
        if self._service == "s3":
            request.headers["X-Amz-Content-SHA256"] = hashlib.sha256(body).hexdigest()
        canonical = self._auth.canonical_request(request)
        # It ends with the signed headers' names and the payload's hash, a line each.
        names = canonical.rsplit("\n", 2)[1]
        text = self._auth.string_to_sign(request, canonical)
        signature = hmac.digest(self.of(timestamp[:8]), text.encode(), "sha256").hex()
        given = f"Credential={self._auth.scope(request)}, SignedHeaders={names}, Signature={signature}"
        return {**dict(request.headers.items()), "Authorization": f"AWS4-HMAC-SHA256 {given}"}


def find_credentials() -> Credentials:
    """From the environment, a profile, the container or the instance; none is a settings error."""
    found = botocore.session.get_session().get_credentials()
    if found is None:
        raise SettingsError("no AWS credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    return found


def endpoint_url(service: str, *, region: str, override: str | None) -> str:
    """Where `service` answers: the override, else the region's public endpoint."""
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return (override or f"https://{service}.{region}.{suffix}").rstrip("/")
