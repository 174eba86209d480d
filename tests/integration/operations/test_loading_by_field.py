"""A load changes only what its file has, whatever the order of the files, and is taken back field by field."""

import json
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier
from time import sleep
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from operations.completion import completed
from operations.ingest import KINDS
from quarry.ingestion import Accepted
from tests.deployment import Deployment, as_tenant
from tests.integration.operations.conftest import House
from tests.sample_rows import PRODUCTS, Row, line, product, quote

ATTRIBUTES = (("hp", 30), ("cfm", 125), ("lubrication", "oilless"), ("cooling", "Air"), ("length_in", [55, 60]))


def content(house: House, *tables: str) -> list[dict[str, Any]]:
    """What rows say, without when they were changed and in which order they came."""
    apart = ("id", "updated_at", "created_at", "quote_id", "product_id")
    rows = [{n: v for n, v in json.loads(row).items() if n not in apart} for row in house.rows(*tables)]
    return sorted(rows, key=str)


def test_a_column_that_a_file_does_not_have_leaves_what_is_stored(house: House) -> None:
    house.load("past_quotes", [quote("Q-1", total_price="182500.50", salesperson="Ann", price_rationale="Repeat.")])
    report = house.load("past_quotes", [quote("Q-1", terms="Net 30", contact="Ms. Ng")])
    assert report["updated"] == 1
    held = "SELECT total_price::text, salesperson, price_rationale, terms, contact FROM quotes.past_quotes"
    assert house.one(f"{held} WHERE tenant = %(t)s") == [("182500.5000", "Ann", "Repeat.", "Net 30", "Ms. Ng")]


def test_a_row_of_a_stored_one_may_leave_out_what_a_new_row_needs(house: House) -> None:
    house.load("products", [product("A", sku="010-010", hp=30), product("B", sku="010-020"), product("C", sku="dup")])
    house.load("products", [product("D", sku="dup")])
    rows: list[Row] = [
        {"sku": "010-010", "series": "S", "cfm": 125},
        {"sku": "010-020", "model": "B", "withdrawn": True},
        {"manufacturer": "Acme", "model": "C", "series": "S"},
        {"sku": "new", "series": "S"},
        {"sku": "dup", "series": "S"},
        {"manufacturer": "Acme", "model": "A", "series": "T"},
        {"sku": "010-020", "model": "Z", "series": "S"},
        {"sku": "010-020", "model": "B", "manufacturer": "Bravo"},
    ]
    report = house.load("products", rows, rejected=5)
    how = "manufacturer and model get other values by a file of all rows, with REPLACE=1"
    assert (report["updated"], report["inserted"], report["merged"]) == (3, 0, 0)
    assert [each["reason"] for each in report["rejects"]] == [
        "model, manufacturer, category, family, description: missing, which a new row needs, and no stored row has "
        "its manufacturer and model, or its sku",
        "sku: 2 stored rows have it; name the manufacturer and model too",
        "is the row of line 1",
        *(f"{name}: not that of the stored row with its sku; {how}" for name in ("model", "manufacturer")),
    ]
    held = "SELECT model, series, withdrawn, attributes FROM equipment.products WHERE tenant = %(t)s ORDER BY model"
    assert house.one(held)[:3] == [
        ("A", "S", False, {"hp": 30, "cfm": 125}), ("B", None, True, None), ("C", "S", False, None)
    ]  # fmt: skip
    house.undo(report)
    assert house.one(held)[0] == ("A", None, False, {"hp": 30})
    assert house.load("products", rows[:1], replace=True, rejected=1)["removed"] == 0


def test_null_in_json_and_the_word_in_a_table_empty_a_field(house: House) -> None:
    house.load("past_quotes", [quote("Q-1", terms="Net 30", industry="Food", reference=True)])
    house.load("past_quotes", [{**quote("Q-1"), "terms": None, "reference": None}])
    held = "SELECT terms, industry, reference FROM quotes.past_quotes WHERE tenant = %(t)s"
    assert house.one(held) == [(None, "Food", False)]
    head = "quote_number,customer,quote_date,project,summary,status,industry,contact"
    row = "Q-1,Groeb Farms,2024-03-05,Air,Air,won"
    house.load_text("past_quotes", f"{head}\n{row},(empty),\n", name="quotes.csv")
    assert house.one(held) == [(None, None, False)]


