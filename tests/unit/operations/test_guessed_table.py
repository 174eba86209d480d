"""What stands in the cells of a column tells which field it is, or that it is none."""

from io import BytesIO

import pytest

from onboarding.contents import opened
from operations.ingest import KINDS
from operations.reading import read
from operations.tables.attributes import NO_ATTRIBUTES
from operations.tables.columns import guess
from operations.tables.sheets import beginning
from quarry.ingestion import Accepted
from tests.customers.files import COMPANIES
from tests.guesses import BOOK, asked, columns, guessed, of, stored, tables


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


def test_a_family_that_nobody_declared_is_asked_for() -> None:
    assert not any("family" in doubt for doubt in of("ebro", "articulos.csv", "products")[1])
    content = COMPANIES["ebro"]()["articulos.csv"]
    undeclared = guess(opened(content, "articulos.csv")[0], KINDS["products"])
    assert undeclared[1][-1].endswith("first, with its words: make ingest KIND=families.")
    assert "family: declare  first" not in asked(
        "products", "Модель;Виробник;Група\nА-1;Завод;Шнек\nБ-2;Завод;Шнек\n"
    )


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


def test_a_guess_agrees_with_what_stands_in_the_column() -> None:
    lines = ["Item no;Desc group;Desc %;Price unit each;Qty;Quote number;Description"]
    lines += [f"A-{at};G1;{at},00;{at}98,00 €;2;Q-1;Pump, {at} hp" for at in range(1, 5)]
    found = columns(guessed("line_items", "\n".join(lines)))
    assert (found["description"], found["unit_price"]) == ("Description", "Price unit each")
    assert "unit" not in found
    assert found["discount_pct"] == "Desc %"
    for_sale = columns(guessed("products_for_sale", "\n".join(lines)))
    assert not {"Desc group", "Desc %"} & set(for_sale.values())


def test_a_currency_and_a_country_are_not_guessed_of_columns_that_say_none() -> None:
    text = "Cod. cliente;Ragione sociale;Naz;Val\n1;Alfa;{0}\n2;Beta;{0}"
    assert columns(guessed("accounts", text.format("D;EUR")))["country"] == "Naz"
    assert not {"country", "currency"} & columns(guessed("accounts", text.format("serie A;alto"))).keys()


@pytest.mark.parametrize("heading", ["Cur", "Kod", "Foo"])
def test_a_column_of_nothing_but_codes_of_currencies_is_the_currency_and_no_name(heading: str) -> None:
    text = f"A/C No,A/C Name,{heading},Disc\n1001,Smith,GBP,10\n1002,Jones,EUR,5\n1003,Brown,GBP,0\n"
    found = columns(guessed("accounts", text))
    assert [name for name, column in found.items() if column == heading] == ["currency"]


def test_a_name_that_is_the_same_in_all_rows_is_none() -> None:
    lines = ["SKU;Name;Description", *(f"A-{at};Acme pumps;Pump of {at} hp" for at in range(1, 5))]
    assert columns(guessed("products_for_sale", "\n".join(lines)))["name"] == "Description"


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


def test_what_differs_between_the_lines_of_a_quote_is_neither_its_project_nor_its_summary() -> None:
    lines = ["Quote no;Customer;Date;Status;Description"]
    lines += [f"{quote};Marin;2025-02-03;won;Valve {line}" for quote in "12" for line in (1, 2)]
    assert not columns(guessed("past_quotes", "\n".join(lines))).keys() & {"project", "summary"}
    assert "NEEDED" not in asked("past_quotes", "\n".join(lines))


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


def test_columns_of_a_matrix_are_no_segment() -> None:
    text = "Kortingsgroep;Klasse A;Klasse B\nMachines;8;5\nFolie;12;8\nBand;10;6\n"
    assert "segment" not in columns(guessed("discounts", text))
    one = columns(guessed("discounts", "Klasse;Korting\nA;5\nB;8\n"))
    assert one == {"segment": "Klasse", "discount_pct": "Korting"}


def test_a_lapsed_quote_is_asked_for() -> None:
    told = asked("past_quotes", "Offertenr;Klant;Datum;Betreft;Status\n1;X;1-2-2024;Pomp;vervallen\n")
    assert "status: what does 'vervallen' mean?" in told
