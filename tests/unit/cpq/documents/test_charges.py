"""What is paid when: once, and by each invoice of the term."""

from decimal import Decimal

import pytest

from cpq.documents.composition import StoredQuote, charges
from tests.unit.cpq.stored_quotes import quote_line, quote_version

SEATS = quote_line(unit="per_seat_per_month", line_total=Decimal("9720.00"))
SETUP = quote_line(unit="per_unit", line_total=Decimal("2900.00"))


@pytest.mark.parametrize(
    ("rhythm", "months", "expected"),
    [
        ("monthly", 12, [("once", 1, "2900.00", True), ("month", 12, "810.00", True)]),
        ("quarterly", 12, [("once", 1, "2900.00", True), ("quarter", 4, "2430.00", True)]),
        ("annual", 24, [("once", 1, "2900.00", True), ("year", 2, "4860.00", True)]),
        ("annual", 18, [("once", 1, "2900.00", True), ("month", 18, "540.00", True)]),
        ("monthly", 7, [("once", 1, "2900.00", True), ("month", 7, "1388.57", False)]),
        ("one_time", 12, []),
    ],
)
def test_the_rhythm_of_billing_splits_what_recurs(
    rhythm: str, months: int, expected: list[tuple[str, int, str, bool]]
) -> None:
    version = quote_version(billing_frequency=rhythm, term_months=months)
    found = charges(StoredQuote(version=version, lines=[SEATS, SETUP]))
    assert [(charge.period, charge.count, f"{charge.each:f}", charge.exact) for charge in found] == expected


def test_where_nothing_recurs_nothing_is_split() -> None:
    assert charges(StoredQuote(version=quote_version(), lines=[SETUP])) == []
