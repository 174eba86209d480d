"""A SKU is a key of products, lines and their prices, in whatever order they are loaded."""

from typing import Any

from equipment import get_product, search_equipment
from quotes import get_quote, price_history, search_line_items
from quotes.ingestion import LINK_PRODUCTS
from tests.deployment import Deployment, as_tenant, invoke
from tests.sample_rows import line, product, quote


def put(deployment: Deployment) -> None:
    """A line of a SKU before its product is known, and one after it."""
    deployment.put_quotes(quote("S-1", quote_date="2024-01-01"), quote("S-2", quote_date="2025-01-01"))
    deployment.put_lines(line("S-1", 1, "One as before.", sku="10-2030.A", unit_price="100"))
    deployment.put_products(product("SX 30", sku="10 2030 A", hp=30, manufacturer="Sirius"))
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, "acme"):
        connection.execute(LINK_PRODUCTS, {"tenant": "acme"})
    deployment.put_lines(line("S-2", 1, "Another of them.", sku="102030a", unit_price="120"))
    deployment.embed()


def answer(handler: Any, **arguments: object) -> dict[str, Any]:
    found = invoke(handler, arguments)
    assert "error" not in found, found
    return found


def test_a_sku_finds_the_product_its_lines_and_what_was_paid(deployment: Deployment) -> None:
    put(deployment)
    with deployment.serving("quarry_read"):
        for asked in ("10-2030.A", "102030a", "SX30"):
            found = answer(get_product.handler, model=asked)["product"]
            assert (found["model"], found["sku"]) == ("SX 30", "10 2030 A")
        rows = answer(search_equipment.handler, filters=[{"attribute": "sku", "is": "10-2030-A"}])["rows"]
        assert len(rows) == 1
        assert "SX 30" in str(rows)
        searches: tuple[dict[str, Any], ...] = (
            {"query": "102030A"},
            {"filters": [{"attribute": "sku", "is": "10.2030 A"}]},
        )
        for search in searches:
            told = str(answer(search_line_items.handler, **search))
            assert [number for number in ("S-1", "S-2") if number in told] == ["S-1", "S-2"]
        for query in ("SX 30", "10-2030.A"):
            [first, *_] = answer(search_equipment.handler, query=query)["results"]
            assert (first["product"]["model"], first["confidence"]) == ("SX 30", "likely_good")
            own = answer(price_history.handler, query=query, customer="Groeb Farms")["histories"][0]["own"]
            assert [price["quote_number"] for price in own] == ["S-2", "S-1"]


def test_what_was_taken_in_part_payment_has_a_price_below_zero_and_is_nobodys_price(deployment: Deployment) -> None:
    deployment.put_quotes(quote("T-1"))
    old = {"model": "OLD 9", "manufacturer": "Sirius", "unit_price": "-3500", "extended_price": "-3500"}
    deployment.put_lines(line("T-1", 1, "Old machine, taken back.", **old))
    deployment.embed()
    with deployment.serving("quarry_read"):
        [stored] = answer(get_quote.handler, quote_id="T-1")["line_items"]
        assert stored["unit_price"] == "-3500.00"
        assert "-3500" not in str(answer(price_history.handler, query="OLD 9")["histories"])
