"""Smaller discounts that approvers name instead of the one that is asked for: how a quote comes to them, and whether
it may.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from cpq.pricing import queries
from cpq.pricing.arithmetic import compounded, weighted_pct
from cpq.pricing.outdated import priced_before
from cpq.pricing.run import Priceable
from cpq.pricing.trace import Trace
from cpq.quotes.versions import find
from quarry.data.database import Connection
from quarry.money import plainly
from quarry.tool.errors import NotFound, ValidationFailed

Shares = Sequence[tuple[Decimal, Decimal, bool]]
"""A line's amount before discount, its own discount in percent, and whether the quote's is not taken off it."""


def request_for(up_to: Decimal, shares: Shares, *, early_pct: Decimal) -> Decimal | None:
    """Returns the discount on the quote with which the whole has ``up_to`` percent, the lines' own and what comes off
    for paying early included; None where these alone are more. It is rounded down to four decimals.
    """
    least, most = (_whole(shares, asked=Decimal(asked), early_pct=early_pct) for asked in (0, 100))
    if least > up_to:
        return None
    share = (Fraction(up_to) - least) / (most - least) if most > least else Fraction(0)
    return Decimal(int(min(share, Fraction(1)) * 1_000_000)).scaleb(-4)


def _whole(shares: Shares, *, asked: Decimal, early_pct: Decimal) -> Fraction:
    pct = weighted_pct((gross, own if net else compounded(own, asked)) for gross, own, net in shares)
    return pct + (100 - pct) * Fraction(early_pct) / 100


def advice(up_to: Decimal, trace: Trace, *, early_pct: Decimal) -> str:
    """Says how a quote that was priced so comes to have ``up_to`` percent."""
    shares = [(line.subtotal, line.line_discount_pct, line.net) for line in trace.lines]
    asked = request_for(up_to, shares, early_pct=early_pct)
    if asked is not None:
        return f"quote_price it with a requested_discount_pct of {plainly(asked)}"
    early = [f"{plainly(early_pct)}% come off for paying early"] if early_pct else []
    most = _beside_early(up_to, early_pct)
    if early and not most:
        return f"it has more already, for {early[0]}: take other payment_terms with quote_create"
    deep = [
        f"{line.product_name} ({line.line_id}) has {plainly(line.line_discount_pct)}%"
        for line in trace.lines
        if line.line_discount_pct > most
    ]
    return (
        f"it has more without the quote's own already: {', '.join(deep + early)}. Lower that with quote_create, a "
        f"line's discount_pct to {plainly(most)} at most (one that the customer always has is an administrator's to "
        "change), and quote_price it without a requested_discount_pct"
    )


def _beside_early(up_to: Decimal, early_pct: Decimal) -> Decimal:
    """Returns what a line may have at most beside what comes off for paying early, rounded down to four decimals."""
    if early_pct >= up_to:
        return Decimal(0)
    left = (Fraction(up_to) - Fraction(early_pct)) / (100 - Fraction(early_pct)) * 100
    return Decimal(int(left * 10_000)).scaleb(-4)


def objection(
    connection: Connection, *, quote_id: str, version: int, up_to: Decimal
) -> Literal["this_limit", "any_limit"] | None:
    """Says whether nobody may approve the version at ``up_to`` percent, or at any discount, by the rules and costs of
    today; None where somebody may, and where the version cannot be priced any more.
    """
    quote = queries.quoted(connection, quote_id=quote_id, version=version)
    trace = Trace.model_validate(find(connection, quote_id=quote_id, version=version).trace)

    def forbidden(limit: Decimal) -> bool:
        asked = request_for(limit, shares, early_pct=early_pct)
        variant = before if asked is not None else _lowered(before, _beside_early(limit, early_pct))
        found = variant.at(asked or Decimal(0))
        return found.evaluation.outcome == "BLOCKED" or any(
            check.outcome == "BLOCKED" for check in found.evaluation.cost_checks
        )

    try:
        before = priced_before(connection, quote, trace)
        own = before.at(Decimal(0))
    except (NotFound, ValidationFailed):
        return None
    early_pct = own.order.terms.early_pct
    shares = [(line.amounts.gross, line.item.line_discount_pct, line.entry.net) for line in own.lines]
    if not forbidden(up_to):
        return None
    return "any_limit" if forbidden(Decimal(0)) else "this_limit"


def _lowered(version: Priceable, limit: Decimal) -> Priceable:
    """Returns the version with none of its lines' own discounts above ``limit``."""
    lines = [
        replace(line, item=replace(line.item, line_discount_pct=min(line.item.line_discount_pct, limit)))
        for line in version.lines
    ]
    return replace(version, lines=lines)
