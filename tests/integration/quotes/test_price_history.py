"""price_history on real Postgres with real embeddings."""

from collections.abc import Iterator
from typing import Any

import pytest

from cpq import catalog_get, catalog_search, quote_create
from cpq.ingestion.catalogue import PRICE_BOOKS, PRICES, PRODUCTS_FOR_SALE
from cpq.ingestion.customers import ACCOUNTS
from equipment import search_equipment
from quarry.precedents.sales import facts
from quotes.price_history import handler
from tests.deployment import Deployment, invoke
from tests.sample_catalogue import put_catalogue
from tests.sample_rows import LINES, PRODUCTS, QUOTES, line, product, quote

YEARS = (("H-1", "2022-04-01", "won"), ("H-2", "2023-04-01", "won"), ("H-3", "2024-04-01", "lost"),
         ("H-4", "2025-04-01", "won"), ("H-5", "2025-06-01", "open"))  # fmt: skip


def machine(number: str, position: int, price: str, **fields: Any) -> dict[str, Any]:
    sized = {"hp": 100, "cfm": 470, "psi": 125, "lubrication": "oil-flooded", "unit_price": price, **fields}
    return line(number, position, "100 HP rotary screw air compressor, variable speed.", **sized)


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    put_catalogue(deployment)
    deployment.put_products(*PRODUCTS)
    four_m = {"id": "acct_4m", "name": "4M Industries", "segment": "mid_market", "currency": "USD", "country": "US"}
    deployment.put(ACCOUNTS, [four_m])
    deployment.put_quotes(*QUOTES)
    deployment.put_lines(*LINES)
    for number, day, status in YEARS:
        customer = "4M Industries, Inc." if number == "H-2" else "Lakeside Foundry"
        deployment.put_quotes(quote(number, quote_date=day, status=status, customer=customer))
    model = {"manufacturer": "Quincy", "model": "QGV-100"}
    deployment.put_lines(
        machine("H-1", 1, "60000", **model),
        machine("H-2", 1, "61000", **model),
        machine("H-3", 1, "66000", **model),
        machine("H-4", 1, "64000", **model),
        machine("H-5", 1, "58000", currency="EUR", **model),
        machine("H-4", 2, "1200", manufacturer="Quincy", model="QGV-1000", optional=True),
        machine("H-4", 3, "59000", manufacturer="Sullair", model="LS-100"),
        line("H-1", 2, "Refrigerated dryer 500 SCFM, non cycling.", category="REFRIGERATED AIR DRYER", family="dryer",
             cfm=500, unit_price="7000"),
    )  # fmt: skip
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


def ask(query: str | None = None, **arguments: object) -> dict[str, Any]:
    return invoke(handler, {**({"query": query} if query else {}), **arguments})


def test_a_models_prices_are_all_of_that_model_and_no_other() -> None:
    dollars, euros = ask("QGV-100")["histories"]
    assert {price["quote_number"] for price in dollars["prices"]} == {"H-1", "H-2", "H-3", "H-4"}
    assert (dollars["currency"], dollars["count"], euros["currency"], euros["count"]) == ("USD", 4, "EUR", 1)
    sold, lost = dollars["figures"]
    assert (sold["outcome"], sold["low"], sold["median"], sold["high"], sold["newest_in"]) == (
        "sold", "60000.00", "61000.00", "64000.00", "H-4",
    )  # fmt: skip
    assert (lost["outcome"], lost["count"], lost["high_in"]) == ("lost", 1, "H-3")


def test_a_price_is_placed_beside_the_customers_own_and_todays_list() -> None:
    answer = ask("QGV-100", customer="4m industries", price=58000, currency="USD")
    history = answer["histories"][0]
    assert history["list_now"] > "64000.00"
    assert "below" not in answer.get("notice", "")
    assert [price["unit_price"] for price in history["own"]] == ["61000.00"]
    standing = history["standing"]
    assert (standing["among"], standing["lower"], standing["higher"]) == ("sold", 0, 3)
    assert standing["own_pct"] == -4.9
    assert ask("QGV-100", customer="acct_4m")["histories"][0]["own"] == history["own"]
    assert history["list_book"] == "List USD 2026"
    assert standing["list_pct"] == pytest.approx(5800000 / float(history["list_now"]) - 100, abs=0.06)
    assert "standing" not in answer["histories"][1]


