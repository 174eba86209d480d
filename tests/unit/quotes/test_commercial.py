"""Items that ask for terms of the sale and for no product."""

import pytest

from quarry.retrieval.unread_words import untold
from quotes.drafting.commercial import topic_of
from tests.unit.understanding.trade import read


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("disposal of the old dryer", "disposal"),
        ("Entsorgung der Altanlage", "disposal"),
        ("mise au rebut de l'ancien sécheur", "disposal"),
        ("delivery to dock, freight to Toledo", "freight and delivery"),
        ("Lieferung frei Haus", "freight and delivery"),
        ("flete a planta", "freight and delivery"),
        ("prix rendu Besançon", "freight and delivery"),
        ("Skonto 2% 10 Tage", "payment"),
        ("condiciones de pago", "payment"),
        ("no-oil letter for HACCP, Class 0 certificate", "documents"),
        ("letter for the compressor that no oil is used", "documents"),
        ("Konformitätserklärung für den Kompressor", "documents"),
        ("certificado de aire sin aceite", "documents"),
        ("attestation sans huile pour le compresseur", "documents"),
    ],
)
def test_terms_alone_ask_for_no_product(query: str, topic: str) -> None:
    assert topic_of(query, read(query)) == topic


@pytest.mark.parametrize(
    "query",
    [
        "50 hp compressor, trade-in of the old one",
        "new 100 hp compressor with trade-in of our GA75",
        "50 hp compressor delivered to Toledo",
        "Lieferung eines Kompressors 50 kW",
        "oilless compressor 45 cfm",
        "oilless compressor with Class 0 certificate",
        "Certificate Class 0, oilless compressor 50 hp",
        "réservoir 1000 litres avec certificat CE",
    ],
)
def test_a_product_with_its_terms_is_a_product(query: str) -> None:
    assert topic_of(query, read(query)) is None


def test_words_that_a_row_has_literally_are_told() -> None:
    request = read("master controller, eight machines, web server, ISO 50001 report, blockchain, 115 V")
    row = {"description": "Adaptive master controller, eight machines, web server and report in ISO 50001 layout."}
    assert untold(request, row) == ["blockchain"]
    assert untold(read("dryer 450 cfm, purge"), {"description": "Heated desiccant, 7 percent purge."}) == []
