"""Cells of a table: a row's value as the row has it, money with its currency, each column once."""

from datetime import date
from decimal import Decimal

import pytest

from quarry.attributes.model import Attribute, Attributes
from quarry.corpora import LINE_ITEMS, PRODUCTS
from quarry.retrieval.tables import LONGEST_CELL, cell, columns_of
from quotes.queries import PAST_QUOTES

ATTRIBUTES = Attributes({"flow": Attribute("flow", kind="number", unit="m³/h"), "body": Attribute("body")})
LINE = {
    "unit_price": Decimal("1200.50"),
    "currency": "CHF",
    "quote_date": date(2024, 3, 1),
    "optional": False,
    "attributes": {"flow": [100, 300], "body": {"value": "iron", "raw": "Grauguss"}},
    "_catalogue": {"flow": 50, "body": "steel"},
}


@pytest.mark.parametrize(
    ("column", "shown"),
    [("flow", "100..300 m³/h"), ("body", "Grauguss"), ("year", "2024"), ("date", "2024-03-01"), ("optional", "no"),
     ("customer", "")],
)  # fmt: skip
def test_a_cell_is_the_rows_own_value(column: str, shown: str) -> None:
    assert cell(LINE_ITEMS, LINE, column, ATTRIBUTES) == shown


def test_an_amount_says_its_currency() -> None:
    assert "CHF" in cell(LINE_ITEMS, LINE, "price", ATTRIBUTES)


def test_a_long_value_is_cut() -> None:
    assert len(cell(PRODUCTS, {"attributes": {"body": "x" * 99}}, "body", ATTRIBUTES)) == LONGEST_CELL


def test_a_quote_has_what_its_lines_have_without_options() -> None:
    lines = [{"category": "Pump"}, {"category": "Valve", "optional": True}, {"category": "Pump"}]
    assert cell(PAST_QUOTES, {"_lines": lines}, "category", ATTRIBUTES) == "Pump"


def test_a_column_stands_once_and_that_of_the_id_never_again() -> None:
    asked = ["flow", "model", "flow", "description", "category"]
    assert columns_of(PRODUCTS, asked, bare=False) == ["flow", "category"]
    assert columns_of(PRODUCTS, asked, bare=True) == ["category", "flow"]
