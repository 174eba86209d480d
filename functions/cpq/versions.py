"""The versions of a quote: taking its lock, checking what the caller has read, and replacing one by the next."""

from dataclasses import dataclass
from datetime import datetime

from psycopg.sql import SQL

from quarry.data.database import Connection
from quarry.tool.errors import Conflict, NotFound

CURRENT = SQL("""
    SELECT q.id AS quote_id, q.account_id, q.current_version AS version, v.status, v.priced_at, v.created_at
    FROM cpq.quotes q
    JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id AND v.version = q.current_version
    WHERE q.tenant = %(tenant)s AND q.id = %(quote_id)s
""")
LOCK = SQL("SELECT id FROM cpq.quotes WHERE tenant = %(tenant)s AND id = %(quote_id)s FOR UPDATE")
SUPERSEDE = SQL("""
    UPDATE cpq.quote_versions SET status = 'superseded', superseded_at = now(), updated_at = now(),
        revision = revision + 1
    WHERE tenant = %(tenant)s AND quote_id = %(quote_id)s AND version = %(version)s
""")
VOID = SQL("""
    UPDATE cpq.approval_requests SET status = 'void', voided_at = now(), void_reason = %(reason)s
    WHERE tenant = %(tenant)s AND quote_id = %(quote_id)s AND status IN ('pending', 'approved')
    RETURNING id
""")
ADVANCE = SQL("""
    UPDATE cpq.quotes SET current_version = %(version)s + 1 WHERE tenant = %(tenant)s AND id = %(quote_id)s
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Current:
    """The newest version of a quote whose row is locked until the transaction ends."""

    quote_id: str
    account_id: str
    version: int
    status: str
    priced_at: datetime | None
    created_at: datetime


def lock(connection: Connection, tenant: str, *, quote_id: str, expected_version: int | None) -> Current:
    """Writers of one quote go one after the other from here.

    Raises NotFound, and Conflict when the newest version is not the ``expected_version``.
    """
    named = {"tenant": tenant, "quote_id": quote_id.upper()}
    # In two statements: after waiting for the lock, the first would still see the version from before.
    found = connection.execute(LOCK, named).fetchone() and connection.execute(CURRENT, named).fetchone()
    if not found:
        raise NotFound(f"No quote '{quote_id}'. Find it with quote_list.")
    current = Current(**found)
    if expected_version not in (None, current.version):
        raise Conflict(
            f"{current.quote_id} is at version {current.version} ({current.status}), not {expected_version}: "
            "somebody changed it. Read it with quote_get, then try again.",
            details={"current_version": current.version, "status": current.status},
        )
    return current


def replace(connection: Connection, tenant: str, current: Current, *, reason: str) -> tuple[int, list[str]]:
    """Makes room for the next version: (its number, the approval requests that are void now).

    The caller inserts the version; what ``current`` holds stays readable.
    """
    named = {"tenant": tenant, "quote_id": current.quote_id, "version": current.version, "reason": reason}
    connection.execute(SUPERSEDE, named)
    voided = [row["id"] for row in connection.execute(VOID, named)]
    connection.execute(ADVANCE, named)
    return current.version + 1, voided
