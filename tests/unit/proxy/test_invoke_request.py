"""An Invoke request is what botocore would sign, whatever the function's name and the credentials."""

from email.parser import BytesHeaderParser

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from proxy.credentials import SigningKeys
from proxy.invoke_request import InvokeRequests

REGION = "eu-central-1"


@pytest.mark.parametrize("token", [None, "AQoDYXdzEJr+/="])
@pytest.mark.parametrize("qualifier", ["live", "", "a b/ü"])
@pytest.mark.parametrize(
    ("authority", "path", "prefix"),
    [
        ("lambda.eu-central-1.amazonaws.com", "", "quarry-"),
        ("127.0.0.1:8001", "/lambda", ""),
        ("h", "", "arn:aws:lambda:eu-central-1:123456789012:function:quarry-"),
    ],
)
def test_the_signature_is_the_one_botocore_computes(
    authority: str, path: str, prefix: str, qualifier: str, token: str | None
) -> None:
    credentials = Credentials("AKID", "secret", token)
    auth = SigV4Auth(credentials, "lambda", REGION)
    keys = SigningKeys("lambda", auth, credentials.get_frozen_credentials(), region=REGION)
    requests = InvokeRequests(authority=authority, path=path, prefix=prefix, qualifier=qualifier)
    for body in (b"{}", '{"query": "½ inch"}'.encode()):
        head, _, sent = requests.compose("search", body, context="eyJhIjoxfQ==", keys=keys).partition(b"\r\n\r\n")
        line, _, lines = head.partition(b"\r\n")
        method, target, _ = line.decode().split(" ")
        headers = dict(BytesHeaderParser().parsebytes(lines))
        assert (sent, headers.pop("Content-Length")) == (body, str(len(body)))
        given = headers.pop("authorization")
        assert headers.pop("host") == authority
        request = AWSRequest(method=method, url=f"https://{authority}{target}", headers=headers, data=body)
        request.context["timestamp"] = headers["x-amz-date"]
        text = auth.string_to_sign(request, auth.canonical_request(request))
        assert given.endswith(f"Signature={auth.signature(text, request)}")
        assert headers.get("x-amz-security-token") == token
