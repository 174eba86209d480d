"""Before and now, product by product."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from cpq.documents.renewal import renewal


def header(**changes: Any) -> dict[str, Any]:
    values = {
        "id": "Q-2025-0007",
        "version": 2,
        "priced_at": datetime(2025, 2, 20, tzinfo=UTC),
        "valid_until": date(2025, 4, 1),
        "deal_id": None,
        "term_months": 12,
        "start_date": date(2025, 3, 1),
        "end_date": date(2026, 2, 28),
        "billing_frequency": "monthly",
        "payment_terms": "net_45",
        "currency": "USD",
        "total": Decimal("9600.00"),
    }
    return {**values, **changes}


def row(product_id: str, quantity: int, price: str) -> dict[str, Any]:
    unit_price = Decimal(price)
    names = {"product_id": product_id, "product_name": product_id.title(), "sku": product_id.upper()}
    return {**names, "quantity": quantity, "unit_price": unit_price, "line_total": quantity * unit_price}


def test_products_stay_come_and_go() -> None:
    now = header(id="Q-2026-0042", total=Decimal("12960.00"))
    found = renewal(
        header(),
        [row("pro", 100, "8.00"), row("support", 1, "25.00")],
        now=now,
        now_lines=[row("pro", 150, "6.00"), row("sso", 150, "2.00")],
    )
    assert [(line.name, line.quantity_before, line.quantity, line.change) for line in found.lines] == [
        ("Pro", 100, 150, Decimal("100.00")),
        ("Sso", None, 150, Decimal("300.00")),
        ("Support", 1, None, Decimal("-25.00")),
    ]
    assert (found.change, found.change_pct) == (Decimal("3360.00"), Decimal("35.0"))


def test_lines_of_one_product_are_summed_and_differing_prices_left_out() -> None:
    found = renewal(
        header(), [row("pro", 1, "8.00")], now=header(), now_lines=[row("pro", 2, "8.00"), row("pro", 3, "7.00")]
    )
    (line,) = found.lines
    assert (line.quantity, line.price, line.amount) == (5, None, Decimal("37.00"))


def test_another_currency_is_shown_and_not_subtracted() -> None:
    found = renewal(header(currency="EUR"), [row("pro", 1, "8.00")], now=header(), now_lines=[row("pro", 1, "9.00")])
    assert (found.change, found.change_pct, found.lines[0].change) == (None, None, None)
    assert found.lines[0].amount_before == Decimal("8.00")
