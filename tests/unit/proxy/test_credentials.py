"""Signatures equal botocore's own, and credentials are renewed before they expire."""

import asyncio
from datetime import UTC, datetime, timedelta

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials, RefreshableCredentials

from proxy.invocation import Signer
from proxy.runtime import endpoint_url

URL = "https://lambda.eu-central-1.amazonaws.com/2015-03-31/functions/f/invocations?Qualifier=live"
KEYS = Credentials("AKID", "secret", "token")


def test_a_signature_equals_the_one_botocore_computes() -> None:
    async def sign(service: str) -> list[dict[str, str]]:
        signer = Signer(KEYS, region="eu-central-1")
        return [await signer.sign(service, method="POST", url=URL, headers={"X-A": "b"}, body=b"{}")]

    for service, stock in (("lambda", SigV4Auth), ("s3", S3SigV4Auth)):
        for headers in asyncio.run(sign(service)):
            given = headers.pop("Authorization")
            request = AWSRequest(method="POST", url=URL, headers=headers, data=b"{}")
            request.context["timestamp"] = headers["X-Amz-Date"]
            auth = stock(KEYS, service, "eu-central-1")
            text = auth.string_to_sign(request, auth.canonical_request(request))
            assert given.endswith(auth.signature(text, request))
            assert headers["X-Amz-Security-Token"] == "token"


def test_expiring_credentials_are_renewed_once_for_many_callers() -> None:
    renewals: list[int] = []

    def fetch() -> dict[str, str]:
        renewals.append(1)
        expires = datetime.now(UTC) + timedelta(seconds=10 if len(renewals) == 1 else 7200)
        return {
            "access_key": "new" if len(renewals) > 1 else "old",
            "secret_key": "s",
            "token": "t",
            "expiry_time": expires.isoformat(),
        }

    async def main() -> set[str]:
        source = RefreshableCredentials.create_from_metadata(fetch(), refresh_using=fetch, method="test")
        signer = Signer(source, region="r")
        signed = [signer.sign("lambda", method="GET", url=URL, headers={}) for _ in range(20)]
        return {headers["Authorization"].split("/")[0] for headers in await asyncio.gather(*signed)}

    assert asyncio.run(main()) == {"AWS4-HMAC-SHA256 Credential=new"}
    assert len(renewals) == 2


def test_endpoints_follow_the_override_and_the_partition() -> None:
    assert endpoint_url("lambda", region="x", override="http://127.0.0.1:9/") == "http://127.0.0.1:9"
    assert endpoint_url("lambda", region="eu-west-1", override=None) == "https://lambda.eu-west-1.amazonaws.com"
    assert endpoint_url("lambda", region="cn-north-1", override="").endswith(".amazonaws.com.cn")
