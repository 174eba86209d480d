"""load_check: what a load would do, found out and rolled back."""

import json
from typing import Any, get_args

from onboarding.load_check import LoadedKind
from operations.ingest import KINDS, handler
from tests.deployment import invoke
from tests.integration.onboarding.conftest import ATTRIBUTES, FAMILIES, GOODS, LIST, MAPPING, Desk

STORED = "SELECT model FROM equipment.products ORDER BY model"


def test_an_agent_loads_every_kind_but_who_may_approve_what() -> None:
    assert set(get_args(LoadedKind)) == KINDS.keys() - {
        "approvers", "discount_policies", "mappings", "highlight_entries"
    }  # fmt: skip


def test_it_tells_counts_rows_rejects_and_unused_columns_and_stores_nothing(declared_desk: Desk) -> None:
    name = declared_desk.put("goods.csv", GOODS)
    answer = declared_desk.ask("load_check", kind="products", file=name, mapping=MAPPING)
    assert answer["rows"] == {"read": 4, "new": 3, "rejected": 1}
    assert answer["first_rows"][0].startswith("model: KH-10; manufacturer: Acme; ")
    assert answer["rejects"] == ["attributes.pressure is not a number (1): 'viel' in line 5, column 'PN [bar]'"]
    assert answer["unused"] == ["column 'Lager' is read by no field: 4 cells, 'ja' (3), 'nein'"]
    assert declared_desk.rows(STORED) == []
    assert declared_desk.rows("SELECT kind FROM quarry.ingests WHERE kind = 'products'") == []


def test_it_tells_which_fields_of_stored_rows_would_change(declared_desk: Desk) -> None:
    declared_desk.load(kind="products", file=declared_desk.put("goods.csv", GOODS), mapping=MAPPING)
    dearer = LIST + "KH-10;Kugelhahn DN10;Armatur;25;1.4408;ja\nKH-15;Kugelhahn 15;Armatur;25;1.4408;ja\n"
    answer = declared_desk.ask(
        "load_check", kind="products", file=declared_desk.put("new.csv", dearer), mapping=MAPPING
    )
    assert answer["rows"] == {"read": 2, "changed": 2}
    assert answer["changes"] == ["attributes.pressure: 2", "description: 1"]
    [row] = declared_desk.rows("SELECT attributes FROM equipment.products WHERE model = 'KH-10'")
    assert row["attributes"]["pressure"] == 16


def test_without_a_mapping_the_columns_are_guessed_and_the_guess_can_be_sent_again(declared_desk: Desk) -> None:
    name = declared_desk.put("goods.csv", GOODS)
    guessed = declared_desk.ask("load_check", kind="products", file=name)
    assert "columns guessed" in guessed["notice"]
    assert guessed["doubts"]
    again = declared_desk.ask("load_check", kind="products", file=name, mapping=guessed["mapping"])
    assert {key: again[key] for key in ("rows", "check_id")} == {key: guessed[key] for key in ("rows", "check_id")}
    assert "mapping" not in again


def test_a_list_of_what_is_stored_says_what_is_new_and_nothing_else(declared_desk: Desk) -> None:
    declared_desk.load(kind="products", file=declared_desk.put("goods.csv", GOODS), mapping=MAPPING)
    text = "manufacturer,model,sku,withdrawn\nAcme,KH-10,010-010,yes\nAcme,KH-77,010-077,no\n"
    answer = declared_desk.ask("load_check", kind="products", file=declared_desk.put("skus.csv", text))
    assert answer["rows"] == {"read": 2, "changed": 1, "rejected": 1}
    assert {"sku: 1", "withdrawn: 1"} <= set(answer["changes"])
    assert not any("description" in change or "body" in change for change in answer["changes"])
    [reject] = answer["rejects"]
    assert "category, family, description: missing, which a new row needs" in reject


