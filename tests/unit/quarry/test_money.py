"""Amounts have at least the digits of their currency, wherever they come from."""

import re
from datetime import date
from decimal import Decimal

import pytest

from cpq.price_guidance import Charged
from local.files import ROOT
from quarry.money import in_currency, minor_units, with_code
from quarry.precedents.past_prices import list_on, past_price
from quarry.precedents.price_history import histories, told
from quotes.drafting.usual import _service
from quotes.model import with_digits

STORED = (ROOT / "migrations/0008_cpq.sql").read_text("utf-8")


def test_each_currency_has_the_digits_that_the_database_gives_it() -> None:
    block = STORED[STORED.index("INSERT INTO cpq.currencies") : STORED.index("GRANT SELECT ON cpq.currencies")]
    listed = {
        code: int(digits)
        for codes, digits in re.findall(r"string_to_array\((.*?), ' '\)\), (\d)", block, re.DOTALL)
        for code in re.findall(r"[A-Z]{3}", codes)
    }
    assert len(listed) > 150
    assert {code: minor_units(code) for code in listed} == listed


@pytest.mark.parametrize(
    ("amount", "currency", "written"),
    [
        ("2731.6", "EUR", "2,731.60 EUR"),
        ("14825.0000", "USD", "14,825.00 USD"),
        ("0.0045", "USD", "0.0045 USD"),
        ("125400", "JPY", "125,400 JPY"),
        ("1E+3", "JPY", "1,000 JPY"),
        ("7.5", "KWD", "7.500 KWD"),
    ],
)
def test_an_amount_is_written_with_its_currencys_digits_and_loses_none(
    amount: str, currency: str, written: str
) -> None:
    assert with_code(Decimal(amount), currency) == written
    assert in_currency(Decimal(amount), currency) == Decimal(amount)


def test_rows_and_figures_of_past_quotes_have_their_currencys_digits() -> None:
    row = {"quote_number": "A1", "position": 1, "customer": "C", "quote_date": date(2024, 5, 1), "status": "won",
           "optional": False, "quantity": Decimal(2), "currency": "KWD", "price_note": None}  # fmt: skip
    prices = [
        past_price({**row, "unit_price": Decimal(amount)}, customer=None) for amount in ("7.5", "8", "9.25", "9")
    ]
    entry = {"currency": "KWD", "unit": "per_unit", "opens": None, "closes": None, "version": 1, "until": None,
             "for_all": True, "priority": 0, "price": Decimal(10), "book": "B"}  # fmt: skip
    listed = list_on([entry], "KWD", date(2024, 5, 1))
    assert listed is not None
    [history] = histories(prices, lists={"KWD": listed}, asked=Decimal("8.5"), currency="KWD")
    said = history.model_dump(mode="json")
    sold = said["figures"][0]
    assert (sold["low"], sold["median"], sold["high"], said["list_now"]) == ("7.500", "8.500", "9.250", "10.000")
    assert (said["years"][0]["median"], said["standing"]["price"]) == ("8.500", "8.500")
    assert (said["prices"][0]["unit_price"], said["prices"][0]["quantity"]) == ("7.500", "2")
    assert "for 7.500 (A1) to 9.250 KWD (A1), median 8.500" in told(history)
    held = {"total_price": Decimal("2731.6"), "unit_price": 12, "extended_price": None, "currency": "EUR"}
    assert with_digits(held) == {**held, "total_price": Decimal("2731.60"), "unit_price": Decimal("12.00")}
    assert str(with_digits({"unit_price": 12, "currency": "JPY"})["unit_price"]) == "12"
    service = {"category": "Start-up", "quotes": 2, "of_quotes": 3, "low": Decimal("980.5"), "high": Decimal(1200),
               "currency": "EUR", "newest": "A1/2"}  # fmt: skip
    assert "980.50 to 1,200.00 EUR" in _service(service, currency="EUR")
    assert "1,200.00" not in _service(service, currency="USD")


def test_a_net_price_is_rounded_to_its_currencys_digits() -> None:
    def charged(currency: str) -> str:
        line = Charged.of(
            line_id="l", product_id="p", unit="per_unit", unit_price=Decimal(1005), discount_pct=Decimal("3.3"),
            currency=currency,
        )  # fmt: skip
        assert line is not None
        return str(line.unit_price)

    assert [charged(code) for code in ("JPY", "EUR", "KWD")] == ["972", "971.84", "971.835"]
