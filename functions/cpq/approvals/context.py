"""What an approver should know of customer and deal, assembled from rows; nothing is read out of prose."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from cpq.approvals.model import ApprovalContext
from cpq.pricing.percent import shown

RECURRING = ("_per_month", "_per_year")
QUOTE = "quote"


def assemble(
    *,
    account: Mapping[str, Any],
    version: Mapping[str, Any],
    lines: Iterable[Mapping[str, Any]],
    trace: Mapping[str, Any],
    today: date,
) -> ApprovalContext:
    """``account``, ``version`` and ``lines`` are rows of the database; ``trace`` is the pricing trace that holds."""
    competitor = account["competitor_discount_pct"]
    return ApprovalContext(
        customer_tenure_months=months_between(account["customer_since"], today),
        payment_history=payment_history(account["invoices_paid"], account["invoices_paid_on_time"]),
        competitor_discount=None if competitor is None else f"{shown(competitor)}%",
        requested_discount=f"{shown(quote_discount(trace))}%",
        annual_value=annual_value(lines, term_months=version["term_months"], minor_units=trace["minor_units"]),
        currency=version["currency"],
        margin_pct=None if trace["margin_pct"] is None else Decimal(trace["margin_pct"]),
    )


def quote_discount(trace: Mapping[str, Any]) -> Decimal:
    """The whole quote's effective discount in percent, lines and quote together."""
    return next(Decimal(check["actual_pct"]) for check in trace["checks"] if check["subject"] == QUOTE)


def months_between(since: date | None, today: date) -> int | None:
    if since is None:
        return None
    months = (today.year - since.year) * 12 + today.month - since.month
    return max(0, months - (today.day < since.day))


def payment_history(paid: int | None, on_time: int | None) -> str | None:
    """Rounded down: one late invoice in a thousand is not 100%."""
    if not paid or on_time is None:
        return None
    share = on_time * 100 // paid
    return "100% on-time" if on_time == paid else f"{share}% on-time ({on_time} of {paid} invoices)"


def annual_value(lines: Iterable[Mapping[str, Any]], *, term_months: int | None, minor_units: int) -> Decimal:
    """Of a recurring line that runs longer than a year, twelve months of it; of all else, the whole."""
    value = Decimal(0)
    for line in lines:
        recurring = (line["unit"] or "").endswith(RECURRING) and term_months is not None and term_months > 12
        value += line["line_total"] * 12 / term_months if recurring and term_months else line["line_total"]
    return value.quantize(Decimal(1).scaleb(-minor_units), ROUND_HALF_UP)
