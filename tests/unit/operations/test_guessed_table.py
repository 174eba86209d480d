"""What stands in the cells of a column tells which field it is, or that it is none."""

import time
from dataclasses import replace

import pytest

from onboarding.contents import opened
from operations.ingest import KINDS
from operations.tables.columns import guess
from quarry.attributes.model import Attribute, Attributes
from tests.customers.files import COMPANIES
from tests.guesses import asked, columns, guessed, of, tables


@pytest.mark.parametrize(
    ("company", "file", "meanings"),
    [
        ("cascade", "crm_quotes.csv", {"Closed Won": "won", "Closed Lost": "lost", "Open": "open"}),
        ("harz", "Angebote.csv", {"Gewonnen": "won", "Verloren": "lost", "Offen": "open"}),
        ("ebro", "ofertas.csv", {"Ganada": "won", "Perdida": "lost", "Pendiente": "open"}),
    ],
)
def test_outcomes_are_read_in_each_language_and_written_down(
    company: str, file: str, meanings: dict[str, str]
) -> None:
    found = of(company, file, "past_quotes")
    assert tables(found)[0].fields["status"].values == meanings
    assert not [doubt for doubt in found[1] if "status" in doubt or "NEEDED" in doubt]


def test_a_family_that_nobody_declared_is_asked_for() -> None:
    assert not any("family" in doubt for doubt in of("ebro", "articulos.csv", "products")[1])
    content = COMPANIES["ebro"]()["articulos.csv"]
    undeclared = guess(opened(content, "articulos.csv")[0], KINDS["products"])
    assert undeclared[1][-1].endswith("first, with its words: make ingest KIND=families.")
    assert "family: declare  first" not in asked(
        "products", "Модель;Виробник;Група\nА-1;Завод;Шнек\nБ-2;Завод;Шнек\n"
    )


def test_the_family_is_of_the_column_that_names_families_and_an_attribute_has_its_own_name() -> None:
    peak = Attribute("peak", kind="number", unit="V", words=("de:Spannung",))
    volts = Attribute("volts", kind="number", unit="V", labels={"de": "Spannung"})
    own = Attributes({"peak": peak, "volts": volts}, families={"pump": ["Pumpe"], "valve": ["Ventil"]})
    text = "Hersteller;Modell;Baureihe;Spannung;Text\nA;1;Pumpen;230 V;Eine Pumpe\nA;2;Ventile;24 V;Ein Ventil\n"
    sheet = replace(opened(text.encode(), "x.csv")[0][0], name="Pumpen und mehr")
    found = tables(guess([sheet], KINDS["products"], attributes=own))[0].fields
    assert found["family"].columns == ("Baureihe",)
    assert found["family"].values == {"Pumpen": "pump", "Ventile": "valve"}
    assert "attributes.volts" in found
    assert own.named("Spannung") == volts


def test_a_guess_agrees_with_what_stands_in_the_column() -> None:
    lines = ["Item no;Desc group;Desc %;Price unit each;Qty;Quote number;Description"]
    lines += [f"A-{at};G1;{at},00;{at}98,00 €;2;Q-1;Pump, {at} hp" for at in range(1, 5)]
    found = columns(guessed("line_items", "\n".join(lines)))
    assert (found["description"], found["unit_price"]) == ("Description", "Price unit each")
    assert "unit" not in found
    for_sale = columns(guessed("products_for_sale", "\n".join(lines)))
    assert not {"Desc group", "Desc %"} & set(for_sale.values())


def test_remarks_that_few_lines_have_are_no_description() -> None:
    lines = [
        "Oferta;Nazwa;Ilość;Cena;Uwagi",
        *(f"O-1;Pompa {at};2;98,00;" for at in range(4)),
        "O-2;Zawór;1;9,00;pilne",
    ]
    assert columns(guessed("line_items", "\n".join(lines)))["description"] == "Nazwa"


def test_a_currency_and_a_country_are_not_guessed_of_columns_that_say_none() -> None:
    text = "Cod. cliente;Ragione sociale;Naz;Val\n1;Alfa;{0}\n2;Beta;{0}"
    assert columns(guessed("accounts", text.format("D;EUR")))["country"] == "Naz"
    assert not {"country", "currency"} & columns(guessed("accounts", text.format("serie A;alto"))).keys()


def test_the_number_of_something_else_is_no_sku_and_a_code_no_class() -> None:
    lines = ["Code douane;Réf. art.;Réf. fab.;Désignation;Marque"]
    lines += [f"84.{at};A{at};F{at};Vanne {at};Acme" for at in range(6)]
    found = columns(guessed("products", "\n".join(lines)))
    assert (found["sku"], found["model"]) == ("Réf. art.", "Réf. fab.")
    assert not {"category", "family"} & found.keys()
    coded = columns(guessed("products", "Item Code;Item Name;Manufacturer Code;Brand\nA;Pump;M1;Acme\n"))
    assert coded["manufacturer"] == "Brand"
    sold = columns(guessed("products_for_sale", "Code douane;Réf.;Libellé\n84.12;A1;Vanne\n"))
    assert (sold["id"], sold["sku"]) == ("Réf.", "Réf.")
    assert columns(guessed("accounts", "Code tiers;Raison sociale;Cat. tarif.\nC1;Acme;REV\n"))["id"] == "Code tiers"


