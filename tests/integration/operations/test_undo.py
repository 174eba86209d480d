"""Taking an ingest back, and files that are the whole truth of their kind, through the handler."""

import pytest

from local.database import OWNER
from operations import maintain_search, undo
from operations.ingest import KINDS, handler
from tests.deployment import Deployment, invoke
from tests.integration.operations.conftest import House
from tests.sample_rows import LINES, PRODUCTS, QUOTES, line, product, quote

FOR_SALE = {
    "id": "prod_pump", "sku": "P-1", "name": "Pump", "description": "A pump.", "product_type": "simple",
    "category": "pump",
}  # fmt: skip
BOOK = {"id": "pb_list", "name": "List", "currency": "EUR"}
QUOTED = """
    INSERT INTO cpq.discount_policies (
        tenant, id, name, segment, segment_name, auto_approve_pct, bands, hard_max_pct, escalation_chain)
    VALUES (%(t)s, 'pol_a', 'A', 'all', 'All', 0, '[]', 0, '{}');
    INSERT INTO cpq.accounts (tenant, id, name, segment, currency, country)
    VALUES (%(t)s, 'acct_a', 'Adler', 'all', 'EUR', 'DE');
    INSERT INTO cpq.quotes (tenant, id, account_id, created_by) VALUES (%(t)s, 'Q-2026-0001', 'acct_a', 'test');
    INSERT INTO cpq.quote_versions (
        tenant, quote_id, version, status, account, currency, billing_frequency, payment_terms, valid_until,
        price_book_id, created_by)
    VALUES (%(t)s, 'Q-2026-0001', 1, 'priced', '{}', 'EUR', 'one_time', 'net_30', '2030-01-01', 'pb_list', 'test');
    INSERT INTO cpq.quote_lines (
        tenant, quote_id, version, id, sort_order, product_id, sku, product_name, description, quantity, attributes,
        discount_pct)
    VALUES (%(t)s, 'Q-2026-0001', 1, 'ql_001', 1, 'prod_pump', 'P-1', 'Pump', 'A pump.', 1, '{}', 0);
"""


def test_an_ingest_taken_back_leaves_every_row_as_it_was(house: House) -> None:
    house.load("products", PRODUCTS)
    house.load("past_quotes", QUOTES)
    house.load("line_items", LINES)
    tables = ("equipment.products", "quotes.past_quotes", "quotes.line_items")
    before = house.rows(*tables)
    changed = [{**PRODUCTS[0], "hp": 31.25}, *PRODUCTS[1:3], product("NEW-1", hp=5)]
    report = house.load("products", changed)
    assert (report["inserted"], report["updated"]) == (1, 1)
    assert house.rows(*tables) != before
    answer = house.undo(report)
    assert (answer["removed"], answer["restored"], answer["kept"]) == (1, 1, [])
    assert house.rows(*tables) == before


def test_the_search_index_follows_what_was_taken_back(house: House, deployment: Deployment) -> None:
    house.load("products", [product("A", description="A quiet scroll compressor.")])
    house.undo(house.load("products", [product("A", description="A thunderous piston machine."), product("B")]))
    text = "SELECT description FROM equipment.products WHERE tenant = %(t)s"
    assert house.one(text) == [("A quiet scroll compressor.",)]
    with deployment.serving(OWNER):
        checked = invoke(maintain_search.handler, {"action": "check", "tenant": house.tenant})
    assert (checked["indexes"], checked["left"]) == ([], 0)


def test_newer_changes_of_the_same_rows_have_to_go_first(house: House) -> None:
    first = house.load("products", [product("A", hp=5)])
    second = house.load("products", [product("A", hp=6)])
    refused = house.undo(first)
    assert refused["code"] == "CONFLICT"
    assert f"Ingest {second['ingest_id']} changed rows of ingest {first['ingest_id']} again" in refused["message"]
    assert house.undo(second)["restored"] == 1
    assert house.undo(first)["removed"] == 1
    assert house.rows("equipment.products") == []
    assert "was undone at" in house.undo(first)["message"]


