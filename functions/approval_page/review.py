"""What an approver is shown: the request, the very version of the quote it is bound to, and what was sold before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
from psycopg.sql import SQL

from cpq.approvals import requesting
from cpq.approvals.deciding import Standing
from cpq.model import QuoteVersion, VersionLine, Violation
from cpq.quotes import queries
from quarry import retrieval
from quarry.data import database
from quarry.data.database import Connection
from quarry.precedents.past_lines import LINE_ITEMS
from quarry.precedents.past_lines import filters as no_filters
from quarry.retrieval import Hit
from quarry.tool.errors import Unavailable

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


LINES_LOOKED_AT = 3
FOR_EACH_LINE = 3
SHOWN = 5
LONGEST_QUERY = 500


@dataclass(frozen=True, slots=True)
class Precedents:
    """``notice`` is for the reader: why there are none, or why these are not all."""

    hits: list[Hit]
    notice: str | None


def find_precedents(tenant: str, *, lines: Sequence[VersionLine]) -> Precedents:
    """For the lines worth most, the nearest past lines; those that are probably no match are left out."""
    hits: dict[tuple[str, int], Hit] = {}
    degraded = False
    for line in sorted(lines, key=lambda line: line.line_total, reverse=True)[:LINES_LOOKED_AT]:
        try:
            outcome = retrieval.search(
                LINE_ITEMS,
                tenant=tenant,
                query=f"{line.product_name}. {line.description}"[:LONGEST_QUERY],
                limit=FOR_EACH_LINE,
                filters=no_filters(),
            )
        except Unavailable:
            return Precedents([], "Past quotes cannot be searched right now; the decision does not need them.")
        degraded = degraded or outcome.degraded
        hits |= {(hit.row["quote_number"], hit.row["position"]): hit for hit in outcome.hits if _worth_showing(hit)}
    best = sorted(hits.values(), key=lambda hit: hit.score or 0, reverse=True)[:SHOWN]
    if not best:
        return Precedents([], "No past quote resembles this one.")
    return Precedents(best, "Found by words only: the search by meaning is down." if degraded else None)


def _worth_showing(hit: Hit) -> bool:
    return hit.confidence != "probable_miss"


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
        precedents=find_precedents(tenant, lines=lines),
    )
