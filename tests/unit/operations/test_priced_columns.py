"""Columns of prices, tiers, currencies and discounts are guessed."""

from dataclasses import replace
from io import BytesIO

import pytest

from onboarding.contents import opened
from operations.ingest import KINDS
from operations.reading import read
from operations.tables.columns import guess
from operations.tables.mapping import Mapping
from quarry.attributes.model import Attributes
from quarry.attributes.units import shipped
from quarry.ingestion import Accepted, Rejected
from tests.guesses import BOOK, HARZ, asked, columns, guessed, of, stored, tables

HUNDRED = {"symbol": "hundred", "dimension": "pieces", "factor": 100}


def test_a_spanish_tariff_has_prices_from_a_quantity_on_and_skus_make_ids() -> None:
    found = of("ebro", "Tarifa 2026.xlsx", "prices")
    assert columns(tables(found)[0]) == {
        "product_id": "Referencia",
        "price": "PVP €",
        "tiers.10": "desde 10",
        "tiers.50": "desde 50",
    }
    assert "price_book_id has no column: set it in constants" in found[1][0]
    [articles] = tables(of("ebro", "articulos.csv", "products_for_sale"))
    assert (columns(articles)["id"], columns(articles)["sku"]) == ("Referencia", "Referencia")


def test_a_price_for_a_thousand_is_a_thousandth_for_one() -> None:
    text = "Materialnummer;Preis EUR;Preiseinheit\nK-80;41.200,00;1000\nK-90;35,50;1\n"
    rows = stored("prices", text, price_book_id="pb_2026")
    assert [float(str(row["price"])) for row in rows] == [41.2, 35.5]


@pytest.mark.parametrize("heading", ["UM", "Unit", "Prc UM", "Price Unit"])
def test_a_unit_beside_a_price_is_what_it_buys_and_one_that_is_not_known_is_asked_for(heading: str) -> None:
    text = f"Item No.,Item Desc,{heading},List Price\nA-1,x,EA,21.14\nA-2,x,C,26.46\nA-3,x,M,122.93\nA-4,x,ft,9.10\n"
    assert guessed("prices", text).fields["price"].per == heading
    told = asked("prices", text)
    assert all(f"{heading!r} says {word!r}, which is no number of pieces" in told for word in "CM")
    assert "'EA'" not in told and "'ft', which" not in told  # noqa: PT018
    known = replace(HARZ, units=shipped().with_own([{**HUNDRED, "spellings": "C"}]))
    mapping = guess(opened(text.encode(), "a.csv")[0], KINDS["prices"], constants=BOOK, attributes=known)[0]
    assert mapping is not None
    rows = read(BytesIO(text.encode()), KINDS["prices"], file_name="a.csv", mappings=[mapping], attributes=known)
    prices = {item.line: float(item.row.model_dump()["price"]) for item in rows if isinstance(item, Accepted)}
    assert prices == {2: 21.14, 3: 0.2646, 5: 9.10}
    assert guessed("prices", "SKU;JM;Cena\nA;szt;9,00\nB;m;8,00\n").fields["price"].per is None


@pytest.mark.parametrize("heading", ["Enhed", "Enhet", "Pr.", "Pris pr."])
def test_scandinavian_headings_say_what_a_price_is_for(heading: str) -> None:
    price, other = stored("prices", f"Varenr;Pris;{heading}\nA;24000,00;100 stk\nB;9,50;m\n", **BOOK)
    assert (float(str(price["price"])), float(str(other["price"]))) == (240, 9.5)


def test_rows_of_one_article_with_a_quantity_from_which_they_hold_are_its_tiers() -> None:
    text = "SKU,From Qty,Unit Price\nVE-1,1,28.40\nVE-1,50,23.10\nVE-2,1,71.20\nVE-1,10,25.90\nVE-3,5,9\n"
    first, second = stored("prices", text, price_book_id="pb_2026")
    assert first["product_id"] == "VE-1"
    assert [(tier["min"], tier.get("max"), tier["price"]) for tier in first["tiers"]] == [  # type: ignore[attr-defined]  # JSON
        (1, 9, "28.40"), (10, 49, "25.90"), (50, None, "23.10")
    ]  # fmt: skip
    assert (second["product_id"], second["price"], second.get("tiers")) == ("VE-2", "71.20", [])


def test_of_two_prices_without_a_quantity_the_one_taken_is_a_doubt() -> None:
    text = "Ref.;PVP;Precio palé\nR1;92,00 €;84,50 €\nR2;99,00 €;91,00 €\n"
    assert "price: 'PVP', 'Precio palé' are amounts; 'PVP' is taken." in asked("prices", text)


