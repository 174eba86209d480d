"""SQL of the approval page's own."""

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.data.database import Connection

EARLIER = SQL("""
    SELECT a.quote_id, a.status, a.approver_name, a.decision_comment, a.decided_at, a.context
    FROM cpq.approval_requests a
    JOIN cpq.quotes q ON q.tenant = a.tenant AND q.id = a.quote_id
    WHERE a.tenant = quarry.current_tenant() AND a.decided_at IS NOT NULL
        AND q.account_id = (
            SELECT account_id FROM cpq.quotes WHERE tenant = quarry.current_tenant() AND id = %(quote_id)s)
    ORDER BY a.decided_at DESC, a.id LIMIT %(limit)s
""")


def earlier_decisions(connection: Connection, *, quote_id: str, limit: int) -> list[DictRow]:
    """About any quote of the same customer, newest first."""
    return connection.execute(EARLIER, {"quote_id": quote_id, "limit": limit}).fetchall()
