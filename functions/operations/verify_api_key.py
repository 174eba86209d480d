"""verify_api_key: whose key it is that a caller presented, asked by the proxy with the key's hash alone."""

import hmac
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from operations import api_key_queries as queries
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import logger, operate

_INVALID: dict[str, Any] = {"valid": False}
# Compared against where there is no such key, so that an unknown id takes as long as a wrong secret.
_NOBODYS = bytes(32)


class Presented(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = Field(pattern=r"^[0-9A-Za-z]{12}$", description="The key's public part.")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of its secret part, in hex.")


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Unknown, wrong, revoked and expired are one answer to the outside; the log tells them apart."""
    presented = Presented.model_validate(event)
    with queries.presenting(presented.id) as connection:
        key = queries.find(connection, presented.id)
        same = hmac.compare_digest(key["secret_sha256"] if key else _NOBODYS, bytes.fromhex(presented.sha256))
        if key is None or not same or not key["current"]:
            reason = "unknown" if key is None else "wrong" if not same else "ended"
            logger("verify_api_key").warning("api_key_refused", extra={"key_id": presented.id, "reason": reason})
            return _INVALID
        if key["unmarked"]:
            queries.mark(connection, presented.id)
    return {
        "valid": True,
        "tenant": key["tenant"],
        "subject": key["subject"],
        "scopes": key["scopes"],
        "expires_at": key["expires_at"].timestamp() if key["expires_at"] else None,
    }


handler = operate("verify_api_key", run, for_nobody=True)