def test_comparable_is_what_meets_every_need_and_no_likeness_of_words() -> None:
    needs = [{"attribute": "family", "is": "compressor"}, {"attribute": "hp", "is": "100 hp"}]
    answer = ask(needs=[*needs, {"attribute": "lubrication", "is": "oil-flooded"}])
    dollars = answer["histories"][0]
    assert {price["quote_number"] for price in dollars["prices"]} == {"H-1", "H-2", "H-3", "H-4"}
    assert all(price["unit_price"] not in ("98500.00", "7000.00") for price in dollars["prices"])
    [oilless] = ask(needs=[*needs, {"attribute": "lubrication", "is": "oilless"}])["histories"]
    assert [price["quote_number"] for price in oilless["prices"]] == ["Q-24-101"]


def test_words_are_read_into_needs_that_come_back_and_what_cannot_be_read_is_told() -> None:
    answer = ask("100 HP oil-flooded compressor", needs=[{"attribute": "loudness", "is": "70 dB"}])
    assert {"attribute": "lubrication", "is": "oil-flooded"} in answer["needs"]
    assert answer["unread"][0].startswith("loudness 70 dB: no such attribute")
    assert answer["histories"][0]["count"] == 6


def test_fewer_than_three_are_said_to_be_few_and_shown() -> None:
    answer = ask("100 HP oilless compressor")
    assert "Only 1 in USD" in answer["notice"]
    assert "median" not in answer["histories"][0]["figures"][0]


def test_a_word_alone_makes_nothing_comparable() -> None:
    answer = ask("compressor")
    assert answer["histories"] == []
    assert "name a model" in answer["notice"]


def test_a_price_without_a_currency_is_refused_where_several_are_on_record() -> None:
    answer = ask("QGV-100", price=58000)
    assert (answer["code"], "EUR, USD" in answer["message"]) == ("VALIDATION_ERROR", True)


def test_lines_without_a_price_are_counted_and_dates_bound_what_counts() -> None:
    assert ask("QMB30")["histories"] == []
    assert "have no price" in ask("QMB30")["notice"]
    assert ask("QGV-100", date_from="2025-01-01")["histories"][0]["count"] == 1


def test_goods_in_tables_show_list_and_sale_in_the_currency_of_the_house_where_there_is_one(
    deployment: Deployment,
) -> None:
    deployment.put_lines(machine("H-4", 4, "20000", manufacturer="Kettle Creek", model="KC-450HL", currency="MXN"),
                         machine("H-1", 3, "16000", manufacturer="Kettle Creek", model="KC-450HL"))  # fmt: skip
    known = facts("acme", [("Kettle Creek", "KC-450HL")])[("Kettle Creek", "KC-450HL")]
    assert known.newest
    assert known.listed
    assert (known.listed.currency, known.newest.currency, known.newest.line) == ("USD", "USD", "H-1/3")


def test_a_unit_that_nobody_declared_is_named_where_it_keeps_a_price_from_its_list(deployment: Deployment) -> None:
    deployment.put_quotes(quote("H-6", quote_date="2025-08-01"))
    deployment.put_lines(machine("H-6", 1, "2100", manufacturer="Quincy", model="QGV-50", unit="fortnight"))
    found = ask(needs=[{"attribute": "model", "is": "QGV-50"}], price=2000)
    [history] = found["histories"]
    assert (history["unit"], "list_now" in history, "list_pct" in history["standing"]) == ("fortnight", False, False)
    assert "No unit is declared as fortnight: held against no list price of another unit." in found["notice"]