def test_a_column_that_is_no_field_makes_no_guess_of_the_others(desk: Desk) -> None:
    text = "id,name,currency,valid_until\npb_2026_11,Cennik,PLN,2026-12-31\n"
    answer = desk.ask("load_check", kind="price_books", file=desk.put("books.csv", text))
    assert "columns by the kind's own names" in answer["notice"]
    assert answer["first_rows"] == ["id: pb_2026_11; name: Cennik; currency: PLN"]
    assert answer["doubts"] == ["column 'valid_until' is no field of price_books, is valid_to meant?"]
    assert answer["unused"] == ["column 'valid_until' is read by no field: 1 cells, '2026-12-31'"]
    desk.ask("load", check_id=answer["check_id"])
    mended = text.replace("valid_until", "valid_to")
    desk.load(kind="price_books", file=desk.put("mended.csv", mended))
    assert str(desk.rows("SELECT valid_to FROM cpq.price_books")[0]["valid_to"]) == "2026-12-31"


def test_rows_that_refer_to_what_is_not_there_are_among_the_rejects(declared_desk: Desk) -> None:
    lines = "quote_number,position,quantity,description,category\nQ-1,1,2,Kugelhahn,Armatur\n"
    answer = declared_desk.ask("load_check", kind="line_items", file=declared_desk.put("lines.csv", lines))
    assert answer["rows"] == {"read": 1, "rejected": 1}
    assert "Q-1" in answer["rejects"][0]


def test_what_is_wrong_with_a_mapping_is_said_with_its_place(declared_desk: Desk) -> None:
    name = declared_desk.put("goods.csv", GOODS)
    missing = MAPPING.replace("Art.-Nr.", "Nummer")
    said = declared_desk.refused("load_check", kind="products", file=name, mapping=missing)
    assert "no table of 'goods.csv' has all these columns" in said
    said = declared_desk.refused("load_check", kind="line_items", file=name, mapping=MAPPING)
    assert "it is of products, and these are line_items" in said


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


PROSE = (
    "Art.;Text;Klasse;Druck\nB-1;Kessel, 200 l, ölfrei;A++;10\nB-2;Kessel mit 1200 l;B;900\nB-3;Kessel 300 l;C;8\n"
)
TANK = """name,families,kind,unit,low,high
volume,valve,number,l,1,5000
oil_free,valve,flag,,,
grade,valve,text,,,
pressure,valve,number,bar,0,400
"""


def tank(*prose: str) -> str:
    return f"""
kind = "products"
[[tables]]
prose = [{", ".join(prose)}]
constants = {{ manufacturer = "Acme", category = "Tanks", family = "valve" }}
[tables.fields]
model = {{ from = "Art." }}
description = {{ from = "Text" }}
"attributes.grade" = {{ from = "Klasse" }}
"attributes.pressure" = {{ from = "Druck" }}
"""


def tanks(desk: Desk) -> dict[str, dict[str, object]]:
    rows = desk.rows("SELECT model, attributes FROM equipment.products ORDER BY model")
    return {row["model"]: row["attributes"] for row in rows}


def test_what_only_prose_says_is_taken_from_the_cell_it_stands_in(desk: Desk) -> None:
    desk.load(kind="families", text=FAMILIES)
    desk.load(kind="attributes", text=TANK)
    mapping = tank(
        '{ of = "B-1", attribute = "volume", from = "Text", says = "200 L" }',
        '{ of = "b1", attribute = "oil_free", from = "Text", says = "ölfrei", means = "yes" }',
        '{ of = "B-2", attribute = "volume", from = "Text", says = "200 l" }',
        '{ of = "B-9", attribute = "volume", from = "Text", says = "5 l" }',
        '{ row = 4, attribute = "volume", from = "Text", says = "300 l" }',
    )
    asked: dict[str, Any] = {"kind": "products", "file": desk.put("tanks.csv", PROSE), "mapping": mapping}
    check = desk.ask("load_check", **asked)
    assert check["rows"] == {"read": 3, "new": 3}
    said = [doubt for doubt in check["doubts"] if "pressure" not in doubt]
    assert said == [
        "attributes.volume does not stand in 'Kessel mit 1200 l' (1): '200 l' in line 3, column 'Text'",
        "prose: no row is B-9",
    ]
    desk.ask("load", check_id=check["check_id"])
    stored = tanks(desk)
    assert stored["B-1"]["volume"] == {"value": 200, "source": "Text: 200 l"}
    assert stored["B-1"]["oil_free"] == {"value": True, "source": "Text: ölfrei"}
    assert stored["B-3"]["volume"] == {"value": 300, "source": "Text: 300 l"}
    assert "volume" not in stored["B-2"]
    assert desk.ask("load_check", **asked)["rows"] == {"read": 3, "unchanged": 3}


