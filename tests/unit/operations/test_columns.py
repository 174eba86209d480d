"""Columns of people's files are guessed as a kind's fields by their names."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from local.corpus_loader import CORPUS
from local.files import ROOT
from onboarding.contents import opened
from operations.ingest import KINDS
from operations.own_words import AttributeRow, FamilyRow, UnitRow
from operations.reading import read
from operations.tables.columns import guess
from operations.tables.field_types import field_types
from operations.tables.mapping import Mapping
from operations.tables.names import bare, data, family_named
from operations.tables.sheets import beginning
from quarry.attributes.units import shipped
from quarry.ingestion import Accepted
from tests.declarations import declared_beside, declared_by
from tests.guesses import HARZ, Guess, asked, columns, guessed, of, stored, tables

SAMPLE = declared_beside(CORPUS / "products.csv")


@pytest.mark.parametrize(
    ("name", "plain", "unit"),
    [
        ("Leistung [kW]", "leistung", "kW"),
        ("Volumenstrom m³/min", "volumenstrom", "m³/min"),
        ("Max. pressure (bar)", "max pressure", "bar"),
        ("Bruit dB(A)", "bruit", "dB(A)"),
        ("Niveau sonore (dB(A))", "niveau sonore", "dB(A)"),
        ("Listenpreis € netto", "listenpreis netto", "EUR"),
        ("Nº Oferta", "n oferta", ""),
        ("N.º Oferta", "n oferta", ""),
        ("Nazwa towaru/usługi", "nazwa towaru/uslugi", ""),
        ("Množství", "mnozstvi", ""),
        ("Cena/MJ", "cena/mj", ""),
        ("PLZ", "plz", ""),
        ("Straße", "strasse", ""),
        ("Height, m", "height", "m"),
        ("Ύψος αντλίας [m]", "υψοσ αντλιασ", "m"),
        ("重量 (kg)", "重量", "kg"),
        ("К-сть, шт.", "к сть шт", ""),
    ],
)
def test_a_columns_name_is_told_from_the_unit_in_it(name: str, plain: str, unit: str) -> None:
    assert bare(name) == (plain, unit)


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("Schraubenkompressoren, öleingespritzt", "compressor"),
        ("Vakuumpumpen", "vacuum_pump"),
        ("bombas de vacío", "vacuum_pump"),
        ("AIR DRYERS", "dryer"),
        ("Centrifugal", None),
        ("Wartung", "service"),
    ],
)
def test_a_heading_names_one_of_the_tenants_families_or_none(text: str, family: str | None) -> None:
    assert family_named(text, SAMPLE.families) == family
    assert family_named(text, {}) is None


def test_an_american_price_list_of_two_sheets_gives_products() -> None:
    first, second = tables(of("cascade", "Price List 2026.xlsx", "products"))
    assert (
        columns(first)
        == columns(second)
        == {
            "model": "Model",
            "manufacturer": "Mfg",
            "sku": "Part #",
            "description": "Description",
            "attributes.power": "Motor (HP)",
            "attributes.flow": "Flow (GPM)",
            "attributes.head": "Head (ft)",
            "attributes.voltage": "Voltage",
            "attributes.weight": "Weight (lbs)",
            "category": "(sheet)",
            "family": "(sheet)",
        }
    )
    assert first.skip == 3
    assert first.fields["family"].values == {"Centrifugal": "pump"}


def test_a_german_price_list_with_units_below_its_names_gives_products_and_prices() -> None:
    [products] = tables(of("harz", "Preisliste_2026.xlsx", "products"))
    rules = products.fields.items()
    units = {name.removeprefix("attributes."): rule.unit for name, rule in rules if rule.unit}
    assert units == {"power": "kW", "flow": "m³/min", "pressure": "bar", "weight": "kg", "noise": "dB(A)"}
    assert columns(products)["category"] == "(section)"
    found = of("harz", "Preisliste_2026.xlsx", "prices", price_book_id="pb_2026")
    assert columns(tables(found)[0]) == {"product_id": "Artikel-Nr.", "price": "Listenpreis [EUR]"}
    assert not found[1]


def test_a_family_that_no_column_says_is_not_guessed_from_descriptions() -> None:
    header = "Belegnummer;Pos;Artikelbezeichnung;Menge;E-Preis;G-Preis"
    file = f"{header}\r\nA-1;1;Kompressor mit Kältetrockner;10;12,50;125,00\r\nA-1;2;Montage;1;9,00;9,00\r\n"
    [lines] = tables(guess(opened(file.encode("cp1252"), "lines.csv")[0], KINDS["line_items"], attributes=SAMPLE))
    assert "family" not in lines.fields


@pytest.mark.parametrize(
    ("kind", "text", "fields"),
    [
        (
            "past_quotes",
            "Record ID,Deal Name,Deal Stage,Create Date,Amount,Deal owner,Associated Company,Currency\n"
            "123,CIP pumps,Closed Won,2024-03-12 14:22,12500.00,Anna Smith,Bayside Creamery,USD\n",
            {
                "quote_number": "Record ID",
                "project": "Deal Name",
                "status": "Deal Stage",
                "salesperson": "Deal owner",
            },
        ),
        (
            "past_quotes",
            "Quote Number,Account Name,Opportunity Name,Status,Created Date,Grand Total Currency,Grand Total\n"
            "00000123,Bayside,CIP upgrade,Accepted,3/22/2024,USD,12500.00\n",
            {"quote_date": "Created Date", "currency": "Grand Total Currency", "total_price": "Grand Total"},
        ),
        (
            "products",
            "Material;Materialkurztext;Warengruppe;Hersteller;Herstellerteilenummer\n"
            "4711;Kreiselpumpe;PUMPEN;Grundpump;NK 40-160\n",
            {"model": "Herstellerteilenummer", "description": "Materialkurztext"},
        ),
        (
            "line_items",
            "Angebot;Position;Material;Bezeichnung;Zielmenge;Nettopreis;Nettowert;Warengruppe;Währung\n"
            "20000123;10;4711;Kreiselpumpe;2,000;2.150,00;4.300,00;PUMPEN;EUR\n",
            {"quantity": "Zielmenge", "extended_price": "Nettowert", "unit_price": "Nettopreis"},
        ),
        (
            "products_for_sale",
            "Artigo;Descrição;Família;SubFamília;UnidadeBase\nA001;Filtro;FIL;F1;UN\n",
            {"sku": "Artigo", "name": "Descrição", "category": "Família"},
        ),
        (
            "accounts",
            "N.º Cliente;Nome;Morada;Código Postal;N.º Contribuinte\n1;ACME Lda;Rua A;1000-001;501\n",
            {"id": "N.º Cliente", "name": "Nome", "billing_address.lines": "Morada", "tax_id": "N.º Contribuinte"},
        ),
        (
            "past_quotes",
            "Numero;Data;Cliente;Riferimento;Oggetto;Imponibile;IVA\n1;01/02/2025;Rossi;X;Linea;9,00;1,98\n",
            {"quote_number": "Numero", "project": "Oggetto", "total_price": "Imponibile"},
        ),
        (
            "line_items",
            "Num. Doc.;Riga;Cod. Articolo;Descrizione;U.M.;Q.tà;Prezzo;Sc.1;Importo Netto\n"
            "1;1;P1;Filtro;NR;2;12,50;0;25,00\n",
            {"unit": "U.M.", "quantity": "Q.tà", "discount_pct": "Sc.1", "extended_price": "Importo Netto"},
        ),
        (
            "accounts",
            "Debiteur;Naam;Straat;Postcode;Woonplaats;Btw-nummer\n100;Jansen BV;Dorp 1;1234 AB;Utrecht;NL1\n",
            {"id": "Debiteur", "name": "Naam", "billing_address.city": "Woonplaats", "tax_id": "Btw-nummer"},
        ),
        (
            "prices",
            "Kod;Cena detaliczna netto;Cena detaliczna brutto;Waluta\nA1;12,50;15,38;PLN\n",
            {"product_id": "Kod", "price": "Cena detaliczna netto"},
        ),
        (
            "accounts",
            "Firma;Ulice;PSČ;Obec;Kraj;Stát;DIČ;Splatnost\nACME;Dlouhá 1;110 00;Praha;Praha;Česko;CZ1;14 dní\n",
            {"country": "Stát", "region": "Kraj", "billing_address.postal_code": "PSČ", "payment_terms": "Splatnost"},
        ),
        (
            "line_items",
            "Číslo nabídky;Položka;Kód;Název;Množství;MJ;Jedn. cena;Sleva;Celkem\nN1;1;A1;Filtr;2;ks;12,50;0;25,00\n",
            {"position": "Položka", "sku": "Kód", "unit": "MJ", "unit_price": "Jedn. cena", "discount_pct": "Sleva"},
        ),
        (
            "line_items",
            "Angebot;Pos;Artikel;Bezeichnung;Menge;ME;Listenpreis;Rabatt %;Einzelpreis\n"
            "A-1;1;KH-10;Kugelhahn;2;Stk;50,00;10,0;45,00\nA-1;2;SL-20;Schlauch;12,5;m;8,00;0,0;8,00\n",
            {"unit": "ME", "list_price": "Listenpreis", "discount_pct": "Rabatt %", "unit_price": "Einzelpreis"},
        ),
        (
            "line_items",
            "AngNr;Pos;ArtNr;Menge;Bruttopreis;Nettopreis;Whg\nA-1;1;K-1;2;10,00;9,00;EUR",
            {"unit_price": "Nettopreis", "list_price": "Bruttopreis", "currency": "Whg"},
        ),
        (
            "line_items",
            "Item no;Discount;Qty;Quote number\nA-1;40+10+5;2;Q-1\nA-2;10+5%;1;Q-1",
            {"discount_pct": "Discount"},
        ),
        (
            "prices",
            "Part Number|Brand|Description|Price USD|Qty Break 10|50+\n6204|NTX|Ball bearing|8.95|7.90|6.85\n",
            {"product_id": "Part Number", "price": "Price USD", "tiers.10": "Qty Break 10", "tiers.50": "50+"},
        ),
        (
            "prices",
            "SKU;1-24;25-99;100+\nA;9,00;8,55;8,10\n",
            {"tiers.1": "1-24", "tiers.25": "25-99", "tiers.100": "100+", "price": "1-24"},
        ),
        (
            "accounts",
            "Cust #,Customer Name,Addr 1,City,Ctry,Slsmn,Buyer E-mail\n1,Acme,Mill 1,Ohio,US,DK,a@b.example\n"
            "2,Bosk,Mill 2,Ohio,US,DK,c@b.example\n",
            {
                **{"id": "Cust #", "billing_address.lines": "Addr 1", "country": "Ctry", "salesperson": "Slsmn"},
                **{"contact_email": "Buyer E-mail"},
            },
        ),
        (
            "accounts",
            "Kod;Nazwa kontrahenta;Klasa;Kraj\nK1;Alfa;A;PL\nK2;Beta;B;PL\nK3;Gamma;A;PL\nK4;Delta;A;PL\n",
            {"id": "Kod", "segment": "Klasa", "country": "Kraj"},
        ),
        (
            "accounts",
            "Cód.;Razón social;C.I.F./N.I.F.;Tipo cli.;Att.\n"
            "1;Alfa;B1;X;Ana\n2;Beta;B2;X;Eva\n3;Ce;B3;Y;Leo\n4;De;B4;Y;Li\n",
            {"id": "Cód.", "tax_id": "C.I.F./N.I.F.", "segment": "Tipo cli.", "contact_name": "Att."},
        ),
        (
            "accounts",
            "Kundnr;Namn;Org.nr;Fakturaadress;Postnr;Ort;E-post\n1;Alfa;2;Gatan 1;901 84;Umeå;a@b.example\n",
            {"id": "Kundnr", "name": "Namn", "tax_id": "Org.nr", "contact_email": "E-post"},
        ),
        (
            "line_items",
            "Offertnr;Rad;Artnr;Benämning;Antal;Enh;Á-pris;Radsumma\nO-1;10;1;Filter;2;st;5,50;11,00\n",
            {"position": "Rad", "sku": "Artnr", "quantity": "Antal", "unit_price": "Á-pris", "unit": "Enh"},
        ),
        (
            "line_items",
            "Tilbudsnr;Linje;Varenr;Varetekst;Antal;Stykpris;Linjebeløb\nT-1;1;1;Filter;2;5,50;11,00\n",
            {"quote_number": "Tilbudsnr", "description": "Varetekst", "extended_price": "Linjebeløb"},
        ),
        (
            "line_items",
            "Nº oferta;Lín.;Artículo;Concepto;Cdad.;P. neto\nO-1;11;A;Filtro;2;5,00\nO-1;12;B;Tubo;1;5,00\n",
            {"position": "Lín.", "quantity": "Cdad.", "unit_price": "P. neto"},
        ),
        (
            "line_items",
            "Quote #,Ln,Item No.,Item Desc,Qty,List,Net,Ext Amt\nQ-1,1,A,Screw,2,6.00,5.00,10.00\n",
            {"position": "Ln", "list_price": "List", "unit_price": "Net", "extended_price": "Ext Amt"},
        ),
        (
            "line_items",
            "Devis;Ligne;Référence;Désignation;Quantité;Prix unitaire;Montant net\nD-1;1;A;Vanne;2;5,00;10,00\n",
            {"unit_price": "Prix unitaire", "extended_price": "Montant net"},
        ),
        (
            "accounts",
            "Company name,Street Address,City,Country/Region,Payment terms\n"
            "Otley Bread,Mill Lane,Otley,United Kingdom,30 days\n",
            {"billing_address.country": "Country/Region", "payment_terms": "Payment terms"},
        ),
    ],
)
def test_columns_are_known_as_crm_and_erp_programs_name_them(kind: str, text: str, fields: dict[str, str]) -> None:
    assert fields.items() <= columns(guessed(kind, text)).items()


def test_a_unit_that_is_the_columns_name_is_one_of_the_only_attribute_in_it() -> None:
    text = (
        "Typ;Hersteller;Warengruppe;Bezeichnung;kW;Nettogewicht\n"
        "NK 40;Grundpump;Kompressor;Schraubenkompressor;5,5;68,5\n"
    )
    [row] = stored("products", text)
    assert row["attributes"] == {"power": 5.5, "weight": 68.5}


def test_a_unit_that_is_not_known_leaves_its_column_out_and_the_others_keep_theirs() -> None:
    rows = "Typ;Leistung;Drehzahl;Druck;Bezeichnung\n;kW;1/quux;bar;\nA;7,5;1450;10;Pumpe A\nB;11;2900;8;Pumpe B\n"
    declared = [
        AttributeRow(name="power", unit="hp", words=["Leistung"]),
        AttributeRow(name="speed", unit="rpm", words=["Drehzahl"]),
        AttributeRow(name="pressure", unit="psi", words=["Druck"]),
    ]
    own = declared_by(declared, [FamilyRow(family="pump")])
    constants = {"manufacturer": "Acme", "family": "pump", "category": "PUMP"}
    found = guess(opened(rows.encode(), "a.csv")[0], KINDS["products"], constants=constants, attributes=own)
    fields = tables(found)[0].fields.items()
    units = {name: rule.unit for name, rule in fields if name.startswith("attributes.")}
    assert units == {"attributes.power": "kW", "attributes.pressure": "bar"}
    assert any("speed: 'Drehzahl [1/quux]' is in '1/quux', which is no unit" in doubt for doubt in found[1])


def test_a_size_of_three_figures_fills_three_attributes_and_days_may_be_said_in_weeks(tmp_path: Path) -> None:
    file, mapping = tmp_path / "list.csv", tmp_path / "map.toml"
    (tmp_path / "families.csv").write_text("family\noven\n", "utf-8")
    sizes = "".join(f"{name},number,mm\n" for name in ("width", "depth", "height"))
    (tmp_path / "attributes.csv").write_text(f"name,kind,unit\n{sizes}lead,number,days\ncold,flag,\n", "utf-8")
    file.write_text(
        "Typ;Wymiary;Czas;Zimne\nA;850x775x785;2 tyg.;tak\nB;85 × 77,5 × 78 cm;5;nie\nC;850x775;-;tak\n", "utf-8"
    )
    rules = "".join(
        f"'attributes.{name}' = {{ from = 'Wymiary', part = {part}, unit = 'mm' }}\n"
        for part, name in enumerate(("width", "depth", "height"), start=1)
    )
    mapping.write_text(
        "kind = 'products'\n[[tables]]\n[tables.constants]\n"
        "manufacturer = 'Acme'\nfamily = 'oven'\ncategory = 'OVEN'\n[tables.fields]\nmodel = { from = 'Typ' }\n"
        f"description = {{ from = 'Typ' }}\n{rules}'attributes.lead' = {{ from = 'Czas', unit = 'days' }}\n"
        "'attributes.cold' = { from = 'Zimne', values = { tak = 'yes', nie = 'no' } }\n",
        "utf-8",
    )
    rows = read(
        BytesIO(file.read_bytes()),
        KINDS["products"],
        file_name="list.csv",
        mappings=[Mapping.parse(mapping.read_text("utf-8"), source="test")],
        attributes=declared_beside(file),
    )
    told = [item.row.model_dump()["attributes"] for item in rows if isinstance(item, Accepted)]
    plain = [{n: v["value"] if isinstance(v, dict) else v for n, v in each.items()} for each in told]
    assert plain == [
        {"width": 850, "depth": 775, "height": 785, "lead": 14, "cold": True},
        {"width": 850, "depth": 775, "height": 780, "lead": 5, "cold": False},
        {"width": 850, "depth": 775, "cold": True},
    ]
    assert "attributes.height takes nothing from these cells of column 'Wymiary': 1 cells, '850x775'" in rows.leftover


SOLAR = declared_by(
    [
        AttributeRow(name="power", unit="kW", words=["potencia", "potencia nominal"]),
        AttributeRow(name="peak_power", unit="Wp", words=["potencia", "potencia pico"]),
        AttributeRow(name="nominal_voltage", unit="V", words=["tensión nominal"]),
        AttributeRow(name="tilt", unit="°", words=["inclinación"]),
    ],
    [FamilyRow(family="module")],
    units=shipped().with_own([UnitRow(symbol="Wp", dimension="power", factor=1).model_dump()]),
)


def solar(text: str) -> Guess:
    constants = {"family": "module", "category": "x"}
    return guess(opened(text.encode(), "a.csv")[0], KINDS["products"], constants=constants, attributes=SOLAR)


@pytest.mark.parametrize(
    ("head", "cell", "attribute"),
    [
        ("Potencia [Wp]", "410", "peak_power"),
        ("Potencia [kW]", "5", "power"),
        ("Potencia nominal [W]", "5000", "power"),
        ("Inclinación [º]", "15", "tilt"),
    ],
)
def test_the_unit_in_a_head_decides_between_attributes(head: str, cell: str, attribute: str) -> None:
    text = f"Modelo;Marca;Descripción;{head}\nA;Acme;Texto;{cell}\nB;Acme;Texto b;{cell}\n"
    [table] = tables(solar(text))
    assert {name for name, column in columns(table).items() if column == head} == {f"attributes.{attribute}"}


def test_a_column_in_a_unit_that_measures_something_else_is_a_doubt_and_is_not_taken() -> None:
    found = solar("Modelo;Marca;Descripción;Potencia [kg]\nA;Acme;Texto;5\nB;Acme;Texto b;6\n")
    assert not [name for name in columns(tables(found)[0]) if name.startswith("attributes.")]
    assert "'Potencia [kg]' is in kg, which measures something else" in "; ".join(found[1])


def test_a_heading_that_is_a_declared_word_with_its_unit_is_that_attribute() -> None:
    lines = ["SKU;Model;Alt. man. máx. (m);Requests/min;Temp. máx. (ºC)", "A-1;One;52;600;35", "A-2;Two;68;900;40"]
    rows = [
        AttributeRow(name="head", kind="number", unit="m", words=["pt:Alt. man. máx. (m)"]),
        AttributeRow(name="requests", kind="number", words=["requests/min"]),
        AttributeRow(name="warm", kind="number", unit="°C", words=["Temp. máx. (ºC)"]),
    ]
    found = guess([beginning(lines, separator=";")], KINDS["products"], attributes=declared_by(rows, []))
    [table] = tables(found)
    assert columns(table)["attributes.requests"] == "Requests/min"
    assert (table.fields["attributes.head"].unit, table.fields["attributes.warm"].unit) == ("m", "ºC")


def test_a_declared_word_goes_before_what_a_column_is_usually_called_but_for_a_field() -> None:
    lines = ["SKU;Model;Grupo;Maquina", "A-1;One;G1;M1", "A-2;Two;G2;M2"]
    rows = [AttributeRow(name="machine", words=["maquina", "model"]), AttributeRow(name="discounts", words=["grupo"])]
    [table] = tables(guess([beginning(lines, separator=";")], KINDS["products"], attributes=declared_by(rows, [])))
    assert columns(table)["attributes.machine"] == "Maquina"
    assert columns(table)["attributes.discounts"] == "Grupo"
    assert columns(table)["model"] == "Model"
    assert list(columns(table).values()).count("Grupo") == 1
    texts = declared_by([AttributeRow(name="billing", words=["period"])], [])
    lines = ["SKU;Model;Hersteller;Period mån", "A-1;One;X;12", "A-2;Two;Y;24"]
    assert "Period" not in str(tables(guess([beginning(lines, separator=";")], KINDS["products"], attributes=texts)))


def test_what_goods_are_for_is_not_what_they_are() -> None:
    found = columns(
        guessed("products", "Codice art.;Descrizione;Per macchina\nA-1;Griglia GN;tutti\nA-2;Carrello;F10")
    )
    assert (found["sku"], found["description"]) == ("Codice art.", "Descrizione")
    assert "Per macchina" not in found.values()


def test_a_product_for_sale_without_a_description_is_described_by_its_name() -> None:
    found = columns(guessed("products_for_sale", "Artikel;Bezeichnung\nA-1;Kugelhahn DN 50\nA-2;Antrieb 24 V"))
    assert found["name"] == "Bezeichnung"
    assert "description" not in found


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Nr oferty;Lp.;Indeks;Ilość;Cena netto\nN-1;1;A-1;2;12,50", {"position": "Lp."}),
        ("Angebot;LP;Artikelnummer;Menge;Einzelpreis\nN-1;15;A-1;2;12,50", {"list_price": "LP"}),
        (
            "Offertenummer;Artikel;Artikelcode;Aantal\nN-1;Pomp A;A-1;2",
            {"sku": "Artikelcode", "description": "Artikel"},
        ),
    ],
)
def test_a_heading_means_what_it_does_in_the_files_language(text: str, fields: dict[str, str]) -> None:
    found = columns(guessed("line_items", text))
    assert {name: column for name, column in found.items() if column in fields.values()} == fields


def test_an_amount_with_tax_and_a_supplier_are_doubts() -> None:
    def doubts(kind: str, text: str) -> str:
        return "\n".join(guess(opened(text.encode(), "export.csv")[0], KINDS[kind])[1])

    [gross, seller] = [
        doubts("prices", "SKU;Prix TTC\nA-1;12,50\n"),
        doubts("products", "SKU;Supplier;Description\nA-1;Acme;Oven\n"),
    ]
    assert "price: 'Prix TTC' has tax in it; they are stored as those before tax: per = 1.2 takes 20 % out." in gross
    assert "manufacturer: 'Supplier' names suppliers, and no column who made the goods." in seller


@pytest.mark.parametrize("heading", ["含税单价", "税込価格", "单价含税"])
def test_where_nothing_parts_words_an_amount_with_tax_is_known_by_its_name(heading: str) -> None:
    found = guess([beginning(["SKU;" + heading, "A-1;12,50"], separator=";")], KINDS["prices"])[0]
    assert found is not None
    assert found.tables[0].fields["price"].columns == (heading,)
    beside = guess([beginning([f"SKU;{heading};未税价", "A-1;12,50;10"], separator=";")], KINDS["prices"])[0]
    assert beside is not None
    assert beside.tables[0].fields["price"].columns == ("未税价",)


def test_lines_have_no_family_from_the_name_of_their_sheet_unless_it_is_one() -> None:
    sheet = opened(b"Quote no,Line,Item,Description,Qty\n1,1,A,Pump,2\n", "export.csv")[0][0]
    [table] = tables(guess([replace(sheet, name="Regels")], KINDS["line_items"], attributes=HARZ))
    assert not {"category", "family"} & table.fields.keys()


def test_a_family_is_taken_from_the_sheets_name_where_the_headings_between_rows_name_none() -> None:
    text = b"Artikelnr;Hersteller;Bezeichnung\nStahl;;\nA;Acme;Eins\nB;Acme;Zwei\n"
    sheet = replace(opened(text, "export.csv")[0][0], name="Kugelh\u00e4hne")
    own = declared_by([], [FamilyRow(family="ball_valve", words=["de:Kugelh\u00e4hne"])])
    [table] = tables(guess([sheet], KINDS["products"], attributes=own))
    assert (table.fields["category"].columns, table.fields["family"].columns) == (("(section)",), ("(sheet)",))


def test_a_short_word_in_brackets_that_is_no_unit_leaves_its_column_out() -> None:
    said = asked("products", "Artikelnr;Hersteller;Leistung (kVV);Druck (max)\nA;Acme;4;8\n")
    assert "'Leistung (kVV)' is in 'kVV', which is no unit that is known: the column is left out." in said
    assert "'Druck (max)' is in" not in said


def test_a_word_of_its_own_is_no_contraction() -> None:
    text = "Cliente;Fecha;Asunto;Peso;Estado\nAlfa;06/03/2024;x;2;Ganada\nBeta;06/03/2024;y;3;Perdida\n"
    assert "quote_number" not in columns(guessed("past_quotes", text))


@pytest.mark.parametrize(
    ("unit", "listed"),
    [("Valor Unitário", "Valor de Tabela"), ("Vlr. Unit.", "Vlr. Tabela"), ("Vl. Unit.", "Valor Tabela")],
)
def test_the_value_of_a_unit_is_its_price_and_not_the_amount_of_the_line(unit: str, listed: str) -> None:
    text = f"Orçamento;Item;Descrição;Qtde;{listed};{unit}\n1;1;Junta;10;99,00;98,00\n"
    found = columns(guessed("line_items", text))
    assert (found["unit_price"], found["list_price"]) == (unit, listed)
    assert "extended_price" not in found
    third = "Orçamento;Item;Descrição;Qtde;Valor Unit. Líquido\n1;1;Junta;10;98,00\n"
    assert "extended_price" not in columns(guessed("line_items", third))
    alone = "Orçamento;Item;Descrição;Qtde;Valor\n1;1;Junta;10;98,00\n"
    assert "extended_price: 'Valor' is taken as the amount of the whole line" in asked("line_items", alone)


def test_remarks_on_a_few_lines_describe_none_where_another_column_names_the_goods() -> None:
    text = "Nabídka;Kód zboží;Název zboží;Množství;Pozn.\n1;A-1;Jistič;2;\n1;A-2;Lišta;1;sleva\n2;A-1;Jistič;1;\n"
    assert columns(guessed("line_items", text))["description"] == "Název zboží"


@pytest.mark.parametrize(
    ("header", "columns_of_fields"),
    [
        (
            "Tarjousnro;Rivi;Tuotenro;Selite;Määrä;Yks;À-hinta;Ale-%;Rivisumma;Perustelu",
            "quote_number position sku description quantity unit unit_price discount_pct extended_price price_note",
        ),
        (
            "Teklif No;Sıra;Stok Kodu;Açıklama;Miktar;Br.;Liste Fyt;İsk %;Net Fyt;Tutar",
            "quote_number position sku description quantity unit list_price discount_pct unit_price extended_price",
        ),
        (
            "No soum.;Lig.;Code;Description;Qté;U/M;Prix liste;Esc. %;Prix net;Montant",
            "quote_number position sku description quantity unit list_price discount_pct unit_price extended_price",
        ),
        (
            "№ КП;№ п/п;Код товару;Назва;К-сть;Од. вим.;Ціна прайс;Знижка, %;Ціна без ПДВ;Сума без ПДВ",
            "quote_number position sku description quantity unit list_price discount_pct unit_price extended_price",
        ),
        (
            "رقم العرض;م;رمز الصنف;الوصف;الكمية;الوحدة;سعر القائمة;الخصم %;سعر الوحدة;الإجمالي",
            "quote_number position sku description quantity unit list_price discount_pct unit_price extended_price",
        ),
        (
            "見積番号;行;品番;品名;数量;単位;定価;値引率;単価;金額",
            "quote_number position sku description quantity unit list_price discount_pct unit_price extended_price",
        ),
    ],
)
def test_headings_are_read_in_languages_of_other_grammars_and_scripts(header: str, columns_of_fields: str) -> None:
    found = columns(guessed("line_items", f"{header}\n1;1;A-1;Venttiili;2;kpl;10,00;5;19,00;19,00\n"))
    assert found == dict(zip(columns_of_fields.split(), header.split(";"), strict=True))


@pytest.mark.parametrize("kind", data()["kinds"])
def test_it_is_documented_what_a_new_row_needs(kind: str) -> None:
    needed = [f"`{name}`{type_.says}" for name, type_ in field_types(KINDS[kind].row).items() if type_.required]
    assert f"\n| `{kind}` | {', '.join(needed)} |\n" in (ROOT / "docs" / "own-data.md").read_text("utf-8")


@pytest.mark.parametrize(
    "rows",
    [
        "Typ;Hersteller;Bezeichnung;Maße;Maße;Gewicht\n;;;Länge [mm];Breite [mm];kg\n",
        "Typ;Hersteller;Bezeichnung;Maße;Maße;Gewicht\nTyp;Hersteller;Bezeichnung;Länge (mm);Breite (mm);(kg)\n",
    ],
)
def test_names_below_a_merged_heading_are_of_the_header(rows: str) -> None:
    table = guessed("products", f"{rows}K-1;Acme;Kugelhahn;210;165;2,5\nK-2;Acme;Kugelhahn;280;203;4,1\n")
    assert (table.skip, table.header_rows) == (0, 2)
    plain = guessed("products", "Typ;Hersteller;Bezeichnung;Maße;Maße\nK-1;Acme;Kugelhahn;210x165;lang\n")
    assert plain.header_rows == 1
    twice = (
        "Model;Manufacturer;Category;Description;Description;Weight;Power;Sku\nA-1;Acme;;Ball valve;Kugelhahn;;;\n"
    )
    assert guessed("products", f"{twice}A-2;Acme;;Gate valve;Schieber;;;\n").header_rows == 1


def test_what_is_no_unit_behind_a_declared_name_is_asked_about_nothing() -> None:
    attributes = [AttributeRow(name="width_te", kind="number", words=["Width (TE)"])]
    [sheet] = opened(b"Model;Family;Width (TE)\nA-1;Valve;2\nA-2;Valve;2\n", "a.csv")[0]
    found = guess([sheet], KINDS["products"], attributes=declared_by(attributes, [FamilyRow(family="valve")]))
    assert columns(tables(found)[0])["attributes.width_te"] == "Width (TE)"
    assert "'TE'" not in "".join(found[1])


def test_headings_of_any_script_with_their_unit_are_the_attributes_that_they_name() -> None:
    own = replace(
        declared_by([AttributeRow(name="height", kind="number", unit="m", words=["Висота"])], []),
        units=shipped().with_own([], language="uk"),
    )
    for heading in ("Висота, м", "Висота [m]", "Висота мм", "Висота (см)"):
        sheets = opened(f"model;{heading}\nA1;1\nA2;2\n".encode(), "export.csv")[0]
        found = tables(guess(sheets, KINDS["products"], attributes=own))[0].fields["attributes.height"]
        assert (found.columns, bool(found.unit)) == ((heading,), True)


def test_a_row_of_units_of_the_tenants_own_belongs_to_the_header() -> None:
    own = replace(SAMPLE, units=shipped().with_own([{"symbol": "florp", "dimension": "florps", "factor": 1}]))
    text = b"Model;SKU;Weight;Reach\n;;florp;florp\nA-1;1;2;3\nB-2;2;2;3\n"
    merged = b"Model;SKU;Weight;Reach;Reach\n;;florp;Up [mm];Down [mm]\nA-1;1;2;3;4\nB-2;2;2;3;4\n"
    for each in (text, merged):
        [table] = tables(guess(opened(each, "a.csv")[0], KINDS["products"], attributes=own))
        assert table.header_rows == 2
