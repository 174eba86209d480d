"""How far a call is: noted by the function that works for it, read for the client that waits."""

from contextlib import suppress

import psycopg
from psycopg.sql import SQL

from quarry.data import database
from quarry.tool.errors import Unavailable

NOTE = SQL("""
    INSERT INTO quarry.call_progress AS t (tenant, request_id, said)
    SELECT %(tenant)s, %(request_id)s,
           left(CASE WHEN %(words)s = '' OR EXISTS (
                    SELECT FROM quarry.tenant_settings WHERE tenant = %(tenant)s AND NOT store_queries)
                THEN %(said)s ELSE %(said)s || '; ' || %(words)s END, 1000)
    ON CONFLICT (tenant, request_id) DO UPDATE SET said = excluded.said, noted_at = now()
    WHERE t.said <> excluded.said
""")
LAST = SQL("SELECT said FROM quarry.call_progress WHERE tenant = %(tenant)s AND request_id = %(request_id)s")
FORGET = SQL("DELETE FROM quarry.call_progress WHERE tenant = %(tenant)s AND request_id = %(request_id)s")
PRUNE = SQL("DELETE FROM quarry.call_progress WHERE noted_at < now() - interval '1 day'")


def note(tenant: str, *, request_id: str, said: str, words: str = "") -> bool:
    """``words`` may hold some of a question's, which are left out for a tenant that lets no query be stored.

    Does nothing, and answers False, while the database cannot be reached: the call itself is worth more.
    """
    given = {"tenant": tenant, "request_id": request_id[:200], "said": said, "words": words}
    with suppress(psycopg.OperationalError, Unavailable), database.transaction(tenant) as connection:
        connection.execute(NOTE, given)
        return True
    return False


def forget(tenant: str, *, request_id: str) -> None:
    with suppress(psycopg.OperationalError, Unavailable), database.transaction(tenant) as connection:
        connection.execute(FORGET, {"tenant": tenant, "request_id": request_id[:200]})


def last(tenant: str, *, request_id: str) -> str | None:
    rows = database.fetch(tenant, LAST, {"tenant": tenant, "request_id": request_id[:200]})
    return rows[0]["said"] if rows else None


def prune(connection: database.Connection) -> int:
    """Forgets calls of yesterday, of all tenants, as the worker's role may; returns how many."""
    return connection.execute(PRUNE).rowcount
