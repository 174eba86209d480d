"""Lines of past quotes with their unit, list price and discount: stored, shown, and never mixed with other units."""

from collections.abc import Iterator
from typing import Any

import pytest

from quotes import get_quote, price_history, search_line_items, search_past_quotes
from tests.deployment import Deployment, invoke
from tests.sample_rows import line, product, quote


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(product("HX-50", manufacturer="Sirius", hp=50))
    for number, year in (("L-1", "2023"), ("L-2", "2024"), ("L-3", "2025"), ("L-4", "2025")):
        deployment.put_quotes(quote(number, quote_date=f"{year}-02-01"))
    hose = {"manufacturer": "Sirius", "model": "HX-50", "sku": "700-050"}
    by_metre = {**hose, "unit": "m", "list_price": "50", "discount_pct": "12.5", "unit_price": "43.75"}
    deployment.put_lines(
        line("L-1", 1, "Hose, by the metre.", quantity="30", extended_price="1312.50", **by_metre),
        line("L-2", 1, "Hose, by the metre.", quantity="20", **{**by_metre, "unit": "M"}),
        line("L-3", 1, "Hose, by the metre.", quantity="10", **by_metre),
        line("L-4", 1, "A reel of hose.", unit="reel", unit_price="1900", **hose),
    )
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


def answer(handler: Any, **arguments: object) -> dict[str, Any]:
    found = invoke(handler, arguments)
    assert "error" not in found, found
    return found


def test_a_quote_tells_unit_list_price_and_discount_of_its_lines() -> None:
    [stored] = answer(get_quote.handler, quote_id="L-1")["line_items"]
    told = {name: stored[name] for name in ("quantity", "unit", "list_price", "discount_pct", "unit_price")}
    assert told == {
        "quantity": "30",
        "unit": "m",
        "list_price": "50.00",
        "discount_pct": "12.5",
        "unit_price": "43.75",
    }
    [other] = answer(get_quote.handler, quote_id="L-4")["line_items"]
    assert not {"list_price", "discount_pct"} & other.keys()


def test_tables_of_lines_have_them_as_columns_by_which_they_are_filtered_and_sorted() -> None:
    found = answer(
        search_line_items.handler,
        filters=[{"attribute": "discount_pct", "is": ">= 10"}, {"attribute": "unit", "is": "m"}],
        columns=["unit", "list_price", "discount_pct"],
        sort="list_price",
    )
    at = [found["columns"].index(name) for name in ("unit", "list_price", "discount_pct")]
    assert {tuple(row[place] for place in at) for row in found["rows"]} == {
        ("m", "50.00 USD/m", "12.5"),
        ("M", "50.00 USD/M", "12.5"),
    }


def test_a_table_of_quotes_has_unit_sku_and_amounts_of_their_lines() -> None:
    asked = ["unit", "sku", "list_price", "extended_price"]
    filters = [{"attribute": "quote_number", "is": "L-1"}, {"attribute": "sku", "is": "700050"}]
    found = answer(search_past_quotes.handler, columns=asked, filters=filters)
    [row] = found["rows"]
    told = dict(zip(found["columns"], row, strict=True))
    assert [told[name] for name in asked] == ["m", "700-050", "50.00 USD/m", "1,312.50 USD"]


def test_a_discount_of_nought_is_a_nought_in_tables_and_in_the_quote(deployment: Deployment) -> None:
    deployment.put_quotes(quote("L-5", quote_date="2025-02-01"))
    deployment.put_lines(line("L-5", 1, "A clamp at its list.", unit_price="9", list_price="9", discount_pct="0"))
    [stored] = answer(get_quote.handler, quote_id="L-5")["line_items"]
    asked = {"columns": ["discount_pct"], "filters": [{"attribute": "quote_number", "is": "L-5"}]}
    lines = answer(search_line_items.handler, **asked)
    quotes = answer(search_past_quotes.handler, **asked)
    shown = [found["rows"][0][found["columns"].index("discount_pct")] for found in (lines, quotes)]
    assert [stored["discount_pct"], *shown] == ["0", "0", "0"]


def test_prices_of_a_metre_and_of_a_reel_are_two_histories() -> None:
    metres, reels = answer(price_history.handler, query="HX-50")["histories"]
    assert (metres["unit"].lower(), metres["count"], metres["figures"][0]["median"]) == ("m", 3, "43.75")
    assert (reels["unit"], reels["count"]) == ("reel", 1)
    newest = metres["prices"][0]
    assert (newest["list_then"], newest["discount_pct"], newest["sku"]) == ("50.00", "12.5", "700-050")
    assert [price.get("extended_price") for price in metres["prices"]][-1] == "1312.50"


