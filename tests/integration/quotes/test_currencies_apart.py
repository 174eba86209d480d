"""Amounts in several currencies or for several pieces: compared within one currency, the house's or the one named."""

from collections.abc import Iterator
from typing import Any

import pytest

from equipment.search_equipment import handler as search_equipment
from operations.ingest import KINDS
from quotes.find_for_request import handler as find_for_request
from quotes.search_line_items import handler as search_line_items
from quotes.search_past_quotes import handler as search_past_quotes
from tests.deployment import Deployment, Handler, invoke
from tests.sample_rows import line, product, quote

PRICED = {"M-1": ("500", "MXN"), "M-2": ("900", "MXN"), "U-1": ("40", "USD"), "U-2": ("700", "USD")}
COUNTED = {"T-1": ("2350", "per_thousand", "1000 PCS"), "H-1": ("3890", "per_hundred", "hundred"),
           "E-1": ("60", "per_unit", None), "M-1": ("50", "per_metre", "m")}  # fmt: skip
APART = "Amounts in different currencies do not compare: beside those in MXN there are 2 in USD."
HANDLERS = (search_equipment, search_line_items, search_past_quotes)


@pytest.fixture(scope="module", autouse=True)
def house(deployment: Deployment) -> Iterator[None]:
    for tenant in ("pesos", "none"):
        put = {"tenant": tenant}
        if tenant == "pesos":
            deployment.put(KINDS["house"], [{"currency": "MXN"}], **put)
        own = {"name": "msrp", "kind": "number", "labels": {"en": "List price"}}
        deployment.put(KINDS["attributes"], [own], **put)
        deployment.put_products(*(product(model) for model in PRICED), product("N-1"), **put)
        for code in ("MXN", "USD"):
            deployment.put(
                KINDS["price_books"], [{"id": f"pb_{code.lower()}", "name": code, "currency": code}], **put
            )
        for model, (amount, code) in PRICED.items():
            sold = {"id": f"prod_{model[0]}{model[2]}".lower(), "sku": model, "name": model, "product_type": "simple"}
            sold |= {"category": "m", "manufacturer": "Acme", "model": model}
            deployment.put(KINDS["products_for_sale"], [sold], **put)
            price = {"price_book_id": f"pb_{code.lower()}", "product_id": model, "price": amount}
            deployment.put(KINDS["prices"], [price], **put)
            deployment.put_quotes(quote(model, currency=code, total_price=amount), **put)
            deployment.put_lines(
                line(model, 1, f"Compressor {model}.", model=model, unit_price=amount, currency=code), **put
            )
    deployment.put(KINDS["house"], [{"currency": "MXN"}], tenant="counts")
    deployment.put_products(*(product(model) for model in COUNTED), tenant="counts")
    deployment.put(KINDS["price_books"], [{"id": "pb_all", "name": "All", "currency": "MXN"}], tenant="counts")
    for model, (amount, unit, said) in COUNTED.items():
        sold = {"id": f"prod_{model[0]}_one".lower(), "sku": model, "name": model, "product_type": "simple"}
        sold |= {"category": "m", "manufacturer": "Acme", "model": model}
        deployment.put(KINDS["products_for_sale"], [sold], tenant="counts")
        price = {"price_book_id": "pb_all", "product_id": model, "price": amount, "unit": unit}
        deployment.put(KINDS["prices"], [price], tenant="counts")
        deployment.put_quotes(quote(model, currency="MXN"), tenant="counts")
        amounts = {"unit_price": amount, "list_price": amount, "unit": said, "currency": "MXN"}
        deployment.put_lines(line(model, 1, f"Compressor {model}.", model=model, **amounts), tenant="counts")
    with deployment.serving("quarry_read"):
        yield


def asked(handler: Handler, *, tenant: str = "pesos", **arguments: object) -> dict[str, Any]:
    found = invoke(handler, arguments, tenant=tenant)
    assert "error" not in found, found
    return {"notice": None, **found, "ids": " ".join(row[0].removesuffix("/1") for row in found["rows"])}


def price(asked: str) -> list[dict[str, str]]:
    return [{"attribute": "price", "is": asked}]


@pytest.mark.parametrize("handler", HANDLERS)
def test_a_table_is_sorted_by_amounts_of_the_houses_currency_first_and_tells_the_others(handler: Handler) -> None:
    rising, falling = (asked(handler, sort=sort) for sort in ("price", "-price"))
    assert rising["ids"].removesuffix(" N-1") == "M-1 M-2 U-1 U-2"
    assert falling["ids"].removesuffix(" N-1") == "M-2 M-1 U-2 U-1"
    assert APART in rising["notice"]
    assert asked(handler, sort="price", tenant="none")["ids"].startswith("M-1 M-2 U-1 U-2")
    assert "there are 2 in MXN, 2 in USD" in asked(handler, sort="price", tenant="none")["notice"]
    assert asked(handler, sort="price", filters=[{"attribute": "model", "is": "M-1"}])["notice"] is None


