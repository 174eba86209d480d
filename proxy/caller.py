"""The caller of a request with its trace, the client context that tells a function of it, and refused callers."""

import base64
import json
import uuid
from dataclasses import dataclass

from proxy.settings import Settings

# Lambda refuses a longer header.
MOST_BYTES = 3583


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller whose identity is established. `scopes` are the granted ones, never a wildcard."""

    tenant: str
    subject: str
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal of one request. `traceparent` is W3C's, of the span that serves the request."""

    principal: Principal
    request_id: str
    traceparent: str | None = None

    @property
    def trace_id(self) -> str | None:
        return self.traceparent.split("-")[1] if self.traceparent else None


def local_principal(settings: Settings, *, scopes: frozenset[str]) -> Principal:
    """The operator of this machine, who is granted everything."""
    return Principal(tenant=settings.default_tenant, subject="local", scopes=scopes)


def nobody() -> Caller:
    """Returns the caller of the proxy's own calls, which are for no tenant."""
    return Caller(Principal("", "proxy", frozenset()), request_id=uuid.uuid4().hex)


def client_context(tool: str, caller: Caller) -> str | None:
    """Returns the value of Invoke's X-Amz-Client-Context, which holds no arguments.

    It is None where the identity does not fit, because half a list of scopes would be a wrong one.
    """
    custom: dict[str, object] = {
        "tool": tool,
        "tenant": caller.principal.tenant,
        "subject": caller.principal.subject,
        "scopes": sorted(caller.principal.scopes),
        "request_id": caller.request_id,
    }
    if caller.traceparent:
        custom["traceparent"] = caller.traceparent
    encoded = base64.b64encode(json.dumps({"custom": custom}, separators=(",", ":")).encode())
    return encoded.decode() if len(encoded) <= MOST_BYTES else None


class RefusedError(Exception):
    """The request has no valid credentials. The message is for the caller.

    `error` is RFC 6750's code, empty where no credentials came; `key_id` is that of a well-formed API key.
    """

    def __init__(self, message: str, *, error: str = "invalid_token", key_id: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.error = error
        self.key_id = key_id


class UncheckedError(Exception):
    """The credentials cannot be checked now, because the issuer or the key store cannot be reached."""
