"""Questions that approvers ask instead of deciding, and their answers."""

from collections.abc import Sequence
from datetime import datetime

from psycopg.sql import SQL
from pydantic import AwareDatetime, Field

from cpq import audit
from cpq.approvals.model import Approval
from quarry.data.database import Connection, rows_of
from quarry.tool.contract import Part
from quarry.tool.identity import Caller

ASK = SQL("""
    INSERT INTO cpq.approval_questions (tenant, request_id, approver_id, approver_name, question)
    VALUES (quarry.current_tenant(), %(request_id)s, %(approver_id)s, %(approver_name)s, %(question)s)
""")
ANSWER = SQL("""
    UPDATE cpq.approval_questions SET answer = %(answer)s, answered_by = %(by)s, answered_at = now()
    WHERE tenant = quarry.current_tenant() AND request_id = ANY (%(request_ids)s) AND answer IS NULL
    RETURNING request_id, approver_id
""")
SEND_AGAIN = SQL("""
    UPDATE cpq.approval_notices SET sent_at = NULL, next_attempt_at = now()
    WHERE tenant = quarry.current_tenant() AND request_id = %(request_id)s AND recipient = %(approver_id)s
""")
OF_QUOTE = SQL("""
    SELECT n.request_id, n.approver_name, n.question, n.asked_at, n.answer, n.answered_at
    FROM cpq.approval_questions n
    JOIN cpq.approval_requests r ON r.tenant = n.tenant AND r.id = n.request_id
    WHERE n.tenant = quarry.current_tenant() AND r.quote_id = %(quote_id)s ORDER BY n.id
""")


class AskedQuestion(Part):
    request_id: str = Field(description="Request it is about.")
    approver_name: str = Field(description="Who asks.")
    question: str = Field(description="In their words.")
    asked_at: AwareDatetime = Field(description="When.")
    answer: str | None = Field(description="Null: answer with approval_request, as its justification.")
    answered_at: datetime | None = Field(description="When.")


def answer(connection: Connection, requests: Sequence[Approval], *, text: str, caller: Caller) -> bool:
    """Answers all open questions of the requests, which are about one quote, and has whoever asked told again; False
    where none is open.
    """
    named = {"request_ids": [request.id for request in requests], "answer": text, "by": caller.subject}
    answered = connection.execute(ANSWER, named).fetchall()
    for row in answered:
        connection.execute(SEND_AGAIN, row)
    if answered:
        audit.record(
            connection,
            caller=caller,
            action="approval.answered",
            quote_id=requests[0].quote_id,
            after={"approvals": sorted({row["request_id"] for row in answered}), "answer": text},
        )
    return bool(answered)


def of_quote(connection: Connection, *, quote_id: str) -> list[AskedQuestion]:
    """Returns the questions about the quote, the oldest first."""
    return rows_of(connection, AskedQuestion, OF_QUOTE, {"quote_id": quote_id})
