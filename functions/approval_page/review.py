"""What an approver is shown: the request and the very version of the quote it is bound to, from the database."""

from dataclasses import dataclass
from typing import Any

from psycopg.rows import DictRow

from approval_page import precedents
from approval_page.precedents import Precedents
from approval_page.queries import earlier_decisions
from cpq.approvals import queries
from cpq.approvals.deciding import Standing
from quarry.data import database

EARLIER_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Rows as the database has them; ``earlier`` are decisions about this customer, newest first."""

    standing: Standing
    version: DictRow
    lines: list[DictRow]
    earlier: list[DictRow]
    precedents: Precedents

    @property
    def violations(self) -> list[dict[str, Any]]:
        return list(self.version["policy_evaluation"]["violations"])


def review(standing: Standing, *, tenant: str) -> Review:
    approval = standing.approval
    with database.transaction(tenant) as connection:
        version = queries.version(connection, quote_id=approval.quote_id, version=approval.version)
        lines = queries.lines(connection, quote_id=approval.quote_id, version=approval.version)
        earlier = earlier_decisions(connection, quote_id=approval.quote_id, limit=EARLIER_SHOWN)
    return Review(
        standing=standing,
        version=version,
        lines=lines,
        earlier=earlier,
        precedents=precedents.find(tenant, lines=lines),
    )
