"""What an approver is shown: the request and the very version of the quote it is bound to, from the database."""

from dataclasses import dataclass

from approval_page import precedents
from approval_page.precedents import Precedents
from approval_page.queries import EarlierDecision, earlier_decisions
from cpq.approvals import requesting
from cpq.approvals.deciding import Standing
from cpq.model import QuoteVersion, VersionLine, Violation
from cpq.quotes import queries
from quarry.data import database

EARLIER_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The quote as it is stored; ``earlier`` are decisions about this customer, newest first."""

    standing: Standing
    version: QuoteVersion
    lines: list[VersionLine]
    earlier: list[EarlierDecision]
    precedents: Precedents

    @property
    def violations(self) -> list[Violation]:
        return self.version.evaluation.violations if self.version.evaluation else []


def review(standing: Standing, *, tenant: str) -> Review:
    approval = standing.approval
    with database.transaction(tenant) as connection:
        version = requesting.find(connection, quote_id=approval.quote_id, version=approval.version)
        lines = queries.lines(connection, quote_id=approval.quote_id, version=approval.version)
        earlier = earlier_decisions(connection, quote_id=approval.quote_id, limit=EARLIER_SHOWN)
    return Review(
        standing=standing,
        version=version,
        lines=lines,
        earlier=earlier,
        precedents=precedents.find(tenant, lines=lines),
    )