def test_an_implausible_figure_is_a_doubt_with_its_cell_and_its_row_is_stored_without_it(desk: Desk) -> None:
    desk.load(kind="families", text=FAMILIES)
    desk.load(kind="attributes", text=TANK)
    check = desk.ask("load_check", kind="products", file=desk.put("tanks.csv", PROSE), mapping=tank())
    assert check["doubts"] == [
        "attributes.pressure is not plausible, pressure is declared from 0 to 400 bar: it is not stored (1): "
        "'900' in line 3, column 'Druck'"
    ]
    own = "model,manufacturer,category,family,description,pressure\nB-4,Acme,Tanks,valve,A tank,1000\n"
    again = desk.ask("load_check", kind="products", file=desk.put("own.csv", own))
    assert (again["rows"], len(again["doubts"])) == ({"read": 1, "new": 1}, 1)
    desk.ask("load", check_id=check["check_id"])
    assert [tanks(desk)[model].get("pressure") for model in ("B-1", "B-2", "B-3")] == [10, None, 8]


def test_a_value_without_a_place_in_its_order_is_stored_and_a_doubt(desk: Desk) -> None:
    desk.load(kind="families", text=FAMILIES)
    desk.load(kind="attributes", text=TANK)
    desk.load(kind="attributes", text="name,families,kind,ordered\ngrade,valve,text,B|A|A++\n")
    check = desk.ask("load_check", kind="products", file=desk.put("tanks.csv", PROSE), mapping=tank())
    assert "attributes.grade has no place in the order of grade: B < A < A++ (1): 'C' in line 4" in str(
        check["doubts"]
    )
    desk.ask("load", check_id=check["check_id"])
    assert tanks(desk)["B-3"]["grade"] == "C"


def test_a_line_takes_family_and_category_from_the_stored_product_that_it_names(declared_desk: Desk) -> None:
    goods = "model,sku,manufacturer,category,family,description\nKH-10,R1,Acme,Hähne,valve,Kugelhahn\n"
    declared_desk.load(kind="products", file=declared_desk.put("own.csv", goods))
    quotes = (
        "quote_number,customer,quote_date,project,summary,status,currency\nOF1,Marín,2025-02-03,Nave,Nave,won,EUR\n"
    )
    declared_desk.load(
        kind="past_quotes", file=declared_desk.put("quotes.csv", quotes + "OF2,Turia,2025-02-04,A,A,lost,EUR\n")
    )
    header = "Oferta;Pos;Artículo;Concepto;Cant.;Precio;Moneda\n"
    rows = "OF1;1;R1;Hahn;1;5,00;EUR\nOF1;2;KH-10;Hahn;1;5,50;EUR\nOF2;1;;Porte;1;9,00;EUR\n"
    check = declared_desk.ask("load_check", kind="line_items", file=declared_desk.put("lines.csv", header + rows))
    assert check["rows"] == {"read": 3, "new": 2, "rejected": 1}, check
    assert "no stored product has its SKU or model" in check["rejects"][0]
    declared_desk.ask("load", check_id=check["check_id"])
    lines = declared_desk.rows("SELECT category, family, model FROM quotes.line_items ORDER BY position")
    assert lines == [{"category": "Hähne", "family": "valve", "model": "KH-10"}] * 2


def test_rows_of_one_key_are_said_in_one_line(declared_desk: Desk) -> None:
    text = LIST + "KH-1;Hahn;Armatur;16;Messing;ja\n" + "KH-2;Hahn;Armatur;16;Messing;ja\n" * 3
    name = declared_desk.put("list.csv", text)
    check = declared_desk.ask("load_check", kind="products", file=name, mapping=MAPPING)
    assert check["doubts"] == ["rows with the key of one before, of which the last stands: line 4, 5"]


def test_rows_of_one_key_that_differ_are_said_with_both_values(declared_desk: Desk) -> None:
    text = LIST + "KH-1;Hahn;Armatur;16;Messing;ja\nKH-2;Hahn;Armatur;16;Messing;ja\nKH-1;Hahn;Armatur;25;Stahl;ja\n"
    name = declared_desk.put("list.csv", text)
    check = declared_desk.ask("load_check", kind="products", file=name, mapping=MAPPING)
    assert check["doubts"] == [
        "rows with the key of one before, of which the last stands: line 4",
        "line 4 has the key of line 2 and stands: attributes.pressure 25, not 16, attributes.body Stahl, not Messing",
    ]


