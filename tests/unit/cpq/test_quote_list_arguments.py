"""Arguments of quote_list, without a database."""

import pytest
from pydantic import ValidationError

from cpq.quote_list import QuoteListArgs


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-01-31", "2026-01-31T00:00:00+00:00"),
        ("2026-01-31T09:00:00", "2026-01-31T09:00:00+00:00"),
        ("0001-01-01T00:00:00-23:59", "0001-01-01T23:59:00+00:00"),
        ("9999-12-31T23:59:59+23:59", "9999-12-31T00:00:59+00:00"),
    ],
)
def test_a_moment_is_read_in_utc_whose_offset_every_database_knows(written: str, read: str) -> None:
    assert QuoteListArgs(created_after=written).created_after == read


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-00:01", "soon"])
def test_a_moment_beyond_the_calendar_is_refused(moment: str) -> None:
    with pytest.raises(ValidationError, match="write a day as YYYY-MM-DD"):
        QuoteListArgs(created_before=moment)
