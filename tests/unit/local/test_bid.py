"""A bid on a bill of quantities: the X84 that answers an X83."""

from datetime import date
from pathlib import Path

import pytest

from local.bid import Bid, offered
from operations.exchange.files import read_sheets
from quarry.tool.errors import ValidationFailed

FILES = Path("tests/fixtures/exchange")
BILL = (FILES / "bill.x83").read_text("utf-8")
BIDDER = ("Harzer Drucklufttechnik GmbH", "Musterweg 4", "38640 Goslar", "Deutschland")


def bid(bill: str, *lines: tuple[str, int, str], currency: str = "EUR") -> tuple[Bid, bytes]:
    found = Bid(offered([{"notes": note, "quantity": count, "line_total": total} for note, count, total in lines]))
    content = found.on(bill.encode(), file_name="LV.x83", currency=currency, bidder=BIDDER, day=date(2026, 3, 4))
    return found, content


def test_a_bid_has_the_prices_of_a_quote_at_the_positions_of_the_bill() -> None:
    made, content = bid(BILL, ("OZ 01.02.0010, mit Datenblatt", 12, "148.80"), ("OZ: 01.02.0020a", 1, "250.00"))
    text = content.decode()
    assert 'xmlns="http://www.gaeb.de/GAEB_DA_XML/DA84/3.2"' in text
    assert "<DP>84</DP>" in text
    assert "<PCode>38640</PCode>" in text
    assert text.count("<Total>148.80</Total>") == 3
    [positions] = [each for each in read_sheets(content, file_name="Angebot.x84") if each.name == "positions"]
    names, *rows = positions.rows
    wanted = [names.index(name) for name in ("OZ", "unit price", "total price")]
    assert [tuple(row[at] for at in wanted) for row in rows if row[wanted[1]] is not None] == [
        ("01.02.0010", 12.4, "148.80"),
        ("01.02.0020a", 250.0, "250.00"),
    ]
    assert made.told == []


def test_a_bid_says_which_positions_have_no_price_or_another_quantity_and_which_are_not_there() -> None:
    made, content = bid(BILL, ("OZ 01.02.0010", 10, "100.00"), ("OZ 9.1", 1, "1.00"))
    assert made.told == [
        "01.02.0010: the bill asks for 12.000, the quote is of 10",
        "01.02.0020a Messprotokoll: without a price, and the bid says so",
        "9.1: the bill has no such position",
    ]
    assert "<span>Nicht angeboten: ohne Preis.</span>" in content.decode()
    assert "<IT>120.00</IT>" in content.decode()


def test_no_bid_is_made_in_another_currency_nor_on_what_is_no_bill() -> None:
    with pytest.raises(ValidationFailed, match="asks for prices in EUR, and the quote is in PLN"):
        bid(BILL, currency="PLN")
    with pytest.raises(ValidationFailed, match="no bill of quantities"):
        bid((FILES / "catalogue_2005.xml").read_text("utf-8"))
