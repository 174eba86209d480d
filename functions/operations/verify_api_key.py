"""verify_api_key: tells the proxy whose key a hash is of, and how many more requests of a tenant it may serve."""

import hmac
from typing import Any

from psycopg.sql import SQL
from pydantic import BaseModel, ConfigDict, Field

from quarry.data import database
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import logger, operate

_INVALID: dict[str, Any] = {"valid": False}
# Compared with where there is no such key, so that an unknown id takes as long as a wrong secret.
_NOBODYS = bytes(32)

# For a transaction that has no tenant and sees one key.
PRESENT = SQL("SELECT set_config('quarry.presented_key', %(id)s, true)")
FIND = SQL("""
    SELECT tenant, subject, secret_sha256, scopes, expires_at, revoked_at,
        revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS current,
        last_used_on IS DISTINCT FROM current_date AS unmarked
    FROM quarry.api_keys WHERE id = %(id)s
""")
MARK = SQL("UPDATE quarry.api_keys SET last_used_on = current_date WHERE id = %(id)s")

KNOW = SQL("INSERT INTO quarry.tenant_rates (tenant) VALUES (%(tenant)s) ON CONFLICT DO NOTHING")
# A leaky bucket: what was used drains away at the rate; whole requests are granted, up to the burst.
GRANT = SQL("""
    WITH held AS (
        SELECT used, settled_at, clock_timestamp() AS now
        FROM quarry.tenant_rates WHERE tenant = %(tenant)s FOR UPDATE
    ), drained AS (
        SELECT now, greatest(0, used - %(per_second)s::float8
            * greatest(0, extract(epoch FROM now - settled_at)::float8)) AS used
        FROM held
    ), given AS (
        SELECT now, used, floor(greatest(0, least(%(wanted)s, %(burst)s::float8 - used))) AS granted FROM drained
    )
    UPDATE quarry.tenant_rates t SET used = given.used + given.granted, settled_at = given.now
    FROM given WHERE t.tenant = %(tenant)s
    RETURNING given.granted::integer AS granted, t.used
""")


class Presented(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = Field(pattern=r"^[0-9A-Za-z]{12}$", description="The key's public part.")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of its secret part, in hex.")


class GrantRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    tenant: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", description="Whose requests.")
    wanted: int = Field(ge=1, le=1_000_000, description="How many a process would like to serve.")
    per_second: float = Field(gt=0, le=1_000_000, description="The tenant's rate.")
    burst: float = Field(ge=1, le=1_000_000, description="What may come at once after a rest.")


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    return (
        _grant(GrantRequest.model_validate(event)) if "wanted" in event else _verify(Presented.model_validate(event))
    )


def _grant(asked: GrantRequest) -> dict[str, Any]:
    """``wait`` is the time in seconds until one more could be granted."""
    _, [row] = database.fetch_each(asked.tenant, [(KNOW, {"tenant": asked.tenant}), (GRANT, asked.model_dump())])
    return {"granted": row["granted"], "wait": max(0.0, row["used"] + 1 - asked.burst) / asked.per_second}


def _verify(presented: Presented) -> dict[str, Any]:
    """Unknown, wrong, revoked and expired are one answer to the outside; the log tells them apart."""
    asked = {"id": presented.id}
    with database.begun(PRESENT, asked) as connection:
        key = connection.execute(FIND, asked).fetchone()
        same = hmac.compare_digest(key["secret_sha256"] if key else _NOBODYS, bytes.fromhex(presented.sha256))
        if key is None or not same or not key["current"]:
            reason = "unknown" if key is None else "wrong" if not same else "ended"
            logger("verify_api_key").warning("api_key_refused", extra={"key_id": presented.id, "reason": reason})
            return _INVALID
        if key["unmarked"]:
            connection.execute(MARK, asked)
    return {
        "valid": True,
        "tenant": key["tenant"],
        "subject": key["subject"],
        "scopes": key["scopes"],
        "expires_at": key["expires_at"].timestamp() if key["expires_at"] else None,
    }


handler = operate("verify_api_key", run, for_nobody=True)
