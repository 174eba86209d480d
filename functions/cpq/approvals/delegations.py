"""Who decides in an approver's place, and until when."""

from dataclasses import dataclass
from datetime import date

from psycopg.sql import SQL

from quarry.data.database import Connection, row_of, rows_of

COLLEAGUES = SQL("""
    SELECT id, name, role FROM cpq.approvers
    WHERE tenant = quarry.current_tenant() AND active AND id <> %(approver_id)s
        AND lower(%(requested_by)s) NOT IN (lower(id), lower(email))
    ORDER BY role, name, id
""")
WRITE = SQL("""
    INSERT INTO cpq.approval_delegations (tenant, approver_id, delegate_id, until)
    VALUES (quarry.current_tenant(), %(approver_id)s, %(delegate_id)s, %(until)s)
    ON CONFLICT (tenant, approver_id) DO UPDATE
    SET delegate_id = excluded.delegate_id, until = excluded.until, delegated_at = now()
""")
CURRENT = SQL("""
    SELECT p.name, d.until FROM cpq.approval_delegations d
    JOIN cpq.approvers a ON a.tenant = d.tenant AND a.id = d.approver_id
    JOIN cpq.approvers p ON p.tenant = d.tenant AND p.id = d.delegate_id
    WHERE d.tenant = quarry.current_tenant() AND d.approver_id = %(approver_id)s
        AND (now() AT TIME ZONE coalesce(a.time_zone, 'UTC'))::date <= d.until
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Colleague:
    """An approver who may decide in another's place."""

    id: str
    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """``name`` decides, too, up to the end of ``until``."""

    name: str
    until: date


def colleagues(connection: Connection, *, approver_id: str, requested_by: str) -> list[Colleague]:
    """Active approvers but this one and whoever asked."""
    named = {"approver_id": approver_id, "requested_by": requested_by}
    return rows_of(connection, Colleague, COLLEAGUES, named)


def write(connection: Connection, approver_id: str, *, delegate_id: str, until: date) -> None:
    """Takes the place of the approver's delegation before."""
    connection.execute(WRITE, {"approver_id": approver_id, "delegate_id": delegate_id, "until": until})


def current(connection: Connection, *, approver_id: str) -> Delegation | None:
    return row_of(connection, Delegation, CURRENT, {"approver_id": approver_id})
