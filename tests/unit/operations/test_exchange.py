"""Files of exchange formats become the sheets that everything behind them takes."""

import random
import re
from contextlib import suppress
from pathlib import Path

import pytest

from onboarding.contents import told
from operations.exchange.files import MOST_MARKS, read_sheets
from operations.ingest import KINDS
from operations.tables.cells import Cell, text_of
from operations.tables.columns import guess
from operations.tables.sheets import Sheet
from quarry.tool.errors import ValidationFailed

FILES = Path("tests/fixtures/exchange")
BMECAT_2005 = (FILES / "catalogue_2005.xml").read_text("utf-8")
X83 = (FILES / "bill.x83").read_text("utf-8")
CATALOGUE = read_sheets(BMECAT_2005.encode(), file_name="Katalog.xml")


def rows(sheet_name: str, sheets: list[Sheet] = CATALOGUE) -> list[dict[str, Cell]]:
    [sheet] = [each for each in sheets if each.name == sheet_name]
    header, *others = sheet.rows
    return [{str(name): cell for name, cell in zip(header, row, strict=True) if cell is not None} for row in others]


def test_an_article_has_its_numbers_as_they_are_and_its_texts_by_language() -> None:
    article = rows("articles")[0]
    assert (article["article number"], article["GTIN"]) == ("0100.120", "4099999000016")
    assert article["short description"] == "LS-Schalter B16 & Zubehör"
    assert article["pol short description"] == "Wyłącznik nadprądowy B16"
    assert article["long description"] == "Zum Schutz. Für Hutschiene, T < 40 °C"
    assert (article["category"], article["keywords"]) == ("Schalter", "Sicherung | Automat")
    assert (article["references"], article["LAGERORT"]) == ("accessories: 0100.121", "Halle 3")
    assert [each.get("mode") for each in rows("articles")] == [None, "delete"]


def test_a_feature_is_a_column_by_its_word_where_the_file_has_one_else_by_its_code() -> None:
    article = rows("articles")[0]
    assert (article["ETIM-9.0"], article["ETIM-9.0 name"]) == ("EC000042", "Leitungsschutzschalter")
    assert article["Breite [mm]"] == 17.5
    assert article["EF001234"] == "Kunststoff"


def test_a_column_of_several_units_says_them_in_its_cells_and_two_figures_of_etim_are_a_range() -> None:
    assert [each["EF005678"] for each in rows("articles")] == ["-25..55 °C", "40 K"]


def test_the_list_price_comes_first_with_its_tiers_and_no_other_price_is_taken_by_accident() -> None:
    assert [
        (each["price"], each["from quantity"], each["price per"], each["currency"]) for each in rows("prices")
    ] == [
        (1.234, "1", "100", "EUR"),
        ("412.50", "500", "100", "EUR"),
    ]
    assert rows("prices")[0]["valid from"] == "2026-01-01"
    assert [sheet.name for sheet in CATALOGUE if sheet.hidden] == [
        "prices net_list EUR 2",
        "prices nrp EUR",
        "prices net_customer EUR",
        "header",
    ]
    assert [(each["price"], each["valid from"]) for each in rows("prices net_list EUR 2")] == [
        ("480.00", "2026-07-01")
    ]


def test_a_factor_multiplies_the_price_that_it_is_given_for() -> None:
    [price] = rows("prices net_customer EUR")
    assert (price["price"], price["amount before factor"], price["factor"]) == ("225", "500.00", "0.45")


def test_a_factor_that_is_no_figure_makes_no_price() -> None:
    damaged = BMECAT_2005.replace("<PRICE_FACTOR>0.45", "<PRICE_FACTOR>0,45")
    [price] = rows("prices net_customer EUR", read_sheets(damaged.encode(), file_name="Katalog.xml"))
    assert price["price"] == "500.00 x 0,45"


def test_what_stands_in_no_cell_is_counted() -> None:
    [line] = CATALOGUE[0].unread
    assert "MIME_INFO.MIME.MIME_SOURCE (2)" in line
    assert "CATALOG_STRUCTURE.GROUP_DESCRIPTION (1)" in line


def test_every_text_of_a_catalogue_is_in_a_cell_or_counted() -> None:
    from lxml import etree

    root = etree.fromstring(BMECAT_2005.encode())
    goods = [each for each in root.iter("{*}PRODUCT") for each in each.iter() if len(each) == 0 and each.text.strip()]
    shown = " ".join(text_of(cell) for sheet in CATALOGUE for row in sheet.rows for cell in row)
    known_by_word = {"EF000008", "EV000206", "EU570448", "CEL", "KEL", "ETIM-9.0", "1"}
    missing = [
        str(each.tag).rpartition("}")[2]
        for each in goods
        if each.text.strip() not in known_by_word
        and each.text not in shown
        and text_of(float(each.text) if each.text.replace(".", "").isdigit() else each.text) not in shown
    ]
    assert sorted(missing) == ["DESCRIPTION_LONG", "FVALUE_DETAILS", "MIME_SOURCE", "MIME_SOURCE"]


def test_bmecat_1_2_with_its_doctype_and_encoding_has_the_same_columns() -> None:
    [article] = rows("articles", read_sheets((FILES / "catalogue_1_2.xml").read_bytes(), file_name="Katalog.xml"))
    assert (article["article number"], article["manufacturer part number"]) == ("W-77", "77-60")
    assert (article["short description"], article["category"]) == ("Waschtisch weiß", "Waschtische")
    assert (article["Breite [mm]"], article["Farbe"]) == ("600", "weiß|grau")