def test_a_tenants_words_of_a_yes_and_of_a_figure_are_read_in_cells(desk: Desk) -> None:
    desk.load(kind="families", text=FAMILIES)
    desk.load(kind="attributes", text="name,kind,unit\nsealed,flag,\nseats,number,\n")
    desk.load(kind="vocabulary", text="term,attribute,value\nvorhanden,sealed,yes\nunlimited,seats,1000000\n")
    goods = "model,manufacturer,category,family,description,sealed,seats\n"
    name = desk.put("own.csv", goods + "A,Acme,X,valve,One,Vorhanden,unlimited\nB,Acme,X,valve,Two,Não,25\n")
    desk.load(kind="products", file=name)
    stored = desk.rows("SELECT attributes FROM equipment.products ORDER BY model")
    assert [row["attributes"] for row in stored] == [
        {"sealed": True, "seats": {"value": 1_000_000, "raw": "unlimited"}},
        {"sealed": False, "seats": 25},
    ]


def test_a_unit_whose_spelling_a_known_one_has_is_a_doubt(desk: Desk) -> None:
    rows = "symbol,spellings,dimension,factor\nzz rate,g|kg|%|zz,zz rate,1\npair,m²,area,1\ndozen,dz,pieces,12\n"
    [told] = desk.ask("load_check", kind="units", text=rows)["doubts"]
    assert told == "zz rate takes the place of known units: %, g, kg measured mass, share so far"


def test_two_accounts_of_one_customer_are_a_doubt(desk: Desk) -> None:
    desk.has_segment("standard")
    head = "id,name,segment,currency,country,tax_id\n"
    rows = (
        "1,Alfa GmbH,standard,EUR,DE,X1\n2,ALFA,standard,EUR,DE,\n"
        "3,Beta,standard,EUR,DE,X1\n4,Beta,standard,EUR,DE,X2\n"
    )
    told = desk.ask("load_check", kind="accounts", file=desk.put("accounts.csv", head + rows))["doubts"]
    assert [each.split(": ")[1] for each in told] == [
        "acct_1 Alfa GmbH and acct_2 ALFA. Close all but one (active), where they are one"
    ]


def test_a_region_that_no_tax_rule_has_is_a_doubt_whichever_file_comes_first(desk: Desk) -> None:
    desk.has_segment("standard")
    rows = "1,Alfa,standard,EUR,IN,MH\n2,Beta,standard,EUR,IN,maharashtra\n3,Gama,standard,EUR,IN,\n"
    desk.load(kind="accounts", file=desk.put("a.csv", "id,name,segment,currency,country,region\n" + rows))
    rules = "id,name,country,region,rate_pct\ntax_in,IGST,IN,,18\ntax_mh,GST,IN,Maharashtra,18\n"
    told = desk.ask("load_check", kind="tax_rules", file=desk.put("t.csv", rules))["doubts"]
    assert [each.split(": ")[:2] for each in told] == [
        [
            "1 customers in IN are in regions that no tax rule is for (they have Maharashtra), so theirs is that of "
            "the whole country, or none",
            "MH. If a rule is meant, write the region alike in accounts and tax_rules",
        ]
    ]


def test_a_heading_with_a_sign_that_is_not_the_houses_is_doubted(desk: Desk) -> None:
    desk.ingest("house", [{"currency": "ILS"}])
    told = desk.ask("load_check", kind="prices", file=desk.put("p.csv", "SKU;Price $\nA-1;27,75\n"))["doubts"]
    assert any("'Price $' may be in USD" in each for each in told)