def test_attributes_are_fields_of_their_own(house: House) -> None:
    held = "SELECT attributes FROM equipment.products WHERE tenant = %(t)s"
    house.load("products", [product("A", hp=30, cooling="Air")])
    house.load("products", [product("A", cfm=125)])
    assert house.one(held) == [({"hp": 30, "cfm": 125, "cooling": "Air"},)]
    house.load("products", [product("A", hp=None)])
    assert house.one(held) == [({"cfm": 125, "cooling": "Air"},)]
    house.load("products", [product("A", attributes=None)])
    assert house.one(held) == [(None,)]


def test_the_word_empties_an_attribute_of_a_table_and_a_dash_does_not(house: House) -> None:
    house.load("products", [product("A", hp=30, cfm=125, cooling="Air")])
    head = "model,manufacturer,category,family,description,hp,cfm,cooling"
    house.load_text("products", f"{head}\nA,Acme,X,compressor,Y,-,(empty),\n", name="list.csv")
    assert house.one("SELECT attributes FROM equipment.products WHERE tenant = %(t)s") == [
        ({"hp": 30, "cooling": "Air"},)
    ]


def test_a_file_that_is_the_whole_truth_empties_what_it_does_not_say(house: House) -> None:
    house.load("products", [product("A", hp=30, series="S")])
    house.load("products", [product("A", cfm=125)], replace=True)
    held = "SELECT series, attributes FROM equipment.products WHERE tenant = %(t)s"
    assert house.one(held) == [(None, {"cfm": 125})]


def test_a_row_that_does_not_go_with_what_is_stored_is_rejected_with_the_reason(house: House) -> None:
    pump = {"id": "prod_pump", "sku": "P-1", "name": "Pump", "description": "", "product_type": "simple"}
    house.load("products_for_sale", [{**pump, "category": "pump", "max_quantity": 5}])
    report = house.load("products_for_sale", [{**pump, "category": "pump", "min_quantity": 9}], rejected=1)
    assert report["rejects"][0]["reason"].endswith("leaves as it is: max_quantity is below min_quantity")
    assert house.one("SELECT min_quantity FROM cpq.products WHERE tenant = %(t)s") == [(1,)]


def test_lines_are_completed_under_the_number_of_their_quote(house: House) -> None:
    house.load("past_quotes", [quote("Q-1", currency="CHF")])
    house.load("line_items", [line("Q-1", 1, "Pump.", unit_price="1234567890.1234", optional=True)])
    house.load("line_items", [line("Q-1", 1, "A pump.", price_note="List.", hp=3)])
    held = "SELECT description, unit_price::text, optional, currency, price_note FROM quotes.line_items"
    assert house.one(f"{held} WHERE tenant = %(t)s") == [("A pump.", "1234567890.1234", True, "CHF", "List.")]
    assert house.load("line_items", [{"quote_number": "Q-1", "position": 1, "price_note": "Net."}])["updated"] == 1
    assert house.one(f"{held} WHERE tenant = %(t)s") == [("A pump.", "1234567890.1234", True, "CHF", "Net.")]


def test_a_price_with_its_tiers_is_one_statement(house: House) -> None:
    pump = {"id": "prod_pump", "sku": "P-1", "name": "Pump", "description": "", "product_type": "simple"}
    house.load("products_for_sale", [{**pump, "category": "pump"}])
    house.load("price_books", [{"id": "pb_list", "name": "List", "currency": "EUR"}])
    price = {"price_book_id": "pb_list", "product_id": "P-1", "price": "10"}
    house.load("prices", [{**price, "tiers": [{"min": 1, "max": None, "price": "9"}]}])
    house.load("prices", [{**price, "price": "12"}])
    current = "SELECT price, tiers FROM cpq.price_book_entries WHERE tenant = %(t)s AND superseded_at IS NULL"
    assert house.one(current) == [(12, [])]


