"""What is told as a trouble, and what asks for a product beside it."""

import pytest

from quotes.drafting.troubles import AUDIT, VISIT, work_for
from tests.unit.understanding.trade import read


@pytest.mark.parametrize(
    ("text", "work"),
    [
        ("pressure drops at the end of the hall to 71 psi at shift change", AUDIT),
        ("Druck fällt beim Schichtwechsel auf 5 bar, die Maschinen gehen auf Störung", AUDIT),
        ("cae la presión cuando entra el segundo turno", AUDIT),
        ("la pression chute au changement d'équipe", AUDIT),
        ("water in the compressed air lines all summer", AUDIT),
        ("Wasser in den Leitungen seit dem Sommer", AUDIT),
        ("big compressor runs all night, leaks, electric bill up; air leak audit", AUDIT),
        ("do I need a bigger compressor? we have three blue ones", AUDIT),
        ("the compressor makes a noise and keeps tripping", VISIT),
        ("le compresseur fait du bruit", VISIT),
        ("press 3 dry vane vacuum pump of 2023: howls at startup, bearing", VISIT),
        ("bearing noise on the oilless scroll compressor", VISIT),
        ("die Drehschieberpumpe heult beim Anlauf, Lagergeräusch", VISIT),
        ("la bomba de paletas secas vibra, ruido de rodamiento", VISIT),
        ("la pompe à palettes sèche siffle, bruit de roulement", VISIT),
    ],
)
def test_who_tells_a_trouble_is_offered_the_work_that_finds_its_cause(text: str, work: str) -> None:
    assert work_for(text, read(text)) == work


@pytest.mark.parametrize(
    "text",
    [
        "water in the air lines, need a dryer",
        "water in the air lines, what do you have against it",
        "Wasser in den Leitungen, wir brauchen einen Trockner",
        "filter with a low pressure drop, 100 cfm",
        "replace the 50 HP compressor that makes noise",
        "refrigerated dryer, water in the lines of the paint shop",
        "leak-free receiver 400 gal",
        "QGV-50, the old one leaks",
        "start-up, one trip",
        "oilless scroll compressor with low vibration, no bearing wear",
        "need an oilless vane pump, the old one howls",
    ],
)
def test_who_asks_for_a_product_beside_it_is_offered_that(text: str) -> None:
    assert work_for(text, read(text)) is None
