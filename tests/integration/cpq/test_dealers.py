"""What dealers' files say of goods: prices on request and what is no longer sold, from the file to the quote."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cpq import catalog_get, catalog_search, draft_compose, quote_create, quote_pdf, quote_price
from equipment import get_product, get_specs, search_equipment
from operations import ingest_account, own_words
from operations.ingest import KINDS
from operations.reading import read
from operations.tables.mapping import Mapping
from tests.deployment import TENANT, Deployment, invoke
from tests.integration.cpq.printing import printer
from tests.sample_rows import product

LIST = """Artikel;Bezeichnung;Preis;Status;Nachfolger
D-100;Drehkolbengebläse 100;4.100,00;;
D-200;Drehkolbengebläse 200;auf Anfrage;;
D-90;Drehkolbengebläse 90;3.300,00;Auslauf;D-100
"""
GOODS = """
kind = "products_for_sale"
[[tables]]
aside = ["Preis"]
[tables.constants]
product_type = "simple"
category = "machines"
manufacturer = "Dreher"
[tables.fields]
id = { from = "Artikel" }
sku = { from = "Artikel" }
name = { from = "Bezeichnung" }
description = { from = "Bezeichnung" }
model = { from = "Artikel" }
active = { from = "Status", values = { "Auslauf" = "no" } }
successor = { from = "Nachfolger" }
"""
PRICES = """
kind = "prices"
numbers = "1.234,56"
[[tables]]
aside = ["Bezeichnung", "Status", "Nachfolger"]
[tables.constants]
price_book_id = "pb_dreher"
[tables.fields]
product_id = { from = "Artikel" }
price = { from = "Preis", values = { "auf Anfrage" = "on request" } }
"""


def put(deployment: Deployment, path: Path, text: str, *, mapping: str) -> None:
    path.write_text(text, "utf-8")
    given = Mapping.parse(mapping, source="of the test")
    kind = KINDS[given.kind]
    with deployment.serving("quarry_ingest"), path.open("rb") as file:
        own = own_words.attributes_of(TENANT)
        rows = read(file, kind, file_name=path.name, mappings=[given], attributes=own)
        report = ingest_account.begin(kind.name, tenant=TENANT, source=f"s3://files/{TENANT}/{kind.name}/{path.name}")
        ingest_account.write(rows, kind, report)
    assert not report.rejected, report.rejects


@pytest.fixture(scope="module", autouse=True)
def dealer(
    deployment: Deployment,
    tmp_path_factory: pytest.TempPathFactory,
    aws_url: str,
    aws_variables: dict[str, str],
) -> Iterator[None]:
    path = tmp_path_factory.mktemp("dealer") / "list.csv"
    deployment.put(KINDS["price_books"], [{"id": "pb_dreher", "name": "Dreher 2026", "currency": "USD"}])
    deployment.put_products(
        *(product(model, manufacturer="Dreher", family="blower", description=f"Roots blower {model}.")
          for model in ("D-90", "D-100", "D-200")),
        product("D-80", manufacturer="Dreher", family="blower", description="Roots blower D-80.", withdrawn=True,
                successor="D-90"),
    )  # fmt: skip
    put(deployment, path, LIST, mapping=GOODS)
    put(deployment, path, LIST, mapping=PRICES)
    deployment.embed()
    with printer(deployment, aws_url, aws_variables):
        yield


def answer(handler: Any, **arguments: object) -> dict[str, Any]:
    found = invoke(handler, arguments)
    assert "error" not in found, found
    return found


def draft(*product_ids: str) -> dict[str, Any]:
    lines = [{"product_id": each, "quantity": 1} for each in product_ids]
    return invoke(quote_create.handler, {"account_id": "acct_acme_001", "line_items": lines})


def test_a_price_on_request_is_told_as_such_wherever_the_product_is_found() -> None:
    [card] = answer(catalog_search.handler, query="D-200", currency="USD")["items"]
    assert card["on_request"]
    assert "base_price" not in card
    found = answer(catalog_get.handler, product_id="D-200", currency="USD")
    assert (found["on_request"], found["pricing"], found["currencies"]) == (True, None, ["USD"])
    table = answer(search_equipment.handler, query="D-200", top_k=3)
    listed = {row[0]: row[table["columns"].index("list price")] for row in table["rows"]}
    assert (listed["D-200"], listed["D-100"]) == ("on request", "4,100.00 USD")
    asked = answer(search_equipment.handler, filters=[{"attribute": "on_request", "is": "ja"}])
    assert [row[0] for row in asked["rows"]] == ["D-200"]
    asked = answer(search_equipment.handler, filters=[{"attribute": "price", "is": "on request"}])
    assert [row[0] for row in asked["rows"]] == ["D-200"]


def test_a_line_whose_price_is_on_request_waits_for_a_person_and_no_total_is_given(deployment: Deployment) -> None:
    made = draft("D-100", "D-200")
    validation = made["validation"]
    assert (validation["valid"], validation["missing_fields"]) == (False, ["line_items[1].price"])
    [awaited] = validation["constraint_violations"]
    assert awaited["code"] == "ON_REQUEST"
    assert "Drehkolbengebläse 200 is on request in Dreher 2026" in awaited["message"]
    assert "sales_manager decides" in awaited["message"]
    quote = made["quote"]["id"]
    refused = invoke(quote_price.handler, {"quote_id": quote})
    assert [problem["code"] for problem in refused["details"]["problems"]] == ["ON_REQUEST"]
    assert invoke(quote_pdf.handler, {"quote_id": quote})["error"] is True
    row = {"price_book_id": "pb_dreher", "product_id": "D-200", "price": "9000"}
    deployment.put(KINDS["prices"], [row])
    assert answer(quote_price.handler, quote_id=quote)["pricing"]["net_total"] == "13100.00"
    deployment.put(KINDS["prices"], [{**row, "price": "on request"}])
    assert invoke(quote_price.handler, {"quote_id": quote})["error"] is True


def test_a_letter_leaves_the_price_on_request_open_and_says_who_closes_it() -> None:
    page = "Dear Sir,\n\nHere is our offer.\n\n{{items}}\n\nKind regards"
    letter = answer(
        draft_compose.handler,
        account_id="acct_acme_001",
        page=page,
        items=[{"product_id": "D-100"}, {"product_id": "D-200"}],
    )
    assert [(each["field"], each["who"].partition(",")[0]) for each in letter["open"]] == [
        ("price of prod_d_200", "whoever keeps the price book")
    ]


@pytest.mark.parametrize(("model", "successor"), [("D-90", "D-100"), ("D-80", "D-90")])
def test_what_is_no_longer_sold_is_found_with_its_successor_and_never_likely_good(model: str, successor: str) -> None:
    table = answer(search_equipment.handler, query=f"Roots blower {model}", top_k=5, full=True)
    column = table["columns"].index("withdrawn")
    told = {row[0]: row[column] for row in table["rows"]}
    assert told[model] == f"yes, successor {successor}"
    assert told["D-100"] == ""
    hits = {hit["product"]["model"]: hit for hit in table["results"]}
    assert hits[model]["product"]["successor"] == successor
    assert hits[model].get("confidence") != "likely_good"
    found = answer(get_product.handler, model=model)["product"]
    assert (found["withdrawn"], found["successor"]) == (True, successor)
    [specs] = answer(get_specs.handler, models=[model])["products"]
    assert (specs["withdrawn"], specs["successor"], "product_id" in specs) == (True, successor, False)


def test_its_last_price_is_told_as_the_last_and_tables_without_such_goods_say_nothing_of_it() -> None:
    table = answer(search_equipment.handler, query="D-90", top_k=5)
    listed = {row[0]: row[table["columns"].index("list price")] for row in table["rows"]}
    assert listed["D-90"] == "last 3,300.00 USD"
    still = answer(search_equipment.handler, filters=[{"attribute": "withdrawn", "is": "no"}])
    assert {row[0] for row in still["rows"]} == {"D-100", "D-200"}
    assert "withdrawn" not in still["columns"]


def test_goods_without_a_price_are_counted_in_the_group_of_those_that_have_one() -> None:
    every = answer(search_equipment.handler, filters=[{"attribute": "manufacturer", "is": "Dreher"}], top_k=50)
    [group] = answer(
        search_equipment.handler, group="manufacturer", filters=[{"attribute": "manufacturer", "is": "Dreher"}]
    )["rows"]
    assert (group[0], int(group[1])) == ("Dreher", every["total"])


def test_a_withdrawn_product_is_never_quoted_and_its_successor_is_named() -> None:
    refused = draft("D-90")
    [problem] = refused["details"]["problems"]
    assert problem["code"] == "INACTIVE"
    assert problem["message"] == "Drehkolbengebläse 90 is no longer sold; its successor is prod_d_100."
    assert problem["repair"] == "take prod_d_100"
    letter = invoke(
        draft_compose.handler,
        {"account_id": "acct_acme_001", "page": "Hello\n\n{{items}}", "items": [{"product_id": "D-90"}]},
    )
    assert "its successor is D-100" in str(letter)


def test_what_is_withdrawn_after_the_draft_is_not_priced(deployment: Deployment) -> None:
    quote = draft("D-100")["quote"]["id"]
    row = product("D-100", manufacturer="Dreher", family="blower", description="Roots blower D-100.")
    deployment.put_products({**row, "withdrawn": True, "successor": "D-200"})
    refused = invoke(quote_price.handler, {"quote_id": quote})
    assert "no longer sold; its successor is prod_d_200" in refused["message"]
    deployment.put_products(row)
    assert answer(quote_price.handler, quote_id=quote)["pricing"]["total"]


def test_goods_are_asked_for_by_the_price_that_tables_show_though_its_book_is_of_one_segment(
    deployment: Deployment,
) -> None:
    book = {"id": "pb_some", "name": "Some 2026", "currency": "PLN", "segment": "smb"}
    deployment.put(KINDS["price_books"], [book])
    deployment.put_products(
        product("D-300", manufacturer="Dreher", family="blower", description="Roots blower D-300.")
    )
    sold = {"id": "prod_d_300", "sku": "D-300", "name": "D-300", "description": "", "product_type": "simple"}
    deployment.put(
        KINDS["products_for_sale"], [{**sold, "category": "m", "manufacturer": "Dreher", "model": "D-300"}]
    )
    price = {"price_book_id": "pb_some", "product_id": "D-300", "price": "5000"}
    for unit, told in (
        ("per_unit", "5,000.00 PLN (smb)"),
        ("per_seat_per_month", "5,000.00 PLN per seat per month (smb)"),
    ):
        deployment.put(KINDS["prices"], [{**price, "unit": unit}])
        found = answer(search_equipment.handler, filters=[{"attribute": "price", "is": "= 5000 zł"}])
        shown = found["columns"].index("list price")
        assert [(row[0], row[shown]) for row in found["rows"]] == [("D-300", told)]


def test_a_quantity_of_hundreds_is_told_in_pieces_when_it_is_drafted_and_when_it_is_priced(
    deployment: Deployment,
) -> None:
    row = {"price_book_id": "pb_dreher", "product_id": "D-100", "price": "4100.00"}
    deployment.put(KINDS["prices"], [{**row, "unit": "per_hundred"}])
    made = draft("D-100")
    priced = answer(quote_price.handler, quote_id=made["quote"]["id"])
    assert all("ql_001 is 1 per hundred, 100 pieces." in each["notice"] for each in (made, priced))
    assert next(iter(made)) == "notice"