def test_a_price_on_request_takes_the_place_of_an_amount_and_is_taken_back_and_exported_like_one(
    house: House,
) -> None:
    pump = {"id": "prod_pump", "sku": "P-1", "name": "Pump", "description": "", "product_type": "simple"}
    house.load("products_for_sale", [{**pump, "category": "pump"}])
    house.load("price_books", [{"id": "pb_list", "name": "List", "currency": "EUR"}])
    price = {"price_book_id": "pb_list", "product_id": "P-1", "price": "10"}
    house.load("prices", [price])
    asked = house.load("prices", [{**price, "price": "on request"}])
    current = "SELECT price FROM cpq.price_book_entries WHERE tenant = %(t)s AND superseded_at IS NULL"
    assert house.one(current) == [(None,)]
    assert house.load("prices", [{**price, "price": "on request"}])["unchanged"] == 1
    [[stored]] = house.one(KINDS["prices"].rows_held.as_string().replace("%(tenant)s", "%(t)s"))
    assert stored["price"] == "on request"
    house.load("prices", [{**price, "price": None}], rejected=1)
    house.load(
        "prices", [{**price, "price": "on request", "tiers": [{"min": 1, "max": None, "price": "9"}]}], rejected=1
    )
    house.undo(asked)
    assert house.one(current) == [(10,)]


@pytest.mark.parametrize("first", ["products", "products_for_sale"])
def test_goods_for_sale_are_those_of_the_catalogue_with_their_sku_whichever_came_first(
    house: House, first: str
) -> None:
    pump = {"name": "Pump", "description": "", "product_type": "simple", "category": "pump"}
    files: dict[str, list[Row]] = {
        "products": [
            product("KP-1", sku="010/010"),
            product("KP-2", sku="2"),
            product("KP-3", sku="2"),
            product("ΧΡ-805"),
        ],
        "products_for_sale": [
            {**pump, "id": "prod_1", "sku": "010-010"},
            {**pump, "id": "prod_2", "sku": "2"},
            {**pump, "id": "prod_3", "sku": "visit", "product_type": "service"},
            {**pump, "id": "prod_4", "sku": "XP-805"},
        ],
    }
    reports = {kind: house.load(kind, files[kind]) for kind in sorted(files, key=lambda kind: kind != first)}
    held = "SELECT manufacturer, model FROM cpq.products WHERE tenant = %(t)s ORDER BY id"
    assert house.one(held) == [("Acme", "KP-1"), *[(None, None)] * 3]
    house.undo(reports["products_for_sale"])
    assert house.one(held) == []
    again = house.load("products_for_sale", files["products_for_sale"])
    assert house.one(held)[0] == ("Acme", "KP-1")
    [told] = again["doubts"]
    assert told.startswith("2 products for sale are none of the catalogue")
    assert told.endswith(": 2, XP-805 (its ΧΡ-805 looks the same in other letters)")


def test_a_field_that_every_row_has_is_no_gap_beside_rows_that_are_stored(house: House) -> None:
    house.load("past_quotes", [quote("Q-1")])
    report = house.load("past_quotes", [quote("Q-1", terms="Net 30"), quote("Q-2")])
    assert [each for each in report["gaps"] if each.startswith(("terms", "reference"))] == ["terms: 1 of 2"]


def test_a_sku_of_two_products_and_a_maker_in_two_spellings_are_told(house: House) -> None:
    rows = [
        product("SM 11", sku="30-2001", manufacturer="SIAT"),
        product("SM11", sku="30.2001", manufacturer="Siat"),
        product("SM 12", sku="30-2002", manufacturer="Siat"),
    ]
    assert sorted(house.load("products", rows)["doubts"]) == [
        "1 SKUs are those of several stored products, which only maker and model tell apart: "
        "30-2001 of SIAT SM 11 and Siat SM11",
        "1 makers of stored products are spelt in several ways: SIAT and Siat",
    ]


def test_a_line_that_is_not_its_list_price_less_the_discount_is_told(house: House) -> None:
    house.load("past_quotes", [quote("Q-1")])
    right = line("Q-1", 1, "Pump.", unit="piece", list_price="100", discount_pct="10", unit_price="90")
    wrong = line("Q-1", 2, "Pump.", unit="piece", list_price="100", discount_pct="0.1", unit_price="90")
    told = house.load("line_items", [right, wrong])["doubts"]
    assert told == ["the price of 1 stored lines is not their list price less the discount: Q-1/2"]


