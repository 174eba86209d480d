"""api_keys: creates, lists, revokes and expires API keys; a key itself is shown once, when it is created."""

import hashlib
import secrets
import string
from typing import Annotated, Any, Literal

from psycopg.sql import SQL
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from operations.verify_api_key import PRESENT
from quarry.data import database
from quarry.tool.errors import NotFound, ValidationFailed
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import logger, operate

PREFIX = "qk_"
"""Every key begins with it: the proxy tells keys from other tokens by it, and scanners find leaked keys."""

_ALPHABET = string.ascii_letters + string.digits
_ID_CHARS = 12
_SECRET_BYTES = 32

KNOWN_TENANT = SQL("SELECT 1 AS known FROM quarry.tenants WHERE tenant = %(tenant)s")
ADD = SQL("""
    INSERT INTO quarry.api_keys (id, tenant, name, subject, secret_sha256, scopes, expires_at)
    VALUES (%(id)s, %(tenant)s, %(name)s, %(subject)s, %(sha256)s, %(scopes)s,
        now() + make_interval(days => %(days)s::integer))
    RETURNING expires_at
""")
LIST = SQL("""
    SELECT id, name, subject, scopes, created_at, expires_at, revoked_at, last_used_on
    FROM quarry.api_keys WHERE tenant = %(tenant)s ORDER BY created_at, id
""")
REVOKE = SQL("""
    UPDATE quarry.api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = %(id)s RETURNING tenant, revoked_at
""")
EXPIRE = SQL("""
    UPDATE quarry.api_keys
    SET expires_at = least(expires_at, now() + make_interval(days => %(days)s::integer)) WHERE id = %(id)s
    RETURNING tenant, expires_at
""")

Tenant = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", description="Tenant whose data it opens.")]
KeyId = Annotated[str, Field(pattern=r"^[0-9A-Za-z]{12}$", description="The key's public part, as listed.")]
Scope = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}:(read|write)$")]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Create(_Request):
    action: Literal["create"]
    tenant: Tenant
    name: str = Field(min_length=1, max_length=100, description="What the key is for, for whoever reads the list.")
    scopes: list[Scope] = Field(min_length=1, max_length=64, description="Such as equipment:read.")
    subject: str | None = Field(None, min_length=1, max_length=200, description="Who quotes name as their author.")
    days: int | None = Field(90, ge=1, le=3650, description="Days until it expires; null for never.")
    new_tenant: bool = Field(False, description="Whether a tenant without any data is meant.")


class List(_Request):
    action: Literal["list"]
    tenant: Tenant


class Revoke(_Request):
    action: Literal["revoke"]
    id: KeyId


class Expire(_Request):
    action: Literal["expire"]
    id: KeyId
    days: int = Field(ge=0, le=3650, description="Days until it ends, if it does not end before.")


_REQUEST: TypeAdapter[Create | List | Revoke | Expire] = TypeAdapter(
    Annotated[Create | List | Revoke | Expire, Field(discriminator="action")]
)


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Whoever may invoke this function may take every action; no tool and no path of the proxy leads here."""
    try:
        request = _REQUEST.validate_python(event)
    except ValidationError as invalid:
        problems = "; ".join(f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in invalid.errors())
        raise ValidationFailed(problems) from None
    match request:
        case Create():
            return _create(request)
        case List():
            with database.transaction(request.tenant) as connection:
                return {"keys": [_plain(row) for row in connection.execute(LIST, {"tenant": request.tenant})]}
        case Revoke():
            return _changed("revoked", request.id, REVOKE)
        case Expire():
            return _changed("expires", request.id, EXPIRE, days=request.days)


def _create(request: Create) -> dict[str, Any]:
    key_id = "".join(secrets.choice(_ALPHABET) for _ in range(_ID_CHARS))
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    with database.transaction(request.tenant) as connection:
        if request.new_tenant:
            connection.execute(database.ADD_TENANT, {"tenant": request.tenant})
        elif connection.execute(KNOWN_TENANT, {"tenant": request.tenant}).fetchone() is None:
            raise NotFound(f"No tenant '{request.tenant}' has data. If it is new, say so: --new-tenant (new_tenant).")
        key = {
            **request.model_dump(include={"tenant", "name", "days"}),
            "id": key_id,
            "subject": request.subject or f"key:{key_id}",
            "sha256": hashlib.sha256(secret.encode()).digest(),
            "scopes": sorted(set(request.scopes)),
        }
        [added] = connection.execute(ADD, key)
    logger("api_keys").info("api_key_created", extra={"key_id": key_id, "tenant": request.tenant})
    return {"id": key_id, "key": f"{PREFIX}{key_id}_{secret}", **_plain(added)}


def _changed(what: str, key_id: str, statement: SQL, **said: int) -> dict[str, Any]:
    asked = {"id": key_id, **said}
    with database.begun(PRESENT, asked) as connection:
        row = connection.execute(statement, asked).fetchone()
    if row is None:
        raise NotFound(f"No key '{key_id}'. List the tenant's keys to see their ids.")
    logger("api_keys").info(f"api_key_{what}", extra={"key_id": key_id, "tenant": row["tenant"]})
    return {"id": key_id, **_plain(row)}


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in row.items()}


handler = operate("api_keys", run)
