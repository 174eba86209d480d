"""Quotes that policy passed when they were priced and would not pass today."""

from decimal import Decimal

from cpq.model import QuoteVersion
from cpq.pricing import queries
from cpq.pricing.run import computed, market, named_book
from cpq.pricing.trace import Trace
from quarry.data.database import Connection
from quarry.tool.errors import NotFound, ValidationFailed


def outdated(connection: Connection, version: QuoteVersion) -> str | None:
    """Says that policy passed a version when it was priced and would not today; None where it would, where it never
    passed, and where somebody relies on the version already.
    """
    if version.evaluation is None or not version.evaluation.auto_approved or version.trace is None:
        return None
    quote = queries.quoted(connection, quote_id=version.quote_id, version=version.version)
    if quote.settled:
        return None
    lines = queries.quoted_lines(connection, quote=quote)
    asked = Decimal(version.trace["quote_discount_pct"])
    named = named_book(Trace.model_validate(version.trace))
    now = {"APPROVAL_REQUIRED": "it would need approval", "BLOCKED": "nobody could approve it"}
    try:
        around = market(connection, quote, lines, price_book_ids=[named])
        priced = computed(quote, lines, requested_discount_pct=asked, price_book_id=named, market=around)
        today = now.get(priced.evaluation.outcome)
    except (NotFound, ValidationFailed):
        today = "it could not be priced"
    return today and (
        f"It was within policy on {version.priced_at:%Y-%m-%d}, when it was priced; today {today}: "
        "quote_price it again before it goes out."
    )
