"""AWS credentials and botocore's request signatures, without blocking the event loop."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

import botocore.session
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials, RefreshableCredentials

from proxy.settings import SettingsError

_SIGNERS: Mapping[str, type[SigV4Auth]] = {"lambda": SigV4Auth, "s3": S3SigV4Auth}


class Signer:
    def __init__(self, source: Credentials, *, region: str) -> None:
        self._source = source
        self._region = region

    async def sign(
        self, service: str, *, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> dict[str, str]:
        """Returns ``headers`` with the signature's own added. ``url`` must be spelled exactly as it is sent."""
        source = self._source
        if isinstance(source, RefreshableCredentials) and source.refresh_needed():
            # In a thread, because botocore may ask an HTTP endpoint synchronously. Well before expiry, one caller
            # renews them while the others sign with the old ones; shortly before, all wait.
            await asyncio.to_thread(source.get_frozen_credentials)
        request = AWSRequest(method, url, headers={"Host": urlsplit(url).netloc, **headers}, data=body)
        _SIGNERS[service](source.get_frozen_credentials(), service, self._region).add_auth(request)
        return dict(request.headers.items())


def find_credentials() -> Credentials:
    """Looks in the environment, a profile, the container and the instance. Raises SettingsError if there are none."""
    found = botocore.session.get_session().get_credentials()
    if found is None:
        raise SettingsError("no AWS credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    return found


def endpoint_url(service: str, *, region: str, override: str | None) -> str:
    """Returns the service's URL: the override, else the region's public endpoint."""
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return (override or f"https://{service}.{region}.{suffix}").rstrip("/")