def test_columns_of_a_matrix_are_no_segment() -> None:
    text = "Kortingsgroep;Klasse A;Klasse B\nMachines;8;5\nFolie;12;8\nBand;10;6\n"
    assert "segment" not in columns(guessed("discounts", text))
    one = columns(guessed("discounts", "Klasse;Korting\nA;5\nB;8\n"))
    assert one == {"segment": "Klasse", "discount_pct": "Korting"}


def test_a_lapsed_quote_is_asked_for() -> None:
    told = asked("past_quotes", "Offertenr;Klant;Datum;Betreft;Status\n1;X;1-2-2024;Pomp;vervallen\n")
    assert "status: what does 'vervallen' mean?" in told


@pytest.mark.parametrize(
    "headings",
    [
        "Folio;Part.;Clave;Descripción;Cant.;U.M.;P. Lista;P. Unit.;Importe",
        "Tilbudsnr;Lnr;Artnr;Artikkelnavn;Antall;Enh.;Listepris;Utpris eks. mva;Linjesum",
        "Nr. ofertă;Poz.;Cod art.;Denumire;Cant.;U.M.;Preț listă;Preț unitar;Valoare",
        "Ajánlatszám;Tétel;Cikkszám;Megnevezés;Mennyiség;Me.;Listaár;Nettó egységár;Nettó érték",
        "Ajánlatsz.;Tétel;Cikksz.;Cikk megnevezése;Menny.;ME;Listaár;Nettó egys.ár;Nettó érték",
        "Číslo ponuky;Por. č.;Kód tovaru;Názov;Množstvo;MJ;Cenníková cena;Jedn. cena;Spolu bez DPH",
        "Broj ponude;R.b.;Šifra;Naziv;Količina;JM;VPC;Cijena bez PDV-a;Iznos",
        "Št. ponudbe;Zap. št.;Šifra;Naziv;Količina;EM;Cena po ceniku;Cena brez DDV;Znesek",
        "№ на оферта;Поз.;Артикул;Наименование;К-во;Мярка;Каталожна цена;Единична цена;Стойност",
        "Pakkumise nr;Rea nr;Tootekood;Nimetus;Kogus;Ühik;Hinnakirjahind;Ühikuhind;Summa",
        "Piedāvājuma nr.;Npk.;Kods;Nosaukums;Daudzums;Mērvienība;Cenrāža cena;Vienības cena;Summa",
        "Pasiūlymo Nr.;Eil. Nr.;Prekės kodas;Pavadinimas;Kiekis;Mato vnt.;Katalogo kaina;Kaina be PVM;Suma",
    ],
)
def test_a_quotes_lines_are_known_by_the_headings_of_their_language(headings: str) -> None:
    row = "A-7;1;P-100;Pompa wirowa;2;St;110,00;98,00;196,00"
    found = columns(guessed("line_items", f"{headings}\n{row}\n"))
    fields = ("quote_number", "position", "sku", "description", "quantity", "unit", "list_price", "unit_price")
    assert [found.get(name) for name in (*fields, "extended_price")] == headings.split(";")


@pytest.mark.parametrize(
    ("kind", "text", "fields"),
    [
        ("products", "SKU;Power [hp]\nA-1;3,15\nA-2;\nA-3;3,94\n", {"sku": "SKU", "attributes.power": "Power [hp]"}),
        ("products_for_sale", "SKU;Cost\nA-1;3,15\nA-2;4\n", {"sku": "SKU", "cost": "Cost"}),
    ],
)  # fmt: skip
def test_a_file_that_has_nothing_of_what_new_rows_need_is_of_stored_ones(
    kind: str, text: str, fields: dict[str, str]
) -> None:
    own = Attributes({"power": Attribute("power", kind="number", unit="kW")}, families={"pump": ["pump"]})
    found = guess(opened(text.encode(), "x.csv")[0], KINDS[kind], attributes=own)
    [table] = tables(found)
    assert (columns(table), table.constants, found[1]) == (fields, {}, ())


@pytest.mark.parametrize("part", ["1 ", "7", "price ", "5 m ", "/"])
def test_a_long_cell_is_looked_at_in_a_second_where_a_heading_may_stand(part: str) -> None:
    begun = time.thread_time()
    guessed("products_for_sale", f"sku,name,price\na,b,{part * (20_000 // len(part))}\n")
    assert time.thread_time() - begun < 1