def test_a_group_of_two_units_is_two_rows_that_say_which(deployment: Deployment) -> None:
    deployment.put_lines(line("L-4", 2, "A clamp.", model="CL-1", unit="pcs", unit_price="9"),
                         line("L-3", 2, "A clamp.", model="CL-1", unit_price="11"),
                         line("L-2", 2, "A clamp, its price open.", model="CL-1", unit="set"))  # fmt: skip
    found = answer(search_line_items.handler, group="model", sort="-median")
    rows = {(row[0], row[2]): row for row in found["rows"]}
    metres, reels = rows["HX-50", "43.75 USD/m"], rows["HX-50", "1,900.00 USD/reel"]
    assert (metres[1], metres[2:6], reels[1]) == ("3", ["43.75 USD/m"] * 4, "1")
    assert reels[6].startswith("1,900.00 USD/reel 2025-02-01 L-4/1")
    pieces = rows["CL-1", "9.00 USD"]
    assert (pieces[1], pieces[2:6]) == ("3", ["9.00 USD", "10.00 USD", "10.00 USD", "11.00 USD"])


def test_middle_and_mean_of_amounts_below_a_cent_lie_between_least_and_most(deployment: Deployment) -> None:
    prices = ("0.0525", "0.0531", "0.0542")
    deployment.put_lines(*(line("L-1", 10 + place, "A tip.", model="TP-1", unit_price=price)
                           for place, price in enumerate(prices)))  # fmt: skip
    rows = answer(search_line_items.handler, group="model")["rows"]
    [amounts] = [row[2:6] for row in rows if row[0] == "TP-1"]
    assert amounts == ["0.0525 USD", "0.0531 USD", "0.0533 USD", "0.0542 USD"]


def test_a_group_that_is_not_of_goods_is_one_row_whose_amounts_are_those_of_one_unit(deployment: Deployment) -> None:
    deployment.put_quotes(quote("U-1", customer="Metres And Reels"), quote("U-2", customer="Metres Alone"))
    deployment.put_lines(line("U-1", 1, "A hose.", model="HX-60", unit="m", quantity="10", unit_price="4"),
                         line("U-1", 2, "A reel of hose.", model="HX-60", unit="reel", unit_price="100"),
                         line("U-1", 3, "A hose, its price open.", model="HX-60", unit="m", quantity="5"),
                         line("U-2", 1, "A hose.", model="HX-60", unit="m", quantity="2", unit_price="5"),
                         line("U-2", 2, "A hose.", model="HX-60", unit="M", unit_price="7"))  # fmt: skip
    found = answer(search_line_items.handler, group="customer", sort="-sum")
    assert found["columns"][1:] == ["lines", "least", "median", "mean", "most", "newest", "quotes", "quantity", "sum"]
    mixed, alone = ([row for row in found["rows"] if row[0] == name] for name in ("Metres And Reels", "Metres Alone"))
    assert [row[1:6] + row[7:] for row in mixed] == [["3", "", "", "", "", "1", "", "140.00 USD"]]
    assert [row[2:6] + row[7:] for row in alone] == [
        ["5.00 USD", "6.00 USD", "6.00 USD", "7.00 USD", "1", "3", "17.00 USD"]
    ]
    assert "USD" not in mixed[0][6]
    by_least = answer(search_line_items.handler, group="customer", sort="-least")["rows"]
    assert by_least[-1][0] == "Metres And Reels"


def test_a_sorted_table_has_the_columns_of_one_that_is_not() -> None:
    asked = {"filters": [{"attribute": "model", "is": "HX-50"}]}
    plain, sorted_by = (answer(search_line_items.handler, **asked, **more) for more in ({}, {"sort": "-quantity"}))
    assert sorted_by["columns"] == [*plain["columns"], "quantity"]
    by_date = answer(search_line_items.handler, **asked, sort="-date")
    assert (by_date["columns"], by_date["rows"][-1][0]) == (plain["columns"], "L-1/1")
    assert {row[-1] for row in plain["rows"]} == {"1,900.00 USD/reel", "43.75 USD/m", "43.75 USD/M"}
