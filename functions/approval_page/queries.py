"""SQL of the approval page's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierDecision:
    quote_id: str
    status: str
    approver_name: str | None
    decision_comment: str | None
    decided_at: datetime
    context: Mapping[str, Any]


def earlier_decisions(connection: Connection, *, quote_id: str, limit: int) -> list[EarlierDecision]:
    """Decisions about any quote of the same customer, newest first."""
    with connection.cursor(row_factory=class_row(EarlierDecision)) as cursor:
        return cursor.execute(EARLIER, {"quote_id": quote_id, "limit": limit}).fetchall()
