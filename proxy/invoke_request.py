"""The bytes of an Invoke request: what all calls share is worked out once, the rest is hashed and signed."""

import hashlib
import hmac
import time
from functools import lru_cache
from urllib.parse import quote

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials

from proxy.credentials import SigningKeys

_SIGNED = "content-type;host;x-amz-client-context;x-amz-date;x-amz-invocation-type"


class InvokeRequests:
    """Composes synchronous invocations of the functions behind one endpoint."""

    def __init__(self, *, authority: str, prefix: str, qualifier: str, path: str = "") -> None:
        """``path`` is what stands before the API's own path, where an endpoint is not at the root."""
        self._authority = authority
        self._prefix = prefix
        self._query = f"?Qualifier={quote(qualifier, safe='')}" if qualifier else ""
        self._path = path
        self._lines = lru_cache(maxsize=1024)(self._canonical_lines)

    def compose(self, function: str, body: bytes, *, context: str, keys: SigningKeys) -> bytes:
        """Head and body. Every header of AWS's own is signed, as the service demands."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        target, path, query = self._lines(function)
        names, token = _SIGNED, keys.token
        if token:
            names += ";x-amz-security-token"
        signed = (
            f"content-type:application/json\nhost:{self._authority}\nx-amz-client-context:{context}\n"
            f"x-amz-date:{stamp}\nx-amz-invocation-type:RequestResponse\n"
        ) + (f"x-amz-security-token:{token}\n" if token else "")
        canonical = f"POST\n{path}\n{query}\n{signed}\n{names}\n{hashlib.sha256(body).hexdigest()}"
        day = stamp[:8]
        scope = f"{day}/{keys.region}/lambda/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        signature = hmac.digest(keys.of(day), text.encode(), "sha256").hex()
        head = (
            f"POST {target} HTTP/1.1\r\nContent-Length: {len(body)}\r\n"
            + signed.replace("\n", "\r\n")
            + f"authorization:AWS4-HMAC-SHA256 Credential={keys.access_key}/{scope}, "
            f"SignedHeaders={names}, Signature={signature}\r\n\r\n"
        )
        return head.encode("latin-1") + body

    def _canonical_lines(self, function: str) -> tuple[str, str, str]:
        """The request target, and how SigV4 spells its path and query: botocore's own normalisation."""
        target = f"{self._path}/2015-03-31/functions/{self._prefix}{function}/invocations{self._query}"
        request = AWSRequest(method="POST", url=f"https://{self._authority}{target}")
        request.context["timestamp"] = ""
        auth = SigV4Auth(ReadOnlyCredentials("", "", None), "lambda", "")
        _, path, query, *_ = auth.canonical_request(request).split("\n")
        return target, path, query
