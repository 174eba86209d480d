"""AWS credentials and botocore's request signatures, without blocking the event loop."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

import botocore.session
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials, ReadOnlyCredentials, RefreshableCredentials

from proxy.settings import SettingsError

# Credentials that end within this time are waited for; until then, those at hand still serve.
_URGENT_SECONDS = 300


_SIGNERS: Mapping[str, type[SigV4Auth]] = {"lambda": SigV4Auth, "s3": S3SigV4Auth}


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
        request = AWSRequest(method, url, headers={"Host": urlsplit(url).netloc, **headers}, data=body)
        _SIGNERS[service](self._keys, service, self._region).add_auth(request)
        return dict(request.headers.items())

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
