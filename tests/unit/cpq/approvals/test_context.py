"""What an approver is told of customer and deal: from rows, rounded to nobody's advantage."""

from datetime import date
from decimal import Decimal

import pytest

from cpq.approvals.model import annual_value, months_between, payment_history
from cpq.model import VersionLine
from tests.unit.cpq.stored_quotes import quote_line


@pytest.mark.parametrize(
    ("since", "today", "months"),
    [
        (date(2024, 2, 26), date(2026, 2, 26), 24),
        (date(2024, 2, 27), date(2026, 2, 26), 23),
        (date(2026, 2, 1), date(2026, 2, 26), 0),
        (date(2027, 1, 1), date(2026, 2, 26), 0),
        (None, date(2026, 2, 26), None),
    ],
)
def test_tenure_counts_whole_months(since: date | None, today: date, months: int | None) -> None:
    assert months_between(since, today) == months


@pytest.mark.parametrize(
    ("paid", "on_time", "said"),
    [
        (24, 24, "100% on-time"),
        (1000, 999, "99% on-time (999 of 1000 invoices)"),
        (8, 0, "0% on-time (0 of 8 invoices)"),
        (0, 0, None),
        (None, None, None),
        (8, None, None),
    ],
)
def test_payment_history_is_never_rounded_up(paid: int | None, on_time: int | None, said: str | None) -> None:
    assert payment_history(paid, on_time) == said


def line(unit: str, total: str) -> VersionLine:
    return quote_line(unit=unit, line_total=Decimal(total))


@pytest.mark.parametrize(
    ("lines", "term", "currency", "value"),
    [
        ([line("per_seat_per_month", "12960.00")], 12, "USD", "12960.00"),
        ([line("per_seat_per_month", "100.00")], 36, "USD", "33.33"),
        ([line("per_unit_per_year", "100"), line("per_unit", "50")], 24, "JPY", "100"),
        ([line("per_seat_per_month", "600.00")], 6, "USD", "600.00"),
        ([line("per_unit", "7.125")], None, "KWD", "7.125"),
    ],
)
def test_the_value_of_a_year_is_never_more_than_what_is_sold(
    lines: list[VersionLine], term: int | None, currency: str, value: str
) -> None:
    assert annual_value(lines, term_months=term, currency=currency) == Decimal(value)
