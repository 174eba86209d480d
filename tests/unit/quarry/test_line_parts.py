"""What a line of a past quote is made of, by rules; and what in its text belongs to its own quote."""

import json
import time
from collections.abc import Iterator

import pytest

from local.corpus_loader import CORPUS
from quarry.precedents.line_parts import line_text
from quarry.precedents.mentions import Mentioning
from quarry.understanding.names import ModelName, Names
from quarry.understanding.words import Vocabulary

BLOWER = (
    "15 HP regenerative blowers (3), two run + one swing. Relief valve set 4.5.\n"
    "MFR          Maumee Blower\n"
    "HP           15HP\n"
    "CFM          410 @ 5 PSIG\n"
    "Maumee: 30 months bearings incl., no labor.\n"
    "NET $4,090.00 EACH, F.O.B. FACTORY (RB-1100)"
)
NAMES = Names(
    makers={"quincy": "Quincy"},
    models={"qgv100": [ModelName("QGV-100", "Quincy")]},
    customers={"ironwood castings": "Ironwood Castings"},
    contacts={"dale trevino": "Dale Trevino"},
)


def texts() -> Iterator[str]:
    for line in (CORPUS / "line_items.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)["description"]


def said(text: str, *theirs: str) -> list[tuple[str, str]]:
    found = Mentioning(NAMES, Vocabulary.shipped()).of(text, theirs=theirs)
    return [(each.kind, text[each.start : each.end]) for each in found]


def test_parts_are_all_of_every_text_and_change_nothing() -> None:
    for text in texts():
        assert "".join(text[part.start : part.end] for part in line_text(text).parts) == text


def test_what_sells_stands_apart_from_specification_warranty_and_price() -> None:
    line = line_text(BLOWER)
    assert line.selling == "15 HP regenerative blowers (3), two run + one swing. Relief valve set 4.5."
    assert line.of("characteristics").startswith("MFR          Maumee Blower\nHP")
    assert line.of("warranty") == "Maumee: 30 months bearings incl., no labor."
    assert line.of("net_price") == "NET $4,090.00 EACH, F.O.B. FACTORY (RB-1100)"


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Delivery: 12-14 Weeks A.R.O.", "delivery"),
        ("Lieferzeit etwa zwölf Wochen nach Klarstellung.", "delivery"),
        ("Entrega 14 semanas, libre a bordo en planta.", "delivery"),
        ("Shipment 15 weeks.", "delivery"),
        ("Delivered on one skid by tilt bed.", "selling"),
        ("We ran four weeks of amp data on the base unit.", "selling"),
        ("Two year package warranty, five on the airend with authorised service.", "warranty"),
        ("Garantie de 24 mois pièces.", "warranty"),
        ("Freeze damage is not a warranty case, keep lean-to above 40.", "selling"),
        ("Payment 30/40/20/10 by milestones, retention none.", "payment"),
        ("Net 30 days.", "payment"),
        ("Price each MXN 1,130,200.00 net of taxes", "net_price"),
        ("Preis je Stück netto EUR 13.550,00", "net_price"),
        ("Warranty on workmanship 12 mo., on equipment see item 1.", "warranty"),
        ("As walked with Sam Teague.", "reference"),
        ("Anything else as in proposal Q19-0105.", "reference"),
        ("Gewicht: 325 kg", "characteristics"),
        ("  lubrication .. oilless and 30 dBA", "selling"),
        ("  lubrication .... oilless", "characteristics"),
        ("• Flow: 417 ACFM / 125 PSI", "characteristics"),
    ],
)
def test_a_sentence_is_of_the_kind_that_it_begins_as(sentence: str, kind: str) -> None:
    assert [part.kind for part in line_text(sentence).parts] == [kind]


@pytest.mark.parametrize(
    ("text", "weeks"), [("Delivery: 12-14 Weeks A.R.O.", "12-14"), ("Delivery 11 wks", "11"), ("Delivery soon", None)]
)
def test_weeks_of_delivery_are_a_field(text: str, weeks: str | None) -> None:
    assert line_text(text).delivery_weeks == weeks


def test_an_alternate_is_known_by_how_it_begins() -> None:
    assert line_text("ALTERNATE TO ITEM 1: 100HP oilless").alternate
    assert line_text("OPTION: operator class").alternate
    assert not line_text("Optically clear gauge glass.").alternate
    assert not line_text("Tie-in with the alternate pump.").alternate


def test_names_places_dates_numbers_and_prices_of_a_quote_are_mentioned_with_their_places() -> None:
    text = "As walked with Hank Pruss on April 21, duct past column 12 in Bay Minette, see Q22-0518; fitter $94/h."
    assert said(text) == [
        ("person", "Hank Pruss"),
        ("date", "April 21"),
        ("place", "column 12"),
        ("place", "Bay Minette"),
        ("quote_number", "Q22-0518"),
        ("price", "$94"),
    ]


def test_a_place_that_is_called_after_what_is_done_there_is_another_customers() -> None:
    text = "Plant air at the honey packing hall, above the door of the divider hall."
    assert said(text) == [("place", "honey packing hall"), ("place", "divider hall")]
    assert said("It stands in the compressor room and takes the air of the whole building.") == []


def test_the_customer_and_contact_of_the_quote_are_known_by_a_part_of_their_names() -> None:
    text = "Pads poured by Groeb's crew, Dale says Tuesday is best."
    assert said(text, "Groeb Farms", "Dale Trevino") == [("company", "Groeb"), ("person", "Dale")]
    assert ("company", "Ironwood Castings") in said("Like at Ironwood Castings.")


@pytest.mark.parametrize(
    "text",
    [
        "QGV-100: 100 HP, lubricated. Same footprint as what stands there now.",
        "Quincy will start it on Fridays in winter.",
        "Cold hall 38 F, condensation on everything.",
        "Montageort nach Zeichnung, in Abstimmung mit Ihnen.",
        "Refrigerated dryer, 500 scfm at 100 PSIG, Class 1.4.1 by ISO 8573-1.",
        "",
    ],
)
def test_what_any_customer_may_read_mentions_nobody(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    "piece", ["Aa ", "$1 ", "in Aa", "Net $", "a.", "• : ", "Q-1", "Aa Bb Cc Dd Ee ", "\n", "1/1/"]
)
def test_a_text_made_to_be_slow_is_read_in_time(piece: str) -> None:
    text = (piece * 20_000)[:20_000]
    start = time.process_time()
    line_text.__wrapped__(text)
    Mentioning(NAMES, Vocabulary.shipped()).of(text, theirs=("Groeb Farms",))
    assert time.process_time() - start < 1.0


def test_a_point_after_an_abbreviation_ends_no_sentence() -> None:
    text = (
        "Any pump can be locked out.\n"
        "WARRANTY - twenty four (24) months parts, twelve (12) mos. labor. Clean air only."
    )
    found = line_text(text)
    assert found.of("warranty") == "WARRANTY - twenty four (24) months parts, twelve (12) mos. labor."
    assert found.selling == "Any pump can be locked out.\nClean air only."