def test_goods_and_prices_of_a_catalogue_are_guessed_from_their_own_sheets() -> None:
    products = guess(CATALOGUE, KINDS["products"])[0]
    prices = guess(CATALOGUE, KINDS["prices"], constants={"price_book_id": "pb_1"})[0]
    assert products is not None
    assert prices is not None
    assert [table.sheet for table in (*products.tables, *prices.tables)] == ["articles", "prices"]
    fields = {name: rule.columns for name, rule in products.tables[0].fields.items()}
    assert (fields["sku"], fields["model"]) == (("article number",), ("manufacturer part number",))
    assert fields["manufacturer"] == ("manufacturer",)
    priced = prices.tables[0].fields
    assert (priced["price"].columns, priced["price"].per) == (("price",), "price per")
    assert priced["from_quantity"].columns == ("from quantity",)


def test_a_request_by_ubl_is_shown_line_by_line() -> None:
    text = told((FILES / "request.xml").read_bytes(), "Anfrage.xml", sheet=None, column=0, samples=4).text
    assert "BuyerCustomerParty.Party.PartyName.Name | Stadtwerke Beispiel" in text
    assert "10 | LS-Schalter B16 | 1-polig, 6 kA | 40 | C62 | Bitte mit Datenblatt | 2026-04-01 | 2026-04-15" in text
    assert "4711 | 0100120 | DE | Breite: 17,5 mm" in text


def test_positions_of_a_bill_of_quantities_stand_under_their_headings() -> None:
    text = told(X83.encode(), "LV.x83", sheet=None, column=0, samples=4).text
    lines = [line.partition(" ")[2] for line in text.splitlines()]
    assert lines[-5:] == [
        "01 Verteilungen",
        "01.02 Unterverteiler",
        "Remark: Fabrikat angeben.",
        "01.02.0010 | LS-Schalter B16 | 12 | St | LS-Schalter 1-polig, Auslöser B, 16 A.",
        "01.02.0020a | Messprotokoll | 1 | psch |  | WithoutTotal | Yes",
    ]
    assert "CtlgAssign.CtlgID (1)" in text


def test_a_long_request_goes_on_at_the_next_line() -> None:
    item = X83[X83.index("<Item ID") : X83.index("</Item>") + 7]
    page = told(X83.replace(item, item * 200).encode(), "LV.x83", sheet=None, column=0, samples=4)
    assert page.column is not None
    further = told(X83.replace(item, item * 200).encode(), "LV.x83", sheet=None, column=page.column, samples=4)
    assert further.text.splitlines()[1].startswith(f"{page.column} ")


@pytest.mark.parametrize(
    ("content", "file_name", "why"),
    [
        ('<!DOCTYPE a [<!ENTITY b "c">]><BMECAT>&b;</BMECAT>', "a.xml", "entities of its own"),
        (
            '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><BMECAT>&b;</BMECAT>',
            "a.xml",
            "entities of its own",
        ),
        ('<!DOCTYPE a SYSTEM "a.dtd"><BMECAT>&uuml;</BMECAT>', "a.xml", "entities of its own"),
        ("<BMECAT>", "a.xml", "cannot be read as XML"),
        ("<a>" * 300 + "</a>" * 300, "a.xml", "cannot be read as XML"),
        ("<BMECAT>" + "<a/>" * MOST_MARKS + "</BMECAT>", "a.xml", "split it"),
        ("<Invoice/>", "a.xml", "XML of the form Invoice"),
    ],
)
def test_what_is_unsafe_damaged_or_of_another_form_is_refused_with_the_reason(
    content: str, file_name: str, why: str
) -> None:
    with pytest.raises(ValidationFailed, match=why):
        read_sheets(content.encode(), file_name=file_name)


def test_a_list_that_is_hidden_is_read_by_its_name_alone() -> None:
    mapping = guess(CATALOGUE, KINDS["prices"], constants={"price_book_id": "pb_1"})[0]
    assert mapping is not None
    assert [sheet.name for sheet, *_ in mapping.tables_in(CATALOGUE)] == ["prices"]
    [table] = mapping.tables
    renamed = mapping.model_copy(update={"tables": (table.model_copy(update={"sheet": "prices net_list EUR 2"}),)})
    assert "prices net_list EUR 2" in [sheet.name for sheet, *_ in renamed.tables_in(CATALOGUE)]


@pytest.mark.parametrize("file", sorted(FILES.iterdir()), ids=lambda file: file.name)
def test_a_file_damaged_anywhere_is_read_or_refused(file: Path) -> None:
    chance = random.Random(7)
    # Without the encoding that it declares, for it is read as UTF-8.
    text = file.read_bytes().decode("utf-8", "replace").replace('encoding="ISO-8859-1"', "")
    pieces = re.findall(r"<[^>]*>|[^<]+", text)
    read = 0
    for _ in range(300):
        damaged = list(pieces)
        for at in chance.sample(range(len(pieces)), k=chance.randint(1, 3)):
            damaged[at] = chance.choice(["", "x", '"x"', "null", chance.choice(pieces)])
        with suppress(ValidationFailed):
            read += bool(read_sheets("".join(damaged).encode(), file_name=file.name))
    assert read > 10