@pytest.mark.parametrize("query", ["2204", "Artnr 2204", "compressor 2204"])
def test_the_houses_own_number_of_goods_makes_them_comparable_however_short(
    query: str, deployment: Deployment
) -> None:
    deployment.put_products(product("NB-9", sku="2204", hp=9), tenant="numbers")
    deployment.put_quotes(quote("N-9"), tenant="numbers")
    deployment.put_lines(line("N-9", 1, "Compressor.", model="NB-9", unit_price="10"), tenant="numbers")
    [history] = invoke(handler, {"query": query}, tenant="numbers")["histories"]
    assert history["count"] == 1


OLD, SOME = {"id": "pb_a", "name": "A"}, {"id": "pb_b", "name": "B"}
TWO = [{"attribute": "model", "is": "TWO-77"}]


@pytest.mark.parametrize(
    ("one", "other", "best"),
    [
        ({}, {}, "A"),
        ({}, {"priority": -5}, "A"),
        ({}, {"priority": 9}, "B"),
        ({"priority": 9, "active": False}, {}, "B"),
        ({}, {"priority": 9, "segment": "enterprise"}, "A"),
        ({}, {"priority": 9, "country": "JP"}, "A"),
        ({"valid_from": "2025-01-01"}, {"valid_from": "2026-01-01"}, "B"),
        ({"segment": "mid_market"}, {"segment": "mid_market", "priority": 1}, "B"),
        ({"country": "US"}, {"segment": "mid_market"}, "B"),
    ],
)
def test_all_tools_tell_the_price_of_the_book_that_a_quote_takes(
    deployment: Deployment, one: dict[str, Any], other: dict[str, Any], best: str
) -> None:
    made = {"manufacturer": "Acme", "model": "TWO-77"}
    goods = {"id": "prod_two", "sku": "TWO-77", "name": "Two", "product_type": "simple", "category": "pump", **made}
    deployment.put_products(product("TWO-77"))
    deployment.put_lines(machine("H-1", 9, "90", currency="CHF", **made))
    deployment.embed()
    deployment.put(PRODUCTS_FOR_SALE, [goods])
    deployment.put(PRICE_BOOKS, [{**OLD, "currency": "CHF", **one}, {**SOME, "currency": "CHF", **other}])
    prices = {"pb_a": "411.95", "pb_b": "205.97"}
    deployment.put(
        PRICES, [{"price_book_id": each, "product_id": "prod_two", "price": prices[each]} for each in prices]
    )
    found = [
        invoke(catalog_get.handler, {"product_id": "prod_two", "currency": "CHF"})["pricing"]["base_price"],
        invoke(catalog_search.handler, {"query": "TWO-77", "currency": "CHF"})["items"][0]["base_price"],
        ask(needs=TWO)["histories"][0]["list_now"],
    ]
    table = invoke(search_equipment.handler, {"needs": TWO})
    found.append(dict(zip(table["columns"], table["rows"][0], strict=True))["list price"])
    below = [{"attribute": "price", "is": "<= 300 CHF"}, {"attribute": "currency", "is": "CHF"}]
    assert len(invoke(search_equipment.handler, {"needs": TWO, "filters": below}).get("rows", ())) == (best == "B")
    with deployment.serving("quarry_write"):
        asked = {
            "account_id": "acct_4m",
            "currency": "CHF",
            "line_items": [{"product_id": "prod_two", "quantity": 1}],
            "price": True,
        }
        found.append(invoke(quote_create.handler, asked)["line_pricing"][0]["unit_price"])
    assert [each.split()[0] for each in found] == [prices[f"pb_{best.lower()}"]] * 5


def test_a_list_price_that_was_loaded_after_its_quote_is_told_as_such(deployment: Deployment) -> None:
    deployment.put(PRICE_BOOKS, [{**OLD, "currency": "CHF"}])
    assert "list_then of 1 is the first list price on record, loaded after their quotes" in ask(needs=TWO)["notice"]
