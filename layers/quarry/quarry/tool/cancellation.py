"""Calls whose client went away: noted by one function, seen by the one that still works for it."""

import psycopg
from psycopg.sql import SQL

from quarry.data import database
from quarry.tool.errors import Unavailable

NOTE = SQL("""
    INSERT INTO quarry.cancelled_calls (tenant, request_id) VALUES (%(tenant)s, %(request_id)s) ON CONFLICT DO NOTHING
""")
FIND = SQL("""
    SELECT 1 AS found FROM quarry.cancelled_calls WHERE tenant = %(tenant)s AND request_id = %(request_id)s
""")
PRUNE = SQL("DELETE FROM quarry.cancelled_calls WHERE cancelled_at < now() - interval '1 day'")


def note(tenant: str, *, request_id: str) -> None:
    with database.transaction(tenant) as connection:
        connection.execute(NOTE, {"tenant": tenant, "request_id": request_id})


def noted(tenant: str, *, request_id: str) -> bool:
    """Whether nobody waits for this call any more; False while the database cannot say."""
    try:
        return bool(database.fetch(tenant, FIND, {"tenant": tenant, "request_id": request_id}))
    except (psycopg.OperationalError, Unavailable):
        return False


def prune(connection: database.Connection) -> int:
    """Forgets calls of yesterday, of all tenants, as the worker's role may; returns how many."""
    return connection.execute(PRUNE).rowcount
