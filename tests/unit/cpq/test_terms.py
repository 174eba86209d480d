"""Dates of a quote's term."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpq.catalogue.configuration import iso_day
from cpq.quotes.drafting import last_day


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        ("2026-03-01", 12, "2027-02-28"),
        ("2027-03-01", 12, "2028-02-29"),
        ("2026-01-31", 1, "2026-02-27"),
        ("2026-12-15", 1, "2027-01-14"),
        ("2024-02-29", 12, "2025-02-27"),
        ("2026-01-01", 600, "2075-12-31"),
    ],
)
def test_a_term_ends_the_day_before_it_would_begin_anew(start: str, months: int, end: str) -> None:
    assert last_day(date.fromisoformat(start), months=months) == date.fromisoformat(end)


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(1, 599))
def test_a_longer_term_ends_later_and_each_month_has_its_days(start: date, months: int) -> None:
    end, later = last_day(start, months=months), last_day(start, months=months + 1)
    assert start <= end + timedelta(days=1)
    assert 28 <= (later - end).days <= 31


@pytest.mark.parametrize(
    "text", ["2026-02-30", "26-02-01", "2026-2-1", "20260201", "2026-02-01T00:00", "2026-W05-3", "", "today"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert iso_day(text) is None