def test_a_price_that_follows_from_a_lines_other_amounts_is_stored_and_said(house: House) -> None:
    house.load("past_quotes", [quote("Q-1")])
    lines = [
        line("Q-1", 1, "Pump.", extended_price="100", list_price="50", discount_pct="10") | {"quantity": "3"},
        line("Q-1", 2, "Pump.", list_price="60", discount_pct="6.5"),
        line("Q-1", 3, "Pump.", list_price="60"),
        line("Q-1", 4, "Pump.", list_price="60", discount_pct="10", unit_price="54"),
        line("Q-1", 5, "Pump.", list_price="84.50", extended_price="1035.13") | {"quantity": "12.25"},
        line("Q-1", 6, "Pump.", list_price="9.99", discount_pct="12.5", extended_price="8.74"),
    ]
    report = house.load("line_items", lines)
    prices = "SELECT unit_price::text FROM quotes.line_items WHERE tenant = %(t)s ORDER BY position"
    assert house.one(prices) == [("33.3333",), ("56.1000",), (None,), ("54.0000",), ("84.5000",), ("8.7400",)]
    for said in ("extended_price divided by quantity", "list_price less discount_pct"):
        assert any(f"unit_price is {said}" in doubt for doubt in report["doubts"]), report["doubts"]
    assert "1 stored lines have a list price, and neither a price nor a discount: Q-1/3" in report["doubts"]
    again = house.load("line_items", [line("Q-1", 4, "Pump.", discount_pct="20")])
    assert not any("unit_price is" in doubt for doubt in again["doubts"])
    assert house.one(prices)[3] == ("54.0000",)


def test_a_sum_that_is_not_quantity_times_price_is_told_but_for_rounding(house: House) -> None:
    house.load("past_quotes", [quote("Q-1")])
    rows = [(at, "2", "33.33", "799.92") for at in range(5, 12)]
    rows += [(1, "3", "33.33", "100"), (2, "2", "100", "187"), (3, "1000", "0.067", "70"), (4, "2", "-5", "-10")]
    lines = [
        line("Q-1", at, "Pump.", discount_pct="6.5", unit_price=price, extended_price=total) | {"quantity": pieces}
        for at, pieces, price, total in rows
    ]
    assert sorted(house.load("line_items", lines)["doubts"]) == [
        "the extended price of 1 stored lines is not their quantity times their price: Q-1/2",
        "the extended price of 7 stored lines is some whole times their quantity times their price: "
        "Q-1/5, Q-1/6, Q-1/7, Q-1/8, Q-1/9 …",
    ]


@pytest.mark.parametrize("seed", range(4))
def test_files_of_disjoint_columns_end_in_the_same_rows_in_any_order(house: House, seed: int) -> None:
    random = Random(seed)
    optional = {"series": "S", "source": "Bulletin", **dict(ATTRIBUTES)}
    names = random.sample(sorted(optional), len(optional))
    cuts = sorted(random.sample(range(1, len(names)), 2))
    parts = [names[: cuts[0]], names[cuts[0] : cuts[1]], names[cuts[1] :]]
    models = ("A", "B", "C")
    files = [
        [product(model, **{name: optional[name] for name in part}) for model in models if random.random() < 0.7]
        for part in parts
    ]
    ends = []
    for order in ((0, 1, 2), random.sample(range(3), 3), (0, 1, 2)):
        house.do("DELETE FROM equipment.products WHERE tenant = %(t)s")
        for place in (*order, *order[:1]):
            last = house.load("products", files[place])
        assert last["unchanged"] == len(files[order[0]])
        ends.append(content(house, "equipment.products"))
    assert ends[0] == ends[1] == ends[2]
    expected = {
        model: {name: optional[name] for part, rows in zip(parts, files, strict=True)
                for row in rows if row["model"] == model for name in part}
        for model in models
    }  # fmt: skip
    own = dict(ATTRIBUTES)
    found = {row["model"]: row for row in ends[0]}
    for model, row in found.items():
        assert row["attributes"] == ({n: v for n, v in expected[model].items() if n in own} or None)
        assert (row["series"], row["source"]) == (expected[model].get("series"), expected[model].get("source"))


