"""Makers and customers get other names from one file to the next, and what was before is still theirs."""

from typing import Any

from equipment import search_equipment
from quotes import price_history
from tests.deployment import Deployment, invoke
from tests.integration.operations.conftest import House
from tests.integration.operations.test_undo import QUOTED
from tests.sample_rows import line, product, quote


def answer(handler: Any, house: House, **arguments: object) -> dict[str, Any]:
    found = invoke(handler, arguments, tenant=house.tenant)
    assert "error" not in found, found
    return found


def test_lines_of_a_sku_follow_its_product_to_its_makers_new_name(house: House, deployment: Deployment) -> None:
    goods = [product("KV 9", sku="A-9"), product("KX 9", sku="B-9"), product("KX 9", sku="B-9", manufacturer="Coral")]
    house.load("products", goods)
    house.load("past_quotes", [quote("Q-1")])
    paid = {"unit_price": "70", "currency": "USD"}
    lines = [
        line("Q-1", 1, "By its number.", sku="a9", **paid),
        line("Q-1", 2, "With its maker.", model="KV-9", manufacturer="Acme", sku="A-9", **paid),
        line("Q-1", 3, "A number of two makers.", model="KX 9", manufacturer="Zenith", sku="B-9", **paid),
        line("Q-1", 4, "A number that is another's now.", model="KA 1", manufacturer="Acme", sku="A-9", **paid),
    ]
    house.load("line_items", lines)
    renamed = house.load("products", [product("KV 9", sku="A-9", manufacturer="Bravo"), *goods[1:]], replace=True)
    house.load("vocabulary", [{"term": "Acme", "attribute": "manufacturer", "value": "Bravo"}])
    with deployment.serving("quarry_read"):
        [first, *_] = answer(search_equipment.handler, house, query="Bravo KV 9")["rows"]
        assert {"70.00 USD 2024-03 won Q-1/1", "2 of 2"} <= {*first}
        for query in ("Bravo KV 9", "Acme KV-9"):
            [history] = answer(price_history.handler, house, query=query)["histories"]
            assert {price["position"] for price in history["prices"]} == {1, 2}
    assert house.load("line_items", lines)["unchanged"] == 4
    held = "SELECT manufacturer FROM quotes.line_items WHERE tenant = %(t)s ORDER BY position"
    assert house.one(held) == [("Bravo",), ("Bravo",), ("Zenith",), ("Acme",)]
    house.undo(renamed)
    assert house.one(held) == [("Acme",), ("Acme",), ("Zenith",), ("Acme",)]


def test_past_quotes_of_a_customers_former_name_are_told_and_can_be_given_the_new_one(house: House) -> None:
    house.do(QUOTED.partition("INSERT INTO cpq.quote_versions")[0])
    house.load("past_quotes", [quote("Q-1", customer="ADLER"), quote("Q-2026-0001", customer="Adler GmbH")])
    renamed = house.load("accounts", [{"id": "acct_a", "name": "Bussard"}])
    [told] = renamed["doubts"]
    assert told.split(": ")[1].startswith(
        "acct_a Bussard, 2 of ADLER. Load past_quotes with quote_number and customer"
    )
    [taken] = house.load("past_quotes", [{"quote_number": "Q-1", "customer": "Bussard"}])["doubts"]
    assert "Q-2026-0001 of Adler GmbH, here of Bussard. Load them under numbers" in taken
    assert house.load("past_quotes", [{"quote_number": "Q-2026-0001", "customer": "Bussard KG"}])["doubts"] == []
    with_history = "SELECT count(*) FROM quotes.past_quotes JOIN cpq.accounts USING (tenant, company_key)"
    assert house.one(f"{with_history} WHERE tenant = %(t)s") == [(2,)]
    assert house.load("accounts", [{"id": "acct_a", "salesperson": "Ann"}])["doubts"] == []
