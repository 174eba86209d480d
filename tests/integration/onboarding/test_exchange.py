"""A catalogue in an exchange format is looked at, checked and loaded as a workbook is."""

from pathlib import Path

from tests.integration.onboarding.conftest import Desk

CATALOGUE = Path("tests/fixtures/exchange/catalogue_2005.xml").read_bytes()
FAMILIES = "family,name,words\nbreaker,Breaker,de:Schalter\nother,Other,Zubehör\n"
ATTRIBUTES = (
    "name,families,kind,unit,sense,words\n"
    "width,breaker,number,mm,at_most,de:Breite\n"
    "material,breaker,text,,exactly,EF001234\n"
    "ambient,breaker,number,°C,exactly,EF005678\n"
)


def declared(desk: Desk) -> None:
    desk.load(kind="families", text=FAMILIES)
    desk.load(kind="attributes", text=ATTRIBUTES)


def test_features_become_attributes_by_their_words_or_codes_and_what_is_left_is_said(desk: Desk) -> None:
    declared(desk)
    answer = desk.ask("load_check", kind="products", file=desk.put("Katalog.xml", CATALOGUE))
    assert answer["rows"]["new"] == 1
    assert any(line.startswith("elements of the file that are in no cell: MIME_INFO") for line in answer["unused"])
    desk.ask("load", check_id=answer["check_id"])
    [row] = desk.rows("SELECT sku, model, manufacturer, category, family, attributes FROM equipment.products")
    assert (row["sku"], row["model"], row["manufacturer"]) == ("0100.120", "MP-B16", "Muster Elektro")
    assert (row["category"], row["family"]) == ("Schalter", "breaker")
    assert (row["attributes"]["width"], row["attributes"]["material"]) == (17.5, "Kunststoff")
    assert row["attributes"]["ambient"] == [-25, 55]


def test_a_list_price_for_a_hundred_is_stored_for_one_with_its_tiers(desk: Desk) -> None:
    declared(desk)
    name = desk.put("Katalog.xml", CATALOGUE)
    desk.load(kind="products_for_sale", file=name)
    desk.load(kind="price_books", text="id,name,currency\npb_1,List,EUR\n")
    constant = 'kind = "prices"\n[[tables]]\n[tables.constants]\nprice_book_id = "pb_1"\n[tables.fields]\n'
    desk.load(kind="prices", file=name, mapping=constant)
    [row] = desk.rows("SELECT product_id, price, tiers FROM cpq.price_book_entries WHERE superseded_at IS NULL")
    assert row["product_id"] == "prod_0100_120"
    assert float(row["price"]) == 0.01234
    assert [(tier["min"], float(tier["price"])) for tier in row["tiers"]] == [(1, 0.01234), (500, 4.125)]
