"""Figures of past prices: nothing usual from fewer than three, no currency mixed, every figure with its source."""

from datetime import date
from decimal import Decimal
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.attributes.units import shipped
from quarry.precedents.list_prices import Market, buys, price_for
from quarry.precedents.price_history import Outcome, PastPrice, histories


def past(number: str, amount: str, **fields: Any) -> PastPrice:
    given_fields: dict[str, Any] = {
        "position": 1,
        "customer": "Groeb Farms",
        "quote_date": date(2024, 3, 5),
        "outcome": "sold",
        "quantity": Decimal(1),
        "currency": "USD",
        **fields,
    }
    return PastPrice(quote_number=number, unit_price=Decimal(amount), **given_fields)


def histories_of(*prices: PastPrice, asked: str | None = None, **lists: str) -> Any:
    return histories(
        prices,
        entries=[entry(price, currency=code, opens=date(2026, 1, 1)) for code, price in lists.items()],
        units=shipped(),
        today=date(2026, 11, 20),
        asked=None if asked is None else Decimal(asked),
        currency="USD" if asked else None,
    )


def test_low_median_high_and_newest_name_their_quotes() -> None:
    [found] = histories_of(
        past("Q1", "100", quote_date=date(2022, 1, 1)),
        past("Q2", "300", quote_date=date(2023, 1, 1)),
        past("Q3", "200", quote_date=date(2024, 1, 1)),
        past("Q4", "240", quote_date=date(2021, 1, 1)),
    )
    [sold] = found.figures
    assert (sold.low, sold.low_in, sold.high, sold.high_in) == (100, "Q1", 300, "Q2")
    assert (sold.median, sold.median_in) == (220, ["Q3", "Q4"])
    assert (sold.newest, sold.newest_in) == (200, "Q3")


def test_fewer_than_three_have_no_median_and_are_shown() -> None:
    [found] = histories_of(past("Q1", "100"), past("Q2", "300"))
    assert (found.figures[0].median, found.figures[0].median_in, found.enough) == (None, [], False)
    assert {price.quote_number for price in found.prices} == {"Q1", "Q2"}


def test_currencies_are_never_mixed() -> None:
    dollars, euros = histories_of(
        past("Q1", "100"), past("Q2", "110"), past("Q3", "9", currency="EUR"), asked="105", USD="120"
    )
    assert (dollars.currency, dollars.count, dollars.figures[0].high) == ("USD", 2, 110)
    assert (euros.currency, euros.count, euros.figures[0].high) == ("EUR", 1, 9)
    assert (euros.standing, euros.list_now) == (None, None)


def test_a_list_below_what_was_paid_is_told_with_whose_price_that_was() -> None:
    own, other = past("Q1", "100", own=True, quote_date=date(2022, 5, 1)), past("Q2", "90")
    newest, lost = "90.00 USD (Q2), the newest sale", past("Q3", "400", outcome="lost")
    assert histories_of(own, other, lost, USD="95")[0].above_list == ["100.00 USD (Q1), what this customer paid last"]
    assert histories_of(own, other, lost, USD="80")[0].above_list[0] == newest
    assert histories_of(own, USD="80")[0].above_list == ["100.00 USD (Q1), what this customer paid last"]
    assert [each.above_list for each in (*histories_of(own, lost, USD="100"), *histories_of(own))] == [[], []]


def test_a_price_stands_among_what_was_sold_beside_the_customers_own() -> None:
    [found] = histories_of(
        past("Q1", "100", own=True, quote_date=date(2022, 5, 1)),
        past("Q2", "110"),
        past("Q3", "120"),
        past("Q4", "50", outcome="lost"),
        asked="110",
        USD="200",
    )
    standing = found.standing
    assert (standing.among, standing.lower, standing.equal, standing.higher) == ("sold", 1, 1, 1)
    assert (standing.median_pct, standing.own_pct, standing.list_pct) == (0, 10, -45)
    assert [price.quote_number for price in found.own] == ["Q1"]


def test_prices_are_held_against_the_list_of_their_day() -> None:
    prices = [past(f"Q{n}", "90", list_then=Decimal(list_then)) for n, list_then in enumerate(("100", "180", "90"))]
    [found] = histories_of(*prices)
    assert found.figures[0].list_pct == 90


@given(
    st.lists(
        st.tuples(st.decimals("0.01", "9999", places=2), st.sampled_from(["sold", "lost", "offered"])), min_size=1
    )
)
def test_figures_are_those_of_the_sorted_prices(drawn: list[tuple[Decimal, Outcome]]) -> None:
    [found] = histories_of(*(past(f"Q{n}", str(amount), outcome=how) for n, (amount, how) in enumerate(drawn)))
    assert sum(figures.count for figures in found.figures) == found.count == len(drawn)
    for figures in found.figures:
        amounts = [amount for amount, how in drawn if how == figures.outcome]
        assert (figures.low, figures.high, figures.count) == (min(amounts), max(amounts), len(amounts))
        assert figures.median == (median(amounts) if len(amounts) >= 3 else None)


def entry(price: str, **fields: object) -> dict[str, object]:
    return {
        "book_id": "pb_list", "book": "List", "currency": "USD", "priority": 0,
        "opens": date(2024, 1, 1), "closes": None,
        "version": 1, "price": Decimal(price), "unit": "per_unit", "since": date(2026, 11, 1), "until": None,
        "segment": None, "country": None, "active": True,
        **fields,
    }  # fmt: skip


ENTRIES = (
    entry("100", until=date(2026, 11, 10)),
    entry("110", version=2, since=date(2026, 11, 10)),
    entry("80", book="Enterprise", segment="enterprise", priority=10),
    entry("70", book="List 2023", opens=date(2023, 1, 1), closes=date(2023, 12, 31)),
    entry("9", currency="EUR"),
)


