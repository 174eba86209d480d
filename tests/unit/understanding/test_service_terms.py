"""How often a service comes and for how long it holds, as texts tell it."""

import pytest

from quarry.understanding.service_terms import service_terms
from quarry.understanding.text import fold
from quarry.understanding.words import Vocabulary


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("PM with quarterly visits", ["4 visits"]),
        ("Four (4) visits by our technician", ["4 visits"]),
        ("Wartungsvertrag, zwei Besuche im Jahr", ["2 visits"]),
        ("contrato de mantenimiento, cuatro visitas al año", ["4 visits"]),
        ("warranty extension to seven years", ["7 years"]),
        ("5 year extended warranty", ["5 years"]),
        ("Vollwartung auf drei Jahre", ["3 years"]),
        ("fünfjährige Garantie", ["5 years"]),
        ("7-jährige Gewährleistung", ["7 years"]),
        ("garantía ampliada a cinco años", ["5 years"]),
        ("garantie étendue à cinq ans", ["5 years"]),
        ("machines sold in the last 5 years", []),
        ("warranty claims of the last 5 years", []),
    ],
)
def test_visits_and_years_are_read(text: str, values: list[str]) -> None:
    found = service_terms(fold(text), numbers=Vocabulary.shipped().numbers)
    assert [each.value for each in found] == values
