"""All SQL on API keys."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.data import database
from quarry.data.database import Connection

PRESENT = SQL("SELECT set_config('quarry.presented_key', %(id)s, true)")
FIND = SQL("""
    SELECT tenant, subject, secret_sha256, scopes, expires_at, revoked_at,
        revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS current,
        last_used_on IS DISTINCT FROM current_date AS unmarked
    FROM quarry.api_keys WHERE id = %(id)s
""")
MARK = SQL("UPDATE quarry.api_keys SET last_used_on = current_date WHERE id = %(id)s")
KNOWN_TENANT = SQL("SELECT 1 AS known FROM quarry.tenants WHERE tenant = %(tenant)s")
ADD_TENANT = SQL("INSERT INTO quarry.tenants (tenant) VALUES (%(tenant)s) ON CONFLICT DO NOTHING")
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


@contextmanager
def presenting(key_id: str) -> Iterator[Connection]:
    """A transaction that has no tenant and sees one key."""
    with database.begun(PRESENT, {"id": key_id}) as connection:
        yield connection


def find(connection: Connection, key_id: str) -> DictRow | None:
    return connection.execute(FIND, {"id": key_id}).fetchone()


def mark(connection: Connection, key_id: str) -> None:
    connection.execute(MARK, {"id": key_id})


def known_tenant(connection: Connection, tenant: str) -> bool:
    return connection.execute(KNOWN_TENANT, {"tenant": tenant}).fetchone() is not None


def add_tenant(connection: Connection, tenant: str) -> None:
    connection.execute(ADD_TENANT, {"tenant": tenant})


def add(
    connection: Connection,
    *,
    key_id: str,
    tenant: str,
    name: str,
    subject: str,
    sha256: bytes,
    scopes: Sequence[str],
    days: int | None,
) -> datetime | None:
    """When it will expire; None for never."""
    values = {"id": key_id, "tenant": tenant, "name": name, "subject": subject, "sha256": sha256, "days": days}
    row = connection.execute(ADD, {**values, "scopes": list(scopes)}).fetchone()
    expires_at: datetime | None = row["expires_at"] if row else None
    return expires_at


def list_keys(connection: Connection, tenant: str) -> list[DictRow]:
    return connection.execute(LIST, {"tenant": tenant}).fetchall()


def revoke(connection: Connection, key_id: str) -> DictRow | None:
    """The first revocation's time stays."""
    return connection.execute(REVOKE, {"id": key_id}).fetchone()


def expire(connection: Connection, key_id: str, *, days: int) -> DictRow | None:
    """Brings the end forward, never back: a key that was to end soon cannot be made to live on."""
    return connection.execute(EXPIRE, {"id": key_id, "days": days}).fetchone()