@pytest.mark.parametrize(
    ("day", "price"),
    [
        (date(2022, 12, 31), None),
        (date(2023, 6, 1), "70"),
        (date(2024, 6, 1), "100"),  # a book's first price holds from the book's first day
        (date(2026, 11, 9), "100"),
        (date(2026, 11, 10), "110"),
    ],
)
def test_the_list_price_is_that_of_the_book_for_everybody_on_the_day(day: date, price: str | None) -> None:
    found = price_for(ENTRIES, "USD", day)
    assert (found.price if found else None) == (None if price is None else Decimal(price))


def test_a_book_that_is_no_longer_active_tells_the_past_alone_and_an_active_one_before_it() -> None:
    ended, day = entry("90", active=False, priority=5), date(2024, 6, 1)
    assert price_for([ended], "USD", day) is None
    [then, beside] = (price_for(books, "USD", day, past=True) for books in ([ended], [ended, ENTRIES[0]]))
    assert then
    assert beside
    assert (then.price, beside.price) == (Decimal(90), Decimal(100))
    undated = entry("130", opens=None)
    [told] = [price_for(books, "USD", day, past=True) for books in ([undated, ended],)]
    assert told
    assert (told.price, told.later) == (Decimal(90), False)


@pytest.mark.parametrize(
    ("price", "unit", "same"),
    [
        ("per_unit", None, True),
        ("per_unit", "szt.", True),
        ("per_unit", "m", False),
        ("per_unit", "reel", False),
        ("per_reel", "Reel", True),
        ("per_metre", "m", True),
        ("per_metre", "cm", False),
        ("per_hour", "Std", True),
        ("per_unit_per_month", None, False),
        ("per_unit_per_month", "month", False),
    ],
)
def test_a_list_price_compares_with_a_line_in_the_same_unit(price: str, unit: str | None, same: bool) -> None:
    assert (buys(price, unit, units=shipped()) == 1) is same


OWN_UNITS = shipped().with_own([{"symbol": "C", "spellings": "CPCS", "dimension": "pieces", "factor": 100}])


@pytest.mark.parametrize(
    ("listed", "buying", "told", "counts"),
    [
        ("0.25", "per_unit", ("0.20", "0.24"), {250, 300}),
        ("25", "per_hundred", ("20.00", "24.00"), {Decimal("2.5"), 3}),
    ],
)
def test_what_was_sold_by_the_hundred_is_told_as_the_list_counts(
    listed: str, buying: str, told: tuple[str, str], counts: set[Decimal]
) -> None:
    sold = [past("Q1", "20", unit="C", quantity=Decimal("2.5")), past("Q2", "0.24", unit="EA", quantity=Decimal(300))]
    [found] = histories(
        sold, entries=[entry(listed, unit=buying)], units=OWN_UNITS, today=date(2026, 11, 20),
        asked=Decimal(told[0]), currency="USD",
    )  # fmt: skip
    assert [found.figures[0].low, found.figures[0].high, found.list_now] == [*map(Decimal, (*told, listed))]
    assert {price.quantity for price in found.prices} == counts
    assert found.standing is not None
    assert (found.standing.equal, found.standing.higher) == (1, 1)
    assert found.standing.list_pct == -20


def test_a_thousand_has_the_price_of_its_line_and_not_a_thousand_times_a_rounded_one() -> None:
    sold = past("Q1", "0.0656", unit="pcs", quantity=Decimal(1000), extended_price=Decimal("65.55"))
    entries, day = [entry("87.40", unit="per_thousand")], date(2026, 11, 20)
    [found] = histories([sold], entries=entries, units=shipped(), today=day, asked=None, currency="USD")
    assert found.prices[0].unit_price == Decimal("65.55")


def test_a_price_by_the_month_is_never_held_against_that_of_a_piece() -> None:
    entries = [entry("9000"), entry("300", unit="per_month")]
    prices = [past("Q1", "290", unit="months"), past("Q2", "8800", unit="pcs"), past("Q3", "8700")]
    asked: dict[str, Any] = {"entries": entries, "units": shipped(), "today": date(2026, 11, 20), "currency": "USD"}
    piece, month = histories(prices, asked=Decimal(8900), asked_per="per_unit", **asked)
    assert [(each.unit, each.list_now) for each in (piece, month)] == [
        ("pcs", Decimal(9000)),
        ("months", Decimal(300)),
    ]
    assert [(each.count, each.standing is None) for each in (piece, month)] == [(2, False), (1, True)]
    [alone] = histories(prices[:1], asked=Decimal(8900), asked_per="per_unit", **asked)
    assert (alone.unit, alone.list_now, alone.standing) == ("months", Decimal(300), None)


def test_a_price_for_some_is_named_as_theirs_and_compared_for_them_alone() -> None:
    entries = [entry("80", book="Trade", segment="trade")]
    asked: dict[str, Any] = {"units": shipped(), "today": date(2026, 11, 20), "asked": None, "currency": None}
    asked["entries"] = entries
    [anybody] = histories([past("Q1", "90")], **asked)
    assert (anybody.list_now, anybody.list_book) == (Decimal(80), "Trade (trade)")
    assert anybody.above_list == []
    [theirs] = histories([past("Q1", "90")], market=Market("trade", None), **asked)
    assert (theirs.list_book, theirs.above_list) == ("Trade", ["90.00 USD (Q1), the newest sale"])
    [others] = histories([past("Q1", "90")], market=Market("public", None), **asked)
    assert others.list_now is None
