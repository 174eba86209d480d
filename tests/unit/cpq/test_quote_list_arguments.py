"""Arguments and cursors of quote_list, without a database."""

import pytest
from pydantic import ValidationError

from cpq.quote_list import FREE, PIN, QuoteListArgs
from quarry.paging.cursor import PagedCall, Place
from quarry.tool.errors import ValidationFailed


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


@pytest.mark.parametrize(
    "after",
    [
        ("5:3:",),
        (5,),
        (5, "soon"),
        (-1, "2026-01-01T00:00:00Z"),
        (2**63, "2026-01-01T00:00:00Z"),
        (1, "2026-01-01T00:00:00"),
        (1, "0001-01-01T00:00:00+23:59"),
    ],
    ids=repr,
)
def test_a_forged_pin_is_refused(after: tuple[int | str, ...]) -> None:
    call = PagedCall.of(QuoteListArgs(), tool="quote_list", tenant="acme", free=FREE, secret=bytes(32))
    with pytest.raises(ValidationFailed, match="never gave this one out"):
        call.open(call.seal(Place(after)), key=PIN)


def test_a_pin_serves_no_other_tenant() -> None:
    def call(tenant: str) -> PagedCall:
        return PagedCall.of(QuoteListArgs(), tool="quote_list", tenant=tenant, free=FREE, secret=bytes(32))

    cursor = call("acme").seal(Place((7, "2026-01-01T01:00:00+01:00")))
    assert call("acme").open(cursor, key=PIN) == Place((7, "2026-01-01T00:00:00+00:00"))
    with pytest.raises(ValidationFailed, match="continues another call"):
        call("rival").open(cursor, key=PIN)