def test_a_column_that_names_a_currency_alone_has_the_price_unless_another_has_it_or_there_are_two() -> None:
    chf = guessed("prices", "Artikel;Preis per;CHF\nA-1;100 m;12,50\nA-2;1;3,00").fields
    assert (chf["price"].columns, chf["price"].per) == (("CHF",), "Preis per")
    assert "price" not in guessed("prices", "Artikel;EUR;CHF;ab 10\nA-1;1,00;12,50;1\nA-2;1,00;3,00;1").fields


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("SKU;Price EUR\nA;27,75\n", "EUR"),
        ("SKU;Price\nA;27,75 EUR\nB;1,00 CHF\n", None),
        ("SKU;Price $\nA;27,75\n", None),
    ],
)
def test_prices_have_the_currency_of_their_heading_unless_its_sign_is_that_of_several(
    text: str, currency: str | None
) -> None:
    assert guessed("prices", text, **BOOK).constants.get("currency") == currency


@pytest.mark.parametrize(
    ("head", "listed", "charged"),
    [
        ("N° devis;Réf.;Libellé;Qté;PU brut;Remise %;PU net", "PU brut", "PU net"),
        ("Quote no;Item;Description;Qty;Gross price;Disc %;Net price", "Gross price", "Net price"),
        ("Preventivo;Codice;Descrizione;Q.tà;Prezzo lordo;Sconto;Prezzo netto", "Prezzo lordo", "Prezzo netto"),
        ("Nr oferty;Symbol;Nazwa;Ilość;Cena katalogowa;Rabat;Cena netto", "Cena katalogowa", "Cena netto"),
    ],
)
def test_a_gross_price_of_a_line_is_its_list_price_and_the_net_one_what_was_charged(
    head: str, listed: str, charged: str
) -> None:
    found = columns(guessed("line_items", f"{head}\n1;A;Pompe;2;10,00;5;9,50\n"))
    assert (found["list_price"], found["unit_price"]) == (listed, charged)


@pytest.mark.parametrize(
    ("heading", "net"),
    [("Precio neto (€)", "true"), ("Prix net HT", "true"), ("Net price", "true"), ("Cena netto", None)],
)
def test_a_price_that_is_called_net_is_taken_so_and_asked_about(heading: str, net: str | None) -> None:
    text = f"SKU;{heading}\nA-1;10,00\nA-2;9,50\n"
    assert guessed("prices", text, price_book_id="pb_x").constants.get("net") == net
    assert (f"net: {heading!r} is taken as net" in asked("prices", text)) == bool(net)


def test_a_second_price_of_a_line_is_a_doubt() -> None:
    told = asked("line_items", "Quote no;Item;Description;Qty;Price;Unit price EUR\n1;A;Pump;2;10,00;9,50\n")
    assert "unit_price: 'Price', 'Unit price EUR' are amounts; 'Price' is taken." in told


def test_quantities_and_prices_in_numbered_columns_are_tiers_beside_the_list_price() -> None:
    text = "Artikelcode;Prijs per;Brutoprijs EUR;Staffel 1;Prijs st. 1;Staffel 2;Prijs st. 2\n"
    text += "V-1;rol;58,90;10;54,50;40;49,90\n"
    table = guessed("prices", text)
    assert columns(table) | {"product_id": ""} == {
        **{"product_id": "", "price": "Brutoprijs EUR", "tiers.1": "Prijs st. 1", "tiers.2": "Prijs st. 2"}
    }
    assert [table.fields[f"tiers.{at}"].at for at in (1, 2)] == ["Staffel 1", "Staffel 2"]
    assert "'rol', which is no number of pieces: say in values how many it is" in asked("prices", text)


@pytest.mark.parametrize(
    ("price", "currency", "told"),
    [
        ("1991 USD", "USD", ""),
        ("1,991.00 usd", "USD", ""),
        ("1,991.00 zł", "PLN", ""),
        ("US$ 1,991", "USD", ""),
        ("$1,991", None, ""),
        ("1,991 Stk", None, ""),
        ("1,451.00 XYZ", None, "price has XYZ, which is no currency and no unit"),
    ],
)
def test_a_currency_beside_an_amount_is_its_rows_and_letters_that_are_none_are_a_doubt(
    price: str, currency: str | None, told: str
) -> None:
    file = f'price_book_id,product_id,price\npb_2026,A,"1,200.50"\npb_2026,B,"{price}"\n'.encode()
    rows = read(BytesIO(file), KINDS["prices"], file_name="prices.csv")
    assert [getattr(item.row, "currency", "") for item in rows if isinstance(item, Accepted)][1:] == (
        [] if told else [currency]
    )
    assert told in "\n".join(rows.doubts) if told else not rows.doubts