def test_a_price_ended_under_a_later_one_is_not_brought_back_before_that_is_taken_back(house: House) -> None:
    house.load("products_for_sale", [FOR_SALE, {**FOR_SALE, "id": "prod_valve", "sku": "V-1"}])
    house.load("price_books", [BOOK])
    row = {"price_book_id": "pb_list", "product_id": "prod_pump", "price": "10"}
    house.load("prices", [row, {**row, "product_id": "prod_valve"}])
    first = house.load("prices", [row], replace=True)
    later = house.load("prices", [{**row, "product_id": "prod_valve", "price": "11"}])
    refused = house.undo(first)
    assert (refused["code"], f"Ingest {later['ingest_id']} changed" in refused["message"]) == ("CONFLICT", True)
    assert (house.undo(later)["removed"], house.undo(first)["restored"]) == (1, 1)


def test_what_later_files_hang_on_is_not_pulled_from_under_them(house: House) -> None:
    quotes = house.load("past_quotes", QUOTES)
    lines = house.load("line_items", LINES)
    refused = house.undo(quotes)
    assert refused["code"] == "CONFLICT"
    assert f"{len(LINES)} line_items refer to what ingest {quotes['ingest_id']} brought" in refused["message"]
    house.undo(lines)
    house.undo(quotes)
    assert house.rows("quotes.past_quotes", "quotes.line_items") == []


def test_what_a_quote_relies_on_stays_inactive_and_is_said(house: House) -> None:
    products = house.load("products_for_sale", [FOR_SALE, {**FOR_SALE, "id": "prod_valve", "sku": "V-1"}])
    books = house.load("price_books", [BOOK])
    prices = [
        {"price_book_id": "pb_list", "product_id": name, "price": "10", "unit": "per_unit"}
        for name in ("prod_pump", "prod_valve")
    ]
    first = house.load("prices", prices)
    house.do(QUOTED)
    dearer = house.load("prices", [{**prices[0], "price": "12"}])
    house.do("UPDATE cpq.quote_versions SET priced_at = now() WHERE tenant = %(t)s")
    answer = house.undo(dearer)
    assert answer["quotes"] == "Q-2026-0001"
    key = {"price_book_id": "pb_list", "product_id": "prod_pump", "version": 2}
    assert answer["kept"] == [{"table": "cpq.price_book_entries", "key": key}]
    current = (
        "SELECT product_id, version, price FROM cpq.price_book_entries WHERE tenant = %(t)s AND superseded_at IS NULL"
    )
    assert sorted(house.one(current))[0][:2] == ("prod_pump", 1)
    house.undo(first)
    house.undo(books)
    answer = house.undo(products)
    assert (answer["removed"], answer["kept"]) == (1, [{"table": "cpq.products", "key": {"id": "prod_pump"}}])
    assert house.one("SELECT id, active FROM cpq.products WHERE tenant = %(t)s") == [("prod_pump", False)]


def test_a_file_that_replaces_is_the_whole_truth_of_its_kind_and_can_be_taken_back(house: House) -> None:
    house.load("products", [product("A"), product("B"), product("C")])
    before = house.rows("equipment.products")
    report = house.load("products", [product("A"), product("D")], replace=True)
    assert (report["inserted"], report["unchanged"], report["removed"]) == (1, 1, 2)
    models = "SELECT model FROM equipment.products WHERE tenant = %(t)s ORDER BY 1"
    assert house.one(models) == [("A",), ("D",)]
    house.undo(report)
    assert house.rows("equipment.products") == before


