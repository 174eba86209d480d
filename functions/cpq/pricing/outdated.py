"""What policy says today of quotes that were priced before."""

from cpq.model import QuoteVersion
from cpq.pricing import queries
from cpq.pricing.engine import Priced
from cpq.pricing.run import computed, evaluated, market, named_book
from cpq.pricing.trace import Trace
from quarry.data.database import Connection
from quarry.tool.errors import NotFound, ValidationFailed


def asked_today(connection: Connection, version: QuoteVersion) -> list[str] | None:
    """Returns the roles that would have to approve a version today, prices and rules as they are now; None where
    nobody may, or it cannot be priced.
    """
    try:
        priced = _priced(connection, version)
    except (NotFound, ValidationFailed):
        return None
    evaluation = evaluated(priced)
    return None if evaluation.status == "BLOCKED" else priced.policy.deciders(evaluation)


def _priced(connection: Connection, version: QuoteVersion) -> Priced:
    trace = Trace.model_validate(version.trace)
    quote = queries.quoted(connection, quote_id=version.quote_id, version=version.version)
    lines = queries.quoted_lines(connection, quote=quote)
    named = named_book(trace)
    around = market(connection, quote, lines, price_book_ids=[named])
    asked = trace.quote_discount_pct
    return computed(quote, lines, requested_discount_pct=asked, price_book_id=named, market=around)


def outdated(connection: Connection, version: QuoteVersion) -> str | None:
    """Says that policy passed a version when it was priced and would not today; None where it would, where it never
    passed, and where somebody relies on the version already.
    """
    if version.evaluation is None or not version.evaluation.auto_approved or version.trace is None:
        return None
    quote = queries.quoted(connection, quote_id=version.quote_id, version=version.version)
    if quote.settled:
        return None
    now = {"APPROVAL_REQUIRED": "it would need approval", "BLOCKED": "nobody could approve it"}
    try:
        today = now.get(_priced(connection, version).evaluation.outcome)
    except (NotFound, ValidationFailed):
        today = "it could not be priced"
    return today and (
        f"It was within policy on {version.priced_at:%Y-%m-%d}, when it was priced; today {today}: "
        "quote_price it again before it goes out."
    )