def test_an_amount_in_another_currency_than_its_row_is_refused() -> None:
    head = "quote_number,position,description,quantity,unit_price,extended_price,currency\n"
    file = f"{head}1,1,Pump,2,10 EUR,20 EUR,EUR\n1,2,Pump,2,10 USD,20,EUR\n1,3,Pump,2,10 USD,20 EUR,\n".encode()
    rows = read(BytesIO(file), KINDS["line_items"], file_name="lines.csv")
    refused = [item.reason for item in rows if isinstance(item, Rejected)]
    assert [reason.split(" (")[0].split(": each")[0] for reason in refused] == [
        "unit_price: '10 USD' is in USD, and its row in EUR",
        "extended_price: '20 EUR' is in EUR, and its row in USD",
    ]


def test_a_unit_beside_an_amount_counts_with_its_factor_and_beside_a_percentage_it_is_refused() -> None:
    rows = [
        {"symbol": "lot", "spellings": "", "dimension": "amount in EUR", "factor": 10_000},
        {"symbol": "tenth", "spellings": "", "dimension": "share", "factor": 0.1},
    ]
    own = Attributes({}, units=shipped().with_own(rows))
    file = b"quote_number,position,description,quantity,unit_price,discount_pct\n"
    file += b"1,1,Pump,2,1.13 lot,5 %\n1,2,Pump,2,5,9 tenth\n"
    first, *refused = read(BytesIO(file), KINDS["line_items"], file_name="lines.csv", attributes=own)
    assert isinstance(first, Accepted)
    assert (first.row.unit_price, first.row.currency) == (11_300, "EUR")  # type: ignore[attr-defined]
    whys = [item.reason for item in refused if isinstance(item, Rejected)]
    assert whys[0].startswith("discount_pct: '9 tenth' is in tenth, and percentages are in %: say in")


def test_a_price_with_tax_in_it_is_stored_without_by_a_number_of_pieces() -> None:
    file = b"SKU;Prix TTC\nA-1;12,00\n"
    [table] = tables(guess(opened(file, "p.csv")[0], KINDS["prices"], constants=BOOK))
    rule = table.fields["price"].model_copy(update={"per": 1.2})
    net = table.model_copy(update={"fields": {**table.fields, "price": rule}})
    mapping = Mapping(kind="prices", numbers="1.234,56", tables=(net,))
    again = Mapping.parse(mapping.written(), source="test")
    [row] = read(BytesIO(file), KINDS["prices"], file_name="p.csv", mappings=[again])
    assert isinstance(row, Accepted)
    assert row.row.price == 10  # type: ignore[attr-defined]


def test_a_column_of_currencies_that_nobody_knows_is_a_doubt_and_the_house_knows_its_own_by_their_words() -> None:
    text = "Quote no;Item;Description;Qty;Price;Currency\n1;A;Pump;2;10,00;{0}\n2;B;Pump;1;12,00;{0}\n"
    told = asked("line_items", text.format("Goldtaler"))
    assert "currency: 'Currency' says 'Goldtaler', which is no currency that is known, and is left out" in told
    house = replace(HARZ, units=shipped().with_own([], language="pl", currency="PLN"))
    sheets = opened(text.format("złoty").encode(), "a.csv")[0]
    mapping, doubts = guess(sheets, KINDS["line_items"], attributes=house)
    assert mapping is not None
    assert mapping.tables[0].fields["currency"].columns == ("Currency",)
    assert not [each for each in doubts if "currency" in each]


@pytest.mark.parametrize(("currency", "is_doubted"), [("ILS", True), ("USD", False), ("MXN", False)])
def test_a_sign_in_a_heading_that_is_not_the_houses_is_a_doubt(currency: str, *, is_doubted: bool) -> None:
    sheets = opened(b"SKU;Price $\nA;27,75\n", "a.csv")[0]
    own = replace(HARZ, currency=currency, units=shipped().with_own([], currency=currency))
    doubts = guess(sheets, KINDS["prices"], constants=BOOK, attributes=own)[1]
    assert any("'Price $' may be in USD" in each for each in doubts) == is_doubted


def test_a_unit_of_measure_beside_a_price_is_a_doubt_because_prices_are_of_one_piece() -> None:
    told = asked("prices", "SKU;JM;Cena\nA;szt;9,00\nB;m;8,00\n")
    assert "unit: 'JM' says 'm', and a price is of one piece" in told
    assert "unit: " not in asked("prices", "SKU;JM;Cena\nA;szt;9,00\n")
