"""Amounts have at least the digits of their currency, wherever they come from."""

import re
from decimal import Decimal

import pytest

from local.files import ROOT
from quarry.money import in_currency, minor_units, with_code

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
