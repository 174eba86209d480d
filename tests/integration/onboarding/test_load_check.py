"""load_check: what a load would do, found out and rolled back."""

from typing import get_args

from onboarding.load_check import LoadedKind
from operations.ingest import KINDS, handler
from tests.deployment import invoke
from tests.integration.onboarding.conftest import ATTRIBUTES, FAMILIES, GOODS, LIST, TABLES, Desk

STORED = "SELECT model FROM equipment.products ORDER BY model"


def test_an_agent_loads_every_kind_but_who_may_approve_what() -> None:
    assert set(get_args(LoadedKind)) == KINDS.keys() - {
        "approvers", "discount_policies", "mappings", "highlight_entries"
    }  # fmt: skip


def test_it_tells_counts_rows_rejects_and_unused_columns_and_stores_nothing(declared_desk: Desk) -> None:
    name = declared_desk.put("goods.csv", GOODS)
    answer = declared_desk.ask("load_check", kind="products", file=name, tables=TABLES)
    assert answer["rows"] == {"read": 4, "new": 3, "rejected": 1}
    assert answer["first_rows"][0].startswith("model: KH-10; manufacturer: Acme; ")
    assert answer["rejects"] == ["attributes.pressure is not a number (1): 'viel' in line 5, column 'PN [bar]'"]
    assert answer["unused"] == ["column 'Lager' is read by no field: 4 cells, 'ja' (3), 'nein'"]
    assert declared_desk.rows(STORED) == []
    assert declared_desk.rows("SELECT kind FROM quarry.ingests WHERE kind = 'products'") == []


def test_it_tells_which_fields_of_stored_rows_would_change(declared_desk: Desk) -> None:
    declared_desk.load(kind="products", file=declared_desk.put("goods.csv", GOODS), tables=TABLES)
    dearer = LIST + "KH-10;Kugelhahn DN10;Armatur;25;1.4408;ja\nKH-15;Kugelhahn 15;Armatur;25;1.4408;ja\n"
    answer = declared_desk.ask(
        "load_check", kind="products", file=declared_desk.put("new.csv", dearer), tables=TABLES
    )
    assert answer["rows"] == {"read": 2, "changed": 2}
    assert answer["changes"] == ["attributes.pressure: 2", "description: 1"]
    [row] = declared_desk.rows("SELECT attributes FROM equipment.products WHERE model = 'KH-10'")
    assert row["attributes"]["pressure"] == 16


def test_without_tables_the_columns_are_guessed_and_the_guess_can_be_sent_again(declared_desk: Desk) -> None:
    name = declared_desk.put("goods.csv", GOODS)
    guessed = declared_desk.ask("load_check", kind="products", file=name)
    assert "columns guessed" in guessed["notice"]
    assert guessed["doubts"]
    again = declared_desk.ask("load_check", kind="products", file=name, **guessed["mapping"])
    assert {key: again[key] for key in ("rows", "check_id")} == {key: guessed[key] for key in ("rows", "check_id")}
    assert "mapping" not in again


def test_rows_that_refer_to_what_is_not_there_are_among_the_rejects(declared_desk: Desk) -> None:
    lines = "quote_number,position,quantity,description,category\nQ-1,1,2,Kugelhahn,Armatur\n"
    answer = declared_desk.ask("load_check", kind="line_items", file=declared_desk.put("lines.csv", lines))
    assert answer["rows"] == {"read": 1, "rejected": 1}
    assert "Q-1" in answer["rejects"][0]


def test_what_is_wrong_with_tables_is_said_with_its_place(declared_desk: Desk) -> None:
    name = declared_desk.put("goods.csv", GOODS)
    missing = [{"fields": [{"field": "model", "from": ["Nummer"]}]}]
    said = declared_desk.refused("load_check", kind="products", file=name, tables=missing)
    assert "no table of 'goods.csv' has all these columns" in said


def test_goods_are_a_files_and_declarations_may_be_text(desk: Desk) -> None:
    assert desk.ask("load_check", kind="families", text=FAMILIES)["rows"] == {"read": 2, "new": 2}
    said = desk.refused("load_check", kind="products", text=GOODS)
    assert "products have to come from a file" in said
    assert "either" in desk.refused("load_check", kind="attributes", text=ATTRIBUTES, file="a.csv")


def test_no_agent_says_who_may_approve(desk: Desk) -> None:
    assert "VALIDATION_ERROR" in desk.refused("load_check", kind="approvers", file="approvers.csv")


def test_what_waits_in_an_inbox_is_not_ingested_by_itself(desk: Desk) -> None:
    desk.put("goods.csv", GOODS)
    record = {"s3": {"bucket": {"name": "inboxes"}, "object": {"key": f"{desk.tenant}/inbox/goods.csv"}}}
    assert invoke(handler, {"Records": [record]}, tenant="nobody") == {"reports": []}