def test_the_lines_of_a_quote_that_is_sent_again_are_those_of_the_file(house: House) -> None:
    house.load("past_quotes", [quote("Q-1"), quote("Q-2")])
    house.load("line_items", [line(number, place, "Pump.") for number in ("Q-1", "Q-2") for place in (1, 2, 3, 4)])
    report = house.load("line_items", [line("Q-1", place, "Pump.") for place in (1, 2)], replace=True)
    assert (report["unchanged"], report["removed"]) == (2, 2)
    held = (
        "SELECT q.quote_number, count(*) FROM quotes.line_items l JOIN quotes.past_quotes q ON q.id = l.quote_id "
        "WHERE l.tenant = %(t)s GROUP BY 1 ORDER BY 1"
    )
    assert house.one(held) == [("Q-1", 2), ("Q-2", 4)]
    house.undo(report)
    assert house.one(held) == [("Q-1", 4), ("Q-2", 4)]


def test_a_quote_that_a_replacing_file_drops_comes_back_with_its_lines(house: House) -> None:
    house.load("past_quotes", QUOTES)
    house.load("line_items", LINES)
    before = house.rows("quotes.past_quotes", "quotes.line_items")
    report = house.load("past_quotes", QUOTES[1:], replace=True)
    assert report["removed"] == 1
    assert len(house.rows("quotes.past_quotes", "quotes.line_items")) < len(before)
    house.undo(report)
    assert house.rows("quotes.past_quotes", "quotes.line_items") == before


def test_prices_that_a_replacing_list_drops_end_and_come_back(house: House) -> None:
    house.load("products_for_sale", [FOR_SALE, {**FOR_SALE, "id": "prod_valve", "sku": "V-1"}])
    house.load("price_books", [BOOK, {**BOOK, "id": "pb_other"}])
    row = {"price_book_id": "pb_list", "product_id": "prod_pump", "price": "10", "unit": "per_unit"}
    house.load("prices", [row, {**row, "product_id": "prod_valve"}, {**row, "price_book_id": "pb_other"}])
    before = house.rows("cpq.price_book_entries")
    report = house.load("prices", [{**row, "product_id": "P-1"}], replace=True)
    assert (report["unchanged"], report["removed"]) == (1, 1)
    current = (
        "SELECT price_book_id, product_id FROM cpq.price_book_entries "
        "WHERE tenant = %(t)s AND superseded_at IS NULL ORDER BY 1, 2"
    )
    assert house.one(current) == [("pb_list", "prod_pump"), ("pb_other", "prod_pump")]
    house.undo(report)
    assert house.rows("cpq.price_book_entries") == before


def test_every_kind_that_may_be_replaced_has_its_table(house: House) -> None:
    [(definition,)] = house.one("SELECT pg_get_functiondef('quarry.take_out_unnamed(bigint, jsonb)'::regprocedure)")
    for kind in KINDS.values():
        assert (f"('{kind.name}', '{kind.table}')" in definition) == kind.replaceable, kind.name


def test_ingests_are_listed_newest_first_and_say_what_can_be_undone(house: House) -> None:
    first = house.load("products", [product("A")])
    same = house.load("products", [product("A")])
    house.undo(first)
    listed = invoke(handler, {"ingests": True}, tenant=house.tenant)["ingests"]
    assert [(each["ingest_id"], each["kind"], each["can_be_undone"]) for each in listed] == [
        (same["ingest_id"], "products", False),
        (first["ingest_id"], "products", False),
    ]
    assert listed[1]["undone_at"] is not None


def test_another_tenants_ingest_is_not_found(house: House) -> None:
    report = house.load("products", [product("A")])
    stranger = invoke(handler, {"undo": report["ingest_id"]}, tenant="stranger")
    assert stranger["code"] == "NOT_FOUND"
    assert len(house.rows("equipment.products")) == 1


def test_loads_that_changed_nothing_leave_others_within_reach(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undo, "INGESTS_KEPT", 2)
    loads = [house.load("products", [product("A", hp=hp)]) for hp in (5, 5, 5, 6, 6)]
    assert house.undo(loads[3])["restored"] == 1
    assert house.undo(loads[0])["removed"] == 1
