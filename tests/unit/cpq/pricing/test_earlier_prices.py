"""A price under an earlier one is named: this customer's own, and the newest."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from cpq.pricing.earlier_prices import EarlierPrice, notes
from quarry.attributes.units import shipped
from tests.unit.cpq.pricing.orders import SEATS, SINGLE_SIGN_ON, SSO, order, priced

QUOTE = priced(order(SEATS, discount="10"))
"""5.40 for a seat and month."""


MONTHLY = "per_seat_per_month"


def sale(source: str, day: date, price: str, **changes: object) -> EarlierPrice:
    sold = EarlierPrice(
        product_id="prod_pro_v2", source=source, day=day, price=Decimal(price), unit=MONTHLY, own=False
    )
    return replace(sold, **changes)  # type: ignore[arg-type]


HOUSES = shipped().with_own(
    [{"symbol": symbol, "dimension": of, "factor": 1} for symbol, of in (("rl", "pieces"), ("r.m.", "length"))]
)
OWN = sale("Q-2025-0001", date(2025, 5, 1), "6.125", own=True)
NEWEST = sale("Q-2025-0009", date(2025, 9, 1), "5.80")


def test_a_price_under_what_this_customer_paid_and_under_the_newest_sale_is_named_twice() -> None:
    own, newest = notes(QUOTE, [NEWEST, OWN])
    assert (own.under, own.source, f"{own.price:f}", f"{own.earlier:f}") == (
        "own_price",
        "Q-2025-0001",
        "5.40",
        "6.125",
    )
    assert newest.description.startswith("Pro Plan (ql_001): 5.40 USD per seat per month is under the 5.80 that")
    assert newest.description.endswith("another customer paid on 2025-09-01 (Q-2025-0009).")


def test_a_price_above_what_this_customer_paid_is_named() -> None:
    [note] = notes(QUOTE, [replace(OWN, price=Decimal("5.00"))])
    assert note.under is None
    assert "5.40 USD per seat per month is above the 5.00 that this customer paid on 2025-05-01" in note.description


def test_what_was_quoted_and_never_ordered_is_not_said_to_be_paid() -> None:
    [note] = notes(QUOTE, [replace(NEWEST, sold=False)])
    assert "is under the 5.80 that another customer was quoted on 2025-09-01 (Q-2025-0009)." in note.description


def test_only_the_last_price_of_a_customer_counts_and_only_a_lower_one_is_named() -> None:
    since = sale("Q-2025-0010", date(2025, 10, 1), "5.40", own=True)
    assert notes(QUOTE, [OWN, since]) == []


def test_the_newest_sale_that_is_this_customers_own_is_named_once() -> None:
    assert [note.under for note in notes(QUOTE, [OWN])] == ["own_price"]


def test_what_one_piece_comes_to_is_told_and_compared_in_the_digits_of_its_price() -> None:
    thirds = priced(order(replace(SEATS, quantity=7), discount="33.3333"))  # a seat and month is 6.66671…
    [note] = notes(thirds, [replace(OWN, price=Decimal("6.50"))])
    assert "6.67 USD per seat per month is above the 6.50" in note.description
    assert notes(thirds, [replace(OWN, price=Decimal("6.67"))]) == []


def test_what_was_sold_once_is_no_price_of_a_month() -> None:
    others = [replace(OWN, unit=unit) for unit in (None, "per_seat", "h")]
    assert notes(QUOTE, [*others, replace(OWN, product_id="prod_other")]) == []


def test_what_was_sold_by_the_piece_is_held_against_a_price_of_a_hundred() -> None:
    hundred = replace(SSO, unit="per_hundred")
    quote = priced(order(replace(SINGLE_SIGN_ON, quantity=5)), entries=(hundred,))
    piece = sale("Q-2025-0002", date(2025, 6, 1), "0.03", product_id="prod_sso", unit="rl", units=HOUSES)
    [note] = notes(quote, [piece])
    assert "2.00 USD per hundred is under the 3.00 that another customer paid" in note.description
    [note] = notes(quote, [replace(piece, exact=Decimal("0.0305"))])
    assert note.earlier == Decimal("3.05")


def test_a_unit_of_the_houses_that_is_another_is_held_against_a_price_of_it() -> None:
    quote = priced(order(replace(SINGLE_SIGN_ON, quantity=5)), entries=(replace(SSO, unit="per_metre"),))
    sold = sale("Q-2025-0002", date(2025, 6, 1), "3", product_id="prod_sso", unit="R.M.", units=HOUSES)
    [note] = notes(quote, [sold])
    assert "2.00 USD per metre is under the 3.00 that another customer paid" in note.description
    assert notes(quote, [replace(sold, unit="rl")]) == []