def test_a_price_list_tells_how_prices_move_and_doubts_a_factor_of_ten(desk: Desk) -> None:
    goods = {"name": "Pump", "product_type": "simple", "category": "pump"}
    desk.ingest("products_for_sale", [{"id": f"prod_{each}", "sku": each.upper(), **goods} for each in "abc"])
    desk.ingest("price_books", [{"id": "pb_list", "name": "List", "currency": "EUR"}])
    old = {"a": "297.31", "b": "10.00", "c": "1000.00"}
    desk.ingest("prices", [{"price_book_id": "pb_list", "product_id": f"prod_{x}", "price": old[x]} for x in old])
    mapping = (
        'kind = "prices"\nnumbers = "1.234,56"\n[[tables]]\n[tables.constants]\nprice_book_id = "pb_list"\n'
        '[tables.fields]\nproduct_id = { from = "Art" }\nprice = { from = "Preis" }\n'
    )
    name = desk.put("list.csv", "Art;Preis\nA;327.041\nB;9,50\nC;1014.860\n")
    answer = desk.ask("load_check", kind="prices", file=name, mapping=mapping)
    told = "prod_a in pb_list from 297.31 to 327041 EUR"
    assert answer["changes"] == ["price: 3", f"2 prices rise and 1 fall, most of all {told}"]
    sign, tenfold = answer["doubts"]
    assert tenfold == f"1 prices are ten times the stored one or more, or a tenth of it or less: {told}"
    assert sign.startswith("price has another decimal sign than figures are read by (1.234,56)")
    assert sign.endswith("(1): '1014.860' in line 4, column 'Preis'")


def test_a_tier_ten_times_as_dear_is_a_doubt_like_a_price(desk: Desk) -> None:
    goods = {"id": "prod_a", "sku": "A", "name": "Pump", "product_type": "simple", "category": "pump"}
    desk.ingest("products_for_sale", [goods])
    desk.ingest("price_books", [{"id": "pb_list", "name": "List", "currency": "EUR"}])
    first = {"price_book_id": "pb_list", "product_id": "prod_a", "price": "20.00"}
    old, new = ([{"min": 1, "max": 9, "price": "20.00"}, {"min": 10, "price": each}] for each in ("12.50", "1250.00"))
    desk.ingest("prices", [first | {"tiers": old}])
    answer = desk.ask("load_check", kind="prices", file=desk.put("new.jsonl", json.dumps(first | {"tiers": new})))
    told = "prod_a in pb_list from 20 to 20 EUR, a tier by more"
    assert f"0 prices rise and 0 fall, most of all {told}" in answer["changes"], answer
    assert [each for each in answer["doubts"] if each.endswith(told)], answer


def test_a_stored_price_book_is_ended_by_its_id_alone(desk: Desk) -> None:
    desk.ingest("price_books", [{"id": "pb_list", "name": "List", "currency": "EUR"}])
    desk.load_whole("price_books", "id,active\npb_list,no\n")
    assert desk.rows("SELECT name, active FROM cpq.price_books") == [{"name": "List", "active": False}]


def test_attributes_alone_are_no_names_of_the_kinds_own(declared_desk: Desk) -> None:
    file = declared_desk.put("update.csv", "Article number;hp;cfm\nA-1;75;100\n")
    answer = declared_desk.ask("load_check", kind="products", file=file)
    assert "columns guessed" in answer["notice"], answer


def test_what_is_stored_of_a_row_beside_what_the_file_states_is_told_to_nobody_who_loads(desk: Desk) -> None:
    goods = {"id": "prod_a", "sku": "A", "name": "Pump", "product_type": "simple", "category": "pump"}
    desk.ingest("products_for_sale", [goods | {"cost": "1.10", "cost_currency": "EUR"}])
    again = desk.put("goods.csv", "sku,name,cost,cost_currency\nA,Pump 1,,\nA,Pump 2,1.20,EUR\n")
    answer = desk.ask("load_check", kind="products_for_sale", file=again)
    assert answer["first_rows"][0] == "sku: A; name: Pump 1"
    assert answer["rows"]["changed"] == 1
    assert "1.1" not in str(answer)


def test_what_a_file_says_of_attributes_is_shown_without_those_that_are_stored(declared_desk: Desk) -> None:
    declared_desk.load(kind="products", file=declared_desk.put("goods.csv", GOODS), mapping=MAPPING)
    again = LIST + "KH-10;Kugelhahn DN10;Armatur;25;;\n"
    answer = declared_desk.ask("load_check", kind="products", file=declared_desk.put("b.csv", again), mapping=MAPPING)
    [first] = answer["first_rows"]
    assert "'pressure': 25" in first
    assert "body" not in first