def test_a_load_taken_back_restores_its_own_fields_though_a_later_one_touched_the_row(house: House) -> None:
    house.load("products", [product("A", hp=30, series="S"), product("B")])
    first = house.rows("equipment.products")
    prices = house.load("products", [product("A", hp=40, cfm=100, description="Better.")])
    notes = house.load("products", [product("A", hp=40, source="Bulletin", cooling="Air", description="Better.")])
    answer = house.undo(prices)
    assert (answer["removed"], answer["restored"]) == (0, 1)
    held = "SELECT description, source, attributes FROM equipment.products WHERE tenant = %(t)s AND model = 'A'"
    assert house.one(held) == [
        (product("A")["description"], "Bulletin", {"hp": 30, "cooling": "Air"}),
    ]
    house.undo(notes)
    apart = [{**json.loads(row), "updated_at": None} for row in house.rows("equipment.products")]
    assert apart == [{**json.loads(row), "updated_at": None} for row in first]


@pytest.mark.parametrize("seed", range(4))
def test_loads_taken_back_in_any_order_leave_what_the_others_make_and_load_again(house: House, seed: int) -> None:
    random = Random(seed)
    needed = ("model", "manufacturer", "category", "family", "description")
    kept = [{name: row[name] for name in needed} for row in PRODUCTS[:4]]
    house.load("products", PRODUCTS)
    owned = random.sample([("series", "S"), ("source", "T"), ("hp", 7), ("cfm", 8), ("cooling", None), ("psi", 9)], 6)
    files = [
        [{**row, **{name: value for name, value in owned[at : at + 2] if random.random() < 0.8}} for row in kept]
        for at in (0, 2, 4)
    ]
    base = content(house, "equipment.products")
    alone: dict[tuple[int, ...], Any] = {(): base}
    for left in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
        reports = [house.load("products", files[place]) for place in left]
        alone[left] = content(house, "equipment.products")
        for report in reversed(reports):
            house.undo(report)
        assert content(house, "equipment.products") == base
    standing = {place: house.load("products", files[place]) for place in range(3)}
    for place in random.sample(range(3), 3):
        report = standing.pop(place)
        assert "code" not in house.undo(report)
        assert content(house, "equipment.products") == alone[tuple(sorted(standing))]
    for place in random.sample(range(3), 3):
        house.load("products", files[place])
    assert content(house, "equipment.products") == alone[0, 1, 2]


def test_two_loads_at_once_lose_nothing_of_each_other(house: House, deployment: Deployment) -> None:
    """The second waits until the first has committed, also where neither found the row."""
    pieces = [[product("A", hp=30), product("B", hp=5)], [product("A", cfm=125), product("B", series="S")]]
    items = [[Accepted(at, KINDS["products"].row.model_validate(attributed(row)), size=1)
              for at, row in enumerate(rows)] for rows in pieces]  # fmt: skip
    barrier = Barrier(2)

    def write(mine: list[Accepted[Any]]) -> None:
        with deployment.connect("quarry_ingest") as connection, as_tenant(connection, house.tenant):
            barrier.wait(10)
            whole, _ = completed(connection, mine, KINDS["products"], tenant=house.tenant)
            rows = Jsonb([item.row.model_dump(mode="json") for item in whole])
            sleep(0.2)
            connection.execute(KINDS["products"].writing, {"tenant": house.tenant, "rows": rows})

    house.load("products", [product("C")])
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, items))
    found = {row["model"]: row for row in content(house, "equipment.products")}
    assert found["A"]["attributes"] == {"hp": 30, "cfm": 125}
    assert (found["B"]["attributes"], found["B"]["series"]) == ({"hp": 5}, "S")


def attributed(row: Row) -> Row:
    own = {name: value for name, value in row.items() if name in dict(ATTRIBUTES)}
    return {**{name: value for name, value in row.items() if name not in own}, "attributes": own}


def test_a_second_unit_of_an_attribute_comes_by_itself(house: House) -> None:
    house.load("attributes", [{"name": "lift", "kind": "number", "unit": "m", "sense": "at_least"}])
    assert house.load("attributes", [{"name": "lift", "also": "mH2O"}])["updated"] == 1
    held = "SELECT kind, unit, sense, also FROM search.attributes WHERE tenant = %(t)s AND name = 'lift'"
    assert house.one(held) == [("number", "m", "at_least", "mH2O")]
