"""Before and now, product by product."""

from decimal import Decimal
from typing import Any

from cpq.documents.composition import StoredQuote, renewal
from cpq.documents.content import Side
from cpq.documents.wording import DocumentLabels
from cpq.model import VersionLine
from tests.unit.cpq.documents.printed_quotes import LAYOUTS
from tests.unit.cpq.stored_quotes import quote_line, quote_version

ENGLISH = DocumentLabels.read(LAYOUTS, "en")


def quote(*lines: VersionLine, **changes: Any) -> StoredQuote:
    return StoredQuote(version=quote_version(**changes), lines=lines)


def row(product_id: str, quantity: int, price: str) -> VersionLine:
    unit_price = Decimal(price)
    return quote_line(
        product_id=product_id,
        product_name=product_id.title(),
        sku=product_id.upper(),
        quantity=quantity,
        unit_price=unit_price,
        line_total=quantity * unit_price,
    )


def test_products_stay_come_and_go() -> None:
    found = renewal(
        quote(row("pro", 100, "8.00"), row("support", 1, "25.00")),
        now=quote(row("pro", 150, "6.00"), row("sso", 150, "2.00"), total=Decimal("12960.00")),
        labels=ENGLISH,
    )
    counts = [[side.quantity if side else None for side in (line.before, line.now)] for line in found.lines]
    assert [(line.name, *count, line.change) for line, count in zip(found.lines, counts, strict=True)] == [
        ("Pro", 100, 150, Decimal("100.00")),
        ("Sso", None, 150, Decimal("300.00")),
        ("Support", 1, None, Decimal("-25.00")),
    ]
    assert (found.change, found.change_pct) == (Decimal("3360.00"), Decimal("35.0"))


def test_lines_of_one_product_are_summed_and_differing_prices_left_out() -> None:
    found = renewal(
        quote(row("pro", 1, "8.00")), now=quote(row("pro", 2, "8.00"), row("pro", 3, "7.00")), labels=ENGLISH
    )
    (line,) = found.lines
    assert line.now == Side(quantity=5, price=None, amount=Decimal("37.00"))


def test_another_currency_is_shown_and_not_subtracted() -> None:
    found = renewal(quote(row("pro", 1, "8.00"), currency="EUR"), now=quote(row("pro", 1, "9.00")), labels=ENGLISH)
    assert (found.change, found.change_pct, found.lines[0].change) == (None, None, None)
    assert found.lines[0].before == Side(quantity=1, price=Decimal("8.00"), amount=Decimal("8.00"))
