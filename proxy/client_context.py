"""What a function learns about its caller: the Lambda client context, never the arguments."""

import base64
import json
import re
from dataclasses import dataclass

from proxy.identity import Principal

# Lambda refuses a longer header.
MOST_BYTES = 3583
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


class ContextTooLargeError(Exception):
    """The identity does not fit into the header."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, for which request, within which trace."""

    principal: Principal
    request_id: str
    traceparent: str | None = None

    @property
    def trace_id(self) -> str | None:
        return self.traceparent.split("-")[1] if self.traceparent else None


def valid_traceparent(value: object) -> str | None:
    """A W3C trace parent, or None for anything else: a bad trace header must not fail a call."""
    return value if isinstance(value, str) and _TRACEPARENT.fullmatch(value) else None


def client_context(tool: str, caller: Caller) -> str:
    """The header's value. Identity that does not fit is refused: half a scope list is a wrong one."""
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
    if len(encoded) > MOST_BYTES:
        raise ContextTooLargeError(f"client context of {len(encoded)} bytes")
    return encoded.decode()
