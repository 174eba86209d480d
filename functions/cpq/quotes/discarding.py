"""Giving up a quote that nobody relies on, for good."""

from psycopg.sql import SQL

from cpq import audit
from cpq.quotes.queries import CurrentVersion
from quarry.data.database import Connection
from quarry.tool.errors import Conflict
from quarry.tool.identity import Caller

RELIED_ON = SQL("""
    SELECT
        EXISTS (
            SELECT FROM cpq.documents
            WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s) AS printed,
        EXISTS (
            SELECT FROM cpq.approval_requests
            WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND decided_at IS NOT NULL
                AND status <> 'rejected') AS approved,
        EXISTS (
            SELECT FROM cpq.quote_versions
            WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND sent_at IS NOT NULL) AS sent
""")
DISCARD = SQL("""
    UPDATE cpq.quote_versions SET status = 'discarded', revision = revision + 1, updated_at = now()
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
""")


def require_unused(connection: Connection, current: CurrentVersion) -> None:
    """Raises Conflict where somebody has, or may have, a document or a decision in hand."""
    row = connection.execute(RELIED_ON, {"quote_id": current.quote_id}).fetchone() or {}
    relied_on = [word for word in ("sent", "approved", "printed") if row[word]]
    if relied_on:
        raise Conflict(
            f"{current.quote_id} was {relied_on[0]}, so somebody may rely on it, and it stays. Without discard its "
            "open requests are withdrawn; quote_create revises it.",
            details={"status": current.status},
        )


def discard(connection: Connection, current: CurrentVersion, *, reason: str, caller: Caller) -> None:
    """Does nothing to what is discarded already."""
    if current.status == "discarded":
        return
    connection.execute(DISCARD, {"quote_id": current.quote_id, "version": current.version})
    audit.record(
        connection,
        caller=caller,
        action="quote.discarded",
        quote_id=current.quote_id,
        before={"version": current.version, "status": current.status},
        after={"version": current.version, "status": "discarded", "reason": reason},
    )


def require_kept(current: CurrentVersion) -> None:
    """Raises Conflict for a quote that was given up."""
    if current.status == "discarded":
        raise Conflict(
            f"{current.quote_id} was discarded and stays so. Draft another quote with quote_create.",
            details={"status": current.status},
        )
