"""Quotes that were priced before, as prices and rules are today."""

from cpq.model import QuoteVersion
from cpq.pricing.engine import Priced
from cpq.pricing.queries import Quoted
from cpq.pricing.run import Priceable, evaluated, priceable
from cpq.pricing.trace import Trace
from quarry.data.database import Connection
from quarry.tool.errors import NotFound, ValidationFailed


def priced_before(connection: Connection, quote: Quoted, trace: Trace) -> Priceable:
    """Reads what the version whose ``trace`` it is would be priced from today. Raises NotFound, ValidationFailed."""
    # Where a book was named for the pricing, or was the house's only one, its trace has no other.
    book = trace.price_books[0].id if len(trace.price_books) == 1 else None
    return priceable(connection, quote, price_book_ids=[book])


def _today(connection: Connection, quote: Quoted, trace: Trace) -> Priced | None:
    """Prices the version whose ``trace`` it is as it was, today; None where that cannot be."""
    try:
        return priced_before(connection, quote, trace).at(trace.quote_discount_pct)
    except (NotFound, ValidationFailed):
        return None


def asked_today(connection: Connection, quote: Quoted, trace: Trace) -> list[str] | None:
    """Returns the roles that would have to approve the version whose ``trace`` it is today; None where nobody may, it
    cannot be priced, or the policy had other rules, of which those over costs are held against it as they were.
    """
    priced = _today(connection, quote, trace)
    if priced is None or priced.policy.rules != trace.policy.rules:
        return None
    if (evaluation := evaluated(priced)).status == "BLOCKED":
        return None
    return priced.policy.deciders(evaluation)


def outdated(connection: Connection, version: QuoteVersion, *, quote: Quoted) -> str | None:
    """Says that policy passed a version when it was priced and would not today; None where it would, where it never
    passed, and where somebody relies on the version already.
    """
    if version.evaluation is None or not version.evaluation.auto_approved or version.trace is None or quote.settled:
        return None
    priced = _today(connection, quote, Trace.model_validate(version.trace))
    now = {"APPROVAL_REQUIRED": "it would need approval", "BLOCKED": "nobody could approve it"}
    today = "it could not be priced as it was" if priced is None else now.get(priced.evaluation.outcome)
    return today and (
        f"It was within policy on {version.priced_at:%Y-%m-%d}, when it was priced; today {today}: "
        "quote_price it again before it goes out."
    )
