"""Names that no data of the tenant has: told as such where a name stands, and nowhere else."""

from dataclasses import replace
from datetime import date

import pytest

from quarry.understanding.fit import fit
from quarry.understanding.names import Names
from quarry.understanding.needs import Request
from quarry.understanding.reading import understand
from quarry.understanding.words import Vocabulary

NAMES = Names(
    customers={"4m industries": "4M Industries", "tri-creek dairy": "Tri-Creek Dairy"},
    salespeople={"tina vance": "Tina Vance"},
    contacts={"holger brinkmann": "Holger Brinkmann"},
)


def read(text: str, *, of_sales: bool = True) -> Request:
    words = replace(Vocabulary.of_archive(), of_sales=of_sales)
    return understand(text, words=words, names=NAMES, today=date(2026, 11, 22))


def named(text: str) -> list[str]:
    return [need.words for need in read(text).needs if need.attribute == "name"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("quotes to Toyota", "Toyota"),
        ("what did Brad Simmons sell in 2023", "Brad Simmons"),
        ("the Hendrickson job, vacuum pumps", "Hendrickson"),
        ("everything Tina Miller lost", "Tina Miller"),
        ("orders from BMW in 2023", "BMW"),
        ("quotes for mr hobbs", "hobbs"),
        ("Angebote von Frau Schulze", "Schulze"),
        ("Angebote an Siemens", "Siemens"),
        ("cotizaciones para Ramón Ibáñez", "Ramón Ibáñez"),
        ("devis pour Mme Dubois", "Dubois"),
    ],
)
def test_a_name_that_is_not_in_the_data_is_read_where_a_name_stands(text: str, name: str) -> None:
    assert named(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        "Toyota",
        "Quotes For Wineries With Dry Scrolls",
        "Hi Peter, what did we quote for dairies?",
        "compressor quotes, Regards Bob Miller",
        "vacuum for MRI rooms at a hospital",
        "Angebote für Schreinereien mit Absaugung",
        "8 hr shift at a dairy",
        "jobs in Ohio",
        "won quotes for Tri-Creek",
        "quotes to toyota",
    ],
)
def test_other_words_with_a_capital_name_nobody(text: str) -> None:
    assert named(text) == []


def test_a_request_of_products_names_nobody() -> None:
    assert read("compressor for Toyota", of_sales=False).needs[0].attribute != "name"


@pytest.mark.parametrize("text", ["Hr. Brinkman, offene Angebote", "quotes to Mr Brinckmann"])
def test_a_slip_in_the_name_of_somebody_who_is_known_is_forgiven(text: str) -> None:
    assert [need.values for need in read(text).needs if need.attribute == "contact"] == [{"Holger Brinkmann"}]


def test_a_customer_that_begins_with_a_figure_is_no_length() -> None:
    assert {need.attribute for need in read("4M vacuum").needs} == {"customer", "family"}
    assert all(need.attribute != "customer" for need in read("piping of 4 m").needs)


def test_a_row_answers_a_name_by_any_of_its_texts() -> None:
    asked = read("quotes to Voxtrup").needs[0]
    assert fit(asked, {"summary": "As at Voxtrup, with a dryer."}, traits={}).verdict == "met"
    assert fit(asked, {"summary": "As in Osnabrück."}, traits={}).verdict == "unknown"