@pytest.mark.parametrize("handler", HANDLERS)
def test_a_bound_without_a_currency_is_of_the_houses_or_of_the_one_that_is_filtered(handler: Handler) -> None:
    found = asked(handler, sort="price", filters=price("<= 800"))
    assert found["ids"] == "M-1"
    assert APART in found["notice"]
    assert asked(handler, sort="price", filters=price("not <= 800"))["ids"] == "M-2"
    in_dollars = asked(handler, sort="price", filters=[*price("<= 800"), {"attribute": "currency", "is": "USD"}])
    assert (in_dollars["ids"], in_dollars["notice"]) == ("U-1 U-2", None)
    assert asked(handler, sort="price", filters=price("<= 50 USD"))["ids"] == "U-1"
    assert asked(handler, sort="price", filters=price("<= 800"), tenant="none")["ids"] == "U-1 U-2 M-1"


@pytest.mark.parametrize("handler", HANDLERS)
def test_a_need_of_a_price_is_unknown_of_a_row_in_another_currency(handler: Handler) -> None:
    found = asked(handler, needs=price("<= 800"))
    signs = {row[0].removesuffix("/1"): row[found["columns"].index("fit")] for row in found["rows"]}
    assert signs == {"M-1": "+", "M-2": "-", "U-1": "?", "U-2": "?"} | ({"N-1": "?"} if "N-1" in signs else {})
    assert APART in found["notice"]
    cheapest = asked(handler, needs=[{"attribute": "family", "is": "compressor"}], sort="price", top_k=4)
    assert cheapest["ids"] == "M-1 M-2 U-1 U-2"


def test_an_amount_in_words_is_of_the_currency_that_they_name() -> None:
    found = asked(search_equipment, query="compressor under 50 USD")
    assert {tuple(each.values()) for each in found["needs"]} >= {("currency", "USD")}
    assert found["ids"].startswith("U-1")
    assert "do not compare" not in str(found["notice"])


def test_a_filter_of_a_price_beside_a_need_of_a_currency_is_of_that_one() -> None:
    found = asked(search_equipment, needs=[{"attribute": "currency", "is": "USD"}], filters=price("<= 800"))
    assert found["ids"].startswith("U-1 U-2")


def test_a_budget_is_in_the_currency_of_the_call() -> None:
    item = {"what": "compressor", "budget": 100}
    for currency, model in (("USD", "U-1"), ("MXN", "")):
        table = invoke(find_for_request, {"items": [item], "currency": currency}, tenant="pesos")["items"][0][
            "candidates"
        ]
        met = [row[0] for row in table["rows"] if row[table["columns"].index("fit")] == "+"]
        assert met == ([model] if model else [])


@pytest.mark.parametrize("handler", [search_equipment, search_line_items])
def test_prices_of_hundreds_are_compared_as_those_of_one_piece_and_shown_as_they_stand(handler: Handler) -> None:
    kind = {"attribute": "family", "is": "compressor"}
    for by in ("price", *(["unit_price", "list_price"] if handler is search_line_items else [])):
        for needs in ([], [kind]):
            assert asked(handler, sort=by, needs=needs, tenant="counts")["ids"] == "T-1 H-1 M-1 E-1"
    found = asked(handler, sort="price", filters=price("<= 40"), tenant="counts")
    assert (found["ids"], found["notice"]) == ("T-1 H-1", None)
    assert "3,890.00 MXN" in str(found["rows"])
    found = asked(handler, needs=price("<= 40"), tenant="counts")
    signs = {row[0].removesuffix("/1"): row[found["columns"].index("fit")] for row in found["rows"]}
    assert signs == {"T-1": "+", "H-1": "+", "M-1": "-", "E-1": "-"}
    assert "each, per metre." in asked(search_equipment, sort="price", tenant="counts")["notice"]


def test_a_budget_for_one_is_held_against_the_price_of_one() -> None:
    item = {"what": "compressor", "budget": 55}
    table = invoke(find_for_request, {"items": [item]}, tenant="counts")["items"][0]["candidates"]
    met = {row[0] for row in table["rows"] if row[table["columns"].index("fit")] == "+"}
    assert met == {"T-1", "H-1", "M-1"}


def test_an_attribute_that_is_called_like_an_amount_sorts_by_itself(deployment: Deployment) -> None:
    for model, figure in (("M-1", 2), ("U-1", 1)):
        deployment.put_products(product(model, attributes={"msrp": figure}), tenant="none")
    assert asked(search_equipment, sort="list_price", tenant="none")["ids"].startswith("U-1 M-1")
