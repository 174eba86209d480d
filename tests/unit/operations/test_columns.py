"""Columns of people's files are guessed as a kind's fields."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from local.corpus_loader import CORPUS
from onboarding.contents import opened
from operations.ingest import KINDS
from operations.own_words import AttributeRow, FamilyRow, UnitRow
from operations.reading import read
from operations.tables.attributes import NO_ATTRIBUTES
from operations.tables.columns import guess
from operations.tables.mapping import Mapping, TableMapping
from operations.tables.names import bare, family_named
from operations.tables.sheets import beginning
from quarry.attributes.units import shipped
from quarry.ingestion import Accepted
from tests.customers.files import COMPANIES, HOUSE
from tests.declarations import declared_beside, declared_by

SAMPLE = declared_beside(CORPUS / "products.csv")
HARZ = declared_beside(HOUSE / "harz" / "Preisliste.xlsx")


BOOK = {"price_book_id": "pb_2026"}
HUNDRED = {"symbol": "hundred", "dimension": "pieces", "factor": 100}

type Guess = tuple[Mapping | None, tuple[str, ...]]
"""(the mapping, doubts)."""


def of(company: str, file: str, kind: str, **constants: str) -> Guess:
    content, own = COMPANIES[company]()[file], declared_beside(HOUSE / company / file)
    return guess(opened(content, file)[0], KINDS[kind], constants=constants, attributes=own)


def tables(found: Guess) -> tuple[TableMapping, ...]:
    assert found[0] is not None, found[1]
    return found[0].tables


def columns(table: TableMapping) -> dict[str, str]:
    return {name: " + ".join(rule.columns) for name, rule in table.fields.items()}


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
        ("COMPRESSORI", "compressor"),
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


def test_a_status_is_told_by_its_cells_and_so_are_the_numbers_of_lines() -> None:
    text = "Quote,Qte Dt,Customer,Job,Was\nQ-1,3/22/2024,A,x,Won\nQ-2,3/23/2024,B,y,lost\nQ-3,3/23/2024,B,z,Pend.\n"
    rule = guessed("past_quotes", text).fields["status"]
    assert (rule.columns, rule.values) == (("Was",), {"Won": "won", "lost": "lost", "Pend.": "open"})
    text = "Quote,Step,Item,Description,Qty\nQ-1,11,A,Filter,2\nQ-1,12,B,Tube,2\nQ-2,11,B,Tube,1\n"
    assert columns(guessed("line_items", text))["position"] == "Step"
    assert "position" not in asked("line_items", text)
    assert "position: no column numbers" in asked("line_items", text.replace("12", "11"))


def test_a_family_that_no_column_says_is_not_guessed_from_descriptions() -> None:
    header = "Belegnummer;Pos;Artikelbezeichnung;Menge;E-Preis;G-Preis"
    file = f"{header}\r\nA-1;1;Kompressor mit Kältetrockner;10;12,50;125,00\r\nA-1;2;Montage;1;9,00;9,00\r\n"
    [lines] = tables(guess(opened(file.encode("cp1252"), "lines.csv")[0], KINDS["line_items"], attributes=SAMPLE))
    assert "family" not in lines.fields


def test_a_family_that_nobody_declared_is_asked_for() -> None:
    assert not any("family" in doubt for doubt in of("ebro", "articulos.csv", "products")[1])
    content = COMPANIES["ebro"]()["articulos.csv"]
    undeclared = guess(opened(content, "articulos.csv")[0], KINDS["products"])
    assert undeclared[1][-1].endswith("first, with its words: make ingest KIND=families.")


def guessed(kind: str, text: str, **constants: str) -> TableMapping:
    [table] = tables(guess(opened(text.encode(), "export.csv")[0], KINDS[kind], constants=constants))
    return table


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
            "accounts",
            "Company name,Street Address,City,Country/Region,Payment terms\n"
            "Otley Bread,Mill Lane,Otley,United Kingdom,30 days\n",
            {"billing_address.country": "Country/Region", "payment_terms": "Payment terms"},
        ),
    ],
)
def test_columns_are_known_as_crm_and_erp_programs_name_them(kind: str, text: str, fields: dict[str, str]) -> None:
    assert fields.items() <= columns(guessed(kind, text)).items()


def stored(kind: str, text: str, **constants: str) -> list[dict[str, object]]:
    sheets = opened(text.encode(), "export.csv")[0]
    mapping = guess(sheets, KINDS[kind], constants=constants, attributes=HARZ)[0]
    assert mapping is not None
    rows = read(BytesIO(text.encode()), KINDS[kind], file_name="export.csv", mappings=[mapping], attributes=HARZ)
    return [item.row.model_dump(mode="json", exclude_none=True) for item in rows if isinstance(item, Accepted)]


def test_a_unit_that_is_the_columns_name_is_one_of_the_only_attribute_in_it() -> None:
    text = (
        "Typ;Hersteller;Warengruppe;Bezeichnung;kW;Nettogewicht\n"
        "NK 40;Grundpump;Kompressor;Schraubenkompressor;5,5;68,5\n"
    )
    [row] = stored("products", text)
    assert row["attributes"] == {"power": 5.5, "weight": 68.5}


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
    assert "'EA'" not in told and "'ft'" not in told  # noqa: PT018
    known = replace(HARZ, units=shipped().with_own([{**HUNDRED, "spellings": "C"}]))
    mapping = guess(opened(text.encode(), "a.csv")[0], KINDS["prices"], constants=BOOK, attributes=known)[0]
    assert mapping is not None
    rows = read(BytesIO(text.encode()), KINDS["prices"], file_name="a.csv", mappings=[mapping], attributes=known)
    prices = {item.line: float(item.row.model_dump()["price"]) for item in rows if isinstance(item, Accepted)}
    assert prices == {2: 21.14, 3: 0.2646, 5: 9.10}
    assert guessed("prices", "SKU;JM;Cena\nA;szt;9,00\nB;m;8,00\n").fields["price"].per is None


@pytest.mark.parametrize("heading", ["Enhed", "Enhet", "Pr.", "Pris pr."])
def test_scandinavian_headings_say_what_a_price_is_for_and_prices_shortened_alike_do_not(heading: str) -> None:
    price, other = stored("prices", f"Varenr;Pris;{heading}\nA;24000,00;100 stk\nB;9,50;m\n", **BOOK)
    assert (float(str(price["price"])), float(str(other["price"]))) == (240, 9.5)
    for text in ("Codice;Pr. lordo;Pr. netto\nA;10;9\n", "Codice;Listino;Pr.\nA;10,00;9,50\n"):
        assert guessed("prices", text).fields["price"].per is None


def test_a_number_on_the_first_line_of_its_quote_alone_is_that_of_the_lines_below_and_of_no_sum() -> None:
    head = "Nr oferty;Lp.;Indeks;Opis;Ilość;Cena;Wartość\n;;;brak;;;\n"
    text = f"{head}A-1;1;K-1;Filtr;2;10,00;20,00\n;2;K-2;Wąż;1;5,00;5,00\n;;;Razem;3;;25,00\n"
    text += "A-2;1;K-1;Filtr;1;10,00;10,00\n"
    sheets = opened(text.encode(), "a.csv")[0]
    mapping, doubts = guess(sheets, KINDS["line_items"], constants={"family": "x", "category": "x"})
    assert mapping is not None and "quote_number: 1 rows have no 'Nr oferty'" in "".join(doubts)  # noqa: PT018
    read_ = [
        *read(
            BytesIO(text.encode()),
            KINDS["line_items"],
            file_name="a.csv",
            mappings=[mapping],
            attributes=NO_ATTRIBUTES,
        )
    ]
    lines = [item.row.model_dump() for item in read_ if isinstance(item, Accepted)]
    assert [(line["quote_number"], line["position"]) for line in lines] == [("A-1", 1), ("A-1", 2), ("A-2", 1)]
    tiers = stored("prices", "SKU,From Qty,Unit Price\nVE-1,1,28.40\n,50,23.10\nVE-2,1,71.20\n", **BOOK)
    assert [len(row["tiers"]) for row in tiers] == [2, 0]  # type: ignore[arg-type]  # JSON
    assert guessed("products", "SKU;Name;Marke\nA;x;y\n;x;y\n").fields["sku"].fill is None


def test_rows_of_one_article_with_a_quantity_from_which_they_hold_are_its_tiers() -> None:
    text = "SKU,From Qty,Unit Price\nVE-1,1,28.40\nVE-1,50,23.10\nVE-2,1,71.20\nVE-1,10,25.90\nVE-3,5,9\n"
    first, second = stored("prices", text, price_book_id="pb_2026")
    assert first["product_id"] == "VE-1"
    assert [(tier["min"], tier.get("max"), tier["price"]) for tier in first["tiers"]] == [  # type: ignore[attr-defined]  # JSON
        (1, 9, "28.40"), (10, 49, "25.90"), (50, None, "23.10")
    ]  # fmt: skip
    assert (second["product_id"], second["price"], second.get("tiers")) == ("VE-2", "71.20", [])


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


def solar(kind: str, text: str) -> Guess:
    constants = {"family": "module", "category": "x"} if kind == "products" else {"price_book_id": "pb_a"}
    return guess(opened(text.encode(), "a.csv")[0], KINDS[kind], constants=constants, attributes=SOLAR)


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
    [table] = tables(solar("products", text))
    assert {name for name, column in columns(table).items() if column == head} == {f"attributes.{attribute}"}


def test_a_column_in_a_unit_that_measures_something_else_is_a_doubt_and_is_not_taken() -> None:
    found = solar("products", "Modelo;Marca;Descripción;Potencia [kg]\nA;Acme;Texto;5\nB;Acme;Texto b;6\n")
    assert not [name for name in columns(tables(found)[0]) if name.startswith("attributes.")]
    assert "'Potencia [kg]' is in kg, which measures something else" in "; ".join(found[1])


def test_of_two_prices_without_a_quantity_the_one_taken_is_a_doubt() -> None:
    text = "Ref.;PVP;Precio palé\nR1;92,00 €;84,50 €\nR2;99,00 €;91,00 €\n"
    assert any("'PVP'" in doubt and "'Precio palé'" in doubt for doubt in solar("prices", text)[1])


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


def test_a_guess_agrees_with_what_stands_in_the_column() -> None:
    lines = ["Item no;Desc group;Desc %;Price unit each;Qty;Quote number;Description"]
    lines += [f"A-{at};G1;{at},00;{at}98,00 €;2;Q-1;Pump, {at} hp" for at in range(1, 5)]
    found = columns(guessed("line_items", "\n".join(lines)))
    assert (found["description"], found["unit_price"]) == ("Description", "Price unit each")
    assert "unit" not in found
    assert found["discount_pct"] == "Desc %"
    for_sale = columns(guessed("products_for_sale", "\n".join(lines)))
    assert not {"Desc group", "Desc %"} & set(for_sale.values())


def test_what_goods_are_for_is_not_what_they_are() -> None:
    found = columns(
        guessed("products", "Codice art.;Descrizione;Per macchina\nA-1;Griglia GN;tutti\nA-2;Carrello;F10")
    )
    assert (found["sku"], found["description"]) == ("Codice art.", "Descrizione")
    assert "Per macchina" not in found.values()


def test_a_column_that_names_a_currency_alone_has_the_price_unless_another_has_it_or_there_are_two() -> None:
    chf = guessed("prices", "Artikel;Preis per;CHF\nA-1;100 m;12,50\nA-2;1;3,00").fields
    assert (chf["price"].columns, chf["price"].per) == (("CHF",), "Preis per")
    assert "price" not in guessed("prices", "Artikel;EUR;CHF;ab 10\nA-1;1,00;12,50;1\nA-2;1,00;3,00;1").fields


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("SKU;Price EUR\nA;27,75\n", "EUR"),
        ("Symbol;Cena\nA;27,75 zł\nB;na zapytanie\n", "PLN"),
        ("SKU;Price\nA;27,75 EUR\nB;1,00 CHF\n", None),
        ("SKU;Price $\nA;27,75\n", None),
    ],
)
def test_prices_keep_the_one_currency_that_they_say_unless_its_sign_is_that_of_several(
    text: str, currency: str | None
) -> None:
    assert guessed("prices", text, **BOOK).constants.get("currency") == currency


def test_a_currency_and_a_country_are_not_guessed_of_columns_that_say_none() -> None:
    text = "Cod. cliente;Ragione sociale;Naz;Val\n1;Alfa;{0}\n2;Beta;{0}"
    assert columns(guessed("accounts", text.format("D;EUR")))["country"] == "Naz"
    assert not {"country", "currency"} & columns(guessed("accounts", text.format("serie A;alto"))).keys()


@pytest.mark.parametrize("heading", ["Cur", "Kod", "Foo"])
def test_a_column_of_nothing_but_codes_of_currencies_is_the_currency_and_no_name(heading: str) -> None:
    text = f"A/C No,A/C Name,{heading},Disc\n1001,Smith,GBP,10\n1002,Jones,EUR,5\n1003,Brown,GBP,0\n"
    found = columns(guessed("accounts", text))
    assert [name for name, column in found.items() if column == heading] == ["currency"]


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


def test_a_heading_of_two_languages_an_amount_with_tax_and_a_supplier_are_doubts() -> None:
    def doubts(kind: str, text: str) -> str:
        return "\n".join(guess(opened(text.encode(), "export.csv")[0], KINDS[kind])[1])

    [either, gross, seller] = [
        doubts("accounts", "Kraj;Email;Segment\nPolska;a@b.example;standard\n"),
        doubts("prices", "SKU;Prix TTC\nA-1;12,50\n"),
        doubts("products", "SKU;Supplier;Description\nA-1;Acme;Oven\n"),
    ]
    assert "country: 'Kraj' is taken; in another language (cs) it is region." in either
    assert "price: 'Prix TTC' has tax in it; amounts are stored as those before tax." in gross
    assert "manufacturer: 'Supplier' names suppliers, and no column who made the goods." in seller
    assert "another language" not in doubts("accounts", "Kraj;Ulica;Segment\nPolska;Długa 1;standard\n")


def test_a_name_that_is_the_same_in_all_rows_is_none() -> None:
    lines = ["SKU;Name;Description", *(f"A-{at};Acme pumps;Pump of {at} hp" for at in range(1, 5))]
    assert columns(guessed("products_for_sale", "\n".join(lines)))["name"] == "Description"


def test_a_name_beside_its_description_is_the_model_and_the_sku_is_not() -> None:
    lines = ["SKU;Product name;Description", "A-1;Model One;For wells", "A-2;Model Two;For ponds"]
    found = guess([beginning(lines, separator=";")], KINDS["products"], constants={"manufacturer": "Acme"})
    assert columns(tables(found)[0])["model"] == "Product name"
    assert any("'Product name' is taken; 'SKU' is the SKU" in doubt for doubt in found[1])
    alike = [*lines, "A-3;Model Two;For ponds, 400 V"]
    found = guess([beginning(alike, separator=";")], KINDS["products"], constants={"manufacturer": "Acme"})
    assert columns(tables(found)[0])["model"] == "SKU"


@pytest.mark.parametrize(("second", "is_total"), [("2.529,44", False), ("304,00", True)])
def test_a_total_that_differs_between_the_rows_of_one_quote_is_none(second: str, is_total: bool) -> None:
    lines = ["Quote no;Customer;Date;Project;Total", "Q-1;Marin;2025-02-03;Nave;304,00"]
    lines += [f"Q-1;Marin;2025-02-03;Nave;{second}", "Q-2;Turia;2025-02-04;Sala;9,00"]
    found = guess([beginning(lines, separator=";")], KINDS["past_quotes"])
    assert ("total_price" in columns(tables(found)[0])) is is_total
    assert any("differs between rows of one quote" in doubt for doubt in found[1]) is not is_total


def test_an_amount_on_each_line_below_a_quotes_number_is_no_total_and_a_sum_of_all_is_no_line() -> None:
    head = "Nr oferty;Klient;Data;Projekt;Poz.;Wartość\nQ-1;Marin;2025-02-03;Nave;1;304,00\n"
    last = "Q-2;Turia;2025-02-04;Sala;1;9,00\n;;;Razem;;313,00\n"
    assert "total_price" in columns(guessed("past_quotes", head + last))
    lines = f"{head};;;;2;12,00\n{last}"
    assert "total_price" not in columns(guessed("past_quotes", lines))
    assert "total_price: 'Wartość' differs between rows of one quote" in asked("past_quotes", lines)


def asked(kind: str, text: str) -> str:
    return "\n".join(guess(opened(text.encode(), "export.csv")[0], KINDS[kind], attributes=HARZ)[1])


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


def test_what_all_lines_of_each_quote_share_describes_none_of_them() -> None:
    lines = ["N° pièce;Intitulé;Article;Libellé;Qté"]
    lines += [f"{quote};Client {quote};A{line};Vanne {line};2" for quote in "123" for line in (1, 2)]
    assert columns(guessed("line_items", "\n".join(lines)))["description"] == "Libellé"


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


def test_quantities_and_prices_in_numbered_columns_are_tiers_beside_the_list_price() -> None:
    text = "Artikelcode;Prijs per;Brutoprijs EUR;Staffel 1;Prijs st. 1;Staffel 2;Prijs st. 2\n"
    text += "V-1;rol;58,90;10;54,50;40;49,90\n"
    table = guessed("prices", text)
    assert columns(table) | {"product_id": ""} == {
        **{"product_id": "", "price": "Brutoprijs EUR", "tiers.1": "Prijs st. 1", "tiers.2": "Prijs st. 2"}
    }
    assert [table.fields[f"tiers.{at}"].at for at in (1, 2)] == ["Staffel 1", "Staffel 2"]
    assert "'rol', which is no number of pieces: say in values how many it is" in asked("prices", text)


@pytest.mark.parametrize("quantity", ["Mgd. 2", "Grense 2", "Foo2"])
def test_whatever_alone_is_numbered_as_a_price_is_and_counts_is_its_quantity_else_its_number_is_a_doubt(
    quantity: str,
) -> None:
    text = "Art. nr;Price;{};Price 2\nA;100,00;{};95,00\nB;50,00;40;45,00\n"
    assert guessed("prices", text.format(quantity, 30)).fields["tiers.2"].at == quantity
    assert "Price 2" not in asked("prices", text.format(quantity, 30))
    for cell in ("0,5", "30 %", "abc"):
        assert guessed("prices", text.format(quantity, cell)).fields["tiers.2"].at is None
        assert "'Price 2' is taken as the price from that many pieces on" in asked("prices", text.format("x 2", cell))
    assert "many pieces on" not in asked("prices", "SKU;Price;Price 10;from 5\nA;9;8;7\n")


@pytest.mark.parametrize("head", ["Gr. rab.;Opis;INST;WOD", "Rab.grp;Text;INST;WOD", "Grupo;Text;INST;WOD"])
def test_a_matrix_has_a_discount_for_each_segment_that_a_heading_names(head: str) -> None:
    rule, *_ = head.split(";")
    text = f"{head}\nP1;aaa;12;8,5\nP2;bbb;15;\nP3;ccc;12;40+10\n"
    assert columns(guessed("discounts", text)) == {
        "discount_group": rule,
        "discount_pct.inst": "INST",
        "discount_pct.wod": "WOD",
    }
    assert "'INST', 'WOD' are taken for segments" in asked("discounts", text)


def test_a_sheet_about_some_of_the_customers_of_another_is_no_list_of_them() -> None:
    customers = ["Cód.;Razón social;País;% Dto", "1;Alfa;ES;5", "2;Beta;ES;6", "3;Gamma;ES;7", "4;Delta;ES;8"]
    own = ["Cliente;Grupo;% Dto", "3;G1;25", "1;G1;21"]
    sheets = [replace(beginning(lines, separator=";"), name=name) for name, lines in (("A", customers), ("B", own))]
    assert [table.sheet for table in tables(guess(sheets, KINDS["accounts"]))] == ["A"]
    assert columns(tables(guess(sheets, KINDS["discounts"]))[-1])["account_id"] == "Cliente"


def test_columns_of_a_matrix_are_no_segment() -> None:
    text = "Kortingsgroep;Klasse A;Klasse B\nMachines;8;5\nFolie;12;8\nBand;10;6\n"
    assert "segment" not in columns(guessed("discounts", text))
    one = columns(guessed("discounts", "Klasse;Korting\nA;5\nB;8\n"))
    assert one == {"segment": "Klasse", "discount_pct": "Korting"}


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


def test_a_lapsed_quote_is_asked_for() -> None:
    told = asked("past_quotes", "Offertenr;Klant;Datum;Betreft;Status\n1;X;1-2-2024;Pomp;vervallen\n")
    assert "status: what does 'vervallen' mean?" in told


def test_a_word_of_its_own_is_no_contraction() -> None:
    text = "Cliente;Fecha;Asunto;Peso;Estado\nAlfa;06/03/2024;x;2;Ganada\nBeta;06/03/2024;y;3;Perdida\n"
    assert "quote_number" not in columns(guessed("past_quotes", text))
