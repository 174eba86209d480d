"""Who is asking: the caller as the invoking front passed it in the Lambda client context."""

import re
from typing import NamedTuple, Protocol

AGENTCORE_TOOL = "bedrockAgentCoreToolName"
AGENTCORE_REQUEST = "bedrockAgentCoreAwsRequestId"
AGENTCORE_SEPARATOR = "___"
TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
"""Matches a tenant's name, as the proxy takes it from a token and as keys are made for it."""
TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
"""W3C Trace Context, version 00: version, trace id, parent id, flags."""


class ClientContext(Protocol):
    custom: dict[str, object] | None


class LambdaContext(Protocol):
    """The part of AWS's context object that Quarry reads."""

    aws_request_id: str
    client_context: ClientContext | None

    def get_remaining_time_in_millis(self) -> int: ...


class Caller(NamedTuple):
    """Who calls: ``tenant`` scopes every row that is read or written; ``tool`` is empty on a direct invoke.

    ``through_proxy`` says that our own proxy passed the event on, which lets no client write into reserved keys. An
    empty ``tenant`` means that the front named none, or one that cannot be.
    """

    tenant: str
    request_id: str
    subject: str = "anonymous"
    tool: str = ""
    scopes: tuple[str, ...] = ()
    traceparent: str = ""
    through_proxy: bool = False

    def may(self, scope: str) -> bool:
        """Returns whether the front granted the scope; other callers have the rights of the function's role."""
        return not self.through_proxy or scope in self.scopes

    @property
    def trace_id(self) -> str:
        """The trace id that the client sent, or an empty text."""
        found = TRACEPARENT.fullmatch(self.traceparent)
        return found[1] if found else ""

    @property
    def correlation_id(self) -> str:
        """The id under which the client's trace, the front's log, the function's and the database's show one call."""
        return self.trace_id or self.request_id


def caller_of(context: LambdaContext, *, default_tenant: str) -> Caller:
    """Reads the caller from ``client_context.custom``: our proxy's keys, or AgentCore Gateway's, or none at all."""
    client_context = context.client_context
    custom = (client_context.custom if client_context is not None else None) or {}
    tool = _text(custom, "tool") or _text(custom, AGENTCORE_TOOL).rpartition(AGENTCORE_SEPARATOR)[2]
    scopes = custom.get("scopes")
    through_proxy = bool(_text(custom, "tool"))
    return Caller(
        tenant=_tenant(custom) if through_proxy or "tenant" in custom else default_tenant,
        subject=_text(custom, "subject") or "anonymous",
        tool=tool,
        scopes=tuple(str(scope) for scope in scopes) if isinstance(scopes, list) else (),
        request_id=_text(custom, "request_id") or _text(custom, AGENTCORE_REQUEST) or context.aws_request_id,
        traceparent=_text(custom, "traceparent"),
        through_proxy=through_proxy,
    )


def _tenant(custom: dict[str, object]) -> str:
    name = _text(custom, "tenant")
    return name if TENANT.fullmatch(name) else ""


def _text(custom: dict[str, object], key: str) -> str:
    value = custom.get(key)
    return value if isinstance(value, str) else ""
